# SPDX-License-Identifier: MIT
"""Programs that answer with anything. Held: a promised exit code within the time, no process left behind, a sound store."""
import contextlib
import os
import signal
import stat

from common import BENIGN, problem, run, wait_until

FAULTS = ["error", "crash", "segfault", "orphan", "nan", "garbage", "short", "long", "wrong-id", "no-id", "flood", "exit",
          "two-lines", "flaky", "unseeded", "chatty"]

# A body that answers the question in `q` (its id in `i`), by way of Python.
BODIES = {
    "deep json": 'print("[" * 60000)',
    "deep json in an error": 'print(\'{"id":%d,"error":%s}\' % (i, "[" * 20000 + "]" * 20000))',
    "not utf-8": 'o.write(b"\\xff\\xfe\\x80 {\\n")',
    "error not utf-8": 'o.write(b\'{"id":%d,"error":"\\xff\\xc3"}\\n\' % i)',
    "escape sequences": 'print(json.dumps({"id": i, "error": "\\x1b[2J\\x1b]0;owned\\x07"}))',
    "zero bytes": 'o.write(b"\\0" * 1000 + b"\\n")',
    "numbers at the limit": 'v = [1.7e308, -1.7e308, 5e-324, 0, 1e300][seed % 5]; print(json.dumps({"id": i, "objective": v, "constraints": [-v, v]}))',
    "numbers beyond it": 'print(\'{"id":%d,"objective":1e999,"constraints":[1,2]}\' % i)',
    "huge integers": 'print(\'{"id":%d,"objective":%s,"constraints":[1,2]}\' % (i, "9" * 5000))',
    "duplicate keys": 'print(\'{"id":%d,"id":0,"objective":1,"objective":2,"constraints":[1,2]}\' % i)',
    "a long line": 'o.write(b"x" * 3000000 + b"\\n")',
    "a flood on stderr": 'sys.stderr.write("y" * 2000000); print(json.dumps({"id": i, "objective": 1, "constraints": [1, 2]}))',
    "closes stdout": 'os.close(1); time.sleep(30)',
    "a child that keeps the pipe": 'os.fork() or time.sleep(30); os._exit(0)',
    "a daemon": 'os.fork() or (os.setsid(), time.sleep(3), os._exit(0)); print(json.dumps({"id": i, "objective": 1, "constraints": [1, 2]}))',
    "stops itself": 'os.kill(os.getpid(), 19)',
    "kills its parent's group": 'os.kill(0, 9)',
    "slow letters": '[(o.write(b"{"), o.flush(), time.sleep(0.05)) for _ in range(100)]',
}

SCRIPT = """#!/usr/bin/python3
import json, os, sys, time
o = sys.stdout.buffer
for line in sys.stdin:
    q = json.loads(line)
    i, seed = q["id"], q["seed"]
    if seed % 2 == 0:
        {body}
    else:
        print(json.dumps({{"id": i, "objective": 1.0, "constraints": [-1.0, seed % 7 - 5.0]}}))
    sys.stdout.flush()
"""


def left_behind(folder):
    """Processes that still work in the folder."""
    alive = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if entry.isdigit() and os.readlink(f"/proc/{entry}/cwd") == str(folder):
                alive.append(int(entry))
    return alive


def one(arena, folder, text, jobs, daemons=False):
    """Why it did not hold, or nothing."""
    for old in folder.glob("zeroth.db*"):
        old.unlink()
    (folder / "p.toml").write_text(text)
    code, out, err = run([arena.tool, "solve", "p.toml", "--json", "--jobs", str(jobs)], folder, 60)
    gone = daemons or wait_until(lambda: not left_behind(folder), 5)
    for process in left_behind(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    if code not in BENIGN:
        return f"exit code {code}"
    if not gone:
        return "processes are left behind"
    if b"\x1b" in err + out:
        return "escape sequences"
    if run([arena.tool, "verify"], folder)[0] != 0 or run([arena.tool, "report", "-o", "-"], folder)[0] != 0:
        return "the store is not sound"
    return ""


def campaign(arena):
    """Batches as wide as there are jobs: what is only ended by its timeout then costs one timeout per batch."""
    folder = arena.scratch().resolve()
    wrong, tried = [], 0
    for fault in FAULTS:
        for protocol in ("stream", "once"):
            tried += 1
            why = one(arena, folder, problem(arena.evaluator, (fault, "--every", "3"), 30, f'protocol = "{protocol}"\ntimeout = 0.5',
                                             "random", "width = 5"), 5)
            wrong += [f"{fault}, {protocol}: {why}"] if why else []
    arena.table.add("evaluators", "faults of the test evaluator, both protocols", tried, tried - len(wrong), "; ".join(wrong))
    wrong = []
    for name, body in BODIES.items():
        script = folder / "evaluate.py"
        script.write_text(SCRIPT.format(body=body))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        why = one(arena, folder, problem("./evaluate.py", (), 24, "timeout = 1", "sobol", "width = 6"), 6, name == "a daemon")
        wrong += [f"{name}: {why}"] if why else []
    arena.table.add("evaluators", "replies made to harm", len(BODIES), len(BODIES) - len(wrong), "; ".join(wrong))
