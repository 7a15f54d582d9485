# SPDX-License-Identifier: MIT
"""SimOpt's simulation problems (package simoptlib) as their authors pose them: initial solution, budget in replications, bounds,
integer variables, known linear limits, stochastic constraints E[g] <= 0. An evaluation is one replication.

Where SimOpt leaves a bound infinite, solvers that need a box get ten times the initial solution (10 where that is 0; both
signs where both are open), cut by the known limits. SimOpt's own solvers get the bounds as posed.

The instance is the number of the macro-replication, from 1. Answers are post-replicated with common seeds (stream 0, which no
solver sees). The score is made when tables are: 0 at the best answer in all ledgers, 1 at the initial solution.
"""
import os

os.environ.setdefault("MRG32K3A_BACKEND", "rust")  # the same numbers, three times as fast

import numpy as np
from mrg32k3a.mrg32k3a import MRG32k3a, mrgm1, mrgm2
from simopt.base import Solution
from simopt.directory import problem_directory
from simopt.problem_types import VariableType

from ..task import Spec, Task, Truth, mix

BUILD, REPORT = (1, 2, 3, 4, 5), (6, 7, 8, 9, 10)
BROKEN = {"ERM-EXAMPLE-1": "its data file is not in the package"}
SLOW = {"AMUSEMENTPARK-1": 60, "HOTEL-1": 60, "AMBULANCE-1": 200, "NETWORK-1": 200, "MM1-1": 300, "CHESS-1": 400,
        "DUALSOURCING-1": 300}  # over 5 ms a replication: fewer post-replications


def names():
    return [name for name in problem_directory if name not in BROKEN]


def known_limits(name, problem):
    """(rows a'x <= b, whether x is a probability vector): what the problem checks without simulating."""
    n = problem.dim
    if name == "AMUSEMENTPARK-1":
        return [(np.ones(n), float(problem.model.factors["park_capacity"]))], False
    if name == "FACSIZE-2":
        return [(np.array(problem.factors["installation_costs"], float), float(problem.factors["installation_budget"]))], False
    if name == "TABLEALLOCATION-1":
        return [(np.array(problem.model.factors["table_cap"], float), float(problem.model.factors["capacity"]))], False
    if name == "RMITD-1":
        eye = np.eye(n)
        return [(eye[i + 1] - eye[i], 0.0) for i in range(n - 1)], False
    return [], name == "NETWORK-1"


def box(problem, rows, integer):
    lower, upper = np.array(problem.lower_bounds, float), np.array(problem.upper_bounds, float)
    far = 10 * np.abs(np.array(problem.factors["initial_solution"], float))
    far[far == 0] = 10.0
    wide_lower = np.where(np.isinf(lower), -far, lower)
    wide_upper = np.where(np.isinf(upper), far, upper)
    for a, b in rows:
        if np.all(a > 0) and np.all(wide_lower >= 0):
            wide_upper = np.minimum(wide_upper, np.floor(b / a) if integer.all() else b / a)
    return lower, upper, wide_lower, wide_upper


def generators(problem, seed):
    """The model's streams for one replication named by a seed."""
    state, numbers = seed, []
    for modulus in (mrgm1, mrgm1, mrgm1, mrgm2, mrgm2, mrgm2):
        state = mix(state)
        numbers.append(1 + state % (int(modulus) - 1))
    return [MRG32k3a(tuple(numbers), [0, i, 0]) for i in range(problem.model.n_rngs)]


def post_replications(name, problem):
    return SLOW.get(name, 4000 if problem.n_stochastic_constraints else 1000)


def specs(options):
    for name in options.problems or names():
        if name not in problem_directory:
            raise SystemExit(f"there is no problem {name} in SimOpt; there are: {', '.join(names())}")
        budget = problem_directory[name]().factors["budget"]
        for cap in options.budgets or (budget,):
            for instance in options.instances:
                kind = "independent" if options.ignore_seeds else "shared"
                yield Spec("simopt", name, instance, 1.0, kind, min(cap, budget), "")


def make(name, budget):
    return problem_directory[name](fixed_factors={"budget": budget})


def load(spec):
    problem = make(spec.problem, spec.budget)
    sign = -problem.minmax[0]  # SimOpt: +1 is maximise
    rows, simplex = known_limits(spec.problem, problem)
    integer = np.full(problem.dim, problem.variable_type is VariableType.DISCRETE)
    lower, upper, wide_lower, wide_upper = box(problem, rows, integer)
    m = problem.n_stochastic_constraints

    def point(x):
        return tuple(int(round(v)) if whole else float(v) for v, whole in zip(x, integer))

    def simulate(x, streams, count):
        solution = Solution(point(x), problem)
        solution.attach_rngs(streams, copy=False)
        problem.simulate(solution, count)
        f = sign * solution.objectives[:, 0]
        g = np.asarray(solution.stoch_constraints, float).reshape(count, m) if m else np.zeros((count, 0))
        return f, g

    def evaluate(x, seed):
        f, g = simulate(x, generators(problem, seed), 1)
        return f[0], g[0]

    def truth(x):
        count = post_replications(spec.problem, problem)
        x = np.array(point(x), float)
        f, g = simulate(x, [MRG32k3a(s_ss_sss_index=[0, i, 0]) for i in range(problem.model.n_rngs)], count)
        mean, se = g.mean(axis=0), g.std(axis=0, ddof=1) / np.sqrt(count)
        known = [max(0.0, a @ x - b) / max(1.0, abs(b)) for a, b in rows] + ([abs(x.sum() - 1)] if simplex else [])
        known += [float(np.max(np.maximum(lower - x, x - upper)))]
        exact = max(0.0, max(known))
        size = np.maximum(1e-12, np.abs(g).max(axis=0)) if m else np.ones(0)
        violation = max([exact] + list(np.maximum(0.0, mean / size)))
        # Clearly infeasible only: the post-replications have an error, too.
        feasible = exact <= 1e-9 and bool(np.all(mean <= 1.64 * se))
        return Truth(float(f.mean()), 0.0 if feasible else float(violation), feasible, objective_se=float(f.std(ddof=1) / np.sqrt(count)),
                     values=tuple(mean))

    return Task(evaluate, truth, wide_lower, wide_upper, problem.factors["initial_solution"], m, spec.budget, integer,
                shared=spec.noise_kind == "shared", noisy=True, linear=rows, simplex=simplex, lower_as_posed=lower,
                upper_as_posed=upper, native=problem, maximise=sign < 0)
