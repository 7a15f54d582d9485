# SPDX-License-Identifier: MIT
"""zeroth through its Python module, with default settings, as an ordinary user would call it."""
import glob
import hashlib
import inspect
import math
import os
import sys

import numpy as np

from . import Answer

# Student's t, 97.5 %; beyond the table the error of the expansion is below 0.1 %.
T975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]


def t975(freedom):
    if freedom < 1:
        return float("inf")
    if freedom <= len(T975):
        return T975[freedom - 1]
    z = 1.959964
    return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)


def refuse_scrambled_points(zeroth):
    """A module built with pybind11 before 2.12 and without strides of its own hands out x[0] for every coordinate under numpy 2."""
    seen = []
    zeroth.minimize(lambda x: seen.append(x.tolist()) or float(x @ x), [(0, 1), (0, 1)], start=[0.25, 0.75], budget=8, solver="random")
    if all(x[0] == x[1] for x in seen):
        raise SystemExit(f"zeroth {zeroth.__version__} was built for numpy 1, but this is numpy {np.__version__}: all coordinates it sends are "
                         "equal; build it anew")


def linear_text(a, b, names):
    """x0 - 2.0*x1 <= 3.0"""
    text = ""
    for c, name in zip(a, names):
        if c:
            sign = "-" if c < 0 else "+" if text else ""
            text += f" {sign} " if text else sign
            text += name if abs(c) == 1 else f"{abs(float(c))!r}*{name}"
    return f"{text} <= {float(b)!r}"


class Zeroth:
    ours = True

    def __init__(self, solver, settings):
        self.solver, self.options = solver, dict(settings.get("zeroth_options") or {})
        self.as_posed = settings.get("as_posed", False)
        build = settings.get("zeroth_build") or os.environ.get("ZEROTH_BUILD")
        if not build:
            raise SystemExit("zeroth needs --zeroth-build DIR or ZEROTH_BUILD: a build directory with python/zeroth in it")
        self.package = os.path.join(os.path.abspath(build), "python")
        if self.package not in sys.path:
            sys.path.insert(0, self.package)
        import zeroth
        self.zeroth = zeroth
        refuse_scrambled_points(zeroth)

    def version(self):
        return f"zeroth {self.zeroth.__version__}"

    def build(self):
        """Eight letters that change with the module, so that a ledger knows what was run with which."""
        digest = hashlib.sha256()
        for path in sorted(glob.glob(os.path.join(self.package, "zeroth", "_zeroth*.so"))):
            with open(path, "rb") as file:
                digest.update(file.read())
        if self.options or self.as_posed:
            digest.update(repr((sorted(self.options.items()), self.as_posed)).encode())
        return digest.hexdigest()[:8]

    def run_mixed(self, task, counter, seed):
        """Values by their texts, conditions as texts."""
        from ..suites.mixed import applies
        mixture = task.mixture
        when = {one.name: " or ".join(f"{mixture[one.when[0]].name} == '{mixture[one.when[0]].values[k]}'" for k in one.when[1])
                for one in mixture if one.when is not None}

        def number(one, value):
            if value is None:
                return math.nan
            return float(one.values.index(value)) if one.values else float(value)

        def fun(x, noise_seed):
            return counter([number(one, x[i]) for i, one in enumerate(mixture)], noise_seed)

        start = {one.name: one.values[int(value)] if one.values else float(value)
                 for i, (one, value) in enumerate(zip(mixture, task.start)) if applies(mixture, i, task.start)}
        return self.zeroth.minimize(
            fun, {one.name: list(one.values) if one.values else (one.lower, one.upper) for one in mixture}, constraints=task.constraints,
            type={one.name: one.kind for one in mixture}, scale={one.name: "log" if one.log else "linear" for one in mixture}, start=start,
            when=when or None, common_noise=task.shared, budget=task.budget, seed=seed % (1 << 31),
            **({"solver": self.solver} if self.solver else {}), **self.options), number

    def run(self, task, counter, seed):
        if task.mixture:
            result, number = self.run_mixed(task, counter, seed)
            return self.answer(result, np.array([number(one, result.x[i]) for i, one in enumerate(task.mixture)]))
        names = [f"x{i}" for i in range(task.dimension)]
        accepted = inspect.signature(self.zeroth.minimize).parameters
        keywords, measured = dict(self.options), []
        if task.linear and "linear" in accepted:
            keywords["linear"] = [linear_text(a, b, names) for a, b in task.linear]
        else:
            measured = task.linear  # zeroth 0.1.0 has no linear limits within a box: they are measured like any other
        if task.simplex:
            keywords["set"] = {"type": "simplex", "variables": names}

        def fun(x, noise_seed):
            f, g = counter(x, noise_seed)
            return f, g + [float(a @ np.asarray(x) - b) for a, b in measured]

        if self.solver:
            keywords["solver"] = self.solver
        lower, upper = task.lower, task.upper
        if self.as_posed and task.lower_as_posed is not None and "spread" in accepted:  # bounds may be infinite
            lower, upper = task.lower_as_posed, task.upper_as_posed
        result = self.zeroth.minimize(
            fun, dict(zip(names, zip(lower.tolist(), upper.tolist()))), constraints=task.constraints + len(measured),
            type=["integer" if whole else "real" for whole in task.integer], scale=task.scale,
            start=None if task.start is None else np.clip(task.start, lower, upper).tolist(), common_noise=task.shared,
            budget=task.budget, seed=seed % (1 << 31), **keywords)
        x = result.x
        return self.answer(result, np.array([x[name] for name in names] if isinstance(x, dict) else x, float))

    def answer(self, result, x):
        interval = getattr(result.objective, "interval", None)
        if interval is None:
            half = t975(result.replicates - 1) * result.objective.se if result.objective.se > 0 else 0.0
            interval = (result.objective.mean - half, result.objective.mean + half)
        if any(v is None or not math.isfinite(v) for v in interval):
            interval = None
        feasibility = result.get("feasibility")
        claim = result.status if feasibility is None else f"{result.status}/{feasibility}"
        note = result.get("note") or ""
        return Answer(x, claim, interval, note.split(":")[0], note[:160], evaluations=result.evaluations)
