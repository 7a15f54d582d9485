# SPDX-License-Identifier: MIT
"""Small problems of our own with known truth, each with one difficulty that simulators have: steps, counts, yes/no answers, jumps,
kinks, integers, several optima, walls, failures, heavy tails, thin feasible sets. Constants are drawn anew for every instance.

Score: max((f - f*) / (f(start) - f*), violation / range) of the expected values. See families.py for the problems.
"""
import numpy as np

from ..task import Spec, Task, Truth, fresh_seed, stream, text_seed
from .families import FAMILIES

BUILD, REPORT = tuple(range(1, 11)), tuple(range(101, 111))
LADDER = (100, 300, 1000, 3000, 10000)


def names():
    return list(FAMILIES)


def specs(options):
    for name in options.problems or names():
        if name not in FAMILIES:
            raise SystemExit(f"there is no case {name}; there are: {', '.join(FAMILIES)}")
        for budget in options.budgets or LADDER:
            for instance in options.instances:
                yield Spec("cases", name, instance, 1.0, "independent" if options.ignore_seeds else "shared", budget, "")


def load(spec):
    name = text_seed(spec.problem)
    case = FAMILIES[spec.problem](stream(name, spec.instance))
    best = float(case.mean(case.best))
    scale = float(case.mean(case.start)) - best if case.scale is None else case.scale
    ranges = np.asarray(case.ranges, float)

    def evaluate(x, seed):
        return case.measure(x, stream(name, spec.instance, fresh_seed(1, seed)))

    def truth(x):
        x = np.clip(x, case.lower, case.upper)
        f, g = float(case.mean(x)), np.asarray(case.limits(x), float).ravel()
        violation = max([0.0] + list(g / ranges))
        if case.fails is not None and case.fails(x):
            return Truth(f, np.inf, False, np.inf, values=tuple(g))
        return Truth(f, violation, violation <= 1e-6, max((f - best) / scale, violation), values=tuple(g))

    return Task(evaluate, truth, case.lower, case.upper, case.start, len(ranges), spec.budget, case.integer,
                shared=spec.noise_kind == "shared", noisy=True, scale=case.axis)
