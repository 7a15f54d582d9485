# SPDX-License-Identifier: MIT
"""SIGKILL at random moments in every way to launch a run. Held: the run, resumed, ends with the bits of the uninterrupted
one, and every answer that was in the store after a kill is there at the end, unchanged."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from common import answers, bits, kill_session, problem, run

PROGRAM = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import zeroth

def plant(x, seed):
    time.sleep(0.003)
    noise = (seed * 2654435761 % 1000) / 1000 - 0.5
    return (x[0] - 0.3) ** 2 + x[1] + 0.1 * noise, [0.2 - x[1] + 0.05 * noise]

r = zeroth.minimize(plant, [(0, 1), (0, 1)], constraints=1, budget=80, workers=int(sys.argv[2]), store="run.db", resume=True,
                    solver="adaptive-conex")
print(json.dumps([r.status, r.x.tolist(), r.fun, r.nfev]))
"""


def modes(arena):
    slow = ("ok", "--sleep", "0.003")
    solve = [arena.tool, "solve", "p.toml", "--json", "-q", "--resume", "--store", "run.db"]
    yield "stream", problem(arena.evaluator, slow), solve
    yield "once", problem(arena.evaluator, slow, 50, 'protocol = "once"'), solve
    yield "stream, 4 jobs", problem(arena.evaluator, slow, 120, "", "adaptive-conex", "width = 4"), [*solve, "--jobs", "4"]
    yield "builtin, threads", '[problem]\nbuiltin = "qcqp"\nn = 4\n[solver]\nname = "conex"\nbudget = 400000\n', [*solve, "--jobs", "2"]
    if shutil.which("mpirun"):
        yield ("mpirun -n 3", problem(arena.evaluator, slow, 80, "", "adaptive-conex", "width = 4"),
               ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", *solve])
    program = [arena.python, "program.py", str(arena.build / "python")]
    yield "Python", "", [*program, "1"]
    yield "Python, 2 workers", "", [*program, "2"]


def same(mode, reference, out):
    if mode.startswith("Python"):
        return reference == out and out
    return bits(reference) is not None and bits(reference) == bits(out)


def campaign(arena):
    for mode, text, argv in modes(arena):
        folder = arena.scratch()
        (folder / "p.toml").write_text(text)
        (folder / "program.py").write_text(PROGRAM)
        code, reference, err = run(argv, folder, 120)
        if code not in (0, 3, 4):
            arena.table.add("kill -9", mode, 1, 0, f"the uninterrupted run ended with {code}: {err[-200:]!r}")
            continue
        took = duration(argv, folder)
        tried = held = kept = 0
        for _ in range(arena.times(1)):
            (folder / "run.db").rename(folder / "whole.db") if (folder / "run.db").exists() else None
            for leftover in folder.glob("run.db*"):
                leftover.unlink()
            lost, wrong, kills = 0, 0, 0
            acknowledged = {}
            for attempt in range(60):
                process = subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                           start_new_session=True)
                # Late enough that something is done, early enough that it is not over.
                patience = arena.random.uniform(0.3, 0.95) * took if kills < 4 else None
                try:
                    out, _ = process.communicate(timeout=patience)
                except subprocess.TimeoutExpired:
                    kill_session(process)
                    kills += 1
                    there = answers(folder / "run.db")
                    lost += sum(there.get(key) != value for key, value in acknowledged.items())
                    acknowledged.update(there)
                    continue
                there = answers(folder / "run.db")
                lost += sum(there.get(key) != value for key, value in acknowledged.items())
                wrong = 0 if same(mode, reference, out) else 1
                break
            kept += len(acknowledged)
            tried += kills
            held += kills if lost == 0 and wrong == 0 else 0
        arena.table.add("kill -9", mode, tried, held, f"{kept} acknowledged answers compared")


def duration(argv, folder):
    import time
    for leftover in folder.glob("run.db*"):
        leftover.unlink()
    begin = time.monotonic()
    run(argv, folder, 120)
    return time.monotonic() - begin
