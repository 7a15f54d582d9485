# SPDX-License-Identifier: MIT
"""zeroth as a sampler of Optuna's studies.

>>> study = optuna.create_study(sampler=zeroth.optuna.Sampler(budget=200))                # doctest: +SKIP
>>> study.optimize(objective, n_trials=200)                                              # doctest: +SKIP
"""
import threading

import optuna
from optuna.distributions import CategoricalDistribution, IntDistribution
from optuna.trial import TrialState

from ._search import Search

__all__ = ["Sampler"]

_CONSTRAINTS = "constraints"  # where Optuna itself looks for them, in a trial's system attributes


class _Axis:
    """One parameter as a variable of zeroth, and back."""

    def __init__(self, name, distribution):
        self.name, self.distribution = name, distribution
        step = getattr(distribution, "step", None)
        self.grid = step if step not in (None, 1) else None

    @property
    def bounds(self):
        d = self.distribution
        if isinstance(d, CategoricalDistribution):
            return [str(i) for i in range(len(d.choices))]
        return (0, int(round((d.high - d.low) / self.grid))) if self.grid else (d.low, d.high)

    @property
    def type(self):
        if isinstance(self.distribution, CategoricalDistribution):
            return "categorical"
        return "integer" if self.grid or isinstance(self.distribution, IntDistribution) else "real"

    @property
    def scale(self):
        return "log" if getattr(self.distribution, "log", False) else "linear"

    def value(self, number):
        d = self.distribution
        if isinstance(d, CategoricalDistribution):
            return d.choices[int(number)]
        value = d.low + self.grid * int(round(number)) if self.grid else number
        return int(round(value)) if isinstance(d, IntDistribution) else min(max(float(value), d.low), d.high)

    def number(self, value):
        d = self.distribution
        if isinstance(d, CategoricalDistribution):
            return str(d.choices.index(value))
        return (value - d.low) / self.grid if self.grid else value


class Sampler(optuna.samplers.BaseSampler):
    """Proposes trials by zeroth: noise is expected, constraints hold in expectation.

    budget
        trials that the search plans for; later ones repeat its recommendation.
    constraints_func
        of a finished trial, as for Optuna's own samplers: numbers that are <= 0 where the trial is feasible.
    startup
        trials drawn by `independent` before the search begins, at least one: parameters are known only after a trial.
    independent
        the sampler of what the search does not know (parameters that not every trial has); default: random.
    seed, solver, **options
        keywords of `zeroth.Search`; `width=` and `lag=` let several trials run side by side.

    Parameters that every trial has are searched together; where that set changes, the search begins anew and knows the
    trials so far. `search` is the zeroth.Search, or None before it begins. Pruned and failed trials are failed evaluations.
    """

    def __init__(self, *, budget=100, constraints_func=None, startup=1, independent=None, seed=1, solver=None, **options):
        self.budget, self.constraints_func, self.startup = budget, constraints_func, max(1, startup)
        self.independent = independent or optuna.samplers.RandomSampler(seed=seed)
        self.seed, self.solver, self.options = seed, solver, options
        self.search = None
        self._axes, self._asked, self._space = [], {}, optuna.search_space.IntersectionSearchSpace()
        self._lock = threading.RLock()

    def reseed_rng(self):
        self.independent.reseed_rng()

    def infer_relative_search_space(self, study, trial):
        finished = [t for t in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))]
        if len(finished) < self.startup:
            return {}
        return {name: d for name, d in self._space.calculate(study).items() if not d.single()}

    def sample_relative(self, study, trial, search_space):
        if not search_space:
            return {}
        if len(study.directions) > 1:
            raise ValueError("zeroth.optuna.Sampler optimises one objective; a limit on another can be a constraint")
        with self._lock:
            if self.search is None or {a.name: a.distribution for a in self._axes} != search_space:
                self._begin(study, search_space)
            return self._next(trial.number)

    def sample_independent(self, study, trial, param_name, param_distribution):
        return self.independent.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study, trial, state, values):
        limits = None
        if self.constraints_func is not None and state == TrialState.COMPLETE:
            limits = tuple(float(v) for v in self.constraints_func(trial))
            study._storage.set_trial_system_attr(trial._trial_id, _CONSTRAINTS, limits)
        with self._lock:
            question = self._asked.pop(trial.number, None)
            if question is None or self.search is None or self.search.done:
                return
            if state == TrialState.COMPLETE:
                self.search.tell(question, (float(values[0]), list(limits or ())))
            else:
                self.search.tell(question, None)

    def _begin(self, study, search_space):
        """A search over these parameters that knows the finished trials."""
        self._axes = [_Axis(name, d) for name, d in sorted(search_space.items())]
        self._asked = {}
        known = []
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            limits = trial.system_attrs.get(_CONSTRAINTS, ())
            if all(a.name in trial.params for a in self._axes):
                known.append({"x": [a.number(trial.params[a.name]) for a in self._axes], "objective": trial.values[0],
                              "constraints": list(limits)})
        count = max((len(row["constraints"]) for row in known), default=0)
        known = [row for row in known if len(row["constraints"]) == count]
        maximize = study.direction == optuna.study.StudyDirection.MAXIMIZE
        self.search = Search({a.name: a.bounds for a in self._axes}, type={a.name: a.type for a in self._axes},
                             scale={a.name: a.scale for a in self._axes}, constraints=count,
                             direction="maximize" if maximize else "minimize", budget=max(2, self.budget - len(known)),
                             evaluated=known or None, seed=self.seed, solver=self.solver, **self.options)

    def _next(self, number):
        """A question that no trial has yet; the recommendation where none is left."""
        taken = {q.number for q in self._asked.values()}
        for question in [] if self.search.done else self.search.ask():
            if question.number not in taken:
                self._asked[number] = question
                return self._values(question.x)
        return self._values(self.search.recommend().x)

    def _values(self, x):
        return {a.name: a.value(x[i]) for i, a in enumerate(self._axes)}
