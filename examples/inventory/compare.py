#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recommended (s, S) (a result of `zeroth solve --json`) against all others on a grid, over 40 fresh years each: compare.py RESULT [--answer]

With --answer: the answer alone."""
import json
import sys

from warehouse import year


def measured(s, gap, years=40, first_seed=10**6):
    evaluations = [year(s, gap, seed) for seed in range(first_seed, first_seed + years)]
    return (sum(cost for cost, _ in evaluations) / years, sum(share for _, share in evaluations) / years,
            sum(share >= 0.95 for _, share in evaluations) / years)


answer = json.load(open(sys.argv[1]))["x"]
cost, service, good = measured(answer["s"], answer["gap"], 200)
print(f"recommended: s {answer['s']}, S {answer['s'] + answer['gap']}: cost {cost:.2f} a day, service {service:.4f}, {100 * good:.0f} % of the years at 0.95 or more")
if "--answer" in sys.argv:
    sys.exit()
best = None
for s in range(100, 151, 5):
    for gap in range(20, 121, 20):
        one = measured(s, gap)
        if one[1] >= 0.97 and one[2] >= 0.9 and (best is None or one[0] < best[0]):
            best = (*one, s, gap)
print(f"enumeration: s {best[3]}, S {best[3] + best[4]}: cost {best[0]:.2f} a day, service {best[1]:.4f}; {40 * 11 * 6} simulated years")
assert service >= 0.97 and good >= 0.9 and cost <= 1.1 * best[0]
