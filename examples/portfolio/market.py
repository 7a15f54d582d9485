# SPDX-License-Identifier: MIT
"""Monthly returns of six assets of which we know only what five years have shown.

One scenario is a world that could have produced those five years (means and volatilities drawn around their estimates, which is what makes the answer
robust) and one month in it: a common factor and own shocks, both with the heavy tails of a Student t with 4 degrees of freedom.
"""
import math
import random

ASSETS = ["bonds", "utilities", "shares", "tech", "commodities", "emerging"]
MEAN = [0.0020, 0.0045, 0.0070, 0.0100, 0.0050, 0.0090]      # a month
VOLATILITY = [0.010, 0.030, 0.045, 0.070, 0.060, 0.065]
EXPOSURE = [0.10, 0.55, 0.90, 0.85, 0.35, 0.80]              # correlation with the common factor
MONTHS = 60


def student(rng, freedom=4):
    return rng.gauss(0, 1) / math.sqrt(rng.gammavariate(freedom / 2, 2 / freedom) * freedom / (freedom - 2))


def scenario(rng):
    """Returns of the six assets in one month of one possible world."""
    common = student(rng)
    returns = []
    for mean, volatility, exposure in zip(MEAN, VOLATILITY, EXPOSURE):
        true_mean = mean + volatility / math.sqrt(MONTHS) * rng.gauss(0, 1)
        true_volatility = volatility * math.exp(rng.gauss(0, 1) / math.sqrt(2 * MONTHS))
        returns.append(true_mean + true_volatility * (exposure * common + math.sqrt(1 - exposure**2) * student(rng)))
    return returns


def month(weights, seed):
    return sum(w * r for w, r in zip(weights, scenario(random.Random(seed))))


def expected(weights):
    return sum(w * m for w, m in zip(weights, MEAN))
