#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""2,000 fresh episodes of the learnt policy (a result of `zeroth solve --json`), of the start, and of the best of random search that looked safe."""
import json
import math
import random
import sys

from cart_pole import GLASS_FALLS, episode

RANGES = {"position_gain": (0.3, 10.0), "velocity_gain": (0.5, 15.0), "angle_gain": (15.0, 150.0), "turn_gain": (2.0, 40.0)}
START = {"position_gain": 1.0, "velocity_gain": 2.0, "angle_gain": 40.0, "turn_gain": 10.0}


def measured(policy, episodes, first_seed):
    costs, spilt = [], 0
    for seed in range(first_seed, first_seed + episodes):
        cost, lean = episode(**policy, seed=seed)
        costs.append(cost)
        spilt += lean > GLASS_FALLS
    mean = sum(costs) / episodes
    error = math.sqrt(sum((cost - mean) ** 2 for cost in costs) / (episodes - 1) / episodes)
    return -mean, error, spilt / episodes


def random_search(episodes, each=100):
    """As many episodes as zeroth had, a hundred a policy: the best that spilt no more than five."""
    rng = random.Random(1)
    best, found = -math.inf, START
    for k in range(episodes // each):
        policy = {name: math.exp(rng.uniform(math.log(low), math.log(high))) for name, (low, high) in RANGES.items()}
        reward, _, spilt = measured(policy, each, 10**7 + k * each)
        if spilt <= 0.05 and reward > best:
            best, found = reward, policy
    return found


learnt = json.load(open(sys.argv[1]))
rows = {"start": START, "random search": random_search(learnt["evaluations"]), "learnt": learnt["x"]}
table = {}
for name, policy in rows.items():
    reward, error, spilt = table[name] = measured(policy, 2000, 10**6)
    print(f"{name:<14} return {reward:8.3f} +- {error:.3f}   spilt {100 * spilt:5.2f} %   " + "  ".join(f"{v:.3g}" for v in policy.values()))
assert table["learnt"][2] <= 0.05 and table["learnt"][0] > max(table["start"][0], table["random search"][0])
