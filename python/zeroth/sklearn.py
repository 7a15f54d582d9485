# SPDX-License-Identifier: MIT
"""zeroth as a search over parameters of scikit-learn's estimators.

>>> search = zeroth.sklearn.ZerothSearchCV(SVC(), {"C": (1e-3, 1e3), "kernel": ["rbf", "poly"]}, scale={"C": "log"})  # doctest: +SKIP
>>> search.fit(X, y).best_params_                                                                                  # doctest: +SKIP
"""
import warnings

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection._search import BaseSearchCV

from ._search import Search

__all__ = ["ZerothSearchCV"]


class ZerothSearchCV(BaseSearchCV):
    """Cross-validated search like GridSearchCV and RandomizedSearchCV, whose next candidates follow from the scores so far.

    estimator
        what is tuned.
    bounds
        by parameter: (lower, upper), or a list of values, as `zeroth.minimize` takes them; two integers are the ends of
        integers, unless type= says otherwise.
    n_iter
        candidates to try.
    type, scale, when, linear, known, start
        as for `zeroth.minimize`: type={"degree": "integer"}, scale={"C": "log"}, when={"degree": "kernel == 'poly'"}.
    points, evaluated
        candidates to try first (dicts of parameters), and earlier ones with their mean score ("objective").
    width
        candidates asked for at a time, which n_jobs then fits side by side.
    solver, random_state
        of zeroth; the other parameters are scikit-learn's.

    Every fold split is the same for all candidates (as ever in scikit-learn), so scores are compared without further noise
    and nothing is evaluated twice. `fit`, `predict`, `best_params_`, `best_score_`, `cv_results_`, ... are those of
    GridSearchCV; `search_` is the zeroth.Search.
    """

    def __init__(self, estimator, bounds, *, n_iter=30, type=None, scale="linear", when=None, linear=None, known=None, start=None,
                 points=None, evaluated=None, width=1, solver=None, random_state=1, scoring=None, n_jobs=None, refit=True,
                 cv=None, verbose=0, pre_dispatch="2*n_jobs", error_score=np.nan, return_train_score=False):
        super().__init__(estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv, verbose=verbose,
                         pre_dispatch=pre_dispatch, error_score=error_score, return_train_score=return_train_score)
        self.bounds = bounds
        self.n_iter = n_iter
        self.type = type
        self.scale = scale
        self.when = when
        self.linear = linear
        self.known = known
        self.start = start
        self.points = points
        self.evaluated = evaluated
        self.width = width
        self.solver = solver
        self.random_state = random_state

    def _types(self):
        given = {} if self.type is None else self.type if isinstance(self.type, dict) else {name: self.type for name in self.bounds}
        found = dict(given)
        for name, entry in self.bounds.items():
            whole = isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(v, (int, np.integer)) and not isinstance(v, bool)
                                                                        for v in entry)
            if name not in found and whole:
                found[name] = "integer"
            elif name not in found and not isinstance(entry, tuple):
                found[name] = "categorical"
        return found

    def _parameters(self, x, types):
        named = dict(x.items())
        return {name: int(round(value)) if types.get(name) == "integer" else value for name, value in named.items()}

    def _run_search(self, evaluate_candidates):
        types = self._types()
        seed = self.random_state
        if seed is not None and not isinstance(seed, (int, np.integer)):  # a RandomState
            seed = int(seed.randint(2**31 - 1))
        self.search_ = Search(dict(self.bounds), type=types, scale=self.scale, when=self.when, linear=self.linear, known=self.known,
                              start=self.start, points=self.points, evaluated=self.evaluated, direction="maximize", budget=self.n_iter,
                              width=self.width, solver=self.solver, seed=seed, check_share=0.0)
        metric = self.refit if isinstance(self.refit, str) else "score"
        asked = listed = 0
        while not self.search_.done and asked < self.n_iter:
            questions = self.search_.ask()
            asked += len(questions)
            try:
                results = evaluate_candidates([self._parameters(q.x, types) for q in questions])
            except ValueError as error:
                # scikit-learn takes candidates that all fail for a mistake; among others they are a failed evaluation.
                if "fits failed" not in str(error) or asked == self.n_iter == len(questions):
                    raise
                warnings.warn(str(error).strip().splitlines()[-1], FitFailedWarning)
                self.search_.tell([None] * len(questions))
                continue
            scores = results[f"mean_test_{metric}"][listed:]
            listed += len(scores)
            self.search_.tell([None if np.isnan(score) else float(score) for score in scores])
        if listed == 0:
            raise ValueError(f"every one of {asked} candidates failed; the warnings say why")
