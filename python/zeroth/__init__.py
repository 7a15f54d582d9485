# SPDX-License-Identifier: MIT
"""zeroth optimises what you can only measure: noisy black boxes under noisy constraints.

>>> import zeroth
>>> answer = zeroth.minimize(fun, bounds=[(0, 1), (0, 1)], constraints=1, budget=500)   # doctest: +SKIP
>>> answer.x, answer.fun, answer.constraints[0].probability_feasible                    # doctest: +SKIP

`fun(x, seed)` returns the objective and the constraints (feasible: expected value <= 0) at x, or raises.
`Search` asks and is told, for those who evaluate themselves; `Store` reads what runs have kept; `solvers()` lists the
algorithms and their options, which are keywords of `minimize`. `zeroth.optuna`, `zeroth.sklearn` and `zeroth.scipy` are for
those who come from there.
"""
from ._import import check as _check

_check()
from ._catalog import describe, problems, reproduce, solvers  # noqa: E402
from ._executors import WorkersLost  # noqa: E402
from ._minimize import Interrupted, minimize  # noqa: E402
from ._point import NamedArray, Point  # noqa: E402
from ._problem import Problem  # noqa: E402
from ._result import Chance, ConstraintResult, Declared, EqualityResult, Estimate, Result  # noqa: E402
from ._search import Question, Recommendation, Search  # noqa: E402
from ._store import Answers, Run, Store, Trace  # noqa: E402
from ._zeroth import Error, EvaluationsFailed, ReplayDiverged, StoreError  # noqa: E402
from ._zeroth import version as __version__  # noqa: E402

for _kind in (Error, EvaluationsFailed, ReplayDiverged, StoreError):
    _kind.__module__ = "zeroth"

__all__ = [
    "minimize", "Problem", "Search", "Store", "reproduce", "solvers", "problems", "describe",
    "Result", "Estimate", "ConstraintResult", "EqualityResult", "Chance", "Declared", "Point", "NamedArray", "Question", "Recommendation", "Run", "Answers", "Trace",
    "Error", "EvaluationsFailed", "Interrupted", "ReplayDiverged", "StoreError", "WorkersLost", "__version__",
]
