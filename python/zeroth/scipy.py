# SPDX-License-Identifier: MIT
"""zeroth as a method of scipy's minimize, for functions that answer with noise.

>>> from scipy.optimize import minimize                                                     # doctest: +SKIP
>>> minimize(fun, x0, bounds=bounds, method=zeroth.scipy.method, options={"budget": 500})   # doctest: +SKIP
"""
import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint, OptimizeResult

from ._minimize import minimize

__all__ = ["method"]


class _Rows:
    """What scipy calls constraints, as values that must be <= 0 or = 0."""

    def __init__(self, constraints, args):
        self.args, self.linear, self.functions, self.x = args, [], [], None
        for one in [constraints] if isinstance(constraints, (dict, LinearConstraint, NonlinearConstraint)) else constraints or []:
            if isinstance(one, LinearConstraint):
                self.linear.append(one)
            elif isinstance(one, NonlinearConstraint):
                self.functions.append((one.fun, (), one.lb, one.ub))
            elif isinstance(one, dict) and one.get("type") in ("ineq", "eq") and callable(one.get("fun")):
                upper = 0.0 if one["type"] == "eq" else np.inf
                self.functions.append((one["fun"], tuple(one.get("args", ())), 0.0, upper))
            else:
                raise TypeError("constraints must be LinearConstraint, NonlinearConstraint or dicts with type and fun, "
                                f"not {one!r}")

    def at(self, x):
        """(values that must be <= 0, values that must be 0)"""
        limits, equal = [], []
        for fun, args, lower, upper in self.functions:
            values = np.atleast_1d(np.asarray(fun(x, *args), dtype=float))
            for value, low, high in zip(values, np.broadcast_to(lower, values.shape), np.broadcast_to(upper, values.shape)):
                if low == high:
                    equal.append(value - low)
                    continue
                if np.isfinite(high):
                    limits.append(value - high)
                if np.isfinite(low):
                    limits.append(low - value)
        return limits, equal


def method(fun, x0, args=(), *, bounds=None, constraints=(), callback=None, jac=None, hess=None, hessp=None,
           **options):
    """A method for `scipy.optimize.minimize(fun, x0, method=zeroth.scipy.method, bounds=..., options={...})`.

    `options` are keywords of `zeroth.minimize` (budget, seed, workers, solver, store, ...). LinearConstraint is a known limit
    that no evaluation violates; NonlinearConstraint and dicts are evaluated beside `fun`, with noise or without, and hold in
    expectation. Variables without bounds are searched around x0. Derivatives are not used. `callback(x)` gets the point
    recommended after each batch; `callback(intermediate_result=...)` gets an OptimizeResult. Returns scipy's OptimizeResult
    with what `zeroth.Result` has: objective.se, constraints, feasibility, ...
    """
    x0 = np.atleast_1d(np.asarray(x0, dtype=float))
    if bounds is None:
        pairs = [(None, None)] * len(x0)
    elif hasattr(bounds, "lb"):
        pairs = list(zip(np.broadcast_to(bounds.lb, x0.shape), np.broadcast_to(bounds.ub, x0.shape)))
    else:
        pairs = [tuple(pair) for pair in bounds]
    for name in ("tol", "disp", "return_all"):  # scipy's own, without a meaning here
        options.pop(name, None)
    if "maxiter" in options:
        options.setdefault("budget", options.pop("maxiter"))
    rows = _Rows(constraints, args)
    limits, equal = rows.at(x0)

    def evaluate(x):
        values = rows.at(x)
        return float(np.squeeze(fun(np.asarray(x), *args))), values[0], values[1]

    def told(state):
        if state["x"] is None:
            return None
        if _takes_result(callback):
            return callback(intermediate_result=OptimizeResult(x=state["x"], fun=state["best"], nfev=state["evaluations"]))
        return callback(np.asarray(state["x"]))

    answer = minimize(evaluate, pairs, constraints=len(limits), equalities=len(equal), start=list(x0),
                      linear=rows.linear or None, callback=told if callback is not None else None,
                      name=options.pop("name", getattr(fun, "__qualname__", "fun")), **options)
    return OptimizeResult({**answer, "nit": answer.nfev})


def _takes_result(callback):
    import inspect
    try:
        return list(inspect.signature(callback).parameters) == ["intermediate_result"]
    except (TypeError, ValueError):
        return False
