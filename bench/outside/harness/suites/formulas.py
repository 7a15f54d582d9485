# SPDX-License-Identifier: MIT
"""Designs by formula. `values(x)` is (objective, array of limits <= 0); `best` the best known point, `published` its value in the literature."""
import dataclasses
import math

import numpy as np

DESIGNS = {}


@dataclasses.dataclass
class Design:
    values: object
    lower: np.ndarray
    upper: np.ndarray
    best: np.ndarray
    published: str
    integer: np.ndarray = None

    def __post_init__(self):
        self.lower, self.upper, self.best = (np.asarray(v, float) for v in (self.lower, self.upper, self.best))
        if self.integer is None:
            self.integer = np.zeros(len(self.lower), bool)


def design(name, lower, upper, best, published, integer=None):
    def add(values):
        DESIGNS[name] = Design(values, lower, upper, best, published, integer)
        return values
    return add


@design("speed-reducer", [2.6, 0.7, 17, 7.3, 7.3, 2.9, 5.0], [3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5],
        [3.5, 0.7, 17, 7.3, 7.715319911, 3.350214666, 5.286654465], "2994.47 (Golinski 1970; Mezura-Montes and Coello 2005)",
        np.array([False, False, True, False, False, False, False]))
def speed_reducer(x):
    b, m, z, l1, l2, d1, d2 = x
    f = (0.7854 * b * m ** 2 * (3.3333 * z ** 2 + 14.9334 * z - 43.0934) - 1.508 * b * (d1 ** 2 + d2 ** 2)
         + 7.4777 * (d1 ** 3 + d2 ** 3) + 0.7854 * (l1 * d1 ** 2 + l2 * d2 ** 2))
    return f, np.array([
        27 / (b * m ** 2 * z) - 1, 397.5 / (b * m ** 2 * z ** 2) - 1, 1.93 * l1 ** 3 / (m * z * d1 ** 4) - 1,
        1.93 * l2 ** 3 / (m * z * d2 ** 4) - 1, math.sqrt((745 * l1 / (m * z)) ** 2 + 16.9e6) / (110 * d1 ** 3) - 1,
        math.sqrt((745 * l2 / (m * z)) ** 2 + 157.5e6) / (85 * d2 ** 3) - 1, m * z / 40 - 1, 5 * m / b - 1, b / (12 * m) - 1,
        (1.5 * d1 + 1.9) / l1 - 1, (1.1 * d2 + 1.9) / l2 - 1])


@design("welded-beam", [0.1, 0.1, 0.1, 0.1], [2, 10, 10, 2], [0.2057296398, 3.470488666, 9.036623910, 0.2057296398],
        "1.7249 (Ragsdell and Phillips 1976; Coello 2000)")
def welded_beam(x):
    h, l, t, b = x
    load, length, young, shear = 6000.0, 14.0, 30e6, 12e6
    moment = load * (length + l / 2)
    radius = math.sqrt(l ** 2 / 4 + ((h + t) / 2) ** 2)
    polar = 2 * math.sqrt(2) * h * l * (l ** 2 / 12 + ((h + t) / 2) ** 2)
    direct, torsion = load / (math.sqrt(2) * h * l), moment * radius / polar
    tau = math.sqrt(direct ** 2 + direct * torsion * l / radius + torsion ** 2)
    sigma = 6 * load * length / (b * t ** 2)
    bend = 4 * load * length ** 3 / (young * t ** 3 * b)
    buckle = 4.013 * young * math.sqrt(t ** 2 * b ** 6 / 36) / length ** 2 * (1 - t / (2 * length) * math.sqrt(young / (4 * shear)))
    return (1.10471 * h ** 2 * l + 0.04811 * t * b * (14 + l),
            np.array([tau / 13600 - 1, sigma / 30000 - 1, h - b, 0.10471 * h ** 2 + 0.04811 * t * b * (14 + l) - 5, 0.125 - h,
                      bend / 0.25 - 1, 1 - buckle / load]))


def vessel(shell, head, radius, length):
    return (0.6224 * shell * radius * length + 1.7781 * head * radius ** 2 + 3.1661 * shell ** 2 * length + 19.84 * shell ** 2 * radius,
            np.array([0.0193 * radius - shell, 0.00954 * radius - head,
                      (1296000 - math.pi * radius ** 2 * length - 4 / 3 * math.pi * radius ** 3) / 1296000, length / 240 - 1]))


@design("pressure-vessel", [0.0625, 0.0625, 10, 10], [6.1875, 6.1875, 200, 200],
        [0.7781686412, 0.3846491626, 40.31961872, 200.0], "5885.33 (Kannan and Kramer 1994; continuous)")
def pressure_vessel(x):
    return vessel(*x)


@design("pressure-vessel-sixteenths", [1, 1, 10, 10], [99, 99, 200, 200], [13, 7, 42.09844559, 176.6365959],
        "6059.71 (Sandgren 1990; plates in sixteenths of an inch)", np.array([True, True, False, False]))
def pressure_vessel_sixteenths(x):
    return vessel(x[0] / 16, x[1] / 16, x[2], x[3])


@design("tension-spring", [0.05, 0.25, 2], [2, 1.3, 15], [0.05168905191, 0.3567175205, 11.28897762],
        "0.012665 (Belegundu 1982; Arora 1989)")
def tension_spring(x):
    d, big, coils = x
    return ((coils + 2) * big * d ** 2,
            np.array([1 - big ** 3 * coils / (71785 * d ** 4),
                      (4 * big ** 2 - d * big) / (12566 * (big * d ** 3 - d ** 4) + 1e-12) + 1 / (5108 * d ** 2) - 1,
                      1 - 140.45 * d / (big ** 2 * coils), (big + d) / 1.5 - 1]))


@design("heat-exchanger", [100, 1000, 1000, 10, 10, 10, 10, 10], [10000, 10000, 10000, 1000, 1000, 1000, 1000, 1000],
        [579.3066835, 1359.970678, 5109.970657, 182.0176996, 295.6011737, 217.9823004, 286.4165259, 395.6011737],
        "7049.248 (Avriel and Williams 1971; Hock and Schittkowski 106)")
def heat_exchanger(x):
    return (x[0] + x[1] + x[2],
            np.array([-1 + 0.0025 * (x[3] + x[5]), -1 + 0.0025 * (x[4] + x[6] - x[3]), -1 + 0.01 * (x[7] - x[4]),
                      (-x[0] * x[5] + 833.33252 * x[3] + 100 * x[0] - 83333.333) / 1e5,
                      (-x[1] * x[6] + 1250 * x[4] + x[1] * x[3] - 1250 * x[3]) / 1e5,
                      (-x[2] * x[7] + 1250000 + x[2] * x[4] - 2500 * x[4]) / 1e5]))


@design("gear-train", [12] * 4, [60] * 4, [16, 19, 43, 49], "2.7e-12 (Sandgren 1990)", np.ones(4, bool))
def gear_train(x):
    return (1 / 6.931 - x[0] * x[1] / (x[2] * x[3])) ** 2, np.zeros(0)


def truss(nodes, bars, young, fixed):
    """Lengths, and a function from areas and loads to displacements and stresses, by the direct stiffness method."""
    nodes = np.asarray(nodes, float)
    size, dims = nodes.shape
    ends = np.array(bars)
    along = nodes[ends[:, 1]] - nodes[ends[:, 0]]
    length = np.linalg.norm(along, axis=1)
    rows = np.zeros((len(bars), size * dims))  # elongation of a bar by displacements
    for k, (i, j) in enumerate(bars):
        rows[k, dims * i:dims * i + dims] = -along[k] / length[k]
        rows[k, dims * j:dims * j + dims] = along[k] / length[k]
    free = np.array([d for d in range(size * dims) if d // dims not in fixed])

    def solve(areas, loads):
        stiffness = rows.T @ (rows * (young * areas / length)[:, None])
        moved = np.zeros((size * dims, loads.shape[1]))
        moved[free] = np.linalg.solve(stiffness[np.ix_(free, free)], loads[free])
        return moved[free], young * (rows @ moved) / length[:, None]

    return length, solve


TEN_LENGTH, ten_solve = truss([(720, 360), (720, 0), (360, 360), (360, 0), (0, 360), (0, 0)],
                              [(4, 2), (2, 0), (5, 3), (3, 1), (2, 3), (0, 1), (4, 3), (5, 2), (2, 1), (3, 0)], 1e7, {4, 5})
TEN_LOAD = np.zeros((12, 1))
TEN_LOAD[[3, 7], 0] = -1e5


@design("ten-bar-truss", [0.1] * 10, [35] * 10, [30.52180592, 0.1, 23.1998882, 15.22290736, 0.1, 0.5513552997, 7.45720026, 21.03642799, 21.52844203, 0.1],
        "5060.85 (Schmit and Miura 1976; load case 1)")
def ten_bar_truss(x):
    moved, stress = ten_solve(np.asarray(x, float), TEN_LOAD)
    return 0.1 * float(TEN_LENGTH @ x), np.concatenate([np.abs(stress[:, 0]) / 25000 - 1, np.abs(moved[:, 0]) / 2 - 1])


BAR25_NODES = [(-37.5, 0, 200), (37.5, 0, 200), (-37.5, 37.5, 100), (37.5, 37.5, 100), (37.5, -37.5, 100), (-37.5, -37.5, 100),
               (-100, 100, 0), (100, 100, 0), (100, -100, 0), (-100, -100, 0)]
BAR25_GROUPS = [[(1, 2)], [(1, 4), (2, 3), (1, 5), (2, 6)], [(2, 5), (2, 4), (1, 3), (1, 6)], [(3, 6), (4, 5)], [(3, 4), (5, 6)],
                [(3, 10), (6, 7), (4, 9), (5, 8)], [(3, 8), (4, 7), (6, 9), (5, 10)], [(3, 7), (4, 8), (5, 9), (6, 10)]]
BAR25_BARS = [(i - 1, j - 1) for group in BAR25_GROUPS for i, j in group]
BAR25_OF = np.array([k for k, group in enumerate(BAR25_GROUPS) for _ in group])
BAR25_PRESSED = np.array([35092, 11590, 17305, 35092, 35092, 6759, 6959, 11082])[BAR25_OF]
BAR25_LENGTH, bar25_solve = truss(BAR25_NODES, BAR25_BARS, 1e7, {6, 7, 8, 9})
BAR25_LOAD = np.zeros((30, 2))
for node, case, force in [(0, 0, (0, 20e3, -5e3)), (1, 0, (0, -20e3, -5e3)), (0, 1, (1e3, 10e3, -5e3)), (1, 1, (0, 10e3, -5e3)),
                          (2, 1, (500, 0, 0)), (5, 1, (500, 0, 0))]:
    BAR25_LOAD[3 * node:3 * node + 3, case] = force


@design("twenty-five-bar-truss", [0.01] * 8, [3.4] * 8, [0.0100002, 1.987516351, 2.992737037, 0.01, 0.01, 0.684088066, 1.676823621, 2.662192966],
        "545.16 (Schmit and Fleury 1980)")
def twenty_five_bar_truss(x):
    """The worst bar of each group and the worst displacement of each of the two top nodes' directions, over both load cases."""
    moved, stress = bar25_solve(np.asarray(x, float)[BAR25_OF], BAR25_LOAD)
    worst = np.maximum(stress / 40000, -stress / BAR25_PRESSED[:, None]).max(axis=1) - 1
    return (0.1 * float(BAR25_LENGTH @ np.asarray(x, float)[BAR25_OF]),
            np.concatenate([[worst[BAR25_OF == k].max() for k in range(8)], np.abs(moved[:6]).max(axis=1) / 0.35 - 1]))


POLYGON = 17
PAIRS = np.triu_indices(POLYGON, 1)


# For an odd number of vertices the regular polygon is the largest (Reinhardt 1922).
POLYGON_BEST = ([math.sin(math.pi * k / POLYGON) / math.cos(math.pi / (2 * POLYGON)) for k in range(1, POLYGON)]
                + [math.pi * k / POLYGON for k in range(1, POLYGON)])


@design("largest-small-polygon", [0] * (2 * POLYGON - 2), [1] * (POLYGON - 1) + [math.pi] * (POLYGON - 1), POLYGON_BEST,
        "0.774230 (Reinhardt 1922; COPS 3.0, Dolan, More and Munson 2004, problem 1: here 32 variables, 135 limits)")
def largest_small_polygon(x):
    """The largest area of a polygon of diameter one, by polar coordinates of all vertices but one."""
    r = np.append(x[:POLYGON - 1], 0.0)
    angle = np.append(x[POLYGON - 1:], math.pi)
    area = 0.5 * np.sum(r[1:] * r[:-1] * np.sin(angle[1:] - angle[:-1]))
    i, j = PAIRS
    apart = r[i] ** 2 + r[j] ** 2 - 2 * r[i] * r[j] * np.cos(angle[i] - angle[j]) - 1
    keep = j < POLYGON - 1  # to the vertex at the origin the distance is r, which is bounded
    return -area, np.concatenate([apart[keep], angle[:-2] - angle[1:-1]])
