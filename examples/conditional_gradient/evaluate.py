#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which of 4 x 4 routes carry how much? A matrix of low rank (few causes), from noisy counts along random routes.

The matrix comes column by column. Its nuclear norm is limited by the problem file; the traffic through the centre (the
sum of four entries) is limited by a noisy constraint.
"""
import json
import random
import sys

TRUTH = [[a * b for a in (1.0, 0.5, -0.5, 0.2)] for b in (0.6, 0.3, 0.1, -0.4)]  # one cause, column by column

for line in sys.stdin:
    question = json.loads(line)
    x = question["x"]
    chance = random.Random(question["seed"])
    loss = 0.0
    for _ in range(4):  # routes drawn with the seed: the same for both points of a difference
        weights = [chance.gauss(0.0, 1.0) for _ in range(16)]
        seen = sum(w * TRUTH[k // 4][k % 4] for k, w in enumerate(weights)) + chance.gauss(0.0, 0.1)
        loss += (sum(w * v for w, v in zip(weights, x)) - seen) ** 2 / 4
    centre = x[5] + x[6] + x[9] + x[10] + chance.gauss(0.0, 0.05)
    print(json.dumps({"id": question["id"], "objective": loss, "constraints": [centre - 0.05]}), flush=True)
