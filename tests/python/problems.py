# SPDX-License-Identifier: MIT
"""Functions that the tests optimise, and runs to compare."""
import random


def plant(x, seed):
    """Two dials, one limit; all its noise comes from the seed. Optimum (0.9, 0.2) on the edge of the limit."""
    rng = random.Random(seed)
    cost = (x[0] - 1) ** 2 + x[1] ** 2 + 0.1 * rng.gauss(0, 1)
    emission = x[0] - 2 * x[1] - 0.5 + 0.1 * rng.gauss(0, 1)
    return float(cost), [float(emission)]


BOX = [(0.0, 1.0), (0.0, 1.0)]


def same_run(a, b):
    """Bit for bit: all that a run decides."""
    keys = ("fun", "status", "objective", "constraints", "kkt_residual", "evaluations", "failed", "failures", "seed", "note",
            "replicates", "function_calls")
    assert a.x.tobytes() == b.x.tobytes()
    for key in keys:
        assert repr(a[key]) == repr(b[key]), key
