# SPDX-License-Identifier: MIT
import contextlib
import os
import signal
import sys
import threading
import warnings

from . import _arguments as check
from . import _zeroth
from ._catalog import option_lines, solver_overrides
from ._document import literal
from ._executors import pool_for
from ._problem import Problem, complaint
from ._progress import progress_for
from ._result import Record, result_from


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during `minimize`. `result` is what the run knew; with store= it can be resumed."""

    def __init__(self, result):
        super().__init__("interrupted after %d evaluations" % result.evaluations)
        self.result = result


@contextlib.contextmanager
def _ctrl_c(interrupts):
    """The first Ctrl-C asks the run to finish what is under way, the second ends it at once."""
    ours = (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    hits = []
    if not ours:
        yield hits
        return

    def handler(number, frame):
        hits.append(number)
        if len(hits) > 1:
            raise KeyboardInterrupt
        interrupts.request()
        with contextlib.suppress(OSError, ValueError, AttributeError):  # a terminal that is gone, a closed stream
            if sys.stderr.isatty():
                sys.stderr.write("\nzeroth: finishing what is under way; Ctrl-C again to stop at once\n")

    signal.signal(signal.SIGINT, handler)
    try:
        yield hits
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _workers(value):
    count = check.whole("workers", value)
    if count == -1:
        return os.cpu_count() or 1
    if count < 1:
        raise ValueError(f"workers must be at least 1, or -1 for all cores, not {count}")
    return count


def run_settings(function, problem, solver, budget, seed, width, lag, check_share, confidence, options):
    settings = {
        "name": solver,
        "budget": None if budget is None else check.whole("budget", budget, 1),
        "seed": None if seed is None else check.whole("seed", seed, 0),
        "width": None if width is None else check.whole("width", width, 1),
        "lag": None if lag is None else check.whole("lag", lag, 0),
        "check_share": None if check_share is None else check.number("check_share", check_share),
        "confidence": None if confidence is None else check.number("confidence", confidence),
    }
    if settings["name"] is None:
        settings["name"] = problem.resolve([])["solver"]
    overrides = solver_overrides(function, settings, options)
    if solver is None:
        overrides = [entry for entry in overrides if entry[0] != "name"]
    problem.resolve(overrides)  # complains before anything is started
    return overrides


_RULES = ("objective_halfwidth", "probability", "seconds", "evaluations_without_progress", "expected_improvement")


def stop_rules(problem, overrides, stop):
    """The rules of stop= as keys of [stop]."""
    if stop is None:
        return []
    if not isinstance(stop, dict):
        raise TypeError(f"stop must be a dict of rules ({', '.join(_RULES)}), not {stop!r}")
    for rule in stop:
        if rule not in _RULES:
            raise TypeError(f"stop has no rule {rule!r}; there are: {', '.join(_RULES)}")
    found = [(f"stop[{rule!r}]", f"stop.{rule}={literal(rule, value)}") for rule, value in stop.items()]
    problem.resolve(overrides + found)  # complains before anything is started
    return found


def earlier(problem, overrides, points, evaluated):
    """Points to try first and earlier evaluations, as keys of the problem."""
    found = []
    values = [("objective", None, 0)] + [(key, "constraints", i) for i, key in enumerate(problem._values)]
    values += [(key, "equalities", i) for i, key in enumerate(problem.equalities)]
    for key, rows in (("points", check.points(points, problem.names, problem.dimension, problem.mixture)),
                      ("evaluated", check.evaluated(evaluated, problem.names, problem.dimension, values,
                                                    problem.mixture, problem.partial))):
        if rows:
            found.append((key, f"problem.{key}=[" + ",".join(repr(float(entry)) for entry in rows) + "]"))
    if found:
        problem.resolve(overrides + found)  # complains before anything is started
    return found


def _told(callback, problem):
    """The callback, which sees points as the function does, and the last evaluation by its parts."""
    if callback is None:
        return None
    m = len(problem._values)

    def tell(state):
        values = state.pop("values")
        point = problem.mixture.point(state["x"])
        state.update(x=point, incumbent=point, time=state["seconds"],
                     objective=None if values is None else values[0], constraints=None if values is None else values[1:1 + m],
                     equalities=None if values is None else values[1 + m:])
        return callback(Record(state))
    return tell


def _both(shown, callback):
    """The progress line and the user's callback as one."""
    if shown is None or callback is None:
        return shown or callback

    def tell(state):
        shown(state)
        return callback(state)
    return tell


def _mention(words, stacklevel):
    """A warning; where stderr is closed nobody hears it, which is no reason to lose a result."""
    with contextlib.suppress(OSError, ValueError):
        warnings.warn(words, RuntimeWarning, stacklevel=stacklevel + 1)


def _warn(words):
    _mention(words + ": name= says which (default: the function's qualified name)", 4)


def _idle_workers(solver, asked, workers):
    """The same note as `zeroth solve --jobs` gives."""
    if 0 < asked < workers:
        _mention(f"{solver!r} asked for at most {asked} evaluations at a time, so {workers - asked} of {workers} workers had "
                 f"nothing to do; width={workers} lets it ask for more", 3)


def merged_options(solver_options, options):
    if solver_options is None:
        return options
    if not isinstance(solver_options, dict):
        raise TypeError(f"solver_options must be a dict, not {solver_options!r}")
    twice = [name for name in solver_options if name in options]
    if twice:
        raise TypeError(f"{twice[0]} is given twice: as a keyword and in solver_options")
    return {**solver_options, **options}


def minimize(fun, bounds=None, *, constraints=0, equalities=0, names=None, type="real", scale="linear", start=None,
             set=None, constants=None, direction="minimize", common_noise=False, name=None, timeout=0.0, retries=0,
             solver=None, budget=None, seed=None, width=None, lag=None, check_share=None, confidence=None, workers=1, store=None,
             resume=False, callback=None, equality_tolerance=None, linear=None, known=None, spread=None,
             seed_bits=None, objective=None, when=None, cost=None, points=None, evaluated=None, stop=None,
             progress=None, solver_options=None, **options):
    if isinstance(fun, Problem):
        problem = fun
        if bounds is not None:
            raise TypeError("bounds belongs to the Problem already")
        given = dict(constraints=(constraints, 0), equalities=(equalities, 0), names=(names, None), type=(type, "real"),
                     scale=(scale, "linear"), start=(start, None), set=(set, None), constants=(constants, None),
                     direction=(direction, "minimize"), common_noise=(common_noise, False), name=(name, None),
                     timeout=(timeout, 0.0), retries=(retries, 0), equality_tolerance=(equality_tolerance, None),
                     linear=(linear, None), known=(known, None), spread=(spread, None), seed_bits=(seed_bits, None),
                     objective=(objective, None), when=(when, None), cost=(cost, None))
        for key, (value, default) in given.items():
            if value is not default and not (isinstance(value, (int, float, str)) and value == default):
                raise TypeError(f"{key} belongs to the Problem already")
    else:
        if bounds is None:
            if cost is None:
                check.takes_seed(fun)
            raise TypeError("bounds is missing: give a (lower, upper) pair for each variable")
        problem = Problem(fun, bounds, constraints=constraints, equalities=equalities, names=names, type=type,
                          scale=scale, start=start, set=set, constants=constants, direction=direction,
                          common_noise=common_noise, name=name, timeout=timeout, retries=retries,
                          equality_tolerance=equality_tolerance, linear=linear, known=known, spread=spread,
                          seed_bits=seed_bits, objective=objective, when=when, cost=cost)
    if problem.from_python and problem.fun is None:
        raise TypeError("fun is missing: this Problem was made for Search, which evaluates nothing itself")
    overrides = run_settings("minimize", problem, solver, budget, seed, width, lag, check_share, confidence,
                             merged_options(solver_options, options))
    overrides = overrides + earlier(problem, overrides, points, evaluated)
    overrides = overrides + stop_rules(problem, overrides, stop)
    pool = pool_for(workers)
    count = _workers(workers) if pool is None else 1
    if pool is not None and not problem.from_python:
        raise TypeError("workers must be a number for a problem whose evaluator is a program; executors call Python functions")
    if pool is not None and timeout:
        raise ValueError("timeout cannot be kept on workers of others: they have limits of their own")
    if check.flag("resume", resume) and store is None:
        raise ValueError("resume needs store=: without one nothing is kept that could be resumed")
    if store is not None:
        store = os.fspath(store)
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable, not {callback!r}")

    interrupts = _zeroth.Interrupts()
    shown = progress_for(None if progress is None else check.flag("progress", progress))
    with _ctrl_c(interrupts) as hits:
        try:
            raw = _zeroth.solve(problem.document, problem.file, overrides, problem.mixture.wrapped(problem.fun),
                                problem.takes_seed, count, store, resume, interrupts, _told(_both(shown, callback), problem),
                                problem.known, pool, _warn)
        except _zeroth.Error as error:
            raise complaint(error) from None
        finally:
            if shown is not None:
                shown.end()
    asked = raw["largest_batch"]
    result = result_from(raw, problem.mixture, problem.direction == "maximize")
    _idle_workers(result.solver, asked, count if pool is None else pool.width())
    try:
        interrupts.rethrow()
    except KeyboardInterrupt as why:
        raise Interrupted(result) from why
    if hits and result.status == "interrupted":
        raise Interrupted(result)
    return result


minimize.__doc__ = """Minimises E[objective] over a box subject to E[constraint] <= 0, from noisy evaluations alone.

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
{run_options}
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
""".replace("{run_options}", "\n".join(
    line for option in _zeroth.run_options() if option["name"] != "name"
    for line in option_lines([option], "")))
