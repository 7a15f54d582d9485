# SPDX-License-Identifier: MIT
"""Ranks of an MPI job that are killed with -9: the job ends quickly and can be resumed, or goes on without them."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest
from conftest import BUILD

pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="no mpirun here")

PROBLEM = """
[problem]
command = ["%s", "ok", "--sleep", "0.02", "--log", "%s"]
constraints = ["p", "q"]
common_noise = true
[[variable]]
name = "a"
lower = 0.001
upper = 1
scale = "log"
[[variable]]
name = "k"
type = "integer"
lower = 0
upper = 3
[solver]
name = "random"
budget = 200
width = 6
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "p.toml").write_text(PROBLEM % (BUILD / "tests/zeroth_test_evaluator", tmp_path / "log"))
    return tmp_path


def solve(*more):
    return [str(BUILD / "zeroth"), "solve", "p.toml", "--json", *more]


def mpirun(place, *words):
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", *words]
    return subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ranks_of(launcher):
    """Their processes, by rank."""
    found = {}
    for child in pathlib.Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split():
        for entry in pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
            if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(entry.split(b"=")[1])] = int(child)
    return found


def wait_for_lines(file, count):
    for _ in range(3000):
        if file.exists() and len(file.read_text().splitlines()) >= count:
            return
        time.sleep(0.01)
    raise AssertionError(f"not {count} lines in {file}")


def bits(text):
    result = json.loads(text)
    result.pop("seconds")
    return result


def test_a_rank_that_dies_ends_the_job_quickly_and_resumably(place):
    whole = subprocess.run(solve("-q", "--store", "whole.db"), cwd=place, capture_output=True, text=True)
    (place / "log").unlink()
    job = mpirun(place, *solve("--store", "cut.db"))
    wait_for_lines(place / "log", 30)
    os.kill(ranks_of(job)[2], signal.SIGKILL)
    begin = time.monotonic()
    _, words = job.communicate(timeout=60)
    assert job.returncode != 0
    assert time.monotonic() - begin < 30
    assert "--resume" in words
    again = mpirun(place, *solve("-q", "--store", "cut.db", "--resume"))
    result, words = again.communicate(timeout=120)
    assert again.returncode == 0, words
    assert bits(result) == bits(whole.stdout)


def test_with_recovery_the_others_go_on(place):
    whole = subprocess.run(solve("-q", "--store", "whole.db"), cwd=place, capture_output=True, text=True)
    (place / "log").unlink()
    job = mpirun(place, "--enable-recovery", *solve("--store", "run.db"))
    wait_for_lines(place / "log", 30)
    os.kill(ranks_of(job)[2], signal.SIGKILL)
    result, words = job.communicate(timeout=120)
    assert job.returncode == 0, words
    assert "rank 2 was not heard of" in words
    assert bits(result[result.index("{"):]) == bits(whole.stdout)
    assert bits(result[result.index("{"):])["failed"] == 0
