# SPDX-License-Identifier: MIT
import math

import numpy as np

from ..task import BudgetSpent, stream
from . import Answer


def random_point(task, draw):
    if task.mixture:
        from ..suites.mixed import applies
        x = np.array([one.lower if one.lower == one.upper else
                      math.exp(draw.uniform(math.log(one.lower), math.log(one.upper))) if one.log else
                      float(draw.integers(int(one.lower), int(one.upper) + 1)) if one.kind != "real" else
                      draw.uniform(one.lower, one.upper) for one in task.mixture])
        return np.array([x[i] if applies(task.mixture, i, x) else math.nan for i in range(len(x))])
    for _ in range(10000):
        if task.simplex:
            return draw.dirichlet(np.ones(task.dimension))
        x = draw.uniform(task.lower, task.upper)
        if task.integer.any():
            whole = draw.integers(task.lower.astype(int), task.upper.astype(int) + 1)
            x = np.where(task.integer, whole, x)
        log = task.logarithmic
        if log.any():
            bent = np.exp(draw.uniform(np.log(np.where(log, task.lower, 1)), np.log(np.where(log, task.upper, 1))))
            x = np.where(log, np.where(task.integer, np.round(bent), bent), x)
        if all(a @ x <= b + 1e-9 for a, b in task.linear):
            return x
    return task.first_point()


def random_search(task, counter, seed):
    """Uniform points, the start first; with noise 10 replicates of each (fewer for small budgets); the best mean that looks feasible."""
    draw = stream(seed, 1)
    replicates = max(1, min(10, task.budget // 20)) if task.noisy else 1
    x, best, best_key = task.first_point(), task.first_point(), None
    while True:
        measured = []
        for _ in range(replicates):
            try:
                measured.append(counter(x))
            except BudgetSpent:
                return Answer(best)
            except Exception:
                break
        if len(measured) == replicates:
            f = np.mean([one[0] for one in measured])
            g = np.mean([one[1] for one in measured], axis=0) if task.constraints else np.zeros(1)
            key = (max(0.0, float(np.max(g))), f)
            if best_key is None or key < best_key:
                best, best_key = x, key
        x = random_point(task, draw)


def stay_at_start(task, counter, seed):
    return Answer(task.first_point())


def spsa(task, counter, seed):
    """Spall's simultaneous perturbation with his usual gains and a quadratic penalty on constraints, scaled by their size at the start."""
    from ..task import SlowSolver
    from .unit_box import UnitBox
    box = UnitBox(task, counter)
    draw = stream(seed, 3)
    u = box.start()

    def merit(point, weight):
        found = box(point)
        if found is None:
            return None
        scaled = np.maximum(0, found[1] / box.scale) if len(found[1]) else np.zeros(1)
        return found[0] + weight * size * float(np.sum(scaled ** 2))

    try:
        first = [box(u) for _ in range(3)]
        values = [one[0] for one in first if one is not None]
        size = max(1e-9, abs(float(np.mean(values))) if values else 1.0)
        step, k, tail = None, 0, []
        while True:
            k += 1
            c, sign = 0.1 / k ** 0.101, draw.choice([-1.0, 1.0], task.dimension)
            up, down = merit(np.clip(u + c * sign, 0, 1), 10 + k ** 0.5), merit(np.clip(u - c * sign, 0, 1), 10 + k ** 0.5)
            if up is None or down is None:
                u = 0.5 * (u + box.start())
                continue
            slope = (up - down) / (2 * c) * sign
            if step is None:  # so that the first step is a twentieth of the box
                step = 0.05 / max(1e-12, abs(up - down) / (2 * c)) * (0.1 * task.budget / 2 + 1) ** 0.602
            u = np.clip(u - np.clip(step / (k + 0.1 * task.budget / 2) ** 0.602 * slope, -0.1, 0.1), 0, 1)
            tail.append(u)
    except (BudgetSpent, SlowSolver):
        pass
    return Answer(box.answer_of(np.mean(tail[-max(1, len(tail) // 10):], axis=0) if tail else u))
