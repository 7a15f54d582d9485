#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The city: knows how much its people hear at night, from meters that are its own."""
import json
import random
import sys

for line in sys.stdin:
    question = json.loads(line)
    heat, night = question["x"]["heat"], question["x"]["night"]
    chance = random.Random(question["seed"] + 1)  # its own noise
    noise = 0.3 * heat + 0.7 * night**2 - 0.9 + chance.gauss(0.0, 0.05)
    print(json.dumps({"id": question["id"], "values": [noise]}), flush=True)
