# SPDX-License-Identifier: MIT
"""One problem to be solved once, and the counter that stands between it and a solver."""
import dataclasses
import math
import time
from typing import Callable, List, Optional, Tuple

import numpy as np


@dataclasses.dataclass(frozen=True)
class Spec:
    """Names a run; everything else follows from it, so that a run can be repeated from its line in a ledger."""
    suite: str
    problem: str
    instance: int
    noise: float
    noise_kind: str  # none, shared (the seed is honoured) or independent
    budget: int
    solver: str


@dataclasses.dataclass
class Truth:
    """What a point is really worth. The objective is minimised; `score` is 0 at the best known point and 1 at the start."""
    objective: float
    violation: float  # of the worst constraint, relative to the constraint's range; 0 if none is violated
    feasible: bool
    score: float = math.nan
    objective_se: float = 0.0
    values: Tuple[float, ...] = ()  # of the constraints


@dataclasses.dataclass
class Task:
    """A problem: minimise E[f] over a box subject to E[g] <= 0; evaluate(x, seed) returns (f, [g...]) or raises."""
    evaluate: Callable
    truth: Callable
    lower: np.ndarray
    upper: np.ndarray
    start: Optional[np.ndarray]
    constraints: int
    budget: int
    integer: np.ndarray = None
    shared: bool = True  # the same x and seed give the same values
    noisy: bool = False
    linear: List[Tuple[np.ndarray, float]] = dataclasses.field(default_factory=list)  # known: a'x <= b
    simplex: bool = False  # known: x >= 0, sum x = 1
    lower_as_posed: np.ndarray = None  # with infinities, where the box is ours
    upper_as_posed: np.ndarray = None
    native: object = None  # the suite's own problem object, for its own solvers
    scale: object = "linear"  # or "log", or one of them for each variable
    maximise: bool = False  # as posed; here everything is minimised
    mixture: list = None  # of the mixed suite: its variables, with values and conditions

    def __post_init__(self):
        self.lower = np.asarray(self.lower, float)
        self.upper = np.asarray(self.upper, float)
        if self.integer is None:
            self.integer = np.zeros(len(self.lower), bool)
        if self.start is not None:
            self.start = np.asarray(self.start, float)

    @property
    def dimension(self):
        return len(self.lower)

    @property
    def logarithmic(self):
        """Which variables are on a log scale: rivals see those as logarithms."""
        return np.array([one == "log" for one in ([self.scale] * self.dimension if isinstance(self.scale, str) else self.scale)])

    def first_point(self):
        if self.start is not None:
            return self.start.copy()
        middle = (self.lower + self.upper) / 2
        return np.where(self.integer, np.round(middle), middle)


class BudgetSpent(Exception):
    pass


class SlowSolver(Exception):
    """A solver that thinks for more than 0.2 s per evaluation is stopped at 300 of them."""


class Counter:
    """Counts and times evaluations; what a solver calls. `fresh` and `frozen` seeds are for solvers that send none."""

    slow_seconds, slow_from = 0.2, 300

    def __init__(self, task, seed, stop_when_slow=True):
        self.task, self.seed, self.stop_when_slow = task, seed, stop_when_slow
        self.used = self.failed = 0
        self.inside = 0.0  # processor seconds: other work on the machine does not count
        self.begin = time.process_time()

    @property
    def left(self):
        return self.task.budget - self.used

    def own_seconds(self):
        return time.process_time() - self.begin - self.inside

    def __call__(self, x, seed=None):
        """(f, g) at x; raises BudgetSpent, or whatever the problem raises where it fails."""
        if self.used >= self.task.budget:
            raise BudgetSpent
        if self.stop_when_slow and self.used == self.slow_from and self.own_seconds() > self.slow_seconds * self.used:
            raise SlowSolver
        self.used += 1
        if seed is None or not self.task.shared:
            seed = fresh_seed(self.seed, self.used)
        started = time.process_time()
        try:
            f, g = self.task.evaluate(np.asarray(x, float), int(seed))
            f, g = float(f), [float(v) for v in g]
            if not (math.isfinite(f) and all(map(math.isfinite, g))):
                raise ArithmeticError("a value is not finite")
            return f, g
        except Exception:
            self.failed += 1
            raise
        finally:
            self.inside += time.process_time() - started


def mix(a):
    """splitmix64's finaliser."""
    mask = (1 << 64) - 1
    a = (a + 0x9E3779B97F4A7C15) & mask
    a = ((a ^ (a >> 30)) * 0xBF58476D1CE4E5B9) & mask
    a = ((a ^ (a >> 27)) * 0x94D049BB133111EB) & mask
    return a ^ (a >> 31)


def fresh_seed(run, number):
    return mix(mix(run) ^ (number * 0x9E3779B97F4A7C15)) >> 11


def text_seed(text):
    """A number for a name, the same on every machine."""
    value = 0
    for byte in text.encode():
        value = mix(value ^ byte)
    return value >> 11


def stream(*numbers):
    """A generator named by numbers."""
    key = 0
    for number in numbers:
        key = mix(key ^ (int(number) & ((1 << 64) - 1)))
    return np.random.Generator(np.random.Philox(key=key))
