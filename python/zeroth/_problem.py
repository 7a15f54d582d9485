# SPDX-License-Identifier: MIT
import os
import re

from . import _arguments as check
from . import _document, _zeroth
from ._point import Mixture

_HERE = "(python)"  # stands for a file's name in complaints, and is taken out of them again


def complaint(error):
    """An Error without the line of a file that the user never wrote."""
    return _zeroth.Error(re.sub(rf"^{re.escape(_HERE)}(:\d+)?: ", "", str(error)))


def type_name(value):
    return type(value).__name__


class Problem:
    """What is to be optimised: a function, its variables, its constraints. `minimize` and `Search` take one.

    Problem(fun, bounds, ...)     a Python function; the keywords are those of `minimize`
    Problem.from_file(path)       a problem file, whatever language its evaluator is written in
    Problem.builtin(name, ...)    a benchmark with known answer; see `problems()`

    Attributes: name, dimension, names (of the variables; empty if they have none), constraints, equalities (names),
    direction, document (the text of the problem file that describes it).
    """

    def __init__(self, fun, bounds, *, constraints=0, equalities=0, names=None, type="real", scale="linear", start=None,
                 set=None, constants=None, direction="minimize", common_noise=False, name=None, timeout=0.0, retries=0,
                 equality_tolerance=None, linear=None, known=None, spread=None, seed_bits=None, objective=None, when=None,
                 cost=None):
        prices = check.cost(cost)
        self.takes_seed = True if fun is None else check.takes_wanted(fun) if prices else check.takes_seed(fun)
        found, lower, upper, choices = check.bounds(
            bounds, lambda keys, count, i: check.each("type", type, count, keys, "real")[i])
        count = len(lower)
        if names is not None:
            if found is not None:
                raise TypeError("names is given twice: bounds is a dict by name already")
            found = check.labels("names", names)
            if not isinstance(found, list) or len(found) != count:
                raise ValueError(f"names must hold a name for each of the {count} variables, not {names!r}")
        kinds = check.each("type", type, count, found, "real")
        scales = check.each("scale", scale, count, found, "linear")
        for i, kind in enumerate(kinds):
            check.choice("type", kind, ("real", "integer", "binary", "categorical", "ordinal"))
            if choices[i] is not None and kind not in ("categorical", "ordinal"):
                kinds[i] = "categorical"
            if choices[i] is None and kind in ("categorical", "ordinal"):
                raise TypeError(f"bounds must list the values of a variable of type {kind!r}, not {bounds!r}")
            if choices[i] is not None:
                scales[i] = None
        for one in scales:
            check.choice("scale", one, ("linear", "log", None))
        first = check.each("start", start, count, found, None)
        first = [value if value is None else str(value) if choices[i] is not None else check.number("start", value)
                 for i, value in enumerate(first)]
        conditions = check.conditions(when, found)
        far = check.each("spread", spread, count, found, None)
        far = [None if value is None else check.number("spread", value) for value in far]
        texts, rows = check.linear(linear, count)
        limits, self.known = check.known(known)
        if found is None and (texts or limits or self.known or any(choice is not None for choice in choices)):
            found = [f"x{i}" for i in range(count)]
        about = {
            "name": name if name is not None else getattr(fun, "__qualname__", None) or "fun",
            "command": ["(python)"],
            "objective": check.text("objective", objective),
            "constraints": check.labels("constraints", constraints),
            "equalities": check.labels("equalities", equalities),
            "equality_tolerance": equality_tolerance,
            "direction": check.choice("direction", direction, ("minimize", "maximize")),
            "common_noise": check.flag("common_noise", common_noise),
            "timeout": check.number("timeout", timeout),
            "retries": check.whole("retries", retries, 0),
            "linear": texts or None,
            "known": limits or None,
            "known_functions": [getattr(one, "__qualname__", None) or type_name(one) for one in self.known] or None,
            "partial": True if prices else None,
            "seed_bits": None if seed_bits is None else check.whole("seed_bits", seed_bits, 8),
        }
        if not isinstance(about["name"], str):
            raise TypeError(f"name must be a text, not {name!r}")
        parts = [_document.section("[problem]", about), _document.variables(found, lower, upper, kinds, scales, first, far, choices, conditions)]
        for one in [set] if isinstance(set, dict) else (set or []):
            if not isinstance(one, dict):
                raise TypeError(f"set must be a dict such as {{'type': 'simplex'}}, or several of them, not {one!r}")
            parts.append(_document.section("[[set]]", one))
        parts += [_document.section("[[linear]]", row) for row in rows]
        if prices:
            parts.append(_document.section("[cost]", prices))
        if constants is not None:
            parts.append(_document.section("[constants]", dict(constants)))
        self._choices = choices
        self._adopt(fun, "\n".join(parts), _HERE)

    @classmethod
    def from_file(cls, path):
        """The problem of a problem file; its [solver] section gives the defaults of `minimize`."""
        path = os.fspath(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        problem = cls.__new__(cls)
        problem.takes_seed = True
        problem._adopt(None, text, path)
        return problem

    @classmethod
    def builtin(cls, name, **options):
        """A benchmark problem by name, with its own options as keywords."""
        problem = cls.__new__(cls)
        problem.takes_seed = True
        problem._adopt(None, _document.section("[problem]", {"builtin": name, **options}), _HERE)
        return problem

    def _adopt(self, fun, text, file):
        self.known = getattr(self, "known", [])
        self.fun, self.document, self.file = fun, text, file
        self.from_python = '"(python)"' in text and file == _HERE
        found = self.resolve([])
        self.name, self.dimension, self.names = found["name"], found["dimension"], found["names"]
        self.constraints, self.equalities = found["constraints"], found["equalities"]
        self.direction = found["direction"]
        own = getattr(self, "_choices", None) or [None] * self.dimension
        self.mixture = Mixture(self.names, [mine if mine is not None else texts for mine, texts in zip(own, found["choices"])],
                               found["whole"], found["conditional"])
        self._values = found["values"]
        self.partial = found["partial"]

    def resolve(self, overrides):
        """Checks the problem with keys replaced; used by `minimize` and `Search`."""
        try:
            return _zeroth.resolve(self.document, self.file, overrides, not self.from_python, self.known)
        except _zeroth.Error as error:
            raise complaint(error) from None

    def minimize(self, **keywords):
        """`zeroth.minimize(self, ...)`."""
        from ._minimize import minimize
        return minimize(self, **keywords)

    def __repr__(self):
        return (f"<zeroth.Problem {self.name!r}: {self.dimension} variables, {len(self.constraints)} constraints, "
                f"{len(self.equalities)} equalities, {self.direction}>")
