# SPDX-License-Identifier: MIT
import random

import numpy as np
import pytest

import zeroth


def bowl(seen=None):
    def measure(x, seed):
        if seen is not None:
            seen.append(np.array(x))
        rng = random.Random(seed)
        return (x[0] - 1) ** 2 + (x[1] - 1) ** 2 + 0.02 * rng.gauss(0, 1), [0.2 - x[0] + 0.02 * rng.gauss(0, 1)]
    return measure


UNIT = [(0, 1), (0, 1)]


def test_no_evaluation_leaves_linear_limits():
    seen = []
    answer = zeroth.minimize(bowl(seen), UNIT, constraints=1, linear=["x0 + x1 <= 1", "x0 <= 2*x1"], budget=120)
    assert all(x[0] + x[1] <= 1 and x[0] <= 2 * x[1] for x in seen)
    assert abs(answer.x[0] - 0.5) < 0.1 and abs(answer.x[1] - 0.5) < 0.1


def test_scipys_linear_constraint():
    optimize = pytest.importorskip("scipy.optimize")
    seen = []
    rows = optimize.LinearConstraint([[1, 1], [1, -1]], [-np.inf, -0.25], [1, 0.25])
    zeroth.minimize(bowl(seen), {"a": (0, 1), "b": (0, 1)}, constraints=1, linear=rows, budget=60)
    assert all(x[0] + x[1] <= 1 and abs(x[0] - x[1]) <= 0.25 for x in seen)


def test_known_limits_as_texts_and_functions():
    seen = []
    zeroth.minimize(bowl(seen), {"a": (0, 1), "b": (0, 1)}, constraints=1,
                    known=["a*b <= 0.3", lambda x: x[0] ** 2 + x[1] ** 2 - 1], budget=80)
    assert seen and all(x[0] * x[1] <= 0.3 and x[0] ** 2 + x[1] ** 2 <= 1 for x in seen)


def test_a_function_that_allows_by_saying_true():
    seen = []
    zeroth.minimize(bowl(seen), UNIT, constraints=1, known=lambda x: bool(x[0] + x[1] <= 1.2), budget=60)
    assert seen and all(x[0] + x[1] <= 1.2 for x in seen)


def test_search_respects_limits_too():
    search = zeroth.Search(UNIT, constraints=1, linear="x0 + x1 <= 1", known=[lambda x: x[0] - 0.7], budget=40)
    while not search.done:
        questions = search.ask()
        assert all(q.x[0] + q.x[1] <= 1 and q.x[0] <= 0.7 for q in questions)
        search.tell([bowl()(q.x, q.seed) for q in questions])
    assert search.result().x[0] <= 0.7


def test_unbounded_variables():
    answer = zeroth.minimize(lambda x, seed: (x[0] - 20) ** 2 / 100 + (x[1] + 3) ** 2 + random.Random(seed).gauss(0, 0.05),
                             [(None, None), (-np.inf, np.inf)], start=[0, 0], spread=[5, 1], budget=300)
    assert answer.x[0] > 5 and abs(answer.x[1] + 3) < 1  # beyond its spread, toward 20
    with pytest.raises(zeroth.Error, match="start"):
        zeroth.minimize(bowl(), [(0, None), (0, 1)], constraints=1)


def test_points_come_first_and_evaluations_are_no_budget():
    seen = []
    known = [{"x": [0.5, 0.5], "objective": 0.5, "constraints": [-0.3], "se": 0.02, "n": 4},
             {"x0": 0.25, "x1": 0.75, "objective": 0.6, "c1": -0.05, "c1_se": 0.02}]
    answer = zeroth.minimize(bowl(seen), UNIT, constraints=1, points=[[0.25, 0.5], {"x0": 0.75, "x1": 0.125}], evaluated=known,
                             budget=40)
    assert np.allclose(seen[0], [0.25, 0.5]) and np.allclose(seen[1], [0.75, 0.125])
    assert answer.nfev == len(seen) <= 40


def test_a_dataframe_is_as_good_as_records():
    pandas = pytest.importorskip("pandas")
    records = [{"dose": 0.5, "time": 0.5, "objective": 0.5, "toxicity": -0.3, "toxicity_se": 0.02, "n": 4},
               {"dose": 0.25, "time": 0.75, "objective": 0.6, "toxicity": -0.05, "toxicity_se": 0.05, "n": 1}]
    options = dict(bounds={"dose": (0, 1), "time": (0, 1)}, constraints=["toxicity"], budget=40, name="bowl")
    first = [{"dose": 0.25, "time": 0.5}]
    by_record = zeroth.minimize(bowl(), evaluated=records, points=first, **options)
    by_frame = zeroth.minimize(bowl(), evaluated=pandas.DataFrame(records), points=pandas.DataFrame(first), **options)
    assert list(by_frame.x) == list(by_record.x) and by_frame.fun == by_record.fun
    assert list(by_record.x) != list(zeroth.minimize(bowl(), points=first, **options).x)  # they say something
    with pytest.raises(ValueError, match=r"evaluated\[0\] has no 'toxicity'"):
        zeroth.minimize(bowl(), evaluated=pandas.DataFrame(records).drop(columns="toxicity"), **options)


def test_earlier_evaluations_are_part_of_the_run(tmp_path):
    store = str(tmp_path / "s.db")
    known = [{"x": [0.5, 0.5], "objective": 0.5, "constraints": [-0.3]}]
    options = dict(bounds=UNIT, constraints=1, budget=40, name="bowl")
    stopped = zeroth.minimize(bowl(), store=store, evaluated=known, callback=lambda s: s["evaluations"] >= 10, **options)
    assert stopped.status == "interrupted"
    resumed = zeroth.minimize(bowl(), store=store, evaluated=known, resume=True, **options)
    whole = zeroth.minimize(bowl(), evaluated=known, **options)
    assert list(resumed.x) == list(whole.x)
    with pytest.raises(zeroth.Error, match="changed|evaluated"):
        zeroth.minimize(bowl(), store=store, evaluated=known, callback=lambda s: s["evaluations"] >= 5,
                        **{**options, "seed": 2})
        zeroth.minimize(bowl(), store=store, resume=True, **{**options, "seed": 2})


def test_standard_errors_are_kept(tmp_path):
    store = str(tmp_path / "s.db")

    def measure(x, seed):
        return {"objective": x[0] ** 2 + random.Random(seed).gauss(0, 0.1), "objective_se": 0.1}

    zeroth.minimize(measure, [(0, 1)], budget=20, store=store)
    import sqlite3
    with sqlite3.connect(store) as connection:
        blobs = [row[0] for row in connection.execute("SELECT se FROM answers")]
    assert blobs and all(np.frombuffer(blob)[0] == 0.1 for blob in blobs)


@pytest.mark.parametrize("keywords, words", [
    (dict(linear=["x0 + y <= 1"]), "no variable 'y'"),
    (dict(linear=["x0*x1 <= 1"]), "not linear"),
    (dict(linear=["x0 + x1 <= -1"]), "no point satisfies"),
    (dict(known=["x0 <= -1"]), "none of"),
    (dict(points=[[0.5]]), "numbers for 2"),
    (dict(points=[[0.5, 2.0]]), "outside its bounds"),
    (dict(evaluated=[{"x": [0.5, 0.5], "objective": 1}]), "c1"),
    (dict(linear=3), "linear|iterable"),
    (dict(seed_bits=60), "seed_bits"),
])
def test_mistakes_are_named(keywords, words):
    with pytest.raises((TypeError, ValueError, zeroth.Error), match=words):
        zeroth.minimize(bowl(), UNIT, constraints=1, budget=10, **keywords)
