# SPDX-License-Identifier: MIT
"""What most rivals see: variables in [0, 1], integers rounded, known limits as further constraints, and a memory of what was measured."""
import math

import numpy as np

from ..task import BudgetSpent, SlowSolver


class UnitBox:
    def __init__(self, task, counter):
        self.task, self.counter = task, counter
        self.log = task.logarithmic
        self.low, high = self.bent(task.lower), self.bent(task.upper)
        self.width = high - self.low
        self.seed = None  # fixed: the same noise for every point; None: fresh noise
        self.seen = []  # (u, f, worst violation relative to its scale)
        self.scale = None  # of each constraint: its size at the first point
        self.constraints = task.constraints + len(task.linear) + 2 * task.simplex

    def bent(self, x):
        x = np.asarray(x, float)
        return np.where(self.log, np.log(np.where(self.log, x, 1.0)), x)

    def to_x(self, u):
        y = self.low + np.clip(u, 0, 1) * self.width
        x = np.where(self.log, np.exp(np.where(self.log, y, 0.0)), y)
        x = np.where(self.task.integer, np.round(x), x)
        return np.clip(x, self.task.lower, self.task.upper)

    def to_u(self, x):
        return (self.bent(x) - self.low) / np.where(self.width > 0, self.width, 1)

    def start(self):
        return np.clip(self.to_u(self.task.first_point()), 0, 1)

    def known(self, x):
        values = [a @ x - b for a, b in self.task.linear]
        if self.task.simplex:
            values += [x.sum() - 1, 1 - x.sum()]
        return values

    def __call__(self, u):
        """(f, g) at u; None where the problem fails."""
        x = self.to_x(u)
        if self.task.simplex:  # what else would be a probability
            x = np.maximum(x, 0) / max(1e-12, np.maximum(x, 0).sum())
        try:
            f, g = self.counter(x, self.seed)
        except (BudgetSpent, SlowSolver):
            raise
        except Exception:
            return None
        g = np.array(list(g) + self.known(x))
        if self.scale is None:
            self.scale = np.maximum(np.abs(g), 1e-12)
        worst = float(np.max(g / self.scale)) if len(g) else 0.0
        self.seen.append((np.array(u, float), f, worst))
        return f, g

    def best_seen(self, tolerance=1e-6):
        """The best measured feasible point, else the least violated one, else the start."""
        if not self.seen:
            return self.start()
        return min(self.seen, key=lambda one: (max(0.0, one[2] - tolerance), one[1] if one[2] <= tolerance else math.inf))[0]

    def answer_of(self, u):
        x = self.to_x(u)
        if self.task.simplex:
            x = np.maximum(x, 0) / max(1e-12, np.maximum(x, 0).sum())
        return x
