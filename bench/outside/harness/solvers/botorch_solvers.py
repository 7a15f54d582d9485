# SPDX-License-Identifier: MIT
"""Two Bayesian rivals made of BoTorch's parts: a trust region with Thompson sampling (SCBO, Eriksson and Poloczek 2021) and noisy
expected improvement with constraints (qLogNEI, Ament et al. 2023). Models are BoTorch's single-task Gaussian processes with their priors.

Heavy: both think for longer than 0.2 s an evaluation and are stopped at 300.
"""
import warnings

import numpy as np
import torch
from botorch.acquisition import qLogNoisyExpectedImprovement
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import SumMarginalLogLikelihood

from ..task import BudgetSpent, SlowSolver, stream
from . import Answer
from .unit_box import UnitBox

MOST_CONSTRAINTS = 8  # beyond, only the worst constraint of a point is modelled


def bilog(values):
    return np.sign(values) * np.log1p(np.abs(values))


class Data:
    """What was measured, as tensors: points, and the objective with all constraints as columns."""

    def __init__(self, task, counter):
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        warnings.simplefilter("ignore")
        self.box = UnitBox(task, counter)
        self.points, self.values = [], []

    def measure(self, u):
        found = self.box(u)
        if found is None:  # as bad as anything seen
            worst = np.max(self.values, axis=0) if self.values else np.ones(1 + self.columns())
            self.points.append(np.array(u))
            self.values.append(worst)
            return
        g = found[1] / self.box.scale
        if len(g) > MOST_CONSTRAINTS:
            g = np.array([np.max(g)])
        self.points.append(np.array(u))
        self.values.append(np.array([found[0], *bilog(g)]))

    def columns(self):
        return min(self.box.constraints, 1 if self.box.constraints > MOST_CONSTRAINTS else MOST_CONSTRAINTS)

    def first_design(self, seed):
        task = self.box.task
        self.measure(self.box.start())
        engine = torch.quasirandom.SobolEngine(task.dimension, scramble=True, seed=seed % (1 << 31))
        for u in engine.draw(min(2 * task.dimension + 3, task.budget // 3)).numpy():
            self.measure(u)

    def model(self):
        x, y = torch.tensor(np.array(self.points)), torch.tensor(np.array(self.values))
        models = [SingleTaskGP(x, y[:, i:i + 1], outcome_transform=Standardize(1)) for i in range(y.shape[1])]
        together = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(together.likelihood, together), optimizer_kwargs={"options": {"maxiter": 60}})
        return together, x, y

    def best(self):
        """The index of the best measured point: feasible first."""
        values = np.array(self.values)
        broken = np.maximum(0, values[:, 1:]).max(axis=1) if values.shape[1] > 1 else np.zeros(len(values))
        return int(np.lexsort((values[:, 0], broken))[0])


def scbo(task, counter, seed):
    data, draw, n = Data(task, counter), stream(seed, 4), task.dimension
    length, wins, losses, note = 0.8, 0, 0, ""
    try:
        data.first_design(seed)
        while True:
            model, x, _ = data.model()
            centre = data.points[data.best()]
            low, high = np.clip(centre - length / 2, 0, 1), np.clip(centre + length / 2, 0, 1)
            count = min(2000, 200 * n)
            moved = draw.uniform(size=(count, n)) < min(1.0, 20.0 / n)
            moved[np.arange(count), draw.integers(n, size=count)] = True
            candidates = np.where(moved, draw.uniform(low, high, (count, n)), centre)
            with torch.no_grad():
                torch.manual_seed(int(draw.integers(1 << 31)))
                sample = torch.cat([one.posterior(torch.tensor(candidates)).rsample(torch.Size([1]))[0] for one in model.models], dim=-1).numpy()
            broken = np.maximum(0, sample[:, 1:]).sum(axis=1) if sample.shape[1] > 1 else np.zeros(count)
            before = data.best()
            data.measure(candidates[int(np.lexsort((sample[:, 0], broken))[0])])
            won = data.best() != before
            wins, losses = (wins + 1, 0) if won else (0, losses + 1)
            if wins >= 3:
                length, wins = min(1.6, 2 * length), 0
            if losses >= max(4, n):
                length, losses = length / 2, 0
            if length < 0.5 ** 7:
                length = 0.8
    except (BudgetSpent, SlowSolver) as end:
        note = "stopped at 300: over 0.2 s per evaluation" if isinstance(end, SlowSolver) else ""
    return Answer(data.box.answer_of(data.points[data.best()]), note=note)


def qlognei(task, counter, seed):
    data, n, note = Data(task, counter), task.dimension, ""
    torch.manual_seed(seed % (1 << 31))
    answer = data.box.start()
    try:
        data.first_design(seed)
        while True:
            model, x, y = data.model()
            limits = [lambda samples, i=i: samples[..., i] for i in range(1, y.shape[1])]
            acquisition = qLogNoisyExpectedImprovement(model, x, objective=GenericMCObjective(lambda samples, X=None: -samples[..., 0]),
                                                       constraints=limits or None, prune_baseline=True)
            candidate, _ = optimize_acqf(acquisition, torch.stack([torch.zeros(n), torch.ones(n)]), q=1, num_restarts=4, raw_samples=64)
            with torch.no_grad():  # the recommendation: best posterior mean that is probably feasible
                posterior = model.posterior(x)
                mean, deviation = posterior.mean.numpy(), posterior.variance.sqrt().numpy()
            broken = np.maximum(0, mean[:, 1:] + deviation[:, 1:]).sum(axis=1) if mean.shape[1] > 1 else np.zeros(len(mean))
            answer = data.points[int(np.lexsort((mean[:, 0], broken))[0])]
            data.measure(candidate.numpy()[0])
    except (BudgetSpent, SlowSolver) as end:
        note = "stopped at 300: over 0.2 s per evaluation" if isinstance(end, SlowSolver) else ""
    return Answer(data.box.answer_of(answer if task.noisy else data.points[data.best()]), note=note)
