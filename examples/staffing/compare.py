#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All 3,375 plans over the same 100 days: the cheapest that keep the promise on average."""
import itertools

from call_centre import PROMISE, SHIFTS, cost, shift

DAYS = range(100)
PEOPLE = range(1, 16)

counts = {(name, k): [shift(name, k, f"day {d}") for d in DAYS] for name in SHIFTS for k in PEOPLE}
kept = []
for plan in itertools.product(PEOPLE, repeat=3):
    days = zip(*(counts[name, k] for name, k in zip(SHIFTS, plan)))
    served = [sum(c[1] for c in day) / sum(c[0] for c in day) for day in days]
    mean = sum(served) / len(served)
    if mean >= PROMISE:
        kept.append((cost(dict(zip(SHIFTS, plan))), -mean, plan))
for price, served, plan in sorted(kept)[:6]:
    print(f"{plan}  cost {price:.1f}  in time {-served:.4f}")
