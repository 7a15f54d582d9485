# SPDX-License-Identifier: MIT
"""Points by name: arrays of numbers, or values that are not all numbers or do not always apply."""
import math

import numpy as np


class NamedArray(np.ndarray):
    """An array whose entries have names as well as positions: x[0], x["width"], dict(x)."""

    def __new__(cls, values, names):
        array = np.asarray(values, dtype=float).view(cls)
        array._names = names
        return array

    def __array_finalize__(self, source):
        names = getattr(source, "_names", None)
        self._names = names if names is not None and self.shape == (len(names),) else None

    def __getitem__(self, key):
        if isinstance(key, str):
            if self._names is None or key not in self._names:
                raise KeyError(key)
            key = self._names.index(key)
        return super().__getitem__(key)

    def __setitem__(self, key, value):
        if isinstance(key, str):
            if self._names is None or key not in self._names:
                raise KeyError(key)
            key = self._names.index(key)
        super().__setitem__(key, value)

    def keys(self):
        return list(self._names or ())

    def items(self):
        return [(name, float(self[i])) for i, name in enumerate(self.keys())]

    def get(self, key, default=None):
        return self[key] if key in self.keys() else default

    def __reduce__(self):
        if self._names is None:
            return np.array, (np.asarray(self),)
        return NamedArray, (np.asarray(self), self._names)


class Point:
    """A point by position and by name: x[0], x["kernel"], x.get("degree", 3), dict(x), "degree" in x, list(x).

    A variable that does not apply is not among the names (x["degree"] raises KeyError) and None by position.
    """
    __slots__ = ("_names", "_values")

    def __init__(self, names, values):
        self._names, self._values = tuple(names), tuple(values)

    def __getitem__(self, key):
        if not isinstance(key, str):
            return self._values[key]
        value = self._values[self._names.index(key)] if key in self._names else None
        if value is None:
            raise KeyError(key)
        return value

    def get(self, key, default=None):
        return self[key] if key in self else default

    def keys(self):
        return [name for name, value in zip(self._names, self._values) if value is not None]

    def items(self):
        return [(name, value) for name, value in zip(self._names, self._values) if value is not None]

    def values(self):
        return [value for value in self._values if value is not None]

    def __contains__(self, key):
        return key in self.keys()

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return iter(self._values)

    def __eq__(self, other):
        if isinstance(other, Point):
            return self._names == other._names and self._values == other._values
        if isinstance(other, dict):
            return dict(self.items()) == other
        return NotImplemented

    def __hash__(self):
        return hash((self._names, self._values))

    def __reduce__(self):
        return Point, (self._names, self._values)

    def __repr__(self):
        return "Point(" + ", ".join(f"{name}={value!r}" for name, value in self.items()) + ")"


class Mixture:
    """Between numbers, as the core counts values, and what the user sees."""

    def __init__(self, names, choices, whole, conditional):
        self.names, self.choices, self.whole, self.conditional = names, choices, whole, conditional

    @property
    def plain(self):
        return not self.conditional and not any(self.choices)

    @property
    def by_name(self):
        """Points are more than arrays."""
        return not self.plain or bool(self.names)

    def point(self, numbers):
        """What the user sees of numbers: an array where all variables are plain numbers, by name if they have names."""
        if numbers is None or not self.by_name:
            return numbers
        if self.plain:
            return NamedArray(numbers, self.names)
        values = []
        for value, choices, whole in zip(numbers, self.choices, self.whole):
            if math.isnan(value):
                values.append(None)
            elif choices:
                values.append(choices[int(value)])
            else:
                values.append(int(value) if whole else float(value))
        return Point(self.names, values)

    def number(self, argument, i, value):
        """The number of what the user names as the value of variable i."""
        if value is None and self.conditional:
            return math.nan
        if not self.choices[i]:
            return float(value)
        for place, choice in enumerate(self.choices[i]):
            if choice is value or (type(choice) is type(value) and choice == value) or str(choice) == str(value):
                return float(place)
        raise ValueError(f"{argument}: {self.names[i]} is {value!r}, but must be one of "
                         f"{', '.join(map(repr, self.choices[i]))}")

    def wrapped(self, fun):
        """`fun` called with points."""
        return fun if fun is None or not self.by_name else _Called(self, fun)


class _Called:
    """A function called with points; of a class of its own so that it can be pickled for other processes."""

    def __init__(self, mixture, fun):
        self.mixture, self.fun = mixture, fun
        self.__qualname__ = getattr(fun, "__qualname__", "fun")

    def __call__(self, x, *rest):
        return self.fun(self.mixture.point(x), *rest)
