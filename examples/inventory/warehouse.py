# SPDX-License-Identifier: MIT
"""An (s, S) warehouse: when stock on hand and on order falls to s or below, order up to S; the lorry needs three days.

Demand is lumpy, what cannot be delivered is lost. Holding a piece costs 1 a day, a lorry 60.
"""
import random

DAYS, DELAY, LORRY, HOLDING = 360, 3, 60.0, 1.0


def demand_of(rng):
    """Some 3 customers a day who want some 7 pieces each."""
    wanted, clock = 0, rng.expovariate(3.0)
    while clock < 1:
        wanted += 1 + int(rng.expovariate(1 / 6.5))
        clock += rng.expovariate(3.0)
    return wanted


def year(s, gap, seed):
    """(cost a day, share of the demand that was met) of one year with order-up-to level S = s + gap."""
    rng = random.Random(seed)
    stock, pipeline = s + gap, [0] * DELAY
    cost, met, wanted = 0.0, 0, 0
    for _ in range(DAYS):
        stock += pipeline.pop(0)
        position = stock + sum(pipeline)
        order = s + gap - position if position <= s else 0
        pipeline.append(order)
        demand = demand_of(rng)
        sold = min(stock, demand)
        stock -= sold
        met += sold
        wanted += demand
        cost += LORRY * (order > 0) + HOLDING * stock
    return cost / DAYS, met / max(1, wanted)
