#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One line per door, problem and solver: a hash of all that was asked and of what was answered.

    tests/hashes/result_hashes.py BUILD_DIR             print the table
    tests/hashes/result_hashes.py BUILD_DIR --compare   name the lines that differ from tests/hashes/table.txt
    tests/hashes/result_hashes.py BUILD_DIR --update    write it

A change that only moves code leaves every line as it is; ./run-tests names the lines that differ. A change of behaviour updates the lines it means to change.
The table is that of the release preset: slack-al asks elsewhere at -O1, because its quadrature rounds differently there.
"""
import hashlib
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(BUILD / "python"))
import numpy as np  # noqa: E402

import zeroth  # noqa: E402

# Some solvers think for seconds per step at their defaults.
LIGHT = {"pesc": {"samples": 2, "burn_in": 1, "grid": 40, "features": 40},
         "admmbo": {"grid": 100, "first_f": 4, "first_c": 4}}
BUDGET = {"conex": 400, "proximal-conex": 400, "conex-cg": 400, "adaptive-conex": 400, "random": 400, "auto": 450,
          "sobol": 100}
FEW = 40  # of the others, which model
NAMES = [entry["name"] for entry in zeroth.solvers()]


def digest(*parts):
    h = hashlib.sha256()
    for part in parts:
        h.update(part if isinstance(part, bytes) else repr(part).encode())
    return h.hexdigest()[:12]


def numbers(values):
    return np.asarray(values, dtype=np.float64).tobytes()


def result_digest(x, objective, constraints, evaluations):
    return digest(numbers(x), numbers(objective), *(numbers(c) for c in constraints), evaluations)


def of_result(r):
    return result_digest(r.x, (r.objective.mean, r.objective.se), [(c.mean, c.se) for c in [*r.constraints, *r.equalities]], r.evaluations)


def of_path(database):
    a = zeroth.Store(database).answers()
    return digest(a.number.astype(np.int64).tobytes(), numbers(a.x), a.seed.astype(np.uint64).tobytes(), numbers(a.objective),
                  numbers(a.constraints), numbers(a.equalities))


def toml(problem, solver, extra):
    lines = ["[problem]"] + [f"{k} = {json.dumps(v)}" for k, v in problem.items()]
    return "\n".join(lines + ["[solver]", f'name = "{solver}"', f"budget = {BUDGET.get(solver, FEW)}", "seed = 3"]
                     + [f"{k} = {v}" for k, v in extra.items()]) + "\n"


BUILTIN = {"qcqp": {"builtin": "qcqp", "n": 4, "m": 2}, "hs": {"builtin": "hock-schittkowski", "number": 71}}


def command_line(work):
    for label, problem in BUILTIN.items():
        for solver in NAMES:
            file, store = work / "problem.toml", work / f"{label}-{solver}.db"
            file.write_text(toml(problem, solver, LIGHT.get(solver, {})))
            done = subprocess.run([BUILD / "zeroth", "solve", file, "--json", "--quiet", "--store", store],
                                  capture_output=True, text=True)
            if done.returncode not in (0, 3, 4):
                yield refused("cli", label, solver, done.stderr)
                continue
            r = json.loads(done.stdout)
            estimates = [r["objective"], *r["constraints"], *r.get("equalities", [])]
            pairs = [(nan(e["mean"]), nan(e["se"])) for e in estimates]
            x = list(r["x"].values()) if isinstance(r["x"], dict) else r["x"]
            yield f"cli {label} {solver} {of_path(store)} {result_digest(x, pairs[0], pairs[1:], r['evaluations'])}"


def refused(door, label, solver, why):
    """Some solvers know no equalities; any other refusal is a mistake in this file."""
    if "equalit" not in why:
        sys.exit(f"{door} {label} {solver}: {why}")
    return f"{door} {label} {solver} refused"


def nan(value):
    return math.nan if value is None else value


def measured(x, seed):
    rng = random.Random(seed)
    return ((x[0] - 0.3) ** 2 + (x[1] - 0.6) ** 2 + x[2] * 0.1 + 0.05 * rng.gauss(0, 1), [0.4 - x[0] + 0.05 * rng.gauss(0, 1)])


def with_equality(x, seed):
    f, c = measured(x, seed)
    return f, c, [x[0] + x[1] - 1 + 0.02 * random.Random(seed + 1).gauss(0, 1)]


BOX = [(0.0, 1.0)] * 3
PYTHON = {
    "real": (measured, dict(bounds=BOX, constraints=1), NAMES),
    "integer": (measured, dict(bounds=[(0, 1), (0, 1), (0, 5)], constraints=1, type=["real", "real", "integer"]),
                ["auto", "adaptive-conex", "trust-bo", "conex", "random"]),
    "all-integer": (lambda x, seed: measured(np.asarray(x) / 9, seed), dict(bounds=[(0, 9)] * 3, constraints=1, type="integer"),
                    ["auto", "adaptive-conex", "trust-bo"]),
    "chance": (measured, dict(bounds=BOX, constraints=["probability(late <= 0.1) >= 0.8"]), ["auto", "adaptive-conex", "trust-bo"]),
    "equality": (with_equality, dict(bounds=BOX, constraints=1, equalities=1), ["auto", "adaptive-conex", "trust-bo", "conex"]),
}


def python(work):
    for label, (fun, keywords, names) in PYTHON.items():
        for solver in names:
            keys = dict(keywords, solver=solver, budget=BUDGET.get(solver, FEW), seed=5, solver_options=LIGHT.get(solver, {}))
            store = work / f"python-{label}-{solver}.db"
            try:
                r = zeroth.minimize(fun, **keys, store=store)
            except zeroth.Error as error:
                yield refused("python", label, solver, str(error))
                continue
            yield f"python {label} {solver} {of_path(store)} {of_result(r)}"
            bounds = keys.pop("bounds")
            search = zeroth.Search(bounds, **keys)
            while not search.done:
                search.tell([fun(q.x, q.seed) for q in search.ask()])
            yield f"ask-tell {label} {solver} - {of_result(search.result())}"


def cpp(_):
    if not (BUILD / "tests" / "zeroth_cpp_door").exists():
        sys.exit(f"{BUILD} has no tests/zeroth_cpp_door: cmake --build {sys.argv[1]} --target zeroth_cpp_door")
    for line in subprocess.run([BUILD / "tests" / "zeroth_cpp_door"], capture_output=True, text=True, check=True).stdout.splitlines():
        solver, *values = line.split()
        yield f"c++ real {solver} - {digest(*values) if values != ['refused'] else 'refused'}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        lines = []
        for door in (command_line, python, cpp):
            for line in door(work):
                lines.append(line)
                if "--compare" not in sys.argv:
                    print(line, flush=True)
    table = HERE / "table.txt"
    if "--update" in sys.argv:
        table.write_text("\n".join(lines) + "\n")
    if "--compare" in sys.argv:
        known = table.read_text().splitlines()
        changed = [*(f"- {line}" for line in known if line not in lines), *(f"+ {line}" for line in lines if line not in known)]
        print("\n".join(changed) if changed else f"all {len(lines)} lines equal")
        sys.exit(1 if changed else 0)


if __name__ == "__main__":
    main()
