#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recommended weights (a result of `zeroth solve --json`) on 20,000 fresh scenarios, beside equal weights and the best of 4,000 random portfolios on as many."""
import json
import random
import sys

from market import ASSETS, expected, scenario

LIMIT = 4.0
rng = random.Random(10**6)
scenarios = [scenario(rng) for _ in range(20_000)]


def value_at_risk(weights, months=scenarios):
    losses = sorted(-100 * sum(w * r for w, r in zip(weights, one)) for one in months)
    return losses[int(0.95 * len(losses))]


def random_portfolios(count):
    rng = random.Random(1)
    best = [0.0] * 6
    for _ in range(count):
        raw = [rng.expovariate(1.0) ** 2 for _ in ASSETS]
        weights = [w / sum(raw) for w in raw]
        if expected(weights) > expected(best) and value_at_risk(weights, scenarios[:2000]) <= LIMIT and value_at_risk(weights) <= LIMIT:
            best = weights
    return best


answer = json.load(open(sys.argv[1]))
rows = {"equal weights": [1 / 6] * 6, "bonds alone": [1, 0, 0, 0, 0, 0], "random, 4,000": random_portfolios(4000),
        "recommended": list(answer["x"].values())}
print(f"{'':<16}{'return':>8}{'VaR 95 %':>10}   " + " ".join(f"{name:>11}" for name in ASSETS))
for name, weights in rows.items():
    print(f"{name:<16}{100 * expected(weights):>8.4f}{value_at_risk(weights):>10.3f}   " + " ".join(f"{w:>11.3f}" for w in weights))
assert value_at_risk(rows["recommended"]) <= LIMIT
assert expected(rows["recommended"]) > 0.85 * expected(rows["random, 4,000"])
