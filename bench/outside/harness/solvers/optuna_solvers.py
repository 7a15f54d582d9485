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


def tpe(task, counter, seed):
    return study(task, counter, seed, optuna.samplers.TPESampler(seed=seed, multivariate=True))


def gp(task, counter, seed):
    return study(task, counter, seed, optuna.samplers.GPSampler(seed=seed, deterministic_objective=not task.noisy))
