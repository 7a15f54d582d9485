# SPDX-License-Identifier: MIT
"""Optuna's samplers with constraints; the answer is the best feasible trial."""
import warnings

import optuna

from ..task import BudgetSpent, SlowSolver
from . import Answer
from .unit_box import UnitBox


def study(task, counter, seed, sampler):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    box = UnitBox(task, counter)
    log = task.logarithmic
    space = {f"x{i}": optuna.distributions.IntDistribution(int(task.lower[i]), int(task.upper[i]), log=bool(log[i])) if task.integer[i]
             else optuna.distributions.FloatDistribution(float(task.lower[i]), float(task.upper[i]), log=bool(log[i])) for i in range(task.dimension)}
    run = optuna.create_study(sampler=sampler)
    start = task.first_point()
    run.enqueue_trial({f"x{i}": int(start[i]) if task.integer[i] else float(start[i]) for i in range(task.dimension)})
    try:
        while True:
            trial = run.ask(space)
            u = box.to_u([trial.params[f"x{i}"] for i in range(task.dimension)])
            found = box(u)
            if found is None:
                run.tell(trial, state=optuna.trial.TrialState.FAIL)
                continue
            for i, value in enumerate(found[1]):
                trial.set_constraint(f"g{i}", float(value))
            run.tell(trial, found[0])
    except (BudgetSpent, SlowSolver) as end:
        note = "stopped at 300: over 0.2 s per evaluation" if isinstance(end, SlowSolver) else ""
    return Answer(box.answer_of(box.best_seen(0.0)), note=note)


class Remembered:
    """What was measured, for solvers whose answer is the best point seen; limits relative to their size at the first point."""

    def __init__(self, task, counter):
        self.task, self.counter, self.scale, self.seen = task, counter, None, []

    def __call__(self, x):
        """(f, g) at x; None where the problem fails."""
        try:
            f, g = self.counter(x)
        except (BudgetSpent, SlowSolver):
            raise
        except Exception:
            return None
        if self.scale is None:
            self.scale = [max(abs(value), 1e-12) for value in g]
        self.seen.append((max([0.0] + [value / s for value, s in zip(g, self.scale)]), f, x))
        return f, g

    def best(self):
        return min(self.seen, key=lambda one: one[:2])[2] if self.seen else self.task.first_point()


def mixed_study(task, counter, sampler):
    """Conditions by Optuna's define-by-run: what does not apply is not suggested."""
    from ..suites.mixed import applies
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    remembered = Remembered(task, counter)
    run = optuna.create_study(sampler=sampler)
    run.enqueue_trial({one.name: one.values[int(value)] if one.kind == "categorical" else float(value) if one.kind == "real" else int(value)
                       for i, (one, value) in enumerate(zip(task.mixture, task.start)) if applies(task.mixture, i, task.start)})

    def suggested(trial, one):
        if one.kind == "categorical":
            return one.values.index(trial.suggest_categorical(one.name, one.values))
        if one.kind == "ordinal":  # numbers in order: Optuna has none, their places are integers
            return trial.suggest_int(one.name, 0, len(one.values) - 1)
        if one.kind == "integer":
            return trial.suggest_int(one.name, int(one.lower), int(one.upper), log=one.log)
        return trial.suggest_float(one.name, one.lower, one.upper, log=one.log)

    try:
        while True:
            trial = run.ask()
            x = [float("nan")] * len(task.mixture)
            for i, one in enumerate(task.mixture):
                if applies(task.mixture, i, x):
                    x[i] = float(suggested(trial, one))
            found = remembered(x)
            if found is None:
                run.tell(trial, state=optuna.trial.TrialState.FAIL)
                continue
            for i, value in enumerate(found[1]):
                trial.set_constraint(f"g{i}", float(value))
            run.tell(trial, found[0])
    except (BudgetSpent, SlowSolver):
        pass
    return Answer(remembered.best())


def tpe(task, counter, seed):
    if task.mixture:
        return mixed_study(task, counter, optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True))
    return study(task, counter, seed, optuna.samplers.TPESampler(seed=seed, multivariate=True))


def gp(task, counter, seed):
    return study(task, counter, seed, optuna.samplers.GPSampler(seed=seed, deterministic_objective=not task.noisy))
