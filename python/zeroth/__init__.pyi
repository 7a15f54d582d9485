# SPDX-License-Identifier: MIT
# Written by scripts/generate; do not edit.
"""zeroth optimises what you can only measure: noisy black boxes under noisy constraints."""
import os
from typing import (Any, Callable, Dict, Iterator, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, TypedDict,
                    TypeVar, Union, overload)

import numpy as np
import numpy.typing as npt
from typing_extensions import Unpack

__version__: str
Path = Union[str, "os.PathLike[str]"]
Labels = Union[None, int, Sequence[str]]
Bounds = Union[Sequence[Tuple[Optional[float], Optional[float]]], npt.NDArray[np.float64],
               Mapping[str, Tuple[Optional[float], Optional[float]]], Any]
Value = Union[float, Sequence[Any], npt.NDArray[np.float64], Mapping[str, Any]]
Function = Union[Callable[[npt.NDArray[np.float64], int], Value], Callable[[npt.NDArray[np.float64]], Value]]
T = TypeVar("T")
Each = Union[T, Sequence[T], Mapping[str, T]]


class AutoOptions(TypedDict, total=False):
    """the default: a global model and a search by slopes side by side, compared by fresh evaluations"""
    # share of the evaluations that the side which keeps losing still gets (default 0.0625, [0, 0.5])
    least_share: float
    # share of the evaluations that go into comparing the two sides' recommendations (default 0.05, [0, 0.5])
    compare: float

class AdaptiveConexOptions(TypedDict, total=False):
    """constraint extrapolation that measures what Algorithm 1 must be told; nothing to set"""
    # directions measured between two steps; 0: chosen (default 0, >= 0)
    block: int
    # prox weight in units of the Hessian model's error (default 1, >= 0)
    damping: float
    # constraint margin in standard errors of its level (default 0.5, >= 0)
    caution: float
    # difference radius as a share of the largest that fits X; 0: measured (default 0, >= 0)
    radius: float
    # with more than 2,000 variables: dense waves, orthogonal to each other; or random signs, which cost least
    # (default orthonormal, orthonormal | signs)
    directions: Literal["orthonormal", "signs"]
    # with more than 2,000 variables, how x and the memory of slopes are kept; float: half the memory (default
    # double, double | float)
    precision: Literal["double", "float"]

class ConexOptions(TypedDict, total=False):
    """Algorithm 1 of the paper, literally: SZO-ConEx"""
    # fixed: the sequences below; theorem: those of Theorem 3.1 from the problem's constants; adaptive: from what
    # the run has seen, nothing to set (default fixed, fixed | theorem | adaptive)
    schedule: Literal["fixed", "theorem", "adaptive"]
    # eta_t, the inverse primal step (default 100*t^0.5, > 0)
    eta: Union[float, str]
    # tau_t, the inverse dual step (default 100*t^0.5, > 0)
    tau: Union[float, str]
    # theta_t, the extrapolation; the theory asks for 1 (default 1, >= 0)
    theta: Union[float, str]
    # gamma_t, the weights of the average (default 1, > 0)
    gamma: Union[float, str]
    # smoothing radii: one for all functions, or one each (objective first) (default [0.1], > 0)
    nu: Union[float, Sequence[float]]
    # T; 0: as many as the budget allows (default 0, >= 0)
    iterations: int
    # constraints enter step 3 by their linearisation from the last point; false: by their plain smoothed values
    # (default true)
    linearised: bool
    # step 5 asks only for F_0 + y'F at each point, one number from each party where functions live apart; needs
    # shared_directions, and the linearisation then rests on one direction (default false)
    sums: bool
    # how x is kept; float: half the memory with very many variables, each step rounded to seven digits (default
    # double, double | float)
    precision: Literal["double", "float"]
    # distribution of the directions u; random signs cost least with very many variables (default gaussian,
    # gaussian | signs | sphere | orthonormal)
    directions: Literal["gaussian", "signs", "sphere", "orthonormal"]
    # which points are compared (default forward, forward | central | one-point)
    difference: Literal["forward", "central", "one-point"]
    # directions averaged per estimate (default 1, >= 1)
    batch: int
    # one direction for all functions instead of independent ones as in the paper (default false)
    shared_directions: bool
    # with difference = one-point: subtract a running mean of past values, which costs no evaluation and no bias
    # (default true)
    baseline: bool

class ConexCgOptions(TypedDict, total=False):
    """constraint extrapolation by conditional gradients: no projections, only linear minimisation over X"""
    # tau_t, the inverse dual step (default 1*t^-0.16666666666666666, > 0)
    tau: Union[float, str]
    # smoothing radii: one for all functions, or one each (objective first) (default [0.1], > 0)
    nu: Union[float, Sequence[float]]
    # steps are (offset + 1)/(t + offset): how long the first ones stay short of 1 (default 8, >= 1)
    offset: int
    # distribution of the directions u; random signs cost least with very many variables (default gaussian,
    # gaussian | signs | sphere | orthonormal)
    directions: Literal["gaussian", "signs", "sphere", "orthonormal"]
    # which points are compared (default forward, forward | central | one-point)
    difference: Literal["forward", "central", "one-point"]
    # directions averaged per estimate (default 1, >= 1)
    batch: int
    # one direction for all functions instead of independent ones as in the paper (default false)
    shared_directions: bool
    # with difference = one-point: subtract a running mean of past values, which costs no evaluation and no bias
    # (default true)
    baseline: bool

class ProximalConexOptions(TypedDict, total=False):
    """Algorithm 2 of the paper: proximal points around conex, for nonconvex functions"""
    # outer iterations; the budget is shared equally among them (default 50, >= 1)
    K: int
    # mu_i, one for all functions or one each; empty: L_i/2 if the problem states its constants, else 1 (default
    # [], > 0)
    mu: Union[float, Sequence[float]]
    # which outer iterate is returned: a random one as in the paper, the last, or the best by evaluations (default
    # random, random | last | best)
    pick: Literal["random", "last", "best"]
    # evaluations at each outer iterate when pick = best (default 8, >= 1)
    pick_looks: int
    # fixed: the sequences below; theorem: those of Theorem 3.1 from the problem's constants; adaptive: from what
    # the run has seen, nothing to set (default fixed, fixed | theorem | adaptive)
    schedule: Literal["fixed", "theorem", "adaptive"]
    # eta_t, the inverse primal step (default 100*t^0.5, > 0)
    eta: Union[float, str]
    # tau_t, the inverse dual step (default 100*t^0.5, > 0)
    tau: Union[float, str]
    # theta_t, the extrapolation; the theory asks for 1 (default 1, >= 0)
    theta: Union[float, str]
    # gamma_t, the weights of the average (default 1, > 0)
    gamma: Union[float, str]
    # smoothing radii: one for all functions, or one each (objective first) (default [0.1], > 0)
    nu: Union[float, Sequence[float]]
    # T; 0: as many as the budget allows (default 0, >= 0)
    iterations: int
    # constraints enter step 3 by their linearisation from the last point; false: by their plain smoothed values
    # (default true)
    linearised: bool
    # step 5 asks only for F_0 + y'F at each point, one number from each party where functions live apart; needs
    # shared_directions, and the linearisation then rests on one direction (default false)
    sums: bool
    # how x is kept; float: half the memory with very many variables, each step rounded to seven digits (default
    # double, double | float)
    precision: Literal["double", "float"]
    # distribution of the directions u; random signs cost least with very many variables (default gaussian,
    # gaussian | signs | sphere | orthonormal)
    directions: Literal["gaussian", "signs", "sphere", "orthonormal"]
    # which points are compared (default forward, forward | central | one-point)
    difference: Literal["forward", "central", "one-point"]
    # directions averaged per estimate (default 1, >= 1)
    batch: int
    # one direction for all functions instead of independent ones as in the paper (default false)
    shared_directions: bool
    # with difference = one-point: subtract a running mean of past values, which costs no evaluation and no bias
    # (default true)
    baseline: bool

class TrustBoOptions(TypedDict, total=False):
    """Bayesian, for noise and any budget: warped processes over replicated sites, safe recommendation"""
    # posterior probability of each constraint at the points that are replicated (default 0.95, [0.5, 0.9999])
    safety: float
    # share of evaluations spent at the model's cautious optimum (default 0.35, [0, 1])
    replicate: float

class AlboOptions(TypedDict, total=False):
    """Bayesian, augmented Lagrangian of Gaussian processes"""
    # random candidates per step; 0: as many as there are evaluations, as laGP has it (default 1000, >= 0)
    candidates: int
    # evaluations between two fits of the length scales (default 10, >= 1)
    refit_every: int
    # first penalty parameter; 0: from the initial design (default 0, >= 0)
    rho: float
    # noise variance relative to the scale, when noise = own (default 1e-06, > 0)
    nugget: float
    # own: interpolate with the fixed nugget and trust single evaluations, as published; estimated: fit the
    # nugget, and rank data by posterior means (default own, own | estimated)
    noise: Literal["own", "estimated"]
    # Monte Carlo draws of the composite (default 1000, >= 1)
    draws: int
    # paper: rho is halved when the best point is infeasible; lagp: when any |c_j| there exceeds the equality
    # tolerance, as laGP 1.5-9 has it (default paper, paper | lagp)
    penalty_rule: Literal["paper", "lagp"]

class SlackAlOptions(TypedDict, total=False):
    """Bayesian, augmented Lagrangian with slacks, exact improvement"""
    # random candidates per step; 0: as many as there are evaluations, as laGP has it (default 1000, >= 0)
    candidates: int
    # evaluations between two fits of the length scales (default 10, >= 1)
    refit_every: int
    # first penalty parameter; 0: from the initial design (default 0, >= 0)
    rho: float
    # noise variance relative to the scale, when noise = own (default 1e-06, > 0)
    nugget: float
    # own: interpolate with the fixed nugget and trust single evaluations, as published; estimated: fit the
    # nugget, and rank data by posterior means (default own, own | estimated)
    noise: Literal["own", "estimated"]
    # refine the best candidate by L-BFGS on the improvement (default true)
    local_search: bool

class AdmmboOptions(TypedDict, total=False):
    """Bayesian, objective and constraints apart, joined by ADMM"""
    # penalty on x - z, in the variables' own units (default 0.1, > 0)
    rho: float
    # price of an infeasible copy (default 20, > 0)
    M: float
    # evaluations of the objective in the first iteration (default 10, >= 1)
    first_f: int
    # evaluations of each constraint in the first iteration (default 20, >= 1)
    first_c: int
    # evaluations of the objective in later iterations (default 2, >= 1)
    later_f: int
    # evaluations of each constraint in later iterations (default 2, >= 1)
    later_c: int
    # points on which an acquisition is scanned before it is refined (default 2000, >= 10)
    grid: int
    # ask one function at a time; otherwise every evaluation asks and uses all of them (default true)
    decoupled: bool
    # violation that a recommended point may show (default 0, >= 0)
    tolerance: float
    # own: noise levels by maximum likelihood, evaluations compared as they are; estimated: posterior means
    # compared (default own, own | estimated)
    noise: Literal["own", "estimated"]

class PescOptions(TypedDict, total=False):
    """Bayesian, predictive entropy search with constraints"""
    # draws of hyperparameters, each with one draw of the minimiser (default 10, >= 1)
    samples: int
    # sweeps of the slice sampler before the kept ones (default 20, >= 0)
    burn_in: int
    # random features of a sampled function (default 500, >= 10)
    features: int
    # points on which functions are scanned before they are refined (default 1000, >= 10)
    grid: int
    # a recommended point meets every constraint with probability 1 - delta (default 0.01, [1e-06, 0.5])
    delta: float
    # ask only the function that tells most about the minimiser (default false)
    decoupled: bool
    # own: noise variances are sampled with the other hyperparameters; none: exact functions (default own, own |
    # none)
    noise: Literal["own", "none"]

class RandomOptions(TypedDict, total=False):
    """uniform points of X; keeps the best that seemed feasible"""
    # points asked at once; 0: as many as the engine is wide (default 0, >= 0)
    batch: int

class SobolOptions(TypedDict, total=False):
    """a shifted Sobol sequence; keeps the best that seemed feasible"""
    # points asked at once; 0: as many as the engine is wide (default 0, >= 0)
    batch: int

class Record(Dict[str, Any]):
    def __getattr__(self, name: str) -> Any: ...


class Point:
    """A point by position and by name: x[0], x["kernel"], x.get("degree", 3), dict(x), "degree" in x, list(x).

    A variable that does not apply is not among the names (x["degree"] raises KeyError) and None by position.
    """
    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None: ...
    def __getitem__(self, key: Union[int, str]) -> Any: ...
    def get(self, key: str, default: Any = None) -> Any: ...
    def keys(self) -> List[str]: ...
    def values(self) -> List[Any]: ...
    def items(self) -> List[Tuple[str, Any]]: ...
    def __contains__(self, key: object) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...


class NamedArray(npt.NDArray[np.float64]):
    """An array whose entries have names as well as positions: x[0], x["width"], dict(x)."""
    def __getitem__(self, key: Any) -> Any: ...
    def keys(self) -> List[str]: ...
    def items(self) -> List[Tuple[str, float]]: ...
    def get(self, key: str, default: Any = None) -> Any: ...


class Estimate(NamedTuple):
    """Mean and standard error of fresh evaluations at the recommended point; the interval is 95 % and anytime-valid."""
    mean: float
    se: float
    interval: Optional[Tuple] = ...

class Chance(NamedTuple):
    """What fresh evaluations say about a declared probability, quantile or CVaR, with a 95 % interval; the first two assume nothing."""
    estimate: float
    lower: float
    upper: float

class Declared(NamedTuple):
    """A constraint in the units of its declaration: of "mean(noise) <= 70" the mean of the noise beside 70, of
    "probability(wait <= 3) >= 0.95" the probability beside 0.95, of a plain name its mean beside 0.
    """
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
    probability: Optional[Chance] = ...
    quantile: Optional[Chance] = ...
    cvar: Optional[Chance] = ...
    interval: Tuple[float, float]
    declared: Optional[Declared] = ...

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

class Question(NamedTuple):
    """A point to evaluate (in your units) and the seed that should name all randomness of the evaluation; `number` is its position in the run,
    `wanted` the names of the functions that are asked for (with `cost=` not always all).
    """
    x: npt.NDArray[np.float64]
    seed: int
    number: int
    wanted: tuple

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Result(Record):
    """What a run ends with. scipy's names, and those of `zeroth solve --json`.

    x             the recommended point, in your units, by position, and by name where variables have names: x[0], x["width"]
    fun           the objective there: mean of fresh evaluations; objective.se and objective.interval say how sure
    success       the answer is confirmed feasible and the run was not interrupted
    status        interrupted | infeasible | undecided | stopped | local | converged | budget
    feasibility   confirmed | undecided | infeasible
    message       the status in words, and what the solver chose
    relaxation    where infeasible: which limits, by how much (name, amount, interval)
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
    x: Array
    fun: float
    success: bool
    status: str
    message: str
    nfev: int
    cost: Optional[float]
    solver: str
    objective: Estimate
    constraints: List[ConstraintResult]
    equalities: List[EqualityResult]
    kkt_residual: Estimate
    evaluations: int
    failed: int
    seconds: float
    seed: int
    version: str
    names: List[str]
    note: str
    failures: Dict[str, int]
    tracebacks: Dict[str, str]
    replicates: int
    function_calls: List[int]
    trace: Dict[str, float]
    run: Optional[int]
    replayed: int
    @property
    def history(self) -> Optional[Dict[str, Any]]: ...
    @property
    def maximize(self) -> bool: ...
    def plot(self, ax: Any = None) -> Any: ...
    def _repr_html_(self) -> str: ...

class Recommendation(Record):
    """x: what the solver would answer now; multipliers, note and trace: what it knows beside it."""
    x: Array
    multipliers: Array
    note: str
    trace: Dict[str, float]

class Run(Record):
    """A run in a store: id, name, solver, seed, budget, status, result (dict or None), names of variables, constraints
    and equalities, started, finished, version, document (the problem file's text), ...
    """
    id: int
    name: str
    solver: str
    seed: int
    budget: int
    dimension: int
    functions: int
    maximize: bool
    names: Record
    version: str
    started: str
    finished: str
    status: str
    result: Optional[Dict[str, Any]]
    continues: int
    file: str
    document: str
    def plot(self, ax: Any = None) -> Any: ...
    def _repr_html_(self) -> str: ...

class Answers(Record):
    """Every evaluation of a run, a numpy array per column, in the order of proposal.

    number, x (rows are points; None above 1000 variables; where a variable has texts as values, their numbers in
    run.names.values; NaN where a variable does not apply), seed, objective, constraints, equalities (NaN where it
    failed), failure and traceback (None where it did not), seconds, worker, attempts
    """
    number: IntArray
    x: Optional[Array]
    seed: npt.NDArray[np.uint64]
    objective: Array
    constraints: Array
    equalities: Array
    failure: npt.NDArray[np.object_]
    traceback: npt.NDArray[np.object_]
    seconds: Array
    worker: IntArray
    attempts: IntArray

class Trace(Record):
    """The recommendation over time: evaluations, x, multipliers (rows), figures (a list of dicts)."""
    evaluations: IntArray
    x: Array
    multipliers: Array
    figures: List[Dict[str, float]]

class Problem:
    """What is to be optimised: a function, its variables, its constraints. `minimize` and `Search` take one.

    Problem(fun, bounds, ...)     a Python function; the keywords are those of `minimize`
    Problem.from_file(path)       a problem file, whatever language its evaluator is written in
    Problem.builtin(name, ...)    a benchmark with known answer; see `problems()`

    Attributes: name, dimension, names (of the variables; empty if they have none), constraints, equalities (names),
    direction, document (the text of the problem file that describes it).
    """
    name: str
    dimension: int
    names: List[str]
    constraints: List[str]
    equalities: List[str]
    direction: str
    document: str
    def __init__(self, fun: Optional[Function], bounds: Bounds, *, constraints: Labels = 0, equalities: Labels = 0,
        names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary", "categorical",
        "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start: Optional[Each[Any]] = None,
        set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants: Optional[Dict[str, Any]] = None,
        direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool = False, name: Optional[str] =
        None, timeout: float = 0.0, retries: int = 0, equality_tolerance: Union[None, float, Sequence[float]] = None,
        linear: Any = None, known: Union[None, str, Callable[..., Any], Sequence[Any]] = None, spread:
        Optional[Each[float]] = None, seed_bits: Optional[int] = None, objective: Optional[str] = None, when:
        Optional[Dict[str, str]] = None, cost: Optional[Mapping[str, float]] = None) -> None: ...
    @classmethod
    def from_file(cls, path: Path) -> Problem: ...
    @classmethod
    def builtin(cls, name: str, **options: Any) -> Problem: ...
    def minimize(self, **keywords: Any) -> Result: ...

@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Optional[Literal["auto"]] =
        None, budget: Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag:
        Optional[int] = None, check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any =
        1, store: Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]],
        Optional[bool]]] = None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None,
        known: Union[None, str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None,
        seed_bits: Optional[int] = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost:
        Optional[Mapping[str, float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop:
        Optional[Mapping[str, float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str,
        Any]] = None, **options: Unpack[AutoOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["adaptive-conex"],
        budget: Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] =
        None, check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[AdaptiveConexOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["conex"], budget:
        Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] = None,
        check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[ConexOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["conex-cg"],
        budget: Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] =
        None, check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[ConexCgOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["proximal-conex"],
        budget: Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] =
        None, check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[ProximalConexOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["trust-bo"],
        budget: Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] =
        None, check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[TrustBoOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["albo"], budget:
        Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] = None,
        check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[AlboOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["slack-al"],
        budget: Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] =
        None, check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[SlackAlOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["admmbo"], budget:
        Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] = None,
        check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[AdmmboOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["pesc"], budget:
        Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] = None,
        check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[PescOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["random"], budget:
        Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] = None,
        check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[RandomOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Literal["sobol"], budget:
        Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] = None,
        check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Unpack[SobolOptions]) -> Result: ...
@overload
def minimize(fun: Union[Problem, Function], bounds: Optional[Bounds] = None, *, constraints: Labels = 0, equalities:
        Labels = 0, names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary",
        "categorical", "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start:
        Optional[Each[Any]] = None, set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants:
        Optional[Dict[str, Any]] = None, direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool =
        False, name: Optional[str] = None, timeout: float = 0.0, retries: int = 0, solver: Optional[str] = None,
        budget: Optional[int] = None, seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] =
        None, check_share: Optional[float] = None, confidence: Optional[float] = None, workers: Any = 1, store:
        Optional[Path] = None, resume: bool = False, callback: Optional[Callable[[Dict[str, Any]], Optional[bool]]] =
        None, equality_tolerance: Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None,
        str, Callable[..., Any], Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int]
        = None, objective: Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str,
        float]] = None, points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str,
        float]] = None, progress: Optional[bool] = None, solver_options: Optional[Dict[str, Any]] = None, **options:
        Any) -> Result:
    """Minimises E[objective] over a box subject to E[constraint] <= 0, from noisy evaluations alone.

    Parameters
    ----------
    fun
        `fun(x, seed)` or `fun(x)`, or a `Problem`. `x` is a fresh numpy array in your units: keep or change it as you like.
        `seed` is an integer below 2**53 that should name all randomness of the evaluation (see `common_noise`). Returns
        `(objective, constraints)` or `(objective, constraints, equalities)`, one flat sequence of all values, a dict
        `{"objective": ..., name: ...}`, or a plain number if there are no constraints. An exception is a failed
        evaluation: counted, told to the solver as a failure, its traceback kept.
    bounds
        a (lower, upper) pair for each variable, in a sequence, an array, a dict by name, or scipy's Bounds; or a list of
        values, as in {"kernel": ["rbf", "poly"], "C": (1e-3, 1e3)}. Nothing else is ever evaluated. With values or `when`, `fun`
        gets a `Point`: x["kernel"], x[0], dict(x).
    constraints, equalities
        how many, or their names. Feasible: expected value <= 0, or = 0. A constraint can also say what it means:
        "mean(wait) <= 3", "probability(wait <= 3) >= 0.95", "quantile(wait, 0.9) <= 3", "cvar(wait, 0.9) <= 3"; `fun` returns
        `wait` once.
    objective
        what of the objective is minimised: "cvar(cost, 0.9)" is the mean of the worst tenth; constraints may be about `cost`, too.
    equality_tolerance
        within which an equality counts as met in the checked answer, one for all or one each; None: 1 % of the largest
        value seen, and not below what the check's evaluations can tell from zero.
    names
        of the variables; or give `bounds` as a dict.
    type, scale, start
        "real", "integer", "binary", "categorical" or "ordinal" (values in order); "linear" or "log"; where to begin. One for all, one each, or a dict by name.
    linear
        known limits that no evaluation ever violates: texts such as "x1 + x2 <= 10", "x1 <= 2*x2", "a + b + c = 1" (variables
        without names are x0, x1, ...), or scipy's LinearConstraint; several in a list.
    known
        known limits of any other form, cheap and exact: texts such as "x1*x2 <= 4" (+ - * / ^, sqrt, exp, log, abs, min, max), or
        functions of x that are <= 0 where x is allowed; several in a list.
    spread
        of a variable without bounds (None or infinite), which needs a `start`: how far is far.
    when
        for some variables, where they apply: {"degree": "kernel == 'poly'"}; elsewhere they are neither searched nor handed over.
    cost
        what each function costs, such as {"objective": 100, "c1": 1}; `budget` is then in these units. `fun(x, seed, wanted)` gets the
        names of the functions that are asked for, and may return None for the others (or leave them out of a dict). Cheap
        constraints are asked first; where one surely fails, what is dearer is not asked.
    seed_bits
        seeds are below 2**seed_bits; default 53.
    points
        to evaluate first, in this order: sequences or dicts by name.
    evaluated
        earlier evaluations, known from the start and not part of the budget: dicts or a DataFrame with the variables (or "x"),
        "objective", the constraints by name (or "constraints"), and optionally "se", NAME_se and "n".
    stop
        rules that end the run before the budget does, whichever holds first: a dict with objective_halfwidth, probability,
        seconds, evaluations_without_progress, expected_improvement. The result says which: `stopped_by`.
    set
        known structure beyond bounds: `{"type": "simplex"}`, "ball", "l1_ball" or "halfspace"; several in a list.
    constants
        of the theorem, for solver="conex", schedule="theorem".
    direction
        "minimize" or "maximize".
    common_noise
        True if the same x and seed always give the same values: solvers then cancel noise.
    name
        of the problem in the store, by which resume=True finds its run; default: the function's qualified name.
    timeout, retries
        seconds for one evaluation (it then runs in a process of its own, which is killed), and further attempts.
    solver
        default "auto"; `zeroth.solvers()` lists them.
    budget: integer, default 1000, >= 1
        evaluations of the whole vector (f0, f1..fm) at one point; with [cost] in its units
    seed: integer, default 1, >= 0
        names all randomness of the run
    width: integer, default 1, >= 1
        points the solver may propose at a time; part of the run, so that any number of workers gives the same run
    lag: integer, default 0, >= 0
        how many later points may be proposed before the oldest open one is answered; part of the run like the width
    carried: integer, default 0, >= 0
        evaluations of the run that this one continues: they count toward the budget; with [cost] what they cost
    check_share: number, default 0.1, [0, 1]
        share of the budget kept at least for fresh evaluations of the candidates for the answer
    confidence: number, default 0.95, [0, 1]
        probability of holding, or of not holding, from which a constraint is said to do so
    workers
        processes that evaluate, forked from this one (any function will do, nothing is pickled); -1: all cores. Or workers of your own: any
        concurrent.futures.Executor (process pools, mpi4py.futures), a Dask `Client`, a joblib.Parallel, a Ray ActorPool (its actors have a method
        evaluate(x, seed)) or the module ray. The run is the same bit for bit for any of them. A solver that proposes one point at a time gives them
        nothing to share: see `width` and `lag`.
    store, resume
        an SQLite file that keeps every answer; without it nothing is written. resume=True goes on with the unfinished
        run of this name, if it was declared alike (an Error says what differs), or begins one; where the store has only runs
        of other names, a RuntimeWarning says so.
    progress
        True: a bar in a terminal, one line of HTML in a notebook, a line now and then elsewhere; False: nothing; None: the bar
        if stderr is a terminal.
    callback
        called after each batch with a dict whose entries are attributes, too: objective, constraints, equalities (of the last
        evaluation; None if it failed, and failure says why), incumbent (the point recommended now; also x), best (objective of the
        best evaluation that saw every constraint hold), evaluations, failed, spent, budget, time (seconds; also seconds), checking;
        returning True stops.
    solver_options, **options
        the solver's own: `zeroth.describe(solver)` lists them with ranges and defaults. The dict is for those whose name
        means something else here, such as `start`, the size of a Bayesian solver's first design.

    Returns
    -------
    Result
        with scipy's names (x, fun, success, status, message, nfev) and the checked answer; see `zeroth.Result`.

    Raises
    ------
    TypeError, ValueError
        naming the argument.
    EvaluationsFailed
        if every one of the first 20 evaluations failed.
    Interrupted
        a KeyboardInterrupt, after the evaluations under way have finished; its `result` is what was known.
    """
    ...

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
    problem: Problem
    def __init__(self, problem: Union[Problem, Bounds], *, solver: Optional[str] = None, budget: Optional[int] = None,
        seed: Optional[int] = None, width: Optional[int] = None, lag: Optional[int] = None, check_share:
        Optional[float] = None, confidence: Optional[float] = None, constraints: Labels = 0, equalities: Labels = 0,
        names: Optional[Sequence[str]] = None, type: Each[Literal["real", "integer", "binary", "categorical",
        "ordinal"]] = "real", scale: Each[Literal["linear", "log"]] = "linear", start: Optional[Each[Any]] = None,
        set: Union[None, Dict[str, Any], Sequence[Dict[str, Any]]] = None, constants: Optional[Dict[str, Any]] = None,
        direction: Literal["minimize", "maximize"] = "minimize", common_noise: bool = False, equality_tolerance:
        Union[None, float, Sequence[float]] = None, linear: Any = None, known: Union[None, str, Callable[..., Any],
        Sequence[Any]] = None, spread: Optional[Each[float]] = None, seed_bits: Optional[int] = None, objective:
        Optional[str] = None, when: Optional[Dict[str, str]] = None, cost: Optional[Mapping[str, float]] = None,
        points: Optional[Sequence[Any]] = None, evaluated: Any = None, stop: Optional[Mapping[str, float]] = None,
        solver_options: Optional[Dict[str, Any]] = None, **options: Any) -> None: ...
    @property
    def done(self) -> bool: ...
    @property
    def checking(self) -> bool: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def failed(self) -> int: ...
    def ask(self) -> List[Question]:
        """The questions that wait for answers: a list of (x, seed), the same until told; empty when done."""
    @overload
    def tell(self, answers: Sequence[Union[Value, None, BaseException]]) -> None: ...
    @overload
    def tell(self, answers: Question, answer: Union[Value, None, BaseException]) -> None:
        """One answer for each question, in their order: what `fun` may return, or None or an exception if it failed.

        Or tell(question, answer): a single one, in any order. New questions come as soon as what they depend on is known: with `lag=` before
        all of the others are answered.
        """
    def recommend(self) -> Recommendation: ...
    def result(self) -> Result: ...

class Store:
    """Runs and their answers, read from the file that `store=` or `zeroth solve` has written.

    >>> store = zeroth.Store("zeroth.db")                                  # doctest: +SKIP
    >>> store.runs()[-1].status, store.answers().objective.mean()          # doctest: +SKIP
    """
    path: str
    def __init__(self, path: Path = "zeroth.db") -> None: ...
    def runs(self) -> List[Run]: ...
    def run(self, id: Optional[int] = None) -> Run: ...
    def answers(self, run: Optional[int] = None) -> Answers: ...
    def trace(self, run: Optional[int] = None) -> Trace: ...
    def frame(self, run: Optional[int] = None) -> Any: ...

def solvers() -> List[Dict[str, Any]]: ...
def problems() -> List[Dict[str, Any]]: ...
def describe(name: str) -> str: ...
def reproduce(name: str, *, trials: int = 0, full: bool = False, smoke: bool = False, jobs: int = 0,
              out: Path = ".", progress: Optional[Callable[[str], Any]] = None) -> str:
    """Runs an experiment of the paper again: `zeroth reproduce NAME`. Returns its table as text.

    name      rates, qcqp-convex, ..., as `zeroth reproduce --help` lists them
    trials    repetitions with different seeds; 0: the study's own default
    full      further than the default affords (hours);  smoke: a version of seconds
    jobs      trials at the same time; 0: as many as there are cores
    out       directory for CSV and figures
    progress  called with a line of text now and then; print will do
    """

class Error(ValueError): ...
class EvaluationsFailed(RuntimeError): ...
class ReplayDiverged(RuntimeError): ...
class StoreError(RuntimeError): ...
class WorkersLost(RuntimeError):
    """The workers are gone as a whole (a broken pool, a scheduler that died): no evaluation failed, and the run can be resumed."""

class Interrupted(KeyboardInterrupt):
    """Ctrl-C during `minimize`. `result` is what the run knew; with store= it can be resumed."""
    result: Result
