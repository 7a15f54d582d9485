# SPDX-License-Identifier: MIT
"""COCO's bbob-constrained (package coco-experiment): 54 functions in 9 groups of 6, with 1 to hundreds of constraints.

Score: max((f - f*) / (f(x0) - f*), violation / range), where a constraint's range is how far it moves between x0 and x*.
Noise, where asked for, is added by us: its standard deviation is that share of f(x0) - f*, and of each constraint's range.
"""
import os
import tempfile

import cocoex
import numpy as np

from ..task import Spec, Task, Truth, fresh_seed, stream, text_seed
from .shared_noise import smooth_field

BUILD, REPORT = (1, 2, 3), (4, 5, 6)
GROUPS = ("sphere", "ellipsoid", "linear slope", "rotated ellipsoid", "discus", "bent cigar", "different powers", "Rastrigin",
          "rotated Rastrigin")
DIMENSIONS = (2, 5, 10, 20, 40)


def group(function):
    return GROUPS[(function - 1) // 6]


def specs(options):
    functions = options.functions or range(1, 55)
    dimensions = options.dimensions or DIMENSIONS[:4]
    for dimension in dimensions:
        for budget in options.budgets_per_dimension or (20, 100):
            for function in functions:
                for instance in options.instances:
                    for noise in options.noises or (0.0,):
                        kinds = ("none",) if noise == 0 else options.noise_kinds or ("shared", "independent")
                        for kind in kinds:
                            yield Spec("coco", f"f{function:03d}-d{dimension:02d}", instance, noise, kind, budget * dimension, "")


def best_parameter(problem):
    """COCO writes the optimum only to a file in the current directory."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            problem._best_parameter("print")
            with open("._bbob_problem_best_parameter.txt", encoding="ascii") as file:
                return np.array(file.read().split(), float)
        finally:
            os.chdir(here)


def load(spec):
    function, dimension = int(spec.problem[1:4]), int(spec.problem[6:])
    suite = cocoex.Suite("bbob-constrained", f"instances: {spec.instance}", f"dimensions: {dimension} function_indices: {function}")
    problem = suite[0]
    m = problem.number_of_constraints
    start, best = np.array(problem.initial_solution, float), best_parameter(problem)
    f0, f_best = problem(start), problem(best)
    g0, g_best = problem.constraint(start), problem.constraint(best)
    f_range = f0 - f_best
    # A constraint that hardly moves between the two points is measured by its size there.
    g_range = np.maximum(np.abs(g0 - g_best), 1e-3 * np.maximum(np.abs(g0), np.abs(g_best)))
    lower, upper = np.array(problem.lower_bounds), np.array(problem.upper_bounds)
    centre, width = (lower + upper) / 2, upper - lower
    shared = spec.noise_kind != "independent"
    name = text_seed(spec.problem)

    def exact(x, kept=suite):  # the problem is freed with its suite
        return problem(x), problem.constraint(x)

    def evaluate(x, seed):
        f, g = exact(x)
        if spec.noise == 0:
            return f, g
        key = fresh_seed(name ^ spec.instance, seed)
        z = smooth_field(x, centre, width, key, m + 1) if shared else stream(key).standard_normal(m + 1)
        return f + spec.noise * f_range * z[0], g + spec.noise * g_range * z[1:]

    def truth(x):
        f, g = exact(np.clip(x, lower, upper))
        violation = max(0.0, float(np.max(g / g_range)))
        return Truth(f, violation, violation <= 1e-6, max((f - f_best) / f_range, violation), values=tuple(g))

    return Task(evaluate, truth, lower, upper, start, m, spec.budget, shared=shared, noisy=spec.noise > 0)
