# SPDX-License-Identifier: MIT
"""Ctrl-C as people press it: a real SIGINT to a real process, then resume."""
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import zeroth
from conftest import BUILD

PROGRAM = """
import json, sys, time
sys.path[:0] = [{tests!r}, {build!r}]
import zeroth
from problems import BOX, plant

def slow(x, seed):
    time.sleep(0.004)
    with open("started", "a") as log:
        log.write("%d\\n" % seed)
    time.sleep(0.004)
    return plant(x, seed)

try:
    result = zeroth.minimize(slow, BOX, constraints=1, budget=250, solver="adaptive-conex", workers={workers}, store={store!r},
                             resume={resume})
    print(json.dumps([result.status, result.x.tolist(), result.fun, result.nfev, result.replayed]))
except zeroth.Interrupted as stop:
    print(json.dumps(["interrupted", stop.result.nfev]))
    sys.exit(130)
"""


def start(cwd, **keywords):
    text = PROGRAM.format(tests=os.path.dirname(__file__), build=str(BUILD / "python"), **keywords)
    return subprocess.Popen([sys.executable, "-c", text], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def children_of(parent):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == parent:
                    found.append(pid)
        except OSError:  # it ended meanwhile
            pass
    return found


def wait_for_lines(path, count):
    limit = time.time() + 60
    while time.time() < limit:
        if path.exists() and len(path.read_text().splitlines()) >= count:
            return
        time.sleep(0.005)
    raise AssertionError("the program did not get going")


@pytest.mark.parametrize("workers", [1, 2])
def test_sigint_finishes_what_is_under_way_and_resume_goes_on(workers, tmp_path):
    whole = start(tmp_path, workers=workers, store="whole.db", resume=False)
    reference = json.loads(whole.communicate(timeout=120)[0])
    assert whole.returncode == 0 and reference[0] != "interrupted"

    (tmp_path / "started").unlink()
    first = start(tmp_path, workers=workers, store="parts.db", resume=False)
    wait_for_lines(tmp_path / "started", 60)
    first.send_signal(signal.SIGINT)
    out, err = first.communicate(timeout=60)
    assert first.returncode == 130, err
    assert json.loads(out)[0] == "interrupted"
    begun = len((tmp_path / "started").read_text().splitlines())
    store = zeroth.Store(tmp_path / "parts.db")
    assert store.run().status == "interrupted"
    assert len(store.answers().number) == begun, "an evaluation that had begun was thrown away"

    second = start(tmp_path, workers=workers, store="parts.db", resume=True)
    out, err = second.communicate(timeout=120)
    resumed = json.loads(out)
    assert second.returncode == 0, err
    assert resumed[:4] == reference[:4]
    assert resumed[4] == begun
    assert len((tmp_path / "started").read_text().splitlines()) == reference[3], "an answer was computed twice"


def test_a_second_sigint_does_not_wait(tmp_path):
    text = """
import sys, time
sys.path[:0] = [{build!r}]
import zeroth
def stuck(x, seed):
    open("started", "w").write("x\\n")
    time.sleep(60)
    return 1.0
try:
    zeroth.minimize(stuck, [(0, 1)], workers={workers})
except KeyboardInterrupt:
    sys.exit(130)
"""
    for workers in (1, 2):
        program = subprocess.Popen([sys.executable, "-c", text.format(build=str(BUILD / "python"), workers=workers)],
                                   cwd=tmp_path)
        try:
            wait_for_lines(tmp_path / "started", 1)
            time.sleep(0.2)
            program.send_signal(signal.SIGINT)
            time.sleep(0.3)
            assert program.poll() is None
            program.send_signal(signal.SIGINT)
            assert program.wait(timeout=20) == 130
        finally:
            program.kill()
            program.wait()
        (tmp_path / "started").unlink()


def test_workers_die_with_the_program(tmp_path):
    program = start(tmp_path, workers=2, store="runs.db", resume=False)
    wait_for_lines(tmp_path / "started", 10)
    children = children_of(program.pid)
    assert len(children) == 2
    program.kill()
    program.communicate()
    limit = time.time() + 10
    while time.time() < limit and any(os.path.exists(f"/proc/{pid}") for pid in children):
        time.sleep(0.02)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in children)
    # What had arrived is there, and the run goes on.
    assert len(zeroth.Store(tmp_path / "runs.db").answers().number) >= 8
    again = start(tmp_path, workers=1, store="runs.db", resume=True)
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert json.loads(out)[4] >= 8
