# SPDX-License-Identifier: MIT
"""Probabilities and quantiles as constraints, from Python: minimize and ask-and-tell are the same run."""
import math
import random

import pytest
import zeroth

CONSTRAINTS = ["probability(wait <= 3) >= 0.8", "quantile(wait, 0.5) <= 2"]


def customer(x, seed):
    return {"objective": float(x[0]), "wait": random.Random(seed).expovariate(x[0] / 3)}


def test_minimize_keeps_and_counts():
    answer = zeroth.minimize(customer, [(0.5, 5.0)], constraints=CONSTRAINTS, budget=5000, check_share=0.3, solver="adaptive-conex")
    share, median = answer.constraints
    assert share.name == CONSTRAINTS[0] and share.quantile is None and median.probability is None
    assert share.probability.lower <= share.probability.estimate <= share.probability.upper
    assert median.quantile.lower <= median.quantile.estimate <= median.quantile.upper
    assert 1 - math.exp(-answer.x[0]) >= 0.75 and answer.x[0] < 4
    assert share.probability_feasible <= 1 and share.se > 0


def test_search_asks_what_minimize_asks():
    options = dict(constraints=CONSTRAINTS, budget=120, seed=3, solver="adaptive-conex")
    answer = zeroth.minimize(customer, [(0.5, 5.0)], **options)
    search = zeroth.Search([(0.5, 5.0)], **options)
    while not search.done:
        search.tell([customer(q.x, q.seed) for q in search.ask()])
    assert search.result().x[0] == answer.x[0]
    assert str(search.result().constraints) == str(answer.constraints)


def test_whole_variables_reach_the_function_as_such():
    seen = set()

    def measure(x, seed):
        seen.update(float(v) for v in x[:2])
        return (x[0] - 3) ** 2 + 0.5 * x[1] + random.Random(seed).gauss(0, 0.1)

    answer = zeroth.minimize(measure, {"k": (0, 9), "b": (0, 1)}, type={"k": "integer", "b": "binary"}, budget=600, solver="adaptive-conex")
    assert all(v == int(v) for v in seen)
    assert answer.x.tolist() == [3, 0]


def test_a_slip_is_named():
    with pytest.raises(zeroth.Error, match="the probability is 95"):
        zeroth.minimize(customer, [(0.5, 5.0)], constraints=["probability(wait <= 3) >= 95"], budget=10)
