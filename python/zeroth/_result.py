# SPDX-License-Identifier: MIT
import json
import math
from typing import NamedTuple, Optional, Tuple


class Record(dict):
    """A dict whose entries are attributes too, as scipy's results are."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self):
        return list(self.keys()) + super().__dir__()

    def __repr__(self):
        width = max(map(len, self.keys()), default=0)
        return "\n".join(f"{key:>{width}}: {value!r}" for key, value in self.items())


class Estimate(NamedTuple):
    """Mean and standard error of fresh evaluations at the recommended point; the interval is 95 % and anytime-valid."""
    mean: float
    se: float
    interval: Optional[Tuple[float, float]] = None


class Chance(NamedTuple):
    """What fresh evaluations say about a declared probability, quantile or CVaR, with a 95 % interval; the first two assume nothing."""
    estimate: float
    lower: float
    upper: float


class Declared(NamedTuple):
    """A constraint in the units of its declaration: of "mean(noise) <= 70" the mean of the noise beside 70, of
    "probability(wait <= 3) >= 0.95" the probability beside 0.95, of a plain name its mean beside 0."""
    what: str
    estimate: float
    interval: Tuple[float, float]
    relation: str
    limit: float


class ConstraintResult(NamedTuple):
    """A constraint at the recommended point; the multiplier is what relaxing it by one unit is worth.

    Of a constraint on a probability or quantile, `mean` is the probability of being beyond the limit minus what is
    allowed, and `probability` or `quantile` is the declared quantity itself. Of a CVaR, `mean` is how far it is beyond
    its limit, and `cvar` is the declared quantity. `declared` has every constraint as it was declared, with its limit.
    """
    name: str
    mean: float
    se: float
    probability_feasible: float
    multiplier: float
    multiplier_se: float
    probability: Optional[Chance] = None
    quantile: Optional[Chance] = None
    cvar: Optional[Chance] = None
    interval: Tuple[float, float] = (-math.inf, math.inf)
    declared: Optional[Declared] = None
    multiplier_interval: Tuple[float, float] = (math.nan, math.nan)


class Doubt(NamedTuple):
    """Why an answer is undecided: the constraint that is least sure to hold, and the probability that it does."""
    name: str
    probability: float


class SafePromise(NamedTuple):
    """Of a run with safe=: how many of its evaluations were at points that are infeasible by what is known at the end."""
    asked: float
    evaluations: int
    broken: int


class Relaxation(NamedTuple):
    """How much a limit would have to be relaxed for the answer to be feasible, in the constraint's units."""
    name: str
    amount: float
    interval: Tuple[float, float]


class EqualityResult(NamedTuple):
    """An equality at the recommended point: |E[h]| = magnitude, with its 95 % interval, against the tolerance."""
    name: str
    mean: float
    se: float
    magnitude: float
    interval: Tuple[float, float]
    tolerance: float
    probability_feasible: float
    multiplier: float
    multiplier_se: float


class Result(Record):
    """What a run ends with. scipy's names, and those of `zeroth solve --json`.

    x             the recommended point, in your units, by position, and by name where variables have names: x[0], x["width"]
    fun           the objective there: mean of fresh evaluations; objective.se and objective.interval say how sure
    success       the answer is confirmed feasible and the run was not interrupted
    status        interrupted | infeasible | undecided | stopped | local | converged | budget
    feasibility   confirmed | undecided | infeasible
    message       the status in words, and what the solver chose
    relaxation    where infeasible: which limits, by how much (name, amount, interval)
    doubt         where undecided: the constraint that is least sure to hold (name, probability)
    safe          with safe=: how many evaluations broke the promise (asked, evaluations, broken)
    more_evaluations  where undecided: about how many more would decide; stopped_by: the rule of stop= that ended the run
    nfev          evaluations, the check at the end included (also: evaluations); cost: what they cost, with cost=, else None
    solver, objective (mean, se), constraints (name, mean, se, probability_feasible, multiplier, multiplier_se),
    equalities (name, mean, se, magnitude, interval, tolerance, probability_feasible, multiplier, multiplier_se),
    kkt_residual (mean, se), failed, seconds, seed, version
    failures      how often for which reason; tracebacks: the first one of each reason
    replicates    evaluations at x that the means rest on
    names         of the variables; function_calls: how often each function was asked; trace: the solver's own figures
    run, replayed number of the run in the store, and how many answers came from there
    truth         benchmark problems only: objective, gap and violation without noise
    history       every evaluation of `minimize`: history["objective"] and history["feasible"] (it saw every constraint hold)
    """

    @property
    def history(self):
        return vars(self).get("_history")

    @property
    def maximize(self):
        return vars(self).get("_maximize", False)

    def plot(self, ax=None):
        """Draws evaluations and constraints with matplotlib; returns the axes."""
        from ._show import plot_result
        return plot_result(self, ax)

    def _repr_html_(self):
        from ._show import result_html
        return result_html(self)


_WORDS = {
    "converged": "Converged: what could still be gained is below the error of the objective, with 95 % confidence.",
    "local": "A local optimum, confirmed feasible; others may be better.",
    "budget": "The budget is spent; the answer is confirmed feasible.",
    "stopped": "Stopped by a rule of stop=; the answer is confirmed feasible.",
    "interrupted": "Interrupted; run it again with store= and resume=True to go on.",
    "undecided": "Undecided: whether the answer is feasible cannot be said yet at the confidence asked for.",
    "infeasible": "No candidate is feasible, by the evidence; the problem itself may still have a feasible point.",
}


def _nan(value):
    return math.nan if value is None else value


def _chance(entry):
    """An end that is missing lies beyond all evaluations."""
    if entry is None:
        return None
    lower, upper = entry["lower"], entry["upper"]
    return Chance(_nan(entry["estimate"]), -math.inf if lower is None else lower, math.inf if upper is None else upper)


def _ends(entry):
    """An end that is missing is unbounded."""
    low, high = entry
    return (-math.inf if low is None else low, math.inf if high is None else high)


def _known_ends(entry):
    return tuple(_nan(end) for end in entry)


def _message(door, note):
    """The status in words, and what the solver chose."""
    words = _WORDS[door["status"]]
    doubt, more = door.get("doubt"), door.get("more_evaluations")
    if doubt is not None and door["status"] == "undecided":
        words = words[:-1] + (f": of {doubt['name']!r} too little is known" if doubt["probability"] is None
                              else f": {doubt['name']!r} holds with probability {doubt['probability']:.3g}")
        words += f"; about {more} more evaluations would decide." if more is not None else "."
    return " ".join(filter(None, [words, note]))


def declared_from(entry):
    """The declaration of a constraint in a result's JSON; of a plain name it is the mean beside 0."""
    given = entry.get("declared")
    if given is None:
        return Declared(entry["name"], _nan(entry["mean"]), _ends(entry["interval"]), "<=", 0.0)
    return Declared(given["what"], _nan(given["estimate"]), _ends(given["interval"]), given["relation"], given["limit"])


def result_from(raw, mixture, maximize=False):
    door = json.loads(raw.pop("json"))
    history = raw.pop("history", None)
    raw.pop("largest_batch", None)
    ses = raw.pop("multiplier_se")
    status = door["status"]
    result = Result(
        x=mixture.point(raw.pop("x")),
        fun=_nan(door["objective"]["mean"]),
        success=door["feasibility"] == "confirmed" and status != "interrupted",
        status=status,
        feasibility=door["feasibility"],
        message=_message(door, raw["note"]),
        nfev=door["evaluations"],
        cost=door.get("cost"),
        solver=door["solver"],
        objective=Estimate(_nan(door["objective"]["mean"]), _nan(door["objective"]["se"]), _ends(door["objective"]["interval"])),
        constraints=[ConstraintResult(c["name"], _nan(c["mean"]), _nan(c["se"]), _nan(c["probability_feasible"]),
                                      _nan(c["multiplier"]), se, _chance(c.get("probability")), _chance(c.get("quantile")),
                                      _chance(c.get("cvar")), _ends(c["interval"]), declared_from(c),
                                      _known_ends(c["multiplier_interval"]))
                     for c, se in zip(door["constraints"], ses)],
        equalities=[EqualityResult(h["name"], _nan(h["mean"]), _nan(h["se"]), _nan(h["magnitude"]),
                                   (_nan(h["interval"][0]), _nan(h["interval"][1])), _nan(h["tolerance"]),
                                   _nan(h["probability_feasible"]), _nan(h["multiplier"]), _nan(h["multiplier_se"]))
                    for h in door.get("equalities", [])],
        relaxation=[Relaxation(r["name"], _nan(r["amount"]), _ends(r["interval"])) for r in door.get("relaxation", [])],
        more_evaluations=door.get("more_evaluations"),
        stopped_by=door.get("stopped_by"),
        doubt=Doubt(door["doubt"]["name"], _nan(door["doubt"]["probability"])) if door.get("doubt") else None,
        safe=SafePromise(**door["safe"]) if door.get("safe") else None,
        kkt_residual=Estimate(_nan(door["kkt_residual"]["estimate"]), _nan(door["kkt_residual"]["se"])),
        evaluations=door["evaluations"],
        failed=door["failed"],
        seconds=_nan(door["seconds"]),
        seed=door["seed"],
        version=door["version"],
    )
    result.update(raw)
    vars(result).update(_history=history, _maximize=maximize)
    if "truth" in door:
        result["truth"] = Record({key: _nan(value) for key, value in door["truth"].items()})
    return result
