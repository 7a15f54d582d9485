#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What travels between two parties per iteration of Algorithm 1, counted under mpirun: every value, or sums only.

    ./traffic.py [--zeroth PROGRAM] [--constraints 1 10 100] [--batches 1 10 100]

One party holds the objective, the other m constraints. Prints bytes sent and received by rank 0, per iteration.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

iterations = 4

evaluator = """#!/usr/bin/python3
import json, random, sys
m = int(sys.argv[1])
for line in sys.stdin:
    q = json.loads(line)
    x, r = q["x"], random.Random(q["seed"])
    if m == 0: values = [sum((v - 1) ** 2 for v in x) + 0.01 * r.gauss(0, 1)]
    else: values = [x[0] + x[1] - 1.5 - 0.01 * i + 0.01 * r.gauss(0, 1) for i in range(m)]
    print(json.dumps({"id": q["id"], "values": values}), flush=True)
"""


def problem(constraints: int, batch: int, sums: bool) -> str:
    names = ", ".join(f'"c{i}"' for i in range(constraints))
    evaluations = iterations * (2 * batch + (2 if sums else 2 * batch))
    return f"""[problem]
constraints = [{names}]
common_noise = true
[[party]]
owns = ["objective"]
command = ["/usr/bin/python3", "evaluator.py", "0"]
[[party]]
owns = [{names}]
command = ["/usr/bin/python3", "evaluator.py", "{constraints}"]
[variables]
count = 3
lower = 0.0
upper = 2.0
[solver]
name = "conex"
shared_directions = true
sums = {str(sums).lower()}
batch = {batch}
budget = {evaluations + 2}
check_share = 0.000001
"""


def bytes_per_iteration(program: str, constraints: int, batch: int, sums: bool) -> float:
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "evaluator.py").write_text(evaluator)
        (folder / "problem.toml").write_text(problem(constraints, batch, sums))
        ran = subprocess.run(
            ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", program, "solve", "problem.toml", "--json"],
            cwd=folder, capture_output=True, text=True)
        found = re.search(r"between the parties: (\d+) bytes sent, (\d+) received", ran.stderr)
        if not found:
            sys.exit(f"traffic.py: zeroth did not say what travelled:\n{ran.stderr}")
        return (int(found[1]) + int(found[2])) / iterations


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--zeroth", default="zeroth", help="the program to run")
    arguments.add_argument("--constraints", type=int, nargs="+", default=[1, 10, 100])
    arguments.add_argument("--batches", type=int, nargs="+", default=[1, 10, 100])
    a = arguments.parse_args()
    print("constraints  batch  every value  sums")
    for m in a.constraints:
        for b in a.batches:
            every, sums = (bytes_per_iteration(a.zeroth, m, b, s) for s in (False, True))
            print(f"{m:11d}  {b:5d}  {every:11.0f}  {sums:4.0f}", flush=True)


if __name__ == "__main__":
    main()
