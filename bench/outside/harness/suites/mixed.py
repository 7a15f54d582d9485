# SPDX-License-Identifier: MIT
"""Reals, integers, categories and conditions together: eight problems for tools that tune mixtures.

Inside the harness a category is the number of its value and a variable that does not apply is NaN; adapters translate. Variables may be
real, integer, categorical or ordinal, and one may apply only where another has certain values.

  svm-cancer         kernel, C, gamma, degree, coef0 of a support vector machine on scikit-learn's breast cancer data
  boosting-diabetes  loss, depth, rate, trees, subsample, quantile of huber's loss; gradient boosting on its diabetes data
  two-functions      min of a sum of two functions, each chosen from a list (Rosenbrock, six-hump camel, Beale), as in B. Ru et al. 2020
  shuffled-ackley    Ackley's function of three reals and four categories whose five values lie on its axis in no order
  vessel             a pressure vessel whose plates come in multiples of 1/16 inch, by E. Sandgren 1990; length up to 240; four limits
  spring             a coil spring whose wire comes in 42 diameters, by E. Sandgren 1990; seven limits
  branches           three methods with parameters of their own; the best one is best by little, and only if it is tuned
  restaurant         tables, cooks, a rule for seating and, for one rule, a patience; noisy simulation, a limit on the wait

The first two are trained on a random 70 % and measured on the rest; their truth is the mean over 100 splits that no run sees, the
restaurant's that of 400 evenings. Scores: 0 the best known point (the best answer in all ledgers where none is known), 1 the start.
"""
import dataclasses
import math
import warnings

import numpy as np

from ..task import Spec, Task, Truth, mix, stream

BUILD, REPORT = (1, 2, 3), (4, 5, 6, 7, 8)
SPLITS, EVENINGS = 100, 400
ROUNDING = 1e-6  # what a limit, over its size, may be missed by where nothing is noisy; the same for everybody


@dataclasses.dataclass
class Variable:
    name: str
    lower: float = 0.0
    upper: float = 1.0
    kind: str = "real"  # integer, categorical, ordinal
    values: tuple = ()  # of the last two: texts or numbers
    log: bool = False
    when: tuple = None  # (number of another variable, values of it where this one applies)


def category(name, *values, when=None):
    return Variable(name, 0, len(values) - 1, "categorical", values, when=when)


def ordinal(name, *values):
    return Variable(name, 0, len(values) - 1, "ordinal", values)


@dataclasses.dataclass
class Mixed:
    variables: list
    start: list  # categories by number; NaN where a variable does not apply
    values: object  # (list of values as people see them, seed) -> (objective, [limits])
    limits: int = 0
    best: float = None  # value of the best known feasible point
    noisy: bool = False
    replicates: int = 1  # of the truth


def svm(v, seed):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    kernel, c, gamma, degree, coef0 = v
    extra = {key: value for key, value in (("gamma", gamma), ("degree", degree), ("coef0", coef0)) if value is not None}
    return make_pipeline(StandardScaler(), SVC(C=c, kernel=kernel, **extra))


def boosting(v, seed):
    from sklearn.ensemble import GradientBoostingRegressor
    loss, rate, trees, depth, subsample, alpha, features = v
    extra = {} if alpha is None else {"alpha": alpha}
    return GradientBoostingRegressor(loss=loss, learning_rate=rate, n_estimators=trees, max_depth=depth, subsample=subsample,
                                     max_features={"all": None, "root": "sqrt", "log": "log2"}[features], random_state=seed, **extra)


def learner(data, make, regression):
    """Mean error on the 30 % that were left out."""
    kept = {}

    def values(v, seed):
        import sklearn.datasets
        from sklearn.model_selection import train_test_split
        warnings.simplefilter("ignore")
        if not kept:
            kept["all"] = getattr(sklearn.datasets, data)(return_X_y=True)
        inputs, outputs = kept["all"]
        small = mix(seed) % (1 << 31)
        train_in, test_in, train_out, test_out = train_test_split(inputs, outputs, test_size=0.3, random_state=small,
                                                                  stratify=None if regression else outputs)
        model = make(v, small).fit(train_in, train_out)
        missed = (model.predict(test_in) - test_out) ** 2 / outputs.var() if regression else model.predict(test_in) != test_out
        return float(np.mean(missed)), []
    return values


def rosenbrock(x, y):
    return (100 * (y - x * x) ** 2 + (1 - x) ** 2) / 300


def camel(x, y):
    return ((4 - 2.1 * x * x + x ** 4 / 3) * x * x + x * y + (4 * y * y - 4) * y * y) / 10


def beale(x, y):
    return ((1.5 - x + x * y) ** 2 + (2.25 - x + x * y * y) ** 2 + (2.625 - x + x * y ** 3) ** 2) / 50


FUNCTIONS = {"rosenbrock": rosenbrock, "camel": camel, "beale": beale}


def two_functions(v, seed):
    first, second, x, y = v
    z = 2 * x, 2 * y
    twisted = {"plus": 1.0, "minus": -1.0}[second.partition(" ")[0]]
    return FUNCTIONS[first](*z) + twisted * FUNCTIONS[second.partition(" ")[2]](*z), []


SHUFFLED = (("p", "q", "r", "s", "t"), (0.5, -1.0, 0.0, 1.0, -0.5))


def ackley(v, seed):
    at = dict(zip(*SHUFFLED))
    z = np.array([32 * at[one] for one in v[:4]] + [32 * (r - s) for r, s in zip(v[4:], (0.2, -0.35, 0.5))])
    return float(-20 * math.exp(-0.2 * math.sqrt(np.mean(z * z))) - math.exp(np.mean(np.cos(2 * math.pi * z / 16))) + 20 + math.e), []


def vessel(v, seed):
    """Shell and head thickness, inner radius and length: cost of material and welding."""
    s, h, r, l = v
    cost = 0.6224 * s * r * l + 1.7781 * h * r * r + 3.1661 * s * s * l + 19.84 * s * s * r
    volume = math.pi * r * r * l + 4 / 3 * math.pi * r ** 3
    return cost, [0.0193 * r - s, 0.00954 * r - h, 1 - volume / 1296000, l / 240 - 1]


WIRES = (0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.020, 0.023, 0.025, 0.028, 0.032, 0.035,
         0.041, 0.047, 0.054, 0.063, 0.072, 0.080, 0.092, 0.105, 0.120, 0.135, 0.148, 0.162, 0.177, 0.192, 0.207, 0.225, 0.244, 0.263,
         0.283, 0.307, 0.331, 0.362, 0.394, 0.4375, 0.500)


def spring(v, seed):
    """Wire d, mean coil D, coils N of a compression spring under 1000 lb: volume of wire (Sandgren's problem 2, limits over their size)."""
    d, coil, n = v
    load, strength, shear, longest, preload, most_deflection = 1000.0, 189000.0, 11.5e6, 14.0, 300.0, 6.0
    smallest, widest, between = 0.2, 3.0, 1.25
    index = coil / d
    wahl = (4 * index - 1) / (4 * index - 4) + 0.615 / index
    stiffness = shear * d ** 4 / (8 * n * coil ** 3)
    length = load / stiffness + 1.05 * (n + 2) * d
    at_preload = preload / stiffness
    limits = [8 * wahl * load * coil / (math.pi * d ** 3) / strength - 1, length / longest - 1, smallest / d - 1, (coil + d) / widest - 1,
              3 / index - 1, at_preload / most_deflection - 1, between / max(1e-9, (load - preload) / stiffness) - 1]
    return math.pi ** 2 * coil * d * d * (n + 2) / 4, limits


def branches(v, seed):
    method, a, b, k, c, d = v
    if method == "flat":
        return 0.30 + (a - 0.3) ** 2 + 0.2 * (b - 0.7) ** 2, []
    if method == "stepped":
        return 0.22 + 0.03 * abs(k - 7) + 0.5 * (b - 0.2) ** 2, []
    return 0.1 + 4 * (c - 0.62) ** 2 + 4 * (d - c) ** 2 + 0.3 * (1 - math.exp(-40 * (d - 0.55) ** 2)), []


def restaurant(v, seed):
    """An evening of 60 parties: minus the profit in hundreds, and how far the mean wait is beyond 12 minutes."""
    tables, cooks, rule, patience, menu = v
    draw = stream(seed, 5)
    arrivals = np.sort(240 * draw.beta(2, 2, 60))
    stay = {"small": 45, "medium": 60, "large": 80}[menu] * draw.gamma(8, 1 / 8, 60)
    bill = {"small": 30, "medium": 44, "large": 56}[menu] * draw.gamma(5, 1 / 5, 60)
    cooking = {"small": 8, "medium": 12, "large": 17}[menu] * draw.gamma(4, 1 / 4, 60)
    free, kitchen = np.zeros(tables), np.zeros(cooks)
    waits, income = [], 0.0
    for k, now in enumerate(arrivals):
        table = int(np.argmin(free))
        wait = max(0.0, free[table] - now)
        if rule == "limited" and wait > patience:
            waits.append(2.0)  # sent away at the door
            continue
        if rule == "reserved" and k % 5 == 4 and wait > 0:
            waits.append(1.0)
            continue
        cook = int(np.argmin(kitchen))
        begin = max(now + wait, kitchen[cook])
        kitchen[cook] = begin + cooking[k]
        free[table] = kitchen[cook] + stay[k]
        waits.append(kitchen[cook] - now)
        income += bill[k] * max(0.0, 1 - waits[-1] / 90)
    return (110 * cooks + 12 * tables - income) / 100, [float(np.mean(waits)) / 12 - 1]


PROBLEMS = {
    "svm-cancer": Mixed([category("kernel", "linear", "rbf", "poly", "sigmoid"), Variable("C", 1e-3, 1e3, log=True),
                         Variable("gamma", 1e-5, 1e1, log=True, when=(0, (1, 2, 3))), Variable("degree", 2, 5, "integer", when=(0, (2,))),
                         Variable("coef0", -1.0, 1.0, when=(0, (2, 3)))],
                        [3, 1.0, 1.0, math.nan, 0.0], learner("load_breast_cancer", svm, False), noisy=True, replicates=SPLITS),
    "boosting-diabetes": Mixed([category("loss", "squared_error", "absolute_error", "huber"), Variable("rate", 0.01, 1.0, log=True),
                                Variable("trees", 5, 200, "integer", log=True), Variable("depth", 1, 6, "integer"),
                                Variable("subsample", 0.3, 1.0), Variable("alpha", 0.5, 0.99, when=(0, (2,))),
                                category("features", "all", "root", "log")],
                               [0, 0.8, 20, 3, 1.0, math.nan, 0], learner("load_diabetes", boosting, True), noisy=True,
                               replicates=SPLITS),
    "two-functions": Mixed([category("first", *FUNCTIONS), category("second", *(f"{sign} {name}" for name in FUNCTIONS for sign in ("plus", "minus"))),
                            Variable("x", -1.0, 1.0), Variable("y", -1.0, 1.0)], [2, 4, 0.5, 0.5], two_functions),
    "shuffled-ackley": Mixed([category(name, *SHUFFLED[0]) for name in "abcd"] + [Variable(name, -1.0, 1.0) for name in "uvw"],
                             [0, 0, 0, 0, 0.0, 0.0, 0.0], ackley, best=0.0),
    "vessel": Mixed([ordinal("shell", *(k / 16 for k in range(1, 33))), ordinal("head", *(k / 16 for k in range(1, 33))),
                     Variable("radius", 10.0, 200.0), Variable("length", 10.0, 240.0)], [31, 31, 105.0, 125.0], vessel, 4, 5850.383060),
    "spring": Mixed([ordinal("wire", *WIRES), Variable("coil", 0.6, 3.0), Variable("coils", 1, 70, "integer")], [36, 1.8, 20], spring, 7,
                    2.658559),
    "branches": Mixed([category("method", "flat", "stepped", "curved"), Variable("a", when=(0, (0,))), Variable("b", when=(0, (0, 1))),
                       Variable("k", 1, 40, "integer", when=(0, (1,))), Variable("c", when=(0, (2,))), Variable("d", when=(0, (2,)))],
                      [0, 0.9, 0.1, math.nan, math.nan, math.nan], branches),
    "restaurant": Mixed([Variable("tables", 4, 40, "integer"), Variable("cooks", 1, 8, "integer"), category("rule", "open", "limited", "reserved"),
                         Variable("patience", 0.0, 60.0, when=(2, (1,))), category("menu", "small", "medium", "large")],
                        [12, 2, 0, math.nan, 1], restaurant, 1, noisy=True, replicates=EVENINGS),
}
MEASURED = [name for name, problem in PROBLEMS.items() if problem.best is None]  # no optimum in the literature


def names():
    return list(PROBLEMS)


def applies(variables, i, x):
    when = variables[i].when
    return when is None or int(x[when[0]]) in when[1]


def seen(variables, x):
    """Values as people see them; None where a variable does not apply."""
    out = []
    for i, (one, value) in enumerate(zip(variables, x)):
        if not applies(variables, i, x):
            out.append(None)
        elif one.values:
            out.append(one.values[int(round(value))])
        else:
            out.append(int(round(value)) if one.kind == "integer" else float(value))
    return out


def specs(options):
    for name in options.problems or names():
        if name not in PROBLEMS:
            raise SystemExit(f"there is no mixed problem {name}; there are: {', '.join(PROBLEMS)}")
        for budget in options.budgets or (50, 100, 300):
            for instance in options.instances:
                noisy = PROBLEMS[name].noisy
                kind = "none" if not noisy else "independent" if options.ignore_seeds else "shared"
                yield Spec("mixed", name, instance, 1.0 if noisy else 0.0, kind, budget, "")


def load(spec):
    problem = PROBLEMS[spec.problem]
    variables = problem.variables
    start_value = problem.values(seen(variables, problem.start), 1)[0]

    def evaluate(x, seed):
        return problem.values(seen(variables, x), seed)

    def truth(x):
        found = [evaluate(x, (1 << 52) + k) for k in range(problem.replicates)]
        values = np.array([[f, *g] for f, g in found])
        mean = values.mean(axis=0)
        se = values.std(axis=0, ddof=1) / math.sqrt(len(found)) if len(found) > 1 else np.zeros(len(mean))
        slack = 1.64 * se[1:] + (0 if problem.noisy else ROUNDING)
        worst = float(np.max(mean[1:] - slack)) if problem.limits else 0.0
        feasible = worst <= 0
        score = math.nan if problem.best is None else (mean[0] - problem.best) / (start_value - problem.best)
        if problem.best is not None and not feasible:
            score = max(1.0, score)
        return Truth(float(mean[0]), max(0.0, worst), feasible, score, objective_se=float(se[0]), values=tuple(mean[1:]))

    return Task(evaluate, truth, [one.lower for one in variables], [one.upper for one in variables], problem.start, problem.limits,
                spec.budget, np.array([one.kind != "real" for one in variables]), shared=spec.noise_kind != "independent",
                noisy=problem.noisy, scale=["log" if one.log else "linear" for one in variables], mixture=variables)
