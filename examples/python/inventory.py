# SPDX-License-Identifier: MIT
# %% [markdown]
# # A warehouse with a service-level constraint
#
# A warehouse reviews its stock every morning: with at most `reorder` truckloads on hand and on order, it orders `lot` truckloads of 20 pieces, which
# arrive three days later. Holding a piece costs 1 a day, an order costs 60. Demand is random; what cannot be delivered is lost. At least 97 % of the
# demand must be met. How should it be run?
#
# Both dials are whole numbers, both values are noisy, and the limit is on an expectation.

# %%
import numpy as np

import zeroth

DAYS, DELAY, TRUCK, SERVICE = 400, 3, 20, 0.97


def simulate(reorder, lot, seed):
    """Cost per day, and the share of the demand that was met, over one simulated year or so."""
    demand = np.random.default_rng(seed).negative_binomial(5, 5 / 25, DAYS)  # mean 20 a day, and lumpy
    stock, cost, met = TRUCK * reorder, 0.0, 0
    pipeline = [0] * DELAY
    for wanted in demand.tolist():
        stock += pipeline.pop(0)
        order = stock + sum(pipeline) <= TRUCK * reorder
        pipeline.append(TRUCK * lot if order else 0)
        cost += 60 * order
        sold = min(stock, wanted)
        stock -= sold
        met += sold
        cost += stock
    return cost / DAYS, met / demand.sum()


def measure(x, seed):
    cost, share = simulate(int(x[0]), int(x[1]), seed)
    return {"objective": cost, "service": share}


# %% [markdown]
# The service level is said as it is meant. With 100 evaluations of two variables `auto` picks the Bayesian solver,
# which proposes whole numbers only.

# %%
answer = zeroth.minimize(measure, {"reorder": (0, 15), "lot": (1, 15)}, type="integer", constraints=[f"mean(service) >= {SERVICE}"], budget=100)
reorder, lot = answer.x.astype(int)
service = answer.constraints[0]
print(answer.message)
print(f"reorder at {reorder} truckloads, order {lot}: cost {answer.fun:.1f} +- {answer.objective.se:.1f} a day")
print(f"service {SERVICE - service.mean:.4f} +- {service.se:.4f}, at least {SERVICE} with probability {service.probability_feasible:.3f}")

# %% [markdown]
# The dials are few enough to try them all, with 20 simulated years each.

# %%
years = range(10**6, 10**6 + 20)
tried = {(r, q): np.mean([simulate(r, q, year) for year in years], axis=0) for r in range(3, 9) for q in range(1, 9)}
best = min(cost for cost, share in tried.values() if share >= SERVICE)
cost, share = tried[reorder, lot]
print(f"20 fresh years: cost {cost:.1f} a day, service {share:.4f}; the best of all dials costs {best:.1f}")

assert answer.success
assert share >= SERVICE
assert cost <= 1.01 * best
