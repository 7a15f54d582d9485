# SPDX-License-Identifier: MIT
"""COCO's bbob-noisy (package coco-experiment): 24 of its 30 functions, without constraints, under Gaussian, uniform and Cauchy noise of COCO's own, which
honours no seeds, so that a run cannot be repeated bit for bit.

Score: (f - f*) / (f(x0) - f*), by the noise-free function of the suite bbob on which the noisy one rests (`BASE`; `load` compares the
optima). x0 is COCO's. Uniform noise multiplies and Cauchy noise has no mean: the best point is the same, but no average is the function itself.
"""
import cocoex
import numpy as np

from ..task import Spec, Task, Truth
from .coco import best_parameter

BUILD, REPORT = (1, 2, 3), (4, 5, 6)
# sphere, Rosenbrock, step ellipsoid, different powers, Schaffer, Gallagher: functions of bbob. Left out: the ellipsoid (116 to 118) and
# Griewank-Rosenbrock (125 to 127), which have other constants than in bbob, so that their noise-free values cannot be had.
BASE = {number: base for first, last, base in ((101, 103, 1), (104, 106, 8), (107, 109, 1), (110, 112, 8), (113, 115, 7),
                                               (119, 121, 14), (122, 124, 17), (128, 130, 21))
        for number in range(first, last + 1)}


def specs(options):
    for dimension in options.dimensions or (2, 5, 10):
        for budget in options.budgets_per_dimension or (100,):
            for function in options.functions or sorted(BASE):
                for instance in options.instances:
                    yield Spec("coco-noisy", f"f{function:03d}-d{dimension:02d}", instance, 1.0, "independent", budget * dimension, "")


def only(suite, function, dimension, instance):
    """The problem and its suite, which must live as long."""
    found = cocoex.Suite(suite, f"instances: {instance}", f"dimensions: {dimension} function_indices: {function}")
    return found[0], found


def load(spec):
    function, dimension = int(spec.problem[1:4]), int(spec.problem[6:])
    noisy, kept = only("bbob-noisy", function - 100, dimension, spec.instance)
    assert f"f{function}" in noisy.id, noisy.id
    base, kept_base = only("bbob", BASE[function], dimension, spec.instance)
    best = best_parameter(noisy)
    if not np.allclose(best, best_parameter(base), atol=1e-9):
        raise LookupError(f"{noisy.id} does not rest on {base.id}: their optima differ")
    start = np.array(noisy.initial_solution, float)
    f0, f_best = base(start), base(best)
    lower, upper = np.array(noisy.lower_bounds), np.array(noisy.upper_bounds)

    def evaluate(x, seed, kept=kept):
        return noisy(x), []

    def truth(x, kept=kept_base):
        f = base(np.clip(x, lower, upper))
        return Truth(f, 0.0, True, (f - f_best) / (f0 - f_best))

    return Task(evaluate, truth, lower, upper, start, 0, spec.budget, shared=False, noisy=True)
