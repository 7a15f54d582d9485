#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One question per line on stdin, one answer per line on stdout; see docs/evaluator-protocol.md."""
import json
import math
import random
import sys


def measure(x1, x2, seed):
    rng = random.Random(seed)
    objective = x1 + x2 + rng.gauss(0, 0.1)
    wave = 1.5 - x1 - 2 * x2 - 0.5 * math.sin(2 * math.pi * (x1 ** 2 - 2 * x2)) + rng.gauss(0, 0.1)
    disc = x1 ** 2 + x2 ** 2 - 1.5 + rng.gauss(0, 0.1)
    return objective, [wave, disc]


for line in sys.stdin:
    question = json.loads(line)
    objective, constraints = measure(**question["x"], seed=question["seed"])
    print(json.dumps({"id": question["id"], "objective": objective, "constraints": constraints}), flush=True)
