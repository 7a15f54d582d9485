# SPDX-License-Identifier: MIT
"""What the result says of its answer: rules that stop, safety, doubts, prices with intervals, the least relaxation."""
import math
import random

import pytest

import zeroth


def parabola(x, seed):
    r = random.Random(seed)
    return (x[0] - 0.3) ** 2 + r.gauss(0, 0.05), [0.5 - x[0] + r.gauss(0, 0.05)]


def test_every_rule_of_stop_is_named_when_it_ends_the_run():
    for rule, value in [("objective_halfwidth", 0.5), ("probability", 0.6), ("evaluations_without_progress", 20),
                        ("expected_improvement", 0.5), ("seconds", 1e-6)]:
        answer = zeroth.minimize(parabola, [(0, 1)], constraints=1, budget=300, stop={rule: value})
        assert answer.stopped_by == rule
        assert answer.evaluations < 300
        assert answer.status in ("stopped", "undecided")


def test_of_several_rules_the_first_that_holds_ends_the_run():
    answer = zeroth.minimize(parabola, [(0, 1)], constraints=1, budget=300,
                             stop={"seconds": 1e6, "evaluations_without_progress": 20, "objective_halfwidth": 1e-9})
    assert answer.stopped_by == "evaluations_without_progress"


def test_safe_evaluates_feasible_points():
    seen = []

    def watched(x, seed):
        seen.append(x[0])
        return parabola(x, seed)

    answer = zeroth.minimize(watched, [(0, 1)], constraints=1, budget=150, start=0.9, safe=0.95)
    assert sum(x < 0.5 for x in seen) <= 0.05 * len(seen)
    assert answer.safe.asked == 0.95 and answer.safe.evaluations == len(seen)
    assert answer.feasibility == "confirmed"
    assert answer.x[0] < 0.75
    assert zeroth.minimize(parabola, [(0, 1)], constraints=1, budget=50).safe is None


def test_safe_is_refused_where_nothing_says_what_is_safe():
    with pytest.raises(ValueError, match="feasible start"):
        zeroth.minimize(parabola, [(0, 1)], constraints=1, budget=100, start=0.05, safe=0.95)
    with pytest.raises(TypeError, match="safe"):
        zeroth.minimize(parabola, [(0, 1)], constraints=1, budget=100, solver="random", safe=0.95)


def test_an_undecided_answer_names_the_constraint():
    def hard(x, seed):
        r = random.Random(seed)
        return x[0], [-1.0, r.gauss(0, 1)]

    answer = zeroth.minimize(hard, [(0, 1)], constraints=["easy", "hard"], budget=40)
    assert answer.status == "undecided"
    assert answer.doubt.name == "hard" and 0 < answer.doubt.probability < 1
    assert "'hard' holds with probability" in answer.message
    if answer.more_evaluations is not None:
        assert f"about {answer.more_evaluations} more evaluations" in answer.message


def test_prices_have_intervals_or_are_not_known():
    answer = zeroth.minimize(parabola, [(0, 1)], constraints=1, budget=400, solver="trust-bo")
    limit = answer.constraints[0]
    low, high = limit.multiplier_interval
    assert low <= limit.multiplier <= high
    assert low <= 0.4 <= high  # the slope of the parabola at the limit
    few = zeroth.minimize(parabola, [(0, 1)], constraints=1, budget=12, solver="trust-bo").constraints[0]
    assert math.isnan(few.multiplier) or few.multiplier_interval[0] <= few.multiplier <= few.multiplier_interval[1]


def test_nothing_feasible_ends_with_the_least_relaxation():
    def never(x, seed):
        r = random.Random(seed)
        return -x[0] + r.gauss(0, 0.02), [0.2 + (x[0] - 0.3) ** 2 + r.gauss(0, 0.02)]

    answer = zeroth.minimize(never, [(0, 1)], constraints=["limit"], budget=200)
    assert answer.feasibility == "infeasible"
    (relaxed,) = answer.relaxation
    assert relaxed.name == "limit"
    assert relaxed.interval[0] <= 0.2 + (answer.x[0] - 0.3) ** 2 <= relaxed.interval[1]
    assert abs(answer.x[0] - 0.3) < 0.2
