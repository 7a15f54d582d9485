# SPDX-License-Identifier: MIT
import functools
import json
import math
import sys
import threading
import time

import numpy as np
import pytest

import zeroth
from problems import BOX, plant, same_run

EVALUATOR = f"""#!{sys.executable}
import json, random, sys
def plant(x, seed):
    rng = random.Random(seed)
    return ((x[0] - 1) ** 2 + x[1] ** 2 + 0.1 * rng.gauss(0, 1), [x[0] - 2 * x[1] - 0.5 + 0.1 * rng.gauss(0, 1)])
for line in sys.stdin:
    q = json.loads(line)
    objective, constraints = plant(q["x"], q["seed"])
    print(json.dumps({{"id": q["id"], "objective": objective, "constraints": constraints}}), flush=True)
"""
FILE = """[problem]
command = ["./evaluate.py"]
constraints = 1
[variables]
count = 2
lower = 0.0
upper = 1.0
[solver]
name = "{solver}"
budget = {budget}
seed = 7
"""


def assert_same_as_json(result, door):
    assert list(result.x) == list(door["x"].values() if isinstance(door["x"], dict) else door["x"])
    assert result.fun == door["objective"]["mean"] and result.objective.se == door["objective"]["se"]
    for mine, theirs in zip(result.constraints, door["constraints"]):
        assert mine.mean == theirs["mean"] and mine.probability_feasible == theirs["probability_feasible"]
    assert result.status == door["status"] and result.nfev == door["evaluations"]


@pytest.mark.parametrize("solver,budget", [("adaptive-conex", 1500), ("trust-bo", 40), ("conex", 2000), ("sobol", 300)])
def test_the_run_is_the_one_of_the_command_line(solver, budget, cli, tmp_path):
    (tmp_path / "evaluate.py").write_text(EVALUATOR)
    (tmp_path / "evaluate.py").chmod(0o755)
    (tmp_path / "problem.toml").write_text(FILE.format(solver=solver, budget=budget))
    door = json.loads(cli("solve", "problem.toml", "--json", "--quiet", cwd=tmp_path))
    assert_same_as_json(zeroth.minimize(plant, BOX, constraints=1, solver=solver, budget=budget, seed=7), door)
    # ... and a problem file can be solved from here, its evaluator in two processes.
    problem = zeroth.Problem.from_file(tmp_path / "problem.toml")
    assert_same_as_json(problem.minimize(workers=2), door)


def test_a_benchmark_is_the_one_of_the_command_line(cli, tmp_path):
    (tmp_path / "problem.toml").write_text("[problem]\nbuiltin = \"qcqp\"\nn = 5\n[solver]\nname = \"adaptive-conex\"\nbudget = 2000\n")
    door = json.loads(cli("solve", "problem.toml", "--json", "--quiet", cwd=tmp_path))
    result = zeroth.Problem.builtin("qcqp", n=5).minimize(solver="adaptive-conex", budget=2000, workers=2)
    assert_same_as_json(result, door)
    assert result.truth.gap == door["truth"]["gap"]


@pytest.mark.parametrize("options", [dict(solver="adaptive-conex", budget=800), dict(solver="trust-bo", budget=40, width=4),
                                     dict(solver="sobol", budget=400, width=16)])
def test_workers_give_the_same_run_bit_for_bit(options):
    alone = zeroth.minimize(plant, BOX, constraints=1, **options)
    for workers in (2, 5):
        same_run(alone, zeroth.minimize(plant, BOX, constraints=1, workers=workers, **options))


def test_search_asks_what_minimize_asks():
    for options in (dict(solver="adaptive-conex", budget=600), dict(solver="trust-bo", budget=35), dict(check_share=0.0)):
        search = zeroth.Search(BOX, constraints=1, **options)
        asked = 0
        while not search.done:
            questions = search.ask()
            asked += len(questions)
            search.tell([plant(q.x, q.seed) for q in questions])
        result = zeroth.minimize(plant, BOX, constraints=1, **options)
        found = search.result()
        assert asked == result.nfev == search.evaluations
        assert found.x.tobytes() == result.x.tobytes() and repr(found.constraints) == repr(result.constraints)
        assert found.status == result.status
        assert search.recommend().x.tobytes() == result.x.tobytes()


def test_search_hears_of_failures_and_refuses_nonsense():
    search = zeroth.Search(BOX, constraints=1, budget=200, solver="random")
    with pytest.raises(ValueError, match="tell: 0 answers to 1 questions"):
        search.tell([])
    with pytest.raises(ValueError, match="tell: the function returned 1.0"):
        search.tell([1.0])
    while not search.done:
        search.tell([None if q.seed % 4 == 0 else RuntimeError("no") if q.seed % 4 == 1 else plant(q.x, q.seed)
                     for q in search.ask()])
    result = search.result()
    assert result.failed == search.failed > 20
    assert set(result.failures) == {"no answer", "RuntimeError: no"}
    assert search.ask() == []


def test_every_form_of_answer_is_the_same_answer():
    def forms(x, seed):
        f, [c] = plant(x, seed)
        return f, c

    names = dict(constraints=["emission"], equalities=["mass"], budget=150, solver="sobol")
    answers = [
        lambda x, s: (forms(x, s)[0], [forms(x, s)[1]], [x[0] - 0.5]),
        lambda x, s: (forms(x, s)[0], forms(x, s)[1], x[0] - 0.5),
        lambda x, s: np.array([*forms(x, s), x[0] - 0.5]),
        lambda x, s: {"objective": forms(x, s)[0], "emission": forms(x, s)[1], "mass": x[0] - 0.5},
        lambda x, s: {"objective": np.float64(forms(x, s)[0]), "constraints": np.array([forms(x, s)[1]]),
                      "equalities": (x[0] - 0.5,)},
    ]
    results = [zeroth.minimize(answer, BOX, name="forms", **names) for answer in answers]
    for other in results[1:]:
        same_run(results[0], other)
    assert results[0].constraints[0].name == "emission"


def test_x_is_a_fresh_array_that_may_be_kept_and_changed():
    kept = []

    def spoil(x, seed):
        assert isinstance(x, np.ndarray) and x.dtype == np.float64 and x.flags.owndata and x.flags.writeable
        kept.append((x, x.copy()))
        values = plant(x, seed)
        return values

    def spoil_too(x, seed):
        values = plant(x, seed)
        x[:] = -77
        return values

    a = zeroth.minimize(spoil, BOX, constraints=1, budget=300, solver="adaptive-conex")
    same_run(a, zeroth.minimize(spoil_too, BOX, constraints=1, budget=300, solver="adaptive-conex"))
    assert all((x == copy).all() for x, copy in kept)


def test_variables_of_all_kinds_stay_in_their_units():
    seen = []

    def fun(x, seed):
        seen.append(x.copy())
        depth, rate, flag = x
        return (depth - 4) ** 2 + (math.log10(rate) + 2) ** 2 + (1 - flag), [depth - 6.5]

    bounds = {"depth": (1, 9), "rate": (1e-4, 1.0), "flag": (0, 1)}
    result = zeroth.minimize(fun, bounds, constraints=["depth_limit"], type={"depth": "integer", "flag": "binary"},
                             scale={"rate": "log"}, start={"rate": 0.5}, budget=120, common_noise=True)
    points = np.array(seen)
    assert (points[:, 0] == np.round(points[:, 0])).all() and points[:, 0].min() >= 1 and points[:, 0].max() <= 9
    assert set(points[:, 2]) <= {0.0, 1.0}
    assert points[:, 1].min() >= 1e-4 and points[:, 1].max() <= 1
    assert result.names == ["depth", "rate", "flag"]
    assert result.x[0] == 4 and result.x[2] == 1 and abs(math.log10(result.x[1]) + 2) < 0.3


def test_maximize_turns_the_sign_and_nothing_else():
    down = zeroth.minimize(lambda x, s: plant(x, s), BOX, constraints=1, budget=400, solver="adaptive-conex")
    up = zeroth.minimize(lambda x, s: (-plant(x, s)[0], plant(x, s)[1]), BOX, constraints=1, budget=400,
                         solver="adaptive-conex", direction="maximize")
    assert up.x.tobytes() == down.x.tobytes() and up.fun == -down.fun


def test_known_sets_and_functions_without_a_seed():
    target = np.array([0.2, 0.3, 0.5])

    def fun(x):
        assert abs(x.sum() - 1) < 1e-9 and x.min() >= 0
        return ((x - target) ** 2).sum()

    result = zeroth.minimize(fun, [(None, None)] * 3, set={"type": "simplex"}, common_noise=True, solver="trust-bo",
                             budget=80)
    assert result.success and np.abs(result.x - target).max() < 0.02


def test_the_gil_is_free_while_the_solver_thinks():
    """A Bayesian solver works for most of the time; another thread must get on meanwhile."""
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    zeroth.minimize(plant, BOX, constraints=1, solver="trust-bo", budget=60)
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = [t for t in ticks if begin <= t <= end]
    # A step of the solver takes several milliseconds; with the GIL held there would be about one tick per evaluation.
    assert len(inside) > 0.2 * (end - begin) / 0.002


def test_callback_sees_progress_and_can_stop():
    states = []

    def callback(state):
        states.append(state)
        return state["evaluations"] >= 100

    result = zeroth.minimize(plant, BOX, constraints=1, budget=1000, callback=callback)
    assert result.status == "interrupted" and not result.success and 100 <= result.nfev < 200
    assert [s["evaluations"] for s in states] == sorted(s["evaluations"] for s in states)
    assert states[-1]["x"].shape == (2,) and states[-1]["budget"] == 1000

    def broken(state):
        raise LookupError("a mistake in the callback")

    with pytest.raises(LookupError, match="a mistake in the callback"):
        zeroth.minimize(plant, BOX, constraints=1, budget=1000, callback=broken)


def test_many_variables():
    n = 500
    result = zeroth.minimize(lambda x: ((x - 0.3) ** 2).sum(), np.array([[-1.0, 1.0]] * n), budget=3000, common_noise=True)
    assert result.x.shape == (n,) and result.fun < 0.05 * n * 0.09


def test_runs_in_several_threads_do_not_disturb_each_other():
    alone = {seed: zeroth.minimize(plant, BOX, constraints=1, budget=400, seed=seed, solver="adaptive-conex") for seed in range(4)}
    together = {}

    def run(seed):
        together[seed] = zeroth.minimize(plant, BOX, constraints=1, budget=400, seed=seed, solver="adaptive-conex")

    threads = [threading.Thread(target=run, args=(seed,)) for seed in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, result in alone.items():
        same_run(result, together[seed])


def test_nothing_is_called_converged_with_integer_variables():
    """Between integers there is no slope, and a vanishing slope is what convergence is told by."""
    for solver in ("adaptive-conex", "trust-bo"):
        result = zeroth.minimize(lambda x: (x[0] - 7) ** 2, [(0, 20)], type="integer", start=[2], budget=60, common_noise=True,
                                 solver=solver)
        # But where all 21 points have been evaluated without noise nothing is left to gain.
        assert result.status != "converged" or result.trace.get("sites") == 21


def test_anything_that_can_be_called():
    class Machine:
        def measure(self, x, seed):
            return plant(x, seed)

        def __call__(self, x, seed):
            return plant(x, seed)

    def scaled(factor, x, seed):
        f, c = plant(x, seed)
        return factor * f, c

    options = dict(constraints=1, budget=120, solver="adaptive-conex")
    reference = zeroth.minimize(plant, BOX, **options)
    for fun in (Machine().measure, Machine(), functools.partial(scaled, 1.0)):
        same_run(reference, zeroth.minimize(fun, BOX, **options))
        same_run(reference, zeroth.minimize(fun, BOX, workers=2, **options))


def test_points_and_answers_larger_than_a_pipe_holds():
    n, m = 20_000, 12_000

    def wide(x, seed):
        return float(x @ x), x[:m] - 0.5

    options = dict(bounds=np.array([[-1.0, 1.0]] * n), constraints=m, budget=30, solver="random", width=6)
    same_run(zeroth.minimize(wide, **options), zeroth.minimize(wide, workers=2, **options))


def test_a_search_belongs_to_one_thread_at_a_time():
    search = zeroth.Search(BOX, constraints=1, budget=30, solver="pesc")  # thinks for tenths of a second
    refused = []

    def work():
        while not search.done and not refused:
            try:
                search.tell([plant(q.x, q.seed) for q in search.ask()])
            except ValueError as error:  # the other thread had its turn
                assert "another thread" in str(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive() and not refused:
        try:
            search.recommend()
        except ValueError as error:
            refused.append(str(error))
        time.sleep(0.001)
    thread.join()
    assert refused and "one thread at a time" in refused[0]
