# SPDX-License-Identifier: MIT
"""Arguments as people write them, checked: every complaint names the argument, the value and what would be right."""
import inspect
import math
import operator

import numpy as np


def whole(name, value, least=None):
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
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


def bounds(value):
    """(names or None, lower, upper) from pairs, a dict of pairs, an (n, 2) array or scipy.optimize.Bounds."""
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
    lower, upper = [], []
    for i, pair in enumerate(pairs):
        try:
            low, high = pair
        except (TypeError, ValueError):
            label = repr(names[i]) if names else i
            raise TypeError(f"bounds must hold a (lower, upper) pair for variable {label}, not {pair!r}") from None
        lower.append(_end(low))
        upper.append(_end(high))
    if not pairs:
        raise ValueError("bounds is empty: a problem needs at least one variable")
    return names, lower, upper


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
