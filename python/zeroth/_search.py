# SPDX-License-Identifier: MIT
from typing import NamedTuple

from . import _zeroth
from ._minimize import merged_options, run_settings
from ._problem import Problem, complaint
from ._result import Record, result_from


class Question(NamedTuple):
    """A point to evaluate (in your units) and the seed that should name all randomness of the evaluation."""
    x: object
    seed: int


class Recommendation(Record):
    """x: what the solver would answer now; multipliers, note and trace: what it knows beside it."""


class Search:
    """A run whose evaluations are yours to make: ask, tell, and ask again until `done`.

    Search(problem, ...) or Search(bounds, constraints=..., ...); keywords as for `minimize`.

    It asks what `minimize` asks, first the solver's questions, then fresh looks at the recommended point, so that the
    same answers give the same result.

    >>> search = zeroth.Search([(0, 1)], budget=100)                       # doctest: +SKIP
    >>> while not search.done:                                             # doctest: +SKIP
    ...     search.tell([measure(q.x, q.seed) for q in search.ask()])
    >>> search.result()                                                    # doctest: +SKIP
    """

    def __init__(self, problem, *, solver=None, budget=None, seed=None, width=None, check_share=None, confidence=None,
                 constraints=0, equalities=0, names=None, type="real", scale="linear", start=None, set=None,
                 constants=None, direction="minimize", common_noise=False, equality_tolerance=None, solver_options=None,
                 **options):
        if not isinstance(problem, Problem):
            problem = Problem(None, problem, constraints=constraints, equalities=equalities, names=names, type=type,
                              scale=scale, start=start, set=set, constants=constants, direction=direction,
                              common_noise=common_noise, name="search", equality_tolerance=equality_tolerance)
        overrides = run_settings("Search", problem, solver, budget, seed, width, check_share, confidence,
                                 merged_options(solver_options, options))
        self.problem = problem
        self._run = _zeroth.AskTell(problem.document, problem.file, overrides)

    @property
    def done(self):
        """Nothing more will be asked."""
        return self._run.done

    @property
    def checking(self):
        """The solver has finished; what is asked now are fresh looks at what it recommends."""
        return self._run.checking

    @property
    def evaluations(self):
        return self._run.evaluations

    @property
    def failed(self):
        return self._run.failed

    def ask(self):
        """The questions that wait for answers: a list of (x, seed), the same until told; empty when done."""
        return [Question(x, seed) for x, seed in self._run.ask()]

    def tell(self, answers):
        """One answer for each question, in their order: what `fun` may return, or None or an exception if it failed."""
        try:
            self._run.tell(list(answers))
        except _zeroth.Error as error:
            raise complaint(error) from None

    def recommend(self):
        """What the solver would bet on now."""
        return Recommendation(self._run.recommend())

    def result(self):
        """The checked answer; before `done` its status is "interrupted"."""
        return result_from(self._run.result())
