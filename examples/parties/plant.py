#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The plant: knows what a setting costs and what it emits, and shows nobody how."""
import json
import random
import sys

for line in sys.stdin:
    question = json.loads(line)
    heat, filtered, night = (question["x"][name] for name in ("heat", "filter", "night"))
    chance = random.Random(question["seed"])
    cost = (heat - 3.0) ** 2 + 0.5 * filtered + 0.8 * (1.0 - night) ** 2 + chance.gauss(0.0, 0.05)
    emission = 0.5 * heat - 0.9 * filtered - 0.2 + chance.gauss(0.0, 0.05)
    print(json.dumps({"id": question["id"], "values": [cost, emission]}), flush=True)
