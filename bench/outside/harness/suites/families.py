# SPDX-License-Identifier: MIT
"""The problems of cases.py. A family is a function from a generator, which draws its constants, to a Case."""
import dataclasses
import math
from typing import Callable, Optional

import numpy as np

FAMILIES = {}


@dataclasses.dataclass
class Case:
    """`mean` and `limits` are exact expectations, on points along the last axis; `measure(x, draw)` is one evaluation."""
    mean: Callable
    limits: Callable
    measure: Callable
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    ranges: list  # of the constraints: what a violation of 1 means
    best: Optional[np.ndarray] = None  # None: searched on ever finer grids
    integer: Optional[np.ndarray] = None
    fails: Optional[Callable] = None
    scale: Optional[float] = None  # of the objective; None: its fall from the start to the best
    axis: str = "linear"

    def __post_init__(self):
        self.lower, self.upper, self.start = (np.asarray(v, float) for v in (self.lower, self.upper, self.start))
        if self.integer is None:
            self.integer = np.zeros(len(self.lower), bool)
        if self.best is None:
            self.best = grid_best(self)


def family(function):
    FAMILIES[function.__name__] = function
    return function


def no_limits(x):
    return np.zeros(np.shape(x)[:-1] + (0,))


def grid_best(case, zooms=8):
    """The best feasible point of a problem in one or two variables, to about 1e-6 of the box."""
    low, high = case.lower.copy(), case.upper.copy()
    per_axis = {1: 4001, 2: 241}[len(low)]
    best = None
    for zoom in range(zooms):
        axes = [np.unique(np.round(np.linspace(a, b, per_axis))) if whole else np.linspace(a, b, per_axis)
                for a, b, whole in zip(low, high, case.integer)]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(low))
        values, limits = case.mean(points), case.limits(points)
        good = np.all(limits <= 0, axis=-1)
        if case.fails is not None:
            good &= ~case.fails(points)
        values = np.where(good, values, np.inf)
        found = points[int(np.argmin(values))]
        if best is None or (values.min() < case.mean(best)):
            best = found
        width = (high - low) * (0.15 if zoom == 0 else 0.3)
        low = np.maximum(case.lower, np.where(case.integer, np.floor(best - width / 2), best - width / 2))
        high = np.minimum(case.upper, np.where(case.integer, np.ceil(best + width / 2), best + width / 2))
    return best


def dithered(value, step, draw):
    """A value seen in whole steps, right on average."""
    return step * np.floor(value / step + draw.uniform())


@family
def steps(draw):
    """Objective and limit are read in coarse units."""
    centre, a, h = draw.uniform(0.2, 0.8, 2), draw.uniform(0.5, 1.5, 2), draw.uniform(0.1, 0.25)
    b = a @ centre - draw.uniform(0.1, 0.3)
    mean = lambda x: np.sum((x - centre) ** 2, axis=-1)
    limits = lambda x: (x @ a - b)[..., None]
    return Case(mean, limits, lambda x, d: (dithered(mean(x) + d.normal(0, 0.02), h, d), [dithered(limits(x)[0] + d.normal(0, 0.05), h, d)]),
                [0, 0], [1, 1], [0.02, 0.02], [b])


@family
def yes_no(draw):
    """One width on a log scale; the limit is a share of a few yes/no answers."""
    peak, level, k = draw.uniform(0.02, 0.06), draw.uniform(0.92, 0.97), int(draw.integers(7, 15))
    need = level - draw.uniform(0.03, 0.06)
    cover = lambda x: np.clip(level - 0.25 * (np.log(x[..., 0] / peak) / math.log(10)) ** 2, 0.02, 1)
    mean = lambda x: 0.4 * (peak / x[..., 0]) ** 0.4
    limits = lambda x: (need - cover(x))[..., None]
    return Case(mean, limits, lambda x, d: (mean(x) + d.normal(0, 0.02), [need - d.binomial(k, cover(x)) / k]),
                [0.005], [0.5], [peak * 0.8], [0.2], axis="log")


@family
def staffing(draw):
    """Servers (integer) and speed of a queue; waits, by Erlang's formula on average, are noted in half hours."""
    rate, price, dear, limit = draw.uniform(1.5, 3), draw.uniform(2, 4), draw.uniform(1, 3), draw.uniform(0.6, 1.2)
    cap = 30.0

    def erlang(servers, load):
        blocked = 1.0
        for k in range(1, servers + 1):
            blocked = load * blocked / (k + load * blocked)
        return blocked / (1 - (load / servers) * (1 - blocked))

    def wait_of(servers, speed):
        load = rate / speed
        if load >= servers:
            return cap, 1.0
        late = erlang(servers, load)
        return min(cap, late / (servers * speed - rate)), late

    def one(x):
        return wait_of(int(round(x[0])), x[1])[0]

    mean = lambda x: price * x[..., 0] + dear * x[..., 1] ** 2
    limits = lambda x: (np.apply_along_axis(one, -1, x) - limit)[..., None]

    def measure(x, d):
        wait, late = wait_of(int(round(x[0])), x[1])
        seen = d.exponential(wait / late) if d.uniform() < late else 0.0
        return float(mean(x)), [dithered(seen, 0.5, d) - limit]

    case = Case(mean, limits, measure, [1, 0.5], [8, 3], [8, 3], [limit], best=np.array([8.0, 3.0]), integer=np.array([True, False]))
    options = []
    for servers in range(1, 9):  # the wait falls with speed: bisection
        low, high = 0.5, 3.0
        if one(np.array([servers, high])) > limit:
            continue
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if one(np.array([servers, middle])) <= limit else (middle, high)
        options.append(np.array([servers, high]))
    case.best = min(options, key=mean)
    return case


@family
def counts(draw):
    """Breakdowns are Poisson counts that fall with maintenance; maintenance costs."""
    rate, cost, loss = draw.uniform(3, 8, 2), draw.uniform(0.5, 1.5, 2), draw.uniform(2, 4, 2)
    most = draw.uniform(0.5, 1.5)
    expected = lambda x: rate * np.exp(-x)
    mean = lambda x: x @ cost + expected(x) @ loss
    limits = lambda x: (expected(x).sum(axis=-1) - most)[..., None]

    def measure(x, d):
        broken = d.poisson(expected(x))
        return float(x @ cost + broken @ loss), [float(broken.sum() - most)]

    return Case(mean, limits, measure, [0, 0], [5, 5], [4.5, 4.5], [most])


@family
def walls(draw):
    """a'x + sum b/x on [0.01, 100]: flat in the middle, walls at zero."""
    n = int(draw.integers(3, 9))
    a, b = draw.uniform(0.5, 2, n), draw.uniform(0.5, 2, n)
    mean = lambda x: x @ a + (b / x).sum(axis=-1)
    return Case(mean, no_limits, lambda x, d: (float(mean(x)) * (1 + 0.05 * d.standard_normal()), []), [0.01] * n, [100] * n, [20] * n, [],
                best=np.sqrt(b / a))


@family
def walls_limited(draw):
    """The same with a limit on the sum, observed with noise."""
    n = int(draw.integers(3, 7))
    b, total = draw.uniform(0.5, 2, n), draw.uniform(0.6, 0.9)
    best = np.sqrt(b)
    room = total * best.sum()
    # min sum x + b/x subject to sum x <= room: x = sqrt(b / (1 + multiplier)), a common shrinking
    best = best * (room / best.sum())
    mean = lambda x: x.sum(axis=-1) + (b / x).sum(axis=-1)
    limits = lambda x: (x.sum(axis=-1) - room)[..., None]
    return Case(mean, limits, lambda x, d: (float(mean(x)) * (1 + 0.05 * d.standard_normal()), [float(limits(x)[0]) + d.normal(0, 0.1 * room)]),
                [0.01] * n, [100] * n, [0.1 * room / n] * n, [room], best=best)


@family
def valleys(draw):
    """Five valleys; the deepest cannot be entered."""
    while True:
        centres = draw.uniform(0.1, 0.9, (5, 2))
        gaps = np.linalg.norm(centres[:, None] - centres[None], axis=-1) + np.eye(5)
        if gaps.min() > 0.25:
            break
    depth = np.array([2.0, 1.5, 1.2, 1.0, 0.8])
    mean = lambda x: -(depth * np.exp(-np.sum((x[..., None, :] - centres) ** 2, axis=-1) / 0.01)).sum(axis=-1)
    limits = lambda x: (0.04 - np.sum((x - centres[0]) ** 2, axis=-1))[..., None]
    return Case(mean, limits, lambda x, d: (float(mean(x)) + d.normal(0, 0.1), [float(limits(x)[0]) + d.normal(0, 0.01)]), [0, 0], [1, 1],
                centres[4] + 0.05, [0.04], best=None)


@family
def half_fails(draw):
    """Evaluations fail in half of the box, and the best point lies close to where they begin to."""
    angle = draw.uniform(0, 2 * np.pi)
    normal = np.array([math.cos(angle), math.sin(angle)])
    edge = normal @ [0.5, 0.5] + draw.uniform(-0.1, 0.1)
    centre = np.array([0.5, 0.5]) + normal * draw.uniform(0.0, 0.2)
    start = np.clip(np.array([0.5, 0.5]) - 0.4 * normal, 0.02, 0.98)
    mean = lambda x: np.sum((x - centre) ** 2 * [1, 3], axis=-1)
    fails = lambda x: x @ normal > edge

    def measure(x, d):
        if fails(x):
            raise ArithmeticError("the simulator does not converge")
        return float(mean(x)) + d.normal(0, 0.02), []

    return Case(mean, no_limits, measure, [0, 0], [1, 1], start, [], fails=fails)


@family
def ordering(draw):
    """Two integer order quantities; demand is Poisson; each must suffice with a given probability (0/1 answers)."""
    rate, over, under = draw.uniform(5, 20, 2), draw.uniform(0.5, 1.5, 2), draw.uniform(2, 5, 2)
    service = draw.uniform(0.85, 0.95, 2)
    k = np.arange(200)
    log_factorial = np.concatenate([[0], np.cumsum(np.log(np.arange(1, 200)))])
    pmf = np.exp(k * np.log(rate[:, None]) - rate[:, None] - log_factorial)
    cdf = np.cumsum(pmf, axis=1)
    q = np.arange(61)
    cost = np.array([[(over[i] * np.maximum(one - k, 0) + under[i] * np.maximum(k - one, 0)) @ pmf[i] for one in q] for i in range(2)])
    at = lambda x: np.clip(np.round(x).astype(int), 0, 60)
    mean = lambda x: cost[0][at(x)[..., 0]] + cost[1][at(x)[..., 1]]
    limits = lambda x: np.stack([service[i] - cdf[i][at(x)[..., i]] for i in range(2)], axis=-1)

    def measure(x, d):
        demand = d.poisson(rate)
        return (float(over @ np.maximum(x - demand, 0) + under @ np.maximum(demand - x, 0)),
                [float(service[i] - (demand[i] <= x[i])) for i in range(2)])

    best = np.array([min((one for one in q if cdf[i][one] >= service[i]), key=lambda one: cost[i][one]) for i in range(2)], float)
    return Case(mean, limits, measure, [0, 0], [60, 60], [55, 55], [0.2, 0.2], best=best, integer=np.array([True, True]))


@family
def jumps(draw):
    """Under one seed the objective jumps at a random place; on average it is smooth."""
    n = 3
    centre, size = draw.uniform(0.3, 0.7, n), draw.uniform(1, 2)
    slope = draw.uniform(-0.5, 0.5, n)
    b = draw.uniform(0.9, 1.1) * centre.sum()
    # E[1(x > U)] = x for U uniform on [0, 1]
    mean = lambda x: np.sum((x - centre) ** 2, axis=-1) + size * x @ slope
    limits = lambda x: (b - x.sum(axis=-1))[..., None]
    free = centre - size * slope / 2
    best = np.clip(free, 0, 1)
    if best.sum() < b:  # water filling onto the plane within the box
        low, high = 0.0, 2.0
        for _ in range(80):
            shift = (low + high) / 2
            low, high = (shift, high) if np.clip(free + shift, 0, 1).sum() < b else (low, shift)
        best = np.clip(free + high, 0, 1)
    return Case(mean, limits, lambda x, d: (float(np.sum((x - centre) ** 2) + size * (x > d.uniform(size=n)) @ slope),
                                            [float(limits(x)[0]) + d.normal(0, 0.1)]), [0] * n, [1] * n, [0.98] * n, [b], best=best,
                scale=max(0.1, float(mean(np.full(n, 0.98)) - mean(best))))


@family
def newsvendor(draw):
    """Kinks under one seed: several products, exponential demand, a noisy budget."""
    n = int(draw.integers(2, 6))
    scale, price, cost = draw.uniform(5, 20, n), draw.uniform(3, 5, n), draw.uniform(0.5, 1.5, n)
    free = scale * np.log(price / cost)
    room = draw.uniform(0.5, 0.8) * float(cost @ free)
    mean = lambda x: x @ cost - (price * scale * (1 - np.exp(-x / scale))).sum(axis=-1)
    limits = lambda x: (x @ cost - room)[..., None]
    low, high = 0.0, 10.0
    for _ in range(80):  # multiplier of the budget
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(0, scale * np.log(price / (cost * (1 + middle)))) @ cost > room else (low, middle)
    best = np.maximum(0, scale * np.log(price / (cost * (1 + high))))
    return Case(mean, limits, lambda x, d: (float(x @ cost - price @ np.minimum(x, d.exponential(scale))),
                                            [float(limits(x)[0]) + d.normal(0, 0.1 * room)]), [0] * n, [100] * n, [1] * n, [room], best=best)


@family
def crescent(draw):
    """A thin curved feasible set with two ends."""
    shift = draw.uniform(-0.2, 0.2, 2)
    mean = lambda x: np.sin(x[..., 0] + shift[0]) + x[..., 1]
    limits = lambda x: (np.sin(x[..., 0]) * np.sin(x[..., 1] + shift[1]) + 0.9)[..., None]
    return Case(mean, limits, lambda x, d: (float(mean(x)) + d.normal(0, 0.1), [float(limits(x)[0]) + d.normal(0, 0.1)]), [0, 0], [6, 6],
                [1.0, 4.7 - shift[1]], [1.0], scale=3.0)


@family
def ackley(draw):
    """Many shallow valleys and one deep one."""
    n = int(draw.integers(2, 6))
    centre = draw.uniform(-2, 2, n)

    def mean(x):
        z = x - centre
        return 20 + math.e - 20 * np.exp(-0.2 * np.sqrt(np.mean(z ** 2, axis=-1))) - np.exp(np.mean(np.cos(2 * np.pi * z), axis=-1))

    return Case(mean, no_limits, lambda x, d: (float(mean(x)) + d.normal(0, 0.5), []), [-5] * n, [5] * n, [4.5] * n, [], best=centre)


@family
def saturated(draw):
    """Yes/no answers that are all "no" far from the good region, where the run begins."""
    n = 2
    centre, width = draw.uniform(0.3, 0.7, n), draw.uniform(0.35, 0.45)
    mean = lambda x: np.minimum(1.0, 0.05 + np.sum((x - centre) ** 2, axis=-1) / width ** 2)
    return Case(mean, no_limits, lambda x, d: (float(d.uniform() < mean(x)), []), [0] * n, [1] * n, [0.02, 0.98], [], best=centre)


@family
def knapsack(draw):
    """Ten yes/no decisions; value and weight are noisy."""
    n = 10
    value, weight = draw.uniform(1, 5, n), draw.uniform(1, 5, n)
    room = 0.45 * weight.sum()
    points = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(float)
    mean = lambda x: -(x @ value)
    limits = lambda x: (x @ weight - room)[..., None]
    good = points[points @ weight <= room]
    return Case(mean, limits, lambda x, d: (float(mean(x)) + d.normal(0, 1), [float(limits(x)[0]) + d.normal(0, 1)]), [0] * n, [1] * n, [0] * n,
                [room], best=good[np.argmin(mean(good))], integer=np.ones(n, bool))


@family
def integer_bowl(draw):
    """A tilted bowl over integers."""
    n = 4
    centre = draw.uniform(-6, 6, n)
    weight = draw.uniform(0.5, 2, n)
    mean = lambda x: (x - centre) ** 2 @ weight
    return Case(mean, no_limits, lambda x, d: (float(mean(x)) + d.normal(0, 5), []), [-10] * n, [10] * n, [9, -9, 9, -9], [],
                best=np.round(centre), integer=np.ones(n, bool))


@family
def ill_scaled(draw):
    """Every variable, the objective and the limit in units of its own, millions apart."""
    n = 3
    unit = 10.0 ** draw.uniform(-6, 6, n)
    centre, a = draw.uniform(0.4, 0.6, n), draw.uniform(0.5, 1.5, n)
    big, small = 10.0 ** draw.uniform(3, 6), 10.0 ** draw.uniform(-6, -3)
    b = 0.8 * a @ centre
    mean = lambda x: big * np.sum((x / unit - centre) ** 2, axis=-1)
    limits = lambda x: (small * ((x / unit) @ a - b))[..., None]
    best = unit * (centre - a * (a @ centre - b) / (a @ a))
    return Case(mean, limits, lambda x, d: (float(mean(x)) + big * d.normal(0, 0.02), [float(limits(x)[0]) + small * d.normal(0, 0.05)]),
                0 * unit, unit, 0.05 * unit, [small * b], best=best)


@family
def thin(draw):
    """A thin strip, begun from outside of it."""
    level, width, centre = draw.uniform(0.9, 1.1), draw.uniform(0.08, 0.15), draw.uniform(0.1, 0.3)
    mean = lambda x: (x[..., 0] - centre) ** 2 + 0.5 * x[..., 1]
    limits = lambda x: np.stack([x.sum(axis=-1) - level - width, level - x.sum(axis=-1)], axis=-1)
    return Case(mean, limits, lambda x, d: (float(mean(x)) + d.normal(0, 0.03), list(limits(x) + d.normal(0, 0.05, 2))), [0, 0], [1, 1],
                [0.95, 0.95], [width, width], scale=0.5)


@family
def heavy_tails(draw):
    """A parabola and a plane under Student's t noise with three degrees of freedom."""
    n = int(draw.integers(2, 6))
    centre, a = draw.uniform(0.4, 0.7, n), draw.uniform(0.5, 1.5, n)
    b = 0.85 * a @ centre
    mean = lambda x: np.sum((x - centre) ** 2, axis=-1)
    limits = lambda x: (x @ a - b)[..., None]
    return Case(mean, limits, lambda x, d: (float(mean(x)) + 0.05 * d.standard_t(3), [float(limits(x)[0]) + 0.05 * d.standard_t(3)]),
                [0] * n, [1] * n, [0.05] * n, [b], best=centre - a * (a @ centre - b) / (a @ a))


@family
def rare_event(draw):
    """Capacity costs; it must be exceeded in at most a few cases of a hundred: one 0/1 answer an evaluation."""
    allowed, decay = draw.uniform(0.05, 0.12), draw.uniform(0.8, 1.2, 2)
    mean = lambda x: x.sum(axis=-1)
    chance = lambda x: np.exp(-x @ decay)
    limits = lambda x: (chance(x) - allowed)[..., None]
    need = -math.log(allowed)
    best = np.zeros(2)
    best[int(np.argmax(decay))] = need / decay.max()
    return Case(mean, limits, lambda x, d: (float(mean(x)), [float(d.uniform() < chance(x)) - allowed]), [0, 0], [6, 6], [4, 4], [allowed],
                best=best)


@family
def banana(draw):
    """Rosenbrock's valley, noise in proportion to its height, within a disk."""
    radius = draw.uniform(1.0, 1.3)
    mean = lambda x: 0.1 + (1 - x[..., 0]) ** 2 + 10 * (x[..., 1] - x[..., 0] ** 2) ** 2
    limits = lambda x: (np.sum(x ** 2, axis=-1) - radius ** 2)[..., None]
    return Case(mean, limits, lambda x, d: (float(mean(x)) * d.exponential(), [float(limits(x)[0]) + d.normal(0, 0.2)]), [-2, -2], [2, 2],
                [-0.8, 0.5], [radius ** 2])


@family
def shared_demand(draw):
    """Ten variables whose noise moves the whole bowl: slopes under one seed are exact."""
    n = 10
    centre = draw.uniform(0.3, 0.7, n)
    b = 0.9 * centre.sum()
    mean = lambda x: np.sum((x - centre) ** 2, axis=-1) + n * 0.01
    limits = lambda x: (x.sum(axis=-1) - b)[..., None]
    return Case(mean, limits, lambda x, d: (float(np.sum((x - centre - d.normal(0, 0.1, n)) ** 2)), [float(limits(x)[0]) + d.normal(0, 0.3)]),
                [0] * n, [1] * n, [0.05] * n, [b], best=centre - 0.1 * centre.sum() / n)


@family
def corner(draw):
    """A linear program whose optimum is a vertex."""
    cost = -draw.uniform(0.8, 1.2, 2)
    rows = np.array([[1.0, 2.0], [2.0, 1.0]]) * draw.uniform(0.9, 1.1, (2, 2))
    mean = lambda x: x @ cost
    limits = lambda x: x @ rows.T - 1
    return Case(mean, limits, lambda x, d: (float(mean(x)) + d.normal(0, 0.05), list(limits(x) + d.normal(0, 0.1, 2))), [0, 0], [1, 1],
                [0.05, 0.05], [1, 1])


@family
def cliff(draw):
    """Better and better up to an edge behind which the limit is broken at once and by much."""
    edge = draw.uniform(0.5, 0.8)
    mean = lambda x: (1 - x[..., 0]) + 0.5 * (x[..., 1] - 0.5) ** 2
    limits = lambda x: np.where(x[..., 0] > edge, 5.0, -0.5)[..., None]
    return Case(mean, limits, lambda x, d: (float(mean(x)) + d.normal(0, 0.05), [float(limits(x)[0]) + d.normal(0, 0.5)]), [0, 0], [1, 1],
                [0.05, 0.05], [0.5], best=np.array([edge, 0.5]))
