# SPDX-License-Identifier: MIT
"""Points whose variables are not all plain numbers: some are one of several values, or do not always apply."""
import math


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

    def point(self, numbers):
        """What the user sees of numbers: an array stays one where all variables are plain numbers."""
        if self.plain or numbers is None:
            return numbers
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
        if self.plain or fun is None:
            return fun

        def call(x, *rest):
            return fun(self.point(x), *rest)
        call.__qualname__ = getattr(fun, "__qualname__", "fun")
        return call
