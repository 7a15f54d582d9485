#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One customer of a busy hour at random, and what the clerk's speed costs."""
import json
import random
import sys


def wait_of(speed, seed, arrivals=0.5, before=40):
    """The wait of one customer after some others; arrivals and services have streams of their own."""
    come, serve = random.Random(f"{seed} arrivals"), random.Random(f"{seed} services")
    wait = 0.0
    for _ in range(before):
        wait = max(0.0, wait + serve.expovariate(1.0) / speed - come.expovariate(arrivals))
    return wait


for line in sys.stdin:
    question = json.loads(line)
    speed = question["x"]["speed"]
    print(json.dumps({"id": question["id"], "objective": speed ** 1.5, "constraints": [wait_of(speed, question["seed"])]}), flush=True)
