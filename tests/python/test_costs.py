# SPDX-License-Identifier: MIT
"""Functions that have their costs: what the function is handed, what is charged, and that every door gives one run."""
import concurrent.futures
import random

import pytest
import zeroth

BOUNDS = {"a": (0, 2), "b": (0, 2)}
COST = {"objective": 100, "weight": 1}
ASKED = []


def beam(x, seed, wanted):
    ASKED.append(tuple(wanted))
    answer = {}
    if "weight" in wanted:
        answer["weight"] = 1.2 - x[0] * x[1] + random.Random(seed).gauss(0, 0.01)
    if "objective" in wanted:
        answer["objective"] = x[0] ** 2 + 2 * x[1] + random.Random(seed + 1).gauss(0, 0.02)
    return answer


def in_a_row(x, seed, wanted):
    answer = beam(x, seed, wanted)
    return answer.get("objective"), [answer.get("weight")]


def solve(fun=beam, **keywords):
    return zeroth.minimize(fun, BOUNDS, constraints=["weight"], cost=COST, common_noise=True, **{"budget": 3000, "name": "beam", **keywords})


def bits(result):
    return result.x.tolist(), result.fun, result.cost, result.function_calls, result.evaluations


def test_cheap_constraints_are_asked_first_and_charged():
    ASKED.clear()
    result = solve()
    assert result.cost <= 3000 and result.cost == 100 * result.function_calls[0] + result.function_calls[1]
    assert result.function_calls[1] > result.function_calls[0]
    assert {("weight",), ("objective",)} <= set(ASKED)
    assert len(ASKED) == result.evaluations


def test_every_door_gives_the_same_run(tmp_path):
    expected = bits(solve())
    assert bits(solve(in_a_row)) == expected
    assert bits(solve(workers=2)) == expected
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert bits(solve(workers=pool)) == expected
    store = tmp_path / "runs.db"
    assert bits(solve(store=store)) == expected
    again = solve(store=store, resume=True)
    assert bits(again) == expected and again.replayed == again.evaluations
    search = zeroth.Search(BOUNDS, constraints=["weight"], cost=COST, common_noise=True, budget=3000)
    while not search.done:
        search.tell([beam(q.x, q.seed, q.wanted) for q in search.ask()])
    assert bits(search.result()) == expected


def test_an_interrupted_run_goes_on(tmp_path):
    store = tmp_path / "runs.db"
    expected = bits(solve())

    def stop_early(state):
        assert state["spent"] <= state["budget"]
        return state["evaluations"] >= 20
    try:
        solve(store=store, callback=stop_early)
    except zeroth.Interrupted:
        pass
    assert bits(solve(store=store, resume=True)) == expected


def test_earlier_evaluations_may_lack_what_was_not_asked():
    known = [{"a": 0.1, "b": 0.1, "weight": 1.19}, {"a": 1.5, "b": 1.5, "weight": -1.0, "objective": 5.2}]
    assert solve(evaluated=known, budget=2000).failed == 0
    with pytest.raises(ValueError, match="has no 'objective'"):
        zeroth.minimize(lambda x: (x[0], [x[1]]), BOUNDS, constraints=["weight"], evaluated=known[:1], budget=10)


@pytest.mark.parametrize("keywords, words", [
    (dict(cost=3), "cost must be a dict"),
    (dict(cost={"objective": 1}), "does not say what 'weight' costs"),
    (dict(cost={"objective": 1, "wieght": 1, "weight": 1}), "did you mean 'weight'"),
    (dict(cost={"objective": -1, "weight": 1}), "from 0 to"),
    (dict(budget=50), "one evaluation of all functions costs 101"),
    (dict(fun=lambda x, seed: 1.0), r"fun\(x, seed, wanted\)"),
])
def test_slips_are_named(keywords, words):
    fun = keywords.pop("fun", beam)
    with pytest.raises((TypeError, ValueError, zeroth.Error), match=words):
        zeroth.minimize(fun, BOUNDS, constraints=["weight"], **{"cost": COST, "budget": 3000, **keywords})


def test_a_wanted_value_must_be_there():
    def forgets(x, seed, wanted):
        return {"weight": 1.0}
    result = solve(forgets)
    assert not result.success and result.failed == result.function_calls[0]
    assert any("'objective' is missing" in reason for reason in result.failures)
