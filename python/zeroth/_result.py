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
    """Mean and standard error, from fresh looks at the recommended point."""
    mean: float
    se: float


class Chance(NamedTuple):
    """What fresh looks say about a declared probability or quantile, with a 95 % interval that assumes nothing."""
    estimate: float
    lower: float
    upper: float


class ConstraintResult(NamedTuple):
    """A constraint at the recommended point; the multiplier is what relaxing it by one unit is worth.

    Of a constraint on a probability or quantile, `mean` is the probability of being beyond the limit minus what is
    allowed, and `probability` or `quantile` is the declared quantity itself.
    """
    name: str
    mean: float
    se: float
    probability_feasible: float
    multiplier: float
    multiplier_se: float
    probability: Optional[Chance] = None
    quantile: Optional[Chance] = None


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

    x             the recommended point, in your units
    fun           the objective there: mean of fresh looks; objective.se says how sure
    success       a feasible point was found and the run was not interrupted
    status        converged | budget | interrupted | infeasible
    message       the status in words, and what the solver chose
    nfev          evaluations, the check at the end included (also: evaluations)
    solver, objective (mean, se), constraints (name, mean, se, probability_feasible, multiplier, multiplier_se),
    equalities (name, mean, se, magnitude, interval, tolerance, probability_feasible, multiplier, multiplier_se),
    kkt_residual (mean, se), failed, seconds, seed, version
    failures      how often for which reason; tracebacks: the first one of each reason
    replicates    looks at x that the means rest on
    names         of the variables; function_calls: how often each function was asked; trace: the solver's own figures
    run, replayed number of the run in the store, and how many answers came from there
    truth         benchmark problems only: objective, gap and violation without noise
    """


_WORDS = {
    "converged": "Converged: the optimality residual is below 1 % with 95 % confidence.",
    "budget": "The budget is spent; the recommended point is feasible with the confidence asked for.",
    "interrupted": "Interrupted; run it again with store= and resume=True to go on.",
    "infeasible": "No point was found that is feasible with the confidence asked for.",
}


def _nan(value):
    return math.nan if value is None else value


def _chance(entry):
    """An end that is missing lies beyond all looks."""
    if entry is None:
        return None
    lower, upper = entry["lower"], entry["upper"]
    return Chance(_nan(entry["estimate"]), -math.inf if lower is None else lower, math.inf if upper is None else upper)


def result_from(raw):
    door = json.loads(raw.pop("json"))
    ses = raw.pop("multiplier_se")
    status = door["status"]
    result = Result(
        x=raw.pop("x"),
        fun=_nan(door["objective"]["mean"]),
        success=status in ("converged", "budget"),
        status=status,
        message=" ".join(filter(None, [_WORDS[status], raw["note"]])),
        nfev=door["evaluations"],
        solver=door["solver"],
        objective=Estimate(_nan(door["objective"]["mean"]), _nan(door["objective"]["se"])),
        constraints=[ConstraintResult(c["name"], _nan(c["mean"]), _nan(c["se"]), _nan(c["probability_feasible"]),
                                      _nan(c["multiplier"]), se, _chance(c.get("probability")), _chance(c.get("quantile")))
                     for c, se in zip(door["constraints"], ses)],
        equalities=[EqualityResult(h["name"], _nan(h["mean"]), _nan(h["se"]), _nan(h["magnitude"]),
                                   (_nan(h["interval"][0]), _nan(h["interval"][1])), _nan(h["tolerance"]),
                                   _nan(h["probability_feasible"]), _nan(h["multiplier"]), _nan(h["multiplier_se"]))
                    for h in door.get("equalities", [])],
        kkt_residual=Estimate(_nan(door["kkt_residual"]["estimate"]), _nan(door["kkt_residual"]["se"])),
        evaluations=door["evaluations"],
        failed=door["failed"],
        seconds=_nan(door["seconds"]),
        seed=door["seed"],
        version=door["version"],
    )
    result.update(raw)
    if "truth" in door:
        result["truth"] = Record({key: _nan(value) for key, value in door["truth"].items()})
    return result
