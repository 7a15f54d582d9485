# SPDX-License-Identifier: MIT
"""What the campaigns share: a table of what was tried and what held, processes that are killed, runs that are compared."""
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import tempfile
import time

BENIGN = (0, 1, 2, 3, 4, 130)  # the exit codes that are promised


class Table:
    def __init__(self):
        self.rows = []

    def add(self, area, attack, tried, held, note=""):
        self.rows.append((area, attack, tried, held, note))
        print(f"  {area:<11} {attack:<58} {tried:>7} {held:>7}  {note}", flush=True)

    def skip(self, area, attack, why):
        self.rows.append((area, attack, 0, 0, why))
        print(f"  {area:<11} {attack:<58} {'-':>7} {'-':>7}  {why}", flush=True)

    def failures(self):
        return [row for row in self.rows if row[2] != row[3]]


class Arena:
    """Where a campaign takes place: a scratch directory, the tool, how long it may take, and its own dice."""

    def __init__(self, options, table):
        self.table = table
        self.build = pathlib.Path(options.build).resolve()
        self.tool = str(self.build / "zeroth")
        self.guarded = str(pathlib.Path(options.asan).resolve() / "zeroth") if options.asan else self.tool
        self.evaluator = str(self.build / "tests" / "zeroth_test_evaluator")
        self.python = options.python
        self.random = random.Random(options.seed)
        self.factor = options.factor
        self.modes = options.mode
        self.folders = []  # they go when the arena goes: a cluster lives in one while others are used

    def scratch(self):
        self.folders.append(tempfile.TemporaryDirectory(prefix="zeroth-attack-"))
        return pathlib.Path(self.folders[-1].name)

    def times(self, count):
        return max(1, round(count * self.factor))


def run(argv, cwd, timeout=60, **more):
    """Returns (exit code or -signal, stdout, stderr) as bytes; a hang is the code 'hang', with everything it started killed."""
    process = subprocess.Popen(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               start_new_session=True, **more)
    try:
        out, err = process.communicate(timeout=timeout)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return "hang", out, err


def bits(out):
    """A result without what depends on the clock."""
    try:
        result = json.loads(out)
    except ValueError:
        return None
    result.pop("seconds", None)
    return json.dumps(result, sort_keys=True)


def answers(path):
    """Every answer in a store, by run and number; none if there is no store yet."""
    if not os.path.exists(path):
        return {}
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30) as db:
        try:
            return {(run, number): (values, failure) for run, number, values, failure in
                    db.execute('SELECT run, number, "values", failure FROM answers')}
        except sqlite3.OperationalError:
            return {}


def problem(evaluator, arguments=("ok",), budget=80, more="", solver="adaptive-conex", solver_more=""):
    command = json.dumps([evaluator, *arguments])
    return f"""[problem]
command = {command}
constraints = ["p", "q"]
common_noise = true
{more}
[[variable]]
name = "a"
lower = 0.001
upper = 1
scale = "log"
[[variable]]
name = "b"
lower = 0
upper = 3
[solver]
name = "{solver}"
budget = {budget}
{solver_more}
"""


def kill_session(process):
    """SIGKILL to a process and all that it started in its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def wait_until(condition, seconds):
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if condition():
            return True
        time.sleep(0.01)
    return False
