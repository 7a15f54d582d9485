# SPDX-License-Identifier: MIT
"""A call centre over three shifts: callers arrive at random and are served in the order of arrival."""
import heapq
import random

SHIFTS = ("morning", "noon", "night")
CALLS_PER_MINUTE = {"morning": 1.2, "noon": 2.4, "night": 0.7}
WAGE = {"morning": 1.0, "noon": 1.0, "night": 1.3}
MINUTES = 240
MEAN_TALK = 3.0
PROMISE = 0.9  # of the callers wait at most a minute


def shift(name, people, seed):
    """Callers of one shift, and how many of them wait at most a minute. The same seed is the same day, whatever the plan."""
    rng = random.Random(f"{seed} {name}")
    rate = CALLS_PER_MINUTE[name]
    free_at = [0.0] * people
    calls = in_time = 0
    now = rng.expovariate(rate)
    while now < MINUTES:
        wait = max(0.0, heapq.heappop(free_at) - now)
        heapq.heappush(free_at, now + wait + rng.expovariate(1 / MEAN_TALK))
        calls += 1
        in_time += wait <= 1
        now += rng.expovariate(rate)
    return calls, in_time


def cost(staff):
    return sum(WAGE[name] * staff[name] for name in SHIFTS)


def late(staff, seed):
    """How far the day falls short of the promise; negative: kept."""
    counts = [shift(name, int(staff[name]), seed) for name in SHIFTS]
    return PROMISE - sum(c[1] for c in counts) / sum(c[0] for c in counts)
