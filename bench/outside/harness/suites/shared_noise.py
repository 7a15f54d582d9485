# SPDX-License-Identifier: MIT
"""Noise that one seed shares between points."""
import numpy as np

from ..task import stream

WAVES = 4


def smooth_field(x, centre, width, key, count):
    """`count` random fields at x, mean 0 and variance 1 over keys, smooth in x for one key: a few waves about as long as the box."""
    draw = stream(key)
    wave = draw.standard_normal((WAVES, len(x)))
    phase = draw.uniform(0, 2 * np.pi, (count, WAVES))
    return np.sqrt(2 / WAVES) * np.cos(phase + wave @ ((x - centre) / width)).sum(axis=1)
