#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A price and a discount tried on real visitors: every evaluation is another crowd, and no crowd can be asked twice.

The seed that is sent is of no use to such an evaluator; its noise is that of the day, here named by the question's number.
"""
import json
import random
import sys

for line in sys.stdin:
    question = json.loads(line)
    price, discount = question["x"]
    crowd = random.Random(question["id"])
    demand = 3.0 - 1.2 * price + 0.8 * discount - 0.3 * discount**2 + crowd.gauss(0.0, 0.2)
    income = demand * (price - 0.5 * discount)
    complaints = 0.6 * price - 0.4 * discount - 0.4 + crowd.gauss(0.0, 0.2)  # above the rate allowed, less a margin of 0.1
    print(json.dumps({"id": question["id"], "objective": -income, "constraints": [complaints]}), flush=True)
