# SPDX-License-Identifier: MIT
"""A problem in the words of a problem file (docs/problem-file.md): what the store keeps and the command line reads."""
import json

import numpy as np


def literal(name, value):
    """A value as TOML."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple, np.ndarray)):
        items = np.ndarray.tolist(value) if isinstance(value, np.ndarray) else value
        if not isinstance(items, (list, tuple)):
            return literal(name, items)
        if all(isinstance(item, (int, float, str, np.integer, np.floating)) for item in items):
            return "[" + ", ".join(literal(name, item) for item in items) + "]"
    raise TypeError(f"{name} must be a number, a text, True, False or a list of numbers, not {value!r}")


def section(title, entries):
    lines = [title] + [f"{key} = {literal(key, value)}" for key, value in entries.items() if value is not None]
    return "\n".join(lines) + "\n"


def variables(names, lower, upper, kinds, scales, start, spread, choices, conditions):
    """[variables] where all are alike and nameless, a [[variable]] each where they are not."""
    count = len(lower)
    alike = len(set(kinds)) == 1 and len(set(scales)) == 1
    whole = all(len({entry is None for entry in part}) == 1 for part in (lower, upper, start, spread))
    if names is None and alike and whole:
        def packed(part):
            if part[0] is None:
                return None
            return part[0] if len(set(part)) == 1 else part
        return section("[variables]", {"count": count, "type": kinds[0], "scale": scales[0], "lower": packed(lower),
                                       "upper": packed(upper), "start": packed(start), "spread": packed(spread)})
    names = names or [f"x{i}" for i in range(count)]
    return "\n".join(section("[[variable]]", {"name": names[i], "type": kinds[i], "scale": scales[i],
                                              "lower": lower[i], "upper": upper[i], "start": start[i],
                                              "spread": spread[i], "when": conditions.get(names[i]),
                                              "values": None if choices[i] is None else [str(v) for v in choices[i]]})
                     for i in range(count))
