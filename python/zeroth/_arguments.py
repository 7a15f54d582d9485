# SPDX-License-Identifier: MIT
"""Arguments as people write them, checked: every complaint names the argument, the value and what would be right."""
import inspect
import math
import operator

import numpy as np

from ._point import Point


def whole(name, value, least=None):
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    if least is not None and number < least:
        raise ValueError(f"{name} must be at least {least}, not {number}")
    return number


def number(name, value):
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None
    return result


def flag(name, value):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def choice(name, value, choices):
    if value not in choices:
        kind = ValueError if isinstance(value, str) else TypeError
        raise kind(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")
    return value


def text(name, value):
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {value!r}")
    return value


def labels(name, value):
    """How many, or their names: None for a count of zero, a number, or a list of texts."""
    if value is None:
        return 0
    if isinstance(value, str):
        raise TypeError(f"{name} must be a number or a sequence of names, not the text {value!r}")
    if isinstance(value, (int, np.integer)):
        return whole(name, value, 0)
    try:
        texts = list(value)
    except TypeError:
        raise TypeError(f"{name} must be a number or a sequence of names, not {value!r}") from None
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} must hold names as texts, not {text!r}")
    return texts


def _end(value):
    if value is None:
        return None
    value = number("bounds", value)
    if math.isnan(value):
        raise ValueError("bounds must not hold NaN")
    return None if math.isinf(value) else value


def _choices(pair, kind):
    """The values of a categorical or ordinal variable, or None if it is a pair of bounds."""
    named = kind in ("categorical", "ordinal")
    if isinstance(pair, (str, bytes, dict)) or not hasattr(pair, "__iter__"):
        return None
    entries = list(pair)
    texts = bool(entries) and all(isinstance(entry, (str, bool, np.bool_)) for entry in entries)
    if not named and not texts:
        return None
    return [entry.item() if isinstance(entry, np.generic) else entry for entry in entries]


def bounds(value, kinds=None):
    """(names or None, lower, upper, choices) from pairs, a dict of pairs, an (n, 2) array or scipy.optimize.Bounds.

    An entry may list values instead of a pair: texts, or anything where `kinds` says categorical or ordinal.
    """
    names = None
    if hasattr(value, "lb") and hasattr(value, "ub"):
        lower, upper = np.broadcast_arrays(np.atleast_1d(value.lb), np.atleast_1d(value.ub))
        pairs = list(zip(lower.tolist(), upper.tolist()))
    elif isinstance(value, dict):
        names, pairs = list(value.keys()), list(value.values())
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"bounds must have names as texts for its keys, not {name!r}")
    else:
        try:
            pairs = list(value)
        except TypeError:
            raise TypeError(f"bounds must be a sequence of (lower, upper) pairs, not {value!r}") from None
    lower, upper, choices = [], [], []
    for i, pair in enumerate(pairs):
        kind = kinds(names, len(pairs), i) if kinds else None
        choices.append(_choices(pair, kind))
        label = repr(names[i]) if names else i
        if choices[-1] is not None:
            lower.append(None)
            upper.append(None)
            continue
        try:
            low, high = pair
        except (TypeError, ValueError):
            raise TypeError(f"bounds must hold a (lower, upper) pair for variable {label}, not {pair!r}; numbers to choose "
                            "from need type=\"ordinal\" or \"categorical\"") from None
        lower.append(_end(low))
        upper.append(_end(high))
    if not pairs:
        raise ValueError("bounds is empty: a problem needs at least one variable")
    return names, lower, upper, choices


def each(name, value, count, names, otherwise):
    """One value for all variables, one each in their order, or a dict by name."""
    if isinstance(value, dict):
        if not names:
            raise TypeError(f"{name} is a dict by name, but the variables have no names; give names= or bounds= as a dict")
        unknown = [key for key in value if key not in names]
        if unknown:
            raise ValueError(f"{name} names the variable {unknown[0]!r}, which does not exist; there are: {', '.join(names)}")
        return [value.get(key, otherwise) for key in names]
    if value is None or isinstance(value, str) or np.ndim(value) == 0:
        return [otherwise if value is None else value] * count
    values = list(value)
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} entries for {count} variables")
    return values


def conditions(value, names):
    """Where variables apply: a text for some of them, by name."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(f"when must be a dict such as {{'degree': \"kernel == 'poly'\"}}, not {value!r}")
    for key, one in value.items():
        if key not in (names or []):
            raise ValueError(f"when names the variable {key!r}, which does not exist; there are: {', '.join(names or [])}")
        if not isinstance(one, str):
            raise TypeError(f"when must hold a text for {key!r}, such as \"kernel == 'poly'\", not {one!r}")
    return value


def linear(value, count):
    """(texts, rows by numbers) of known linear limits: texts, scipy's LinearConstraint, or several of both."""
    texts, rows = [], []
    if value is None:
        return texts, rows
    for one in [value] if isinstance(value, str) or hasattr(value, "A") else value:
        if isinstance(one, str):
            texts.append(one)
        elif hasattr(one, "A") and hasattr(one, "lb") and hasattr(one, "ub"):
            matrix = one.A.toarray() if hasattr(one.A, "toarray") else one.A
            matrix = np.atleast_2d(np.asarray(matrix, dtype=float))
            if matrix.shape[1] != count:
                raise ValueError(f"linear has a LinearConstraint of {matrix.shape[1]} columns for {count} variables")
            lower = np.broadcast_to(np.asarray(one.lb, dtype=float), matrix.shape[0])
            upper = np.broadcast_to(np.asarray(one.ub, dtype=float), matrix.shape[0])
            for row, low, high in zip(matrix, lower, upper):
                if math.isinf(low) and math.isinf(high):
                    continue
                rows.append({"coefficients": row.tolist(), "lower": None if math.isinf(low) else float(low),
                             "upper": None if math.isinf(high) else float(high)})
        else:
            raise TypeError("linear must hold texts such as 'x1 + x2 <= 10' or scipy.optimize.LinearConstraint, "
                            f"not {one!r}")
    return texts, rows


def known(value):
    """(texts, functions) of known limits: 'x1*x2 - 4 <= 0', or known(x) <= 0 as a function."""
    texts, functions = [], []
    if value is None:
        return texts, functions
    for one in [value] if isinstance(value, str) or callable(value) else value:
        if isinstance(one, str):
            texts.append(one)
        elif callable(one):
            functions.append(one)
        else:
            raise TypeError("known must hold texts such as 'x1*x2 <= 4' or functions of x that are <= 0 where x is "
                            f"allowed, not {one!r}")
    return texts, functions


def _records(name, value):
    """Rows of a DataFrame, an array or a sequence."""
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return value.to_dict("records")
    if isinstance(value, (str, bytes, dict)):
        raise TypeError(f"{name} must be a sequence of points, not {value!r}")
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"{name} must be a sequence of points, not {value!r}") from None


def _point(name, place, value, names, count, mixture):
    if isinstance(value, dict) or isinstance(value, Point):
        missing = [key for key in names if key not in value]
        if missing and not mixture.conditional:
            raise ValueError(f"{name}[{place}] has no {missing[0]!r}")
        value = [value[key] if key in value else None for key in names]
    if not mixture.plain and len(value) == count:
        return [mixture.number(f"{name}[{place}]", i, entry) for i, entry in enumerate(value)]
    try:
        numbers = [float(entry) for entry in value]
    except (TypeError, ValueError):
        raise TypeError(f"{name}[{place}] must hold {count} numbers, not {value!r}") from None
    if len(numbers) != count:
        raise ValueError(f"{name}[{place}] has {len(numbers)} numbers for {count} variables")
    return numbers


def points(value, names, count, mixture):
    """Points to evaluate first, one after the other."""
    if value is None:
        return []
    names = names or [f"x{i}" for i in range(count)]
    rows = [_point("points", i, row, names, count, mixture) for i, row in enumerate(_records("points", value))]
    return [number for row in rows for number in row]


def evaluated(value, names, count, values, mixture, partial=False):
    """Earlier evaluations as rows: point, values, standard errors (nan: not known), number of evaluations."""
    if value is None:
        return []
    names = names or [f"x{i}" for i in range(count)]
    flat = []
    for i, row in enumerate(_records("evaluated", value)):
        if not isinstance(row, dict):
            raise TypeError(f"evaluated[{i}] must be a dict such as {{'x': ..., 'objective': ...}}, not {row!r}")
        flat += _point("evaluated", i, row.get("x", row), names, count, mixture)
        found, errors = [], []
        groups = {"constraints": row.get("constraints"), "equalities": row.get("equalities")}
        se = row.get("se")
        for k, (key, group, place) in enumerate(values):
            entry = row.get(key)
            if entry is None and group and groups[group] is not None:
                entry = groups[group][place]
            if entry is None and not partial:
                raise ValueError(f"evaluated[{i}] has no {key!r}")
            found.append(math.nan if entry is None else number(f"evaluated[{i}][{key!r}]", entry))
            error = row.get(key + "_se")
            if error is None and group and row.get(group + "_se") is not None:
                error = row[group + "_se"][place]
            if error is None and se is not None and (k == 0 or np.ndim(se) > 0):
                error = se if np.ndim(se) == 0 else se[k]
            errors.append(math.nan if error is None else number(f"evaluated[{i}]", error))
        flat += found + errors + [whole(f"evaluated[{i}]['n']", int(row.get("n", 1)), 1)]
    return flat


def cost(value):
    """What single functions cost, by name; empty: they are asked together."""
    if value is None:
        return {}
    if not isinstance(value, dict) or not value:
        raise TypeError(f"cost must be a dict such as {{'objective': 100, 'c1': 1}}, not {value!r}")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"cost must have names of functions as its keys, not {key!r}")
    return {key: number(f"cost[{key!r}]", entry) for key, entry in value.items()}


def takes_wanted(fun):
    """With costs, fun is called as fun(x, seed, wanted)."""
    if not callable(fun):
        raise TypeError(f"fun must be callable as fun(x, seed, wanted), not {fun!r}")
    try:
        inspect.signature(fun).bind(None, 0, ())
    except TypeError:
        raise TypeError("with cost=, fun must be callable as fun(x, seed, wanted): wanted holds the names of the "
                        "functions that are asked for") from None
    except ValueError:
        pass
    return True


def takes_seed(fun):
    """Whether fun is called as fun(x, seed); False: as fun(x)."""
    if not callable(fun):
        raise TypeError(f"fun must be callable as fun(x, seed), not {fun!r}")
    try:
        parameters = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        return True
    if any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
        raise TypeError("fun must be callable as fun(x, seed) or fun(x); it has required keyword-only parameters")
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in positional)
    if not positional or needed > 2:
        raise TypeError(f"fun must be callable as fun(x, seed) or fun(x); it takes {needed} arguments")
    # A second parameter with a default is a seed only if it says so: fun(x, scale=2) is not handed seeds as scales.
    return needed == 2 or (len(positional) > 1 and positional[1].name == "seed")
