#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One day of a call centre with three clerks: cost, longest wait and mean wait in minutes."""
import heapq
import json
import random
import sys


def day(speed, filtered, seed):
    rng = random.Random(seed)
    free = [0.0, 0.0, 0.0]
    clock, waits = 0.0, []
    while clock < 480:
        clock += rng.expovariate(1.0)
        if rng.random() < filtered:
            continue
        begin = max(clock, heapq.heappop(free))
        heapq.heappush(free, begin + rng.expovariate(speed))
        waits.append(begin - clock)
    return 100 * speed + 60 * filtered ** 2 + 20 * filtered, max(waits), sum(waits) / len(waits)


for line in sys.stdin:
    question = json.loads(line)
    cost, longest, mean = day(**question["x"], seed=question["seed"])
    print(json.dumps({"id": question["id"], "objective": cost, "constraints": [longest, mean]}), flush=True)
