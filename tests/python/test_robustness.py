# SPDX-License-Identifier: MIT
"""Functions that do what no function should, and machines that run out of something."""
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import zeroth
from conftest import BUILD
from problems import BOX, plant


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class OddKey:
    def __str__(self):
        raise RuntimeError("no name")

    def __hash__(self):
        return 1


class OddNumber:
    def __float__(self):
        raise RuntimeError("no number")


def raises(exception):
    def body():
        raise exception
    return body


ODD = {
    "surrogate": raises(ValueError("bad name \udcff.csv")),
    "unspeakable": raises(Unspeakable()),
    "nul": raises(ValueError("a\0b")),
    "many lines": raises(ValueError("a\nb\n" * 1000)),
    "odd key": lambda: {OddKey(): 1.0},
    "surrogate key": lambda: {"\udcff": 1.0},
    "odd number": lambda: (OddNumber(), [1.0]),
    "recursion": lambda: (lambda f: f(f))(lambda f: f(f)),
    "huge integer": lambda: (10 ** 400, [1.0]),
    "generator": lambda: (i for i in range(2)),
    "more values than memory": lambda: range(10 ** 15),
    "more zeros than memory": lambda: np.broadcast_to(0.0, 10 ** 15),
}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ODD)
def test_whatever_a_function_raises_or_returns_is_a_failed_answer(kind, workers, tmp_path):
    def odd(x, seed):
        return ODD[kind]() if seed % 3 == 0 else plant(x, seed)

    path = tmp_path / "runs.db"
    try:
        result = zeroth.minimize(odd, BOX, constraints=1, budget=30, workers=workers, solver="sobol", store=path)
    except ValueError as error:  # the first answer of the wrong form is said at once
        assert str(error).startswith("fun: the function returned")
        return
    assert result.evaluations == 30 and 1 <= result.failed < 30
    answers = zeroth.Store(path).answers()
    assert sum(failure is not None for failure in answers.failure) == result.failed


def test_what_happens_in_a_worker_never_runs_the_program_again(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(f"""
import os, sys
sys.path.insert(0, {str(BUILD / "python")!r})
import zeroth
print("begin", flush=True)
def fun(x, seed):
    raise {{0: ValueError("\\udcff"), 1: SystemExit(3), 2: KeyboardInterrupt(), 3: GeneratorExit()}}[seed % 4]
try:
    zeroth.minimize(fun, [(0, 1)], budget=40, workers=2, solver="sobol")
except BaseException as error:
    print("ended by", type(error).__name__, flush=True)
print("end", flush=True)
""")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["begin", "ended by EvaluationsFailed", "end"], done.stdout + done.stderr


@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_that_the_function_forked_does_not_go_on_with_the_run(workers, tmp_path):
    log = tmp_path / "log"

    def forks(x, seed):
        os.fork()  # both come back
        with open(log, "a") as file:
            file.write("x\n")
        return plant(x, seed)

    result = zeroth.minimize(forks, BOX, constraints=1, budget=20, workers=workers, solver="sobol", store=tmp_path / "runs.db")
    time.sleep(0.3)
    assert result.evaluations == 20 and result.failed == 0
    # A child that went on would call the function again. What is left of the children ends with the workers, written or not.
    assert 20 <= len(log.read_text().splitlines()) <= 40
    assert len(zeroth.Store(tmp_path / "runs.db").answers().number) == 20


def test_a_worker_that_dies_is_seen_even_if_a_process_of_its_own_lives_on(tmp_path):
    def leaves_a_child(x, seed):
        if seed % 5 == 0:
            if os.fork() == 0:
                os.setsid()  # out of reach of a kill of the group, with the pipes in its hands
                time.sleep(20)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        return plant(x, seed)

    begin = time.perf_counter()
    result = zeroth.minimize(leaves_a_child, BOX, constraints=1, budget=24, workers=2, solver="sobol")
    assert time.perf_counter() - begin < 15
    assert result.evaluations == 24 and 1 <= result.failed < 24
    assert set(result.failures) == {"the worker process was ended by signal 9 (Killed)"}


def limited(code, soft, hard, tmp_path):
    text = f"import sys; sys.path.insert(0, {str(BUILD / 'python')!r})\n" + code

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, cwd=tmp_path,
                          preexec_fn=limit)


MANY = """
import zeroth
r = zeroth.minimize(lambda x, seed: float(x[0]), [(0, 1)], budget=80, workers=40, width=40, solver="sobol", store="runs.db")
print(r.evaluations, r.failed)
"""


def test_more_workers_than_the_soft_limit_allows(tmp_path):
    done = limited(MANY, 64, 4096, tmp_path)
    assert done.stdout.split() == ["80", "0"], done.stderr


def test_more_workers_than_the_hard_limit_allows_is_said_before_the_run(tmp_path):
    done = limited(MANY, 64, 64, tmp_path)
    assert done.returncode == 1 and "open files" in done.stderr and "ulimit" in done.stderr, done.stderr
    assert not (tmp_path / "runs.db").exists()


HUGE = """
import resource
import numpy as np
import zeroth
have = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (have + (3 << 29), -1))
def fun(x, seed):
    return np.zeros(1 << 27) if seed % 3 == 0 else float(x[0])  # 1 GB: there is room for one of these, not for a copy
try:
    r = zeroth.minimize(fun, [(0, 1)], budget=40, workers=WORKERS, solver="sobol", seed=SEED)
    print("ended", r.evaluations, 0 < r.failed < 40)
except ValueError as error:
    print("ended", "the function returned" in str(error))
"""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_answer_larger_than_the_memory_is_a_failed_one(workers, seed, tmp_path):
    done = limited(HUGE.replace("WORKERS", str(workers)).replace("SEED", str(seed)), 1024, 4096, tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("ended") and "False" not in done.stdout, done.stdout + done.stderr


DEAF = """
import sys
import zeroth
zeroth._progress._Lines.pause = 0.0
r = zeroth.minimize(lambda x, seed: float(x[0]), [(0, 1)], budget=40, workers=WORKERS, solver="sobol", progress=True)
open("result", "w").write(f"{r.evaluations} {r.failed} {r.status}")
"""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("stderr", ["full", "closed", "gone", "nobody reads"])
def test_progress_that_nobody_takes_ends_no_run(stderr, workers, tmp_path):
    """The result is there, and the program ends as it would have: with 0."""
    text = DEAF.replace("WORKERS", str(workers))
    if stderr == "closed":
        text = text.replace("r = ", "sys.stderr.close()\nr = ")
    text = f"import sys; sys.path.insert(0, {str(BUILD / 'python')!r})\n" + text
    argv = [sys.executable, "-c", text]
    if stderr == "gone":
        done = subprocess.run(argv, cwd=tmp_path, timeout=60, preexec_fn=lambda: os.close(2))
    elif stderr == "nobody reads":
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(argv, cwd=tmp_path, timeout=60, stderr=write)
        os.close(write)
    else:
        with open("/dev/full", "w") as full:
            done = subprocess.run(argv, cwd=tmp_path, timeout=60, stderr=full)
    evaluations, failed, status = (tmp_path / "result").read_text().split()
    assert int(evaluations) > 30 and failed == "0" and status != "interrupted"
    assert done.returncode == 0
