# SPDX-License-Identifier: MIT
"""The call that the report page shows under "Do it again": it is run here, and it makes the same run."""
import json
import random
import re
import subprocess

import pytest
import zeroth
from conftest import BUILD


def noise(seed):
    return random.Random(seed).gauss(0, 0.05)


def plant(x, seed):
    return (x[0] - 0.3) ** 2 + (x[1] - 0.6) ** 2 + noise(seed), [0.8 - x[0] - x[1] + noise(seed + 1)]


def free(x, seed):
    return sum((x[i] - 0.3) ** 2 for i in range(len(x))) + noise(seed)


def mixed(x, seed):
    depth = x["depth"] if "depth" in x else 2
    assert x["kernel"] in ("rbf", "poly") and isinstance(x["trees"], int)
    return (depth - 3) ** 2 / 10 + (x["kernel"] == "poly") + (x["c"] - 0.1) ** 2 + x["trees"] / 100 + noise(seed), [x["c"] - 0.9]


def priced(x, seed, wanted):
    return {"objective": x[0] + noise(seed) if "objective" in wanted else None, "emission": 0.4 - x[0] + noise(seed + 1)}


def limit(x):
    return x[0] ** 2 + x[1] ** 2 - 1


def balanced(x, seed):
    return x[0] + 2 * x[1] + noise(seed), [], [x[0] - x[1] - 0.1 + noise(seed)]


BUILTIN = zeroth.Problem.builtin("qcqp", n=3, m=2)
CASES = {
    "plain": (plant, dict(bounds=[(0, 1)] * 2, constraints=1, budget=60)),
    "named": (plant, dict(bounds={"a": (1e-3, 1), "b": (0, 1)}, scale={"a": "log"}, start={"b": 0.25}, constraints=["the emission's limit"],
                          direction="maximize", common_noise=True, solver="adaptive-conex", budget=120, seed=9, width=3, confidence=0.9)),
    "statements": (plant, dict(bounds=[(0, 1), (0, 2)], constraints=["probability(wait <= 0.2) >= 0.8"], objective="cvar(cost, 0.8)",
                               solver="trust-bo", budget=60, name="my \"study\"")),
    "mixed": (mixed, dict(bounds={"kernel": ["rbf", "poly"], "depth": (1, 6), "c": (1e-3, 1), "trees": [10, 20, 50]},
                          type={"depth": "integer", "trees": "ordinal"}, scale={"c": "log"}, when={"depth": "kernel == 'rbf'"},
                          constraints=["cost"], budget=40)),
    "limits": (free, dict(bounds=[(0, 1)] * 2, linear=["x0 + x1 <= 1.5", "x0 >= 0.1"], known=["x0*x1 <= 0.5", limit], budget=40)),
    "sets": (free, dict(bounds=[(0, 1)] * 3, set={"type": "simplex"}, budget=40, solver="random", batch=4)),
    "far": (free, dict(bounds=[(None, None), (0, None)], start=[3, 4], spread=[1, 0.5], budget=60)),
    "balanced": (balanced, dict(bounds=[(0, 1)] * 2, equalities=["balance"], equality_tolerance=0.05, budget=60)),
    "priced": (priced, dict(bounds=[(0, 1)], constraints=["emission"], cost={"objective": 10, "emission": 1}, budget=200)),
    "keywords": (free, dict(bounds=[(0, 1)] * 2, points=[[0.25, 0.5], [0.75, 0.125]], stop={"evaluations_without_progress": 15},
                            solver="albo", solver_options={"start": 8}, budget=40)),
    "builtin": (BUILTIN, dict(solver="random", budget=50, seed=3)),
}


def bits(result):
    return [float(v) if isinstance(v, float) else v for v in result.x], result.fun, result.nfev, result.status


def command_on_page(store):
    page = store.with_suffix(".html")
    subprocess.run([str(BUILD / "zeroth"), "report", str(store), "-o", str(page)], check=True, capture_output=True)
    run = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S)[1])["runs"][0]
    assert run["python"]
    return run["command"]


@pytest.mark.parametrize("case", CASES)
def test_the_call_on_the_page_makes_the_same_run(case, tmp_path):
    fun, keywords = CASES[case]
    store = tmp_path / "runs.db"
    first = zeroth.minimize(fun, store=store, **keywords)
    text = command_on_page(store)
    names = {"zeroth": zeroth, "fun": fun, "limit": limit}
    if callable(fun):
        names[fun.__name__] = fun
    again = eval(text, names)
    assert bits(again) == bits(first), text
    assert "..." not in text


def test_scipys_rows_too(tmp_path):
    scipy = pytest.importorskip("scipy")
    import scipy.optimize
    store = tmp_path / "runs.db"
    rows = scipy.optimize.LinearConstraint([[1, 1], [1, -1]], [-float("inf"), -0.5], [1.5, 0.5])
    first = zeroth.minimize(free, [(0, 1)] * 2, linear=rows, budget=40, store=store)
    again = eval(command_on_page(store), {"zeroth": zeroth, "free": free, "scipy": scipy})
    assert bits(again) == bits(first)


def test_what_is_too_much_for_a_line_is_left_to_the_reader(tmp_path):
    store = tmp_path / "runs.db"
    zeroth.minimize(free, [(0, 1)], evaluated=[{"x": [0.5], "objective": 0.04}], budget=20, store=store)
    text = command_on_page(store)
    assert "evaluated=...,  # as it was given" in text and "0.04" not in text


def test_a_run_without_a_name_is_called_fun(tmp_path):
    store = tmp_path / "runs.db"
    zeroth.minimize(lambda x: x[0], [(0, 1)], budget=20, store=store)
    text = command_on_page(store)
    assert text.startswith("zeroth.minimize(\n    fun,  # the function\n") and 'name="' in text
