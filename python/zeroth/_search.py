# SPDX-License-Identifier: MIT
from typing import NamedTuple

from . import _zeroth
from ._minimize import earlier, merged_options, run_settings, stop_rules
from ._problem import Problem, complaint
from ._result import Record, result_from


_missing = object()


class _Point(NamedTuple):
    x: object
    seed: int


class Question(_Point):
    """A point to evaluate (in your units) and the seed that should name all randomness of the evaluation; `number` is its position in the run,
    `wanted` the names of the functions that are asked for (with `cost=` not always all)."""
    x: object
    seed: int
    number: int
    wanted: tuple

    def __new__(cls, x, seed, number, wanted=()):
        question = super().__new__(cls, x, seed)
        question.number = number
        question.wanted = wanted
        return question


class Recommendation(Record):
    """x: what the solver would answer now; multipliers, note and trace: what it knows beside it."""


class Search:
    """A run whose evaluations are yours to make: ask, tell, and ask again until `done`.

    Search(problem, ...) or Search(bounds, constraints=..., ...); keywords as for `minimize`.

    It asks what `minimize` asks, first the solver's questions, then fresh evaluations at the recommended point, so that the
    same answers give the same result.

    >>> search = zeroth.Search([(0, 1)], budget=100)                       # doctest: +SKIP
    >>> while not search.done:                                             # doctest: +SKIP
    ...     search.tell([measure(q.x, q.seed) for q in search.ask()])
    >>> search.result()                                                    # doctest: +SKIP
    """

    def __init__(self, problem, *, solver=None, budget=None, seed=None, width=None, lag=None, check_share=None, confidence=None,
                 constraints=0, equalities=0, names=None, type="real", scale="linear", start=None, set=None,
                 constants=None, direction="minimize", common_noise=False, equality_tolerance=None, linear=None,
                 known=None, spread=None, seed_bits=None, objective=None, when=None, cost=None, points=None, evaluated=None, stop=None,
                 solver_options=None, **options):
        if not isinstance(problem, Problem):
            problem = Problem(None, problem, constraints=constraints, equalities=equalities, names=names, type=type,
                              scale=scale, start=start, set=set, constants=constants, direction=direction,
                              common_noise=common_noise, name="search", equality_tolerance=equality_tolerance, linear=linear,
                              known=known, spread=spread, seed_bits=seed_bits, objective=objective, when=when, cost=cost)
        overrides = run_settings("Search", problem, solver, budget, seed, width, lag, check_share, confidence,
                                 merged_options(solver_options, options))
        overrides = overrides + earlier(problem, overrides, points, evaluated)
        overrides = overrides + stop_rules(problem, overrides, stop)
        self.problem = problem
        self._run = _zeroth.AskTell(problem.document, problem.file, overrides, problem.known)

    @property
    def done(self):
        """Nothing more will be asked."""
        return self._run.done

    @property
    def checking(self):
        """The solver has finished; what is asked now are fresh evaluations at what it recommends."""
        return self._run.checking

    @property
    def evaluations(self):
        return self._run.evaluations

    @property
    def failed(self):
        return self._run.failed

    def ask(self):
        """The questions that wait for answers: a list of (x, seed), the same until told; empty when done."""
        return [Question(self.problem.mixture.point(x), seed, number, wanted)
                for x, seed, number, wanted in self._run.ask()]

    def tell(self, answers, answer=_missing):
        """One answer for each question, in their order: what `fun` may return, or None or an exception if it failed.

        Or tell(question, answer): a single one, in any order. New questions come as soon as what they depend on is known: with `lag=` before
        all of the others are answered.
        """
        try:
            if isinstance(answers, Question):
                if answer is _missing:
                    raise TypeError("tell(question, answer): the answer is missing")
                self._run.tell_one(answers.number, answer)
            else:
                self._run.tell(list(answers))
        except _zeroth.Error as error:
            raise complaint(error) from None

    def recommend(self):
        """What the solver would recommend now."""
        found = self._run.recommend()
        found["x"] = self.problem.mixture.point(found["x"])
        return Recommendation(found)

    def result(self):
        """The checked answer; before `done` its status is "interrupted"."""
        return result_from(self._run.result(), self.problem.mixture, self.problem.direction == "maximize")
