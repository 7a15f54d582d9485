#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What zeroth adds to a call of a trivial Python function: bench/python_overhead.py [EVALUATIONS]

The same number of calls from a bare Python loop is subtracted; the rest is the binding (array made, function called,
answer read), the loop and the solver's own work. "binding" uses the solver `random`, whose own work is negligible.
Needs PYTHONPATH=build/release/python. Prints microseconds of processor time per evaluation (of the clock, with workers and
a store), the best of five repetitions.
"""
import sys
import tempfile
import time

import numpy as np

import zeroth


def trivial(x, seed):
    return x[0], [x[1] - 0.5]


def bare(count):
    x = np.array([0.5, 0.5])
    begin = time.process_time()
    for seed in range(count):
        trivial(x, seed)
    return (time.process_time() - begin) / count


def through_zeroth(count, solver):
    begin = time.process_time()
    answer = zeroth.minimize(trivial, [(0, 1), (0, 1)], constraints=1, budget=count, solver=solver, check_share=0)
    seconds = time.process_time() - begin
    return seconds / answer.evaluations


def with_workers(count, workers):
    """Microseconds per evaluation in `workers` forked processes: what a function must take to be worth one."""
    begin = time.perf_counter()
    answer = zeroth.minimize(trivial, [(0, 1), (0, 1)], constraints=1, budget=count, solver="random", check_share=0,
                             width=8 * workers, workers=workers)
    return 1e6 * (time.perf_counter() - begin) / answer.evaluations


def with_store(count):
    with tempfile.TemporaryDirectory() as name:
        begin = time.perf_counter()
        answer = zeroth.minimize(trivial, [(0, 1), (0, 1)], constraints=1, budget=count, solver="random", check_share=0,
                                 width=16, store=f"{name}/runs.db")
        return 1e6 * (time.perf_counter() - begin) / answer.evaluations


def overhead(count=50_000, solver="random", repetitions=5):
    """Microseconds per evaluation above the bare call."""
    call = min(bare(count) for _ in range(repetitions))
    whole = min(through_zeroth(count, solver) for _ in range(repetitions))
    return 1e6 * call, 1e6 * (whole - call)


if __name__ == "__main__":
    evaluations = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    for label, solver in (("binding", "random"), ("with adaptive-conex, its own work included", "adaptive-conex")):
        call, extra = overhead(evaluations, solver)
        print(f"{label}: {extra:.2f} microseconds per evaluation above the bare call of {call:.2f}")
    print(f"in 2 worker processes: {with_workers(evaluations, 2):.1f} microseconds per evaluation in all")
    print(f"with a store: {with_store(evaluations):.1f} microseconds per evaluation in all")
