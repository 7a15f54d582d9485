# SPDX-License-Identifier: MIT
"""Rivals of requirements-heavy.txt: NOMAD 4, nevergrad, SMAC3."""
import numpy as np

from ..task import BudgetSpent, SlowSolver
from . import Answer
from .unit_box import UnitBox


def nomad(task, counter, seed):
    """NOMAD 4 (mesh adaptive direct search) with the progressive barrier; integers as integers; answers by the best measured point."""
    import PyNomad
    box = UnitBox(task, counter)
    m = box.constraints

    def blackbox(point):
        try:
            found = box(np.array([point.get_coord(i) for i in range(task.dimension)]))
        except (BudgetSpent, SlowSolver):
            return 0
        if found is None:
            return 0
        point.setBBO(" ".join(f"{v:.17g}" for v in (found[0], *found[1])).encode())
        return 1

    parameters = [f"BB_OUTPUT_TYPE OBJ {'PB ' * m}".strip(), f"MAX_BB_EVAL {task.budget}", "DISPLAY_DEGREE 0", "DISPLAY_ALL_EVAL false",
                  "DISPLAY_STATS BBE OBJ", f"SEED {seed % 100000}"]
    PyNomad.optimize(blackbox, box.start().tolist(), [0.0] * task.dimension, [1.0] * task.dimension, parameters)
    return Answer(box.answer_of(box.best_seen()))


def ngopt(task, counter, seed):
    """nevergrad's own choice of an algorithm, constraints as violations; the answer is what it recommends."""
    import warnings

    import nevergrad
    warnings.simplefilter("ignore")
    box = UnitBox(task, counter)
    n = task.dimension
    variables = nevergrad.p.Array(init=np.clip(box.start(), 0, 1)).set_bounds(0, 1)
    variables.random_state.seed(seed % (1 << 31))
    optimizer = nevergrad.optimizers.registry["NGOpt"](parametrization=variables, budget=task.budget)
    try:
        while counter.left > 0:
            candidate = optimizer.ask()
            found = box(candidate.value)
            if found is None:
                optimizer.tell(candidate, 1e12)
            elif len(found[1]):
                optimizer.tell(candidate, found[0], [float(v / s) for v, s in zip(found[1], box.scale)])
            else:
                optimizer.tell(candidate, found[0])
    except (BudgetSpent, SlowSolver):
        pass
    answer = optimizer.provide_recommendation().value if task.noisy else box.best_seen()
    return Answer(box.answer_of(np.reshape(answer, n)))


def mixed_smac(task, counter, seed):
    """SMAC3's facade for hyperparameters (random forests), which is what it recommends for mixtures; limits as a penalty, as below."""
    import logging

    import ConfigSpace
    from smac import HyperparameterOptimizationFacade, Scenario

    from ..suites.mixed import applies
    from .optuna_solvers import Remembered
    logging.disable(logging.WARNING)
    remembered = Remembered(task, counter)
    space = ConfigSpace.ConfigurationSpace(seed=seed % (1 << 31))
    made = []
    for i, (one, first) in enumerate(zip(task.mixture, task.start)):
        known = applies(task.mixture, i, task.start)
        if one.kind == "categorical":
            made.append(ConfigSpace.Categorical(one.name, list(one.values), default=one.values[int(first)] if known else one.values[0]))
        elif one.kind == "real":
            made.append(ConfigSpace.Float(one.name, (one.lower, one.upper), log=one.log, **({"default": float(first)} if known else {})))
        else:
            made.append(ConfigSpace.Integer(one.name, (int(one.lower), int(one.upper)), log=one.log,
                                            **({"default": int(first)} if known else {})))
    space.add(made)
    for one, parameter in zip(task.mixture, made):
        if one.when is not None:
            parent = task.mixture[one.when[0]]
            space.add(ConfigSpace.InCondition(parameter, made[one.when[0]], [parent.values[k] for k in one.when[1]]))
    size = []

    def numbers(configuration):
        given = dict(configuration)
        return [float("nan") if one.name not in given else float(one.values.index(given[one.name])) if one.kind == "categorical"
                else float(given[one.name]) for one in task.mixture]

    def cost(configuration, seed=0):
        found = remembered(numbers(configuration))
        if found is None:
            return 1e12
        if not size:
            size.append(max(1e-9, abs(found[0])))
        return found[0] + 10 * size[0] * sum(max(0.0, value / s) for value, s in zip(found[1], remembered.scale))

    try:
        scenario = Scenario(space, deterministic=not task.noisy, n_trials=task.budget, seed=seed % (1 << 31), output_directory="smac")
        facade = HyperparameterOptimizationFacade(scenario, cost, overwrite=True, logging_level=logging.ERROR)
        found = facade.optimize()
        answer = numbers(found) if task.noisy else remembered.best()
    except (BudgetSpent, SlowSolver):
        answer = remembered.best()
    return Answer(answer)


def smac(task, counter, seed):
    if task.mixture:
        return mixed_smac(task, counter, seed)
    return plain_smac(task, counter, seed)


def plain_smac(task, counter, seed):
    """SMAC3's facade for black boxes; it knows no constraints, so what is violated is added as a penalty of the objective's size."""
    import logging

    import ConfigSpace
    from smac import BlackBoxFacade, Scenario
    logging.disable(logging.WARNING)
    box = UnitBox(task, counter)
    start = box.start()
    names = [f"x{i:03d}" for i in range(task.dimension)]
    space = ConfigSpace.ConfigurationSpace(seed=seed % (1 << 31))
    space.add([ConfigSpace.Float(name, (0.0, 1.0), default=float(np.clip(u, 0, 1))) for name, u in zip(names, start)])
    size = []

    def cost(configuration, seed=0):
        found = box(np.array([configuration[name] for name in names]))
        if found is None:
            return 1e12
        if not size:
            size.append(max(1e-9, abs(found[0])))
        broken = float(np.sum(np.maximum(0, found[1] / box.scale))) if len(found[1]) else 0.0
        return found[0] + 10 * size[0] * broken

    try:
        scenario = Scenario(space, deterministic=not task.noisy, n_trials=task.budget, seed=seed % (1 << 31), output_directory="smac")
        facade = BlackBoxFacade(scenario, cost, overwrite=True, logging_level=logging.ERROR)
        found = facade.optimize()
        answer = np.array([found[name] for name in names]) if task.noisy else box.best_seen()
    except (BudgetSpent, SlowSolver):
        answer = box.best_seen()
    return Answer(box.answer_of(answer))
