# SPDX-License-Identifier: MIT
"""Values, orders and conditions in bounds; what the function, the result and the store show of them."""
import math
import os
import shutil
import signal
import sqlite3

import pytest

import zeroth

BOUNDS = {"kernel": ["rbf", "poly", "linear"], "C": (0.0, 1.0), "degree": (2, 5), "size": [16, 32, 64], "fast": [True, False]}
KEYWORDS = dict(type={"degree": "integer", "size": "ordinal"}, when={"degree": "kernel == 'poly'"})


def error(x, seed):
    assert x["kernel"] in BOUNDS["kernel"] and x["size"] in BOUNDS["size"] and x["fast"] in (True, False)
    assert ("degree" in x) == (x["kernel"] == "poly")
    assert x[0] == x["kernel"] and (x[2] is None) == ("degree" not in x)
    value = {"rbf": 0.4, "poly": 0.1, "linear": 0.6}[x["kernel"]] + 0.1 * abs(x.get("degree", 3) - 3)
    return value + (x["C"] - 0.5) ** 2 + 0.1 * abs(math.log2(x["size"]) - 5) + (0.2 if x["fast"] is True else 0)


def test_the_function_sees_values_and_so_does_the_result(tmp_path):
    seen = []
    answer = zeroth.minimize(error, BOUNDS, budget=100, store=tmp_path / "s.db", name="mixed",
                             callback=lambda state: seen.append(state["x"]["kernel"]) and None, **KEYWORDS)
    assert answer.failed == 0
    assert answer.x["kernel"] == "poly" and answer.x["degree"] == 3 and answer.x["fast"] is False
    assert dict(answer.x)["size"] == 32 and isinstance(answer.x["degree"], int)
    assert set(seen) <= set(BOUNDS["kernel"])
    assert "Point(kernel='poly'" in repr(answer.x)
    again = zeroth.minimize(error, BOUNDS, budget=100, store=tmp_path / "s.db", name="mixed", resume=True, **KEYWORDS)
    assert again.x == answer.x and again.fun == answer.fun and again.replayed > 0
    frame = pytest.importorskip("pandas") and zeroth.Store(tmp_path / "s.db").frame()
    assert set(frame["kernel"]) <= set(BOUNDS["kernel"])
    assert frame["degree"][frame["kernel"] != "poly"].isna().all()


def outcome(result):
    return dict(result.x), result.fun, result.nfev, result.status


@pytest.mark.parametrize("solver", ["auto", "adaptive-conex", "random"])
def test_a_run_goes_on_from_wherever_it_was_cut(solver, tmp_path):
    options = dict(bounds=BOUNDS, budget=45, name="mixed", solver=solver, seed=3, width=2, **KEYWORDS)
    whole = zeroth.minimize(error, store=tmp_path / "whole.db", **options)
    for kept in (0, 7, 16, 29, 40):
        shutil.copy(tmp_path / "whole.db", tmp_path / "cut.db")
        with sqlite3.connect(tmp_path / "cut.db") as store:
            store.execute("DELETE FROM answers WHERE number >= ?", (kept,))
            store.execute("UPDATE runs SET status = 'running', result = NULL")
        store.close()
        resumed = zeroth.minimize(error, store=tmp_path / "cut.db", resume=True, **options)
        assert resumed.replayed == kept and outcome(resumed) == outcome(whole), kept
    # And killed with -9, in a process of its own.
    child = os.fork()
    if child == 0:
        zeroth.minimize(error, store=tmp_path / "killed.db", progress=False,
                        callback=lambda state: state["evaluations"] >= 20 and os.kill(os.getpid(), signal.SIGKILL), **options)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    resumed = zeroth.minimize(error, store=tmp_path / "killed.db", resume=True, **options)
    assert resumed.replayed >= 20 and outcome(resumed) == outcome(whole)


def test_workers_give_the_same_run():
    one = zeroth.minimize(error, BOUNDS, budget=40, width=2, **KEYWORDS)
    two = zeroth.minimize(error, BOUNDS, budget=40, width=2, workers=2, **KEYWORDS)
    assert one.x == two.x and one.fun == two.fun


def test_ask_and_tell():
    search = zeroth.Search(BOUNDS, budget=30, solver="trust-bo", **KEYWORDS)
    while not search.done:
        search.tell([error(q.x, q.seed) for q in search.ask()])
    assert search.recommend().x["kernel"] in BOUNDS["kernel"]
    assert search.result().x["kernel"] in BOUNDS["kernel"]


def test_points_and_earlier_evaluations():
    points = [{"kernel": "poly", "C": 0.5, "degree": 3, "size": 32, "fast": False}, {"kernel": "rbf", "C": 0.1, "size": 16, "fast": True}]
    evaluated = [{**point, "objective": error_of(point)} for point in points]
    seen = []

    def watched(x, seed):
        seen.append(dict(x))
        return error(x, seed)
    zeroth.minimize(watched, BOUNDS, budget=20, points=points, evaluated=evaluated, solver="random", **KEYWORDS)
    assert seen[0] == points[0] and seen[1] == points[1]


def error_of(point):
    from zeroth import Point
    return error(Point(list(BOUNDS), [point.get(name) for name in BOUNDS]), 1)


@pytest.mark.parametrize("keywords, complaint", [
    (dict(when={"degree": "kernal == 'poly'"}), "did you mean 'kernel'"),
    (dict(when={"degre": "kernel == 'poly'"}), "degre"),
    (dict(when="kernel == 'poly'"), "when must be a dict"),
    (dict(start={"kernel": "pole"}), "must be one of rbf, poly, linear"),
    (dict(points=[{"kernel": "pole", "C": 0, "degree": 2, "size": 16, "fast": True}]), "must be one of"),
])
def test_slips_are_named(keywords, complaint):
    with pytest.raises((TypeError, ValueError, zeroth.Error), match=complaint):
        zeroth.minimize(error, BOUNDS, budget=20, **{**KEYWORDS, **keywords})


def test_three_numbers_are_no_bounds():
    with pytest.raises(TypeError, match="ordinal"):
        zeroth.minimize(lambda x: 0, {"a": (1, 2, 3)}, budget=10)


def test_cvar_in_python():
    import random

    def bet(x, seed):
        z = random.Random(seed).gauss(0, 1)
        return {"objective": 1 - x[0] + x[0] ** 2 * z, "loss": x[0] + z}
    answer = zeroth.minimize(bet, [(0.0, 1.0)], objective="cvar(cost, 0.9)", constraints=["cvar(loss, 0.9) <= 4"], budget=300)
    assert answer.x[0] < 0.7
    assert answer.constraints[0].cvar.lower < answer.constraints[0].cvar.estimate < answer.constraints[0].cvar.upper
    with pytest.raises(zeroth.Error, match="there is no objective 'cvra"):
        zeroth.minimize(bet, [(0.0, 1.0)], objective="cvra(cost, 0.9)", constraints=["loss"], budget=30)
