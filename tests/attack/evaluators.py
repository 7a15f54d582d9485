# SPDX-License-Identifier: MIT
"""Programs that answer with anything. Held: a promised exit code within the time, no process left behind, a sound store."""
import json
import os
import stat

from common import BENIGN, problem, run

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


def one(arena, folder, text, jobs):
    for old in folder.glob("zeroth.db*"):
        old.unlink()
    (folder / "p.toml").write_text(text)
    code, out, err = run([arena.tool, "solve", "p.toml", "--json", "--jobs", str(jobs)], folder, 60)
    sound = run([arena.tool, "verify"], folder)[0] == 0
    report = run([arena.tool, "report", "-o", "-"], folder)[0] == 0
    return code in BENIGN and sound and report and b"\x1b" not in err + out


def campaign(arena):
    folder = arena.scratch()
    tried = held = 0
    for fault in FAULTS:
        for protocol in ("stream", "once"):
            tried += 1
            held += one(arena, folder, problem(arena.evaluator, (fault, "--every", "3"), 30,
                                               f'protocol = "{protocol}"\ntimeout = 5', "random"), 2)
    arena.table.add("evaluators", "faults of the test evaluator, both protocols", tried, held)
    tried, wrong = 0, []
    for name, body in BODIES.items():
        script = folder / "evaluate.py"
        script.write_text(SCRIPT.format(body=body))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        tried += 1
        if not one(arena, folder, problem("./evaluate.py", (), 24, 'timeout = 1', "sobol"), 4):
            wrong.append(name)
    arena.table.add("evaluators", "replies made to harm", tried, tried - len(wrong), ", ".join(wrong))
