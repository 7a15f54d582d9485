# SPDX-License-Identifier: MIT
import os
import signal
import time

import pytest

import zeroth
from problems import BOX, plant, same_run


def fragile(x, seed):
    if seed % 5 == 0:
        raise ArithmeticError("the sampler diverged")
    return plant(x, seed)


@pytest.mark.parametrize("workers", [1, 2])
def test_exceptions_are_failed_answers_with_their_traceback(workers, tmp_path):
    path = tmp_path / "runs.db"
    result = zeroth.minimize(fragile, BOX, constraints=1, budget=600, workers=workers, store=path)
    assert result.failures == {"ArithmeticError: the sampler diverged": result.failed} and 60 < result.failed < 180
    text = result.tracebacks["ArithmeticError: the sampler diverged"]
    assert "in fragile" in text and "test_failures.py" in text and 'raise ArithmeticError' in text
    answers = zeroth.Store(path).answers()
    failed = answers.failure != None  # noqa: E711 (elementwise)
    assert failed.sum() == result.failed and (answers.seed[failed] % 5 == 0).all()
    assert all("in fragile" in trace for trace in answers.traceback[failed])
    assert abs(result.x[0] - 0.9) < 0.15


def test_failures_are_the_same_in_worker_processes():
    options = dict(constraints=1, budget=300, solver="adaptive-conex")
    same_run(zeroth.minimize(fragile, BOX, **options), zeroth.minimize(fragile, BOX, workers=3, **options))


def test_a_function_that_always_fails_stops_the_run_with_its_own_words():
    calls = []

    def hopeless(x, seed):
        calls.append(seed)
        raise FileNotFoundError("data.csv")

    with pytest.raises(zeroth.EvaluationsFailed, match="FileNotFoundError: data.csv") as caught:
        zeroth.minimize(hopeless, BOX, constraints=1, budget=1000)
    assert "in hopeless" in str(caught.value)
    assert 20 <= len(calls) < 100


@pytest.mark.parametrize("workers", [1, 2])
def test_nan_and_infinity_are_failures(workers):
    def sometimes(x, seed):
        f, c = plant(x, seed)
        return (f, [float("nan")]) if seed % 3 == 0 else (float("inf"), c) if seed % 3 == 1 else (f, c)

    result = zeroth.minimize(sometimes, BOX, constraints=["limit"], budget=400, workers=workers)
    assert set(result.failures) == {"limit is not a finite number", "objective is not a finite number"}


def test_a_crash_of_a_worker_is_a_failed_answer():
    def crashes(x, seed):
        if seed % 7 == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if seed % 7 == 1:
            os._exit(3)
        return plant(x, seed)

    result = zeroth.minimize(crashes, BOX, constraints=1, budget=150, workers=2, solver="sobol", width=4)
    assert result.evaluations > 145  # whole batches of 4
    assert result.failures["the worker process ended with exit code 3"] > 5
    assert any("signal 9" in reason for reason in result.failures)


def test_a_hang_ends_at_the_timeout():
    def hangs(x, seed):
        if seed % 25 == 0:
            time.sleep(60)
        return plant(x, seed)

    begin = time.perf_counter()
    result = zeroth.minimize(hangs, BOX, constraints=1, budget=60, timeout=0.2, solver="sobol")
    assert time.perf_counter() - begin < 20
    reason = "no answer within 0.2 seconds; the worker process was killed"
    assert result.failures == ({reason: result.failed} if result.failed else {}) and result.evaluations == 60
    assert result.failed >= 1


@pytest.mark.parametrize("workers", [1, 2])
def test_retries(workers, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()

    def once(x, seed):
        mark = marks / f"{seed}-{x[0]}-{x[1]}"
        if not mark.exists():
            mark.touch()
            raise OSError("first attempt")
        return plant(x, seed)

    path = tmp_path / "runs.db"
    result = zeroth.minimize(once, BOX, constraints=1, budget=40, retries=1, workers=workers, store=path, solver="sobol")
    assert result.failed == 0
    # The last evaluations are at one point with their own seeds, so every question is new: two attempts each.
    assert (zeroth.Store(path).answers().attempts == 2).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_answer_of_the_wrong_form_is_said_at_once(workers):
    for returned, words in ((1.0, "1 value"), (None, "None"), ((1.0, [2.0, 3.0]), "2 values in part 2"), ("text", "'text'"),
                            ({"objective": 1.0, "heat": 2.0}, "no constraint 'heat'"), ({"objective": 1.0}, "'limit' is missing")):
        with pytest.raises(ValueError, match="fun: the function returned .*") as caught:
            zeroth.minimize(lambda x, seed: returned, BOX, constraints=["limit"], workers=workers)
        assert words in str(caught.value) and "expected (objective, [1 constraint])" in str(caught.value)


def test_sys_exit_ends_the_program_not_the_evaluation():
    def leaves(x, seed):
        raise SystemExit(5)

    with pytest.raises(SystemExit):
        zeroth.minimize(leaves, BOX, constraints=1)
