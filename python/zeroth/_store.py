# SPDX-License-Identifier: MIT
import json
import os

import numpy as np

from . import _zeroth
from ._result import Record


class Run(Record):
    """A run in a store: id, name, solver, seed, budget, status, result (dict or None), names of variables, constraints
    and equalities, started, finished, version, document (the problem file's text), ..."""


class Answers(Record):
    """Every evaluation of a run, a numpy array per column, in the order of proposal.

    number, x (rows are points; None above 1000 variables; where a variable has texts as values, their numbers in
    run.names.values; NaN where a variable does not apply), seed, objective, constraints, equalities (NaN where it
    failed), failure and traceback (None where it did not), seconds, worker, attempts
    """


class Trace(Record):
    """The recommendation over time: evaluations, x, multipliers (rows), figures (a list of dicts)."""


def _texts(values):
    column = np.empty(len(values), dtype=object)
    column[:] = [value or None for value in values]
    return column


class Store:
    """Runs and their answers, read from the file that `store=` or `zeroth solve` has written.

    >>> store = zeroth.Store("zeroth.db")                                  # doctest: +SKIP
    >>> store.runs()[-1].status, store.answers().objective.mean()          # doctest: +SKIP
    """

    def __init__(self, path="zeroth.db"):
        self.path = os.fspath(path)
        self._store = _zeroth.Store(self.path)

    def runs(self):
        """All runs, oldest first."""
        rows = []
        for row in self._store.runs():
            names = json.loads(row["names"]) if row["names"] else {}
            row["names"] = Record({key: names.get(key, []) for key in ("variables", "constraints", "equalities", "values")})
            row["result"] = json.loads(row["result"]) if row["result"] else None
            rows.append(Run(row))
        return rows

    def run(self, id=None):
        """One run by number; the latest if none is given."""
        rows = self.runs()
        for row in rows[::-1] if id is None else [row for row in rows if row.id == id]:
            return row
        raise ValueError(f"id: there is no run {id!r} in {self.path}" if id is not None else f"{self.path} holds no runs")

    def answers(self, run=None):
        """The answers of a run (default: the latest)."""
        row = self.run(run)
        raw = self._store.answers(row.id)
        values, m = raw.pop("values"), len(row.names.constraints)
        return Answers(number=raw["number"], x=raw["x"], seed=raw["seed"], objective=values[:, 0],
                       constraints=values[:, 1:1 + m], equalities=values[:, 1 + m:], failure=_texts(raw["failure"]),
                       traceback=_texts(raw["traceback"]), seconds=raw["seconds"], worker=raw["worker"],
                       attempts=raw["attempts"])

    def trace(self, run=None):
        """The recommendation over time, about 1000 rows."""
        raw = self._store.trace(self.run(run).id)
        raw["figures"] = [json.loads(text) for text in raw["figures"]]
        return Trace(raw)

    def frame(self, run=None):
        """The answers as a pandas DataFrame with a named column for each variable and function."""
        try:
            import pandas
        except ImportError:
            raise ImportError("Store.frame needs pandas (Debian: python3-pandas); Store.answers does without") from None
        row, a = self.run(run), self.answers(run)
        columns = {"number": a.number, "seed": a.seed}
        if a.x is not None:
            for i in range(a.x.shape[1]):
                values = row.names["values"][i] if i < len(row.names["values"]) else []
                columns[row.names.variables[i] if row.names.variables else f"x{i}"] = (
                    [values[int(v)] if 0 <= v < len(values) else None for v in a.x[:, i]] if values else a.x[:, i])
        columns["objective"] = a.objective
        for group in ("constraints", "equalities"):
            for i, name in enumerate(row.names[group]):
                columns[name] = a[group][:, i]
        for name in ("failure", "seconds", "worker", "attempts"):
            columns[name] = a[name]
        return pandas.DataFrame(columns)

    def __repr__(self):
        return f"<zeroth.Store {self.path!r}: {len(self.runs())} runs>"
