# SPDX-License-Identifier: MIT
"""pycma with its augmented Lagrangian; with noise its noise handler, too. Restarts double the population."""
import cma
import numpy as np

from ..task import BudgetSpent, SlowSolver
from . import Answer
from .unit_box import UnitBox


def augmented_lagrangian(task, counter, seed):
    box = UnitBox(task, counter)
    n = task.dimension
    favourite = box.start()

    def options(population):
        chosen = {"bounds": [0, 1], "seed": seed % (1 << 30) + 1, "verbose": -9, "maxfevals": 10 ** 9}
        if population:
            chosen["popsize"] = population
        if task.integer.any():
            chosen["integer_variables"] = [int(i) for i in np.flatnonzero(task.integer)]
        return chosen

    def scaled(values):
        return [float(v / s) for v, s in zip(values, box.scale)] if box.scale is not None else list(map(float, values))

    last = {}

    def both(u):
        key = np.asarray(u, float).tobytes()
        if last.get("key") != key:
            found = box(u)
            last.update(key=key, value=(1e12, [1e6] * box.constraints) if found is None else (found[0], scaled(found[1])))
        return last["value"]

    population, count = None, 0
    try:
        while True:
            es = cma.CMAEvolutionStrategy(favourite, 0.2, options(population))
            fitness = cma.ConstrainedFitnessAL(lambda u: both(u)[0], lambda u: both(u)[1], logging=0) if box.constraints else (lambda u: both(u)[0])
            noise = cma.NoiseHandler(n, [1, 1, 30]) if task.noisy else None
            while not es.stop():
                points, values = es.ask_and_eval(fitness, evaluations=noise.evaluations if noise else 1)
                es.tell(points, values)
                if box.constraints:
                    fitness.update(es)
                if noise:
                    es.sigma *= noise(points, values, fitness, es.ask)
                favourite = np.clip(es.result.xfavorite, 0, 1)
                last.clear()
            population, count = 2 * es.popsize, count + 1
            if not task.noisy:
                favourite = np.clip(box.best_seen(), 0, 1)
    except (BudgetSpent, SlowSolver):
        pass
    return Answer(box.answer_of(favourite if task.noisy else box.best_seen()), note=f"{count} restarts")
