# SPDX-License-Identifier: MIT
import os

from . import _arguments as check
from . import _document, _zeroth


def solvers():
    """All solvers: a list of dicts with name, summary, reference and options (name, type, default, allowed, help)."""
    return _zeroth.solvers()


def problems():
    """All benchmark problems, in the same form; `Problem.builtin` makes one."""
    return _zeroth.problems()


def describe(name):
    """A solver or benchmark problem with its options, as text."""
    for entry in solvers() + problems():
        if entry["name"] == name:
            head = [f"{name}: {entry['summary']}"]
            if entry["reference"]:
                head.append(f"reference: {entry['reference']}")
            return "\n".join(head + option_lines(entry["options"]))
    raise complaint_about("name", name, [entry["name"] for entry in solvers() + problems()])


def option_lines(options, indent="  "):
    lines = []
    for option in options:
        allowed = f", {option['allowed']}" if option["allowed"] else ""
        default = option["default"] or '""'
        lines.append(f"{indent}{option['name']}: {option['type']}, default {default}{allowed}")
        lines.append(f"{indent}    {option['help']}")
    return lines


def complaint_about(argument, name, known):
    near = _zeroth.nearest_name(str(name), known)
    hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(known)}"
    return ValueError(f"{argument}: there is no {name!r}; {hint}")


def solver_overrides(function, settings, options):
    """[solver] keys of a call: the run's own settings (None: left as they are) and the options of its solver."""
    known = {entry["name"]: entry for entry in solvers()}
    solver = settings["name"]
    if not isinstance(solver, str):
        raise TypeError(f"solver must be a text, not {solver!r}")
    if solver not in known:
        raise complaint_about("solver", solver, list(known))
    own = [option["name"] for option in known[solver]["options"]]
    for name in options:
        if name not in own:
            near = _zeroth.nearest_name(name, own + [key for key in settings if key != "name"])
            hint = f"did you mean {near!r}?" if near else f"zeroth.describe({solver!r}) lists what it has"
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}, and solver {solver!r} has no "
                            f"such option; {hint}")
    merged = {key: value for key, value in settings.items() if value is not None}
    merged.update(options)
    return [(key, f"solver.{key}={_document.literal(key, value)}") for key, value in merged.items()]


def reproduce(name, *, trials=0, full=False, smoke=False, jobs=0, out=".", progress=None):
    """Runs an experiment of the paper again: `zeroth reproduce NAME`. Returns its table as text.

    name      rates, qcqp-convex, ..., as `zeroth reproduce --help` lists them
    trials    repetitions with different seeds; 0: the study's own default
    full      further than the default affords (hours);  smoke: a version of seconds
    jobs      trials at the same time; 0: as many as there are cores
    out       directory for CSV and figures
    progress  called with a line of text now and then; print will do
    """
    os.makedirs(out, exist_ok=True)
    return _zeroth.reproduce(name, check.whole("trials", trials, 0), check.flag("full", full),
                             check.flag("smoke", smoke), check.whole("jobs", jobs, 0), os.fspath(out), progress)
