# SPDX-License-Identifier: MIT
import json
import math
import os

import numpy as np

from . import _show, _zeroth
from ._result import Record, declared_from


class Run(Record):
    """A run in a store: id, name, solver, seed, budget, status, result (dict or None), names of variables, constraints
    and equalities, started, finished, version, document (the problem file's text), ..."""

    def _feasible(self, answers):
        """Which evaluations saw every constraint hold; where more than names was declared, those that did not fail."""
        if answers.constraints.shape[1] == 0 or self.names.get("statements"):
            return np.isfinite(answers.objective)
        return (answers.constraints <= 0).all(axis=1)

    def plot(self, ax=None):
        """Draws its evaluations with matplotlib; returns the axes."""
        from ._show import _axes, plot_evaluations
        answers = vars(self)["_store"].answers(self.id)
        found = (self.result or {}).get("objective") or {}
        low, high = found.get("interval") or (None, None)
        estimate = [math.nan if v is None else v for v in (found.get("mean"), low, high)]
        return plot_evaluations(_axes(ax, 1)[0], answers.objective, self._feasible(answers), self.maximize, estimate)

    def _repr_html_(self):
        result = self.result or {}
        rows = [["problem", self.name], ["solver", self.solver], ["seed", self.seed], ["budget", self.budget],
                ["status", self.status], ["started", self.started]]
        text = f"<p><b>run {self.id}</b></p>" + _show.table(["", ""], rows)
        if "objective" in result:
            text += f"<p>objective {_show.number(result['objective'].get('mean'), 6)}, 95 % interval " \
                    f"{_show.interval([math.nan if v is None else v for v in result['objective'].get('interval') or (None, None)])}</p>"
            x = result["x"]
            text += _show.table(["variable", "value"], _show.point_rows(x, []))
            if result.get("constraints"):
                text += _show.table(["constraint", "value", "95 % interval", "limit", "holds with probability", "multiplier"],
                                    [_constraint_row(c) for c in result["constraints"]])
        answers = vars(self)["_store"].answers(self.id)
        return text + _show.chart(answers.objective, self._feasible(answers), self.maximize)


def _constraint_row(entry):
    d = declared_from(entry)
    return [entry["name"], _show.number(d.estimate), _show.interval(d.interval), f"{d.relation} {_show.number(d.limit)}",
            _show.number(entry.get("probability_feasible"), 4), _show.number(entry.get("multiplier"), 3)]


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
            row["names"] = Record({key: names.get(key, []) for key in ("variables", "constraints", "equalities", "values", "statements")})
            row["result"] = json.loads(row["result"]) if row["result"] else None
            rows.append(Run(row))
            vars(rows[-1])["_store"] = self
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

    def _repr_html_(self):
        rows = [[r.id, r.name, r.solver, r.status, r.budget, r.seed, r.started,
                 _show.number(((r.result or {}).get("objective") or {}).get("mean"), 6)] for r in self.runs()]
        return _show.table(["run", "problem", "solver", "status", "budget", "seed", "started", "objective"], rows[-100:])

    def __repr__(self):
        return f"<zeroth.Store {self.path!r}: {len(self.runs())} runs>"
