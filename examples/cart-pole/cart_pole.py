# SPDX-License-Identifier: MIT
"""A cart with a pole on it, in gusts: the equations of Barto, Sutton and Anderson (1983) with a force of any size up to 10 N.

The cart begins two metres from where it should be. To get there quickly the pole must lean, and a glass stands on it: beyond 12 degrees it falls.
"""
import math
import random

GRAVITY, CART, POLE, HALF_LENGTH, DT, STEPS = 9.8, 1.0, 0.1, 0.5, 0.02, 250
GLASS_FALLS = math.radians(12)


def episode(position_gain, velocity_gain, angle_gain, turn_gain, seed):
    """(cost, largest lean in radians) of one episode of five seconds under a linear policy."""
    rng = random.Random(seed)
    x, v, angle, turn = 2.0 + rng.gauss(0, 0.1), 0.0, rng.gauss(0, 0.02), 0.0
    gust, cost, lean = 0.0, 0.0, 0.0
    for step in range(STEPS):
        force = position_gain * x + velocity_gain * v + angle_gain * angle + turn_gain * turn
        force = max(-10.0, min(10.0, force))
        gust = 0.95 * gust + 0.3 * rng.gauss(0, 1)
        sine, cosine = math.sin(angle), math.cos(angle)
        push = (force + POLE * HALF_LENGTH * turn * turn * sine) / (CART + POLE)
        swing = (GRAVITY * sine - cosine * push) / (HALF_LENGTH * (4 / 3 - POLE * cosine * cosine / (CART + POLE))) + gust
        x, v = x + DT * v, v + DT * (push - POLE * HALF_LENGTH * swing * cosine / (CART + POLE))
        angle, turn = angle + DT * turn, turn + DT * swing
        lean = max(lean, abs(angle))
        cost += DT * (x * x + 0.01 * force * force)
        if lean > 1.0 or abs(x) > 6:  # all is lost: as if it had stood where it began for the rest, and the sooner the worse
            left = STEPS - step
            return cost + DT * left * 4.0, max(lean, 1.0 + left / STEPS)
    return cost, lean
