# SPDX-License-Identifier: MIT
"""One run from its Spec: builds the task, calls the solver, looks at the truth of what it recommends."""
import math
import os
import signal
import tempfile
import time
import traceback

import numpy as np

from . import solvers, suites
from .task import BudgetSpent, Counter, SlowSolver, text_seed


def seed_of(spec):
    """The same for all solvers on one problem and instance; never the seed of post-replications."""
    return text_seed(f"{spec.suite}/{spec.problem}/{spec.instance}/{spec.noise:g}") % (1 << 31) + 1


START_TRUTHS = {}  # post-replications of the start, once per process


def start_truth(spec, task):
    key = (spec.suite, spec.problem, 0 if spec.suite == "simopt" else spec.instance)
    if key not in START_TRUTHS:
        START_TRUTHS[key] = task.truth(task.first_point())
    return START_TRUTHS[key]


class OverTime(Exception):
    pass


def stop(number, frame):
    raise OverTime("too slow: its processor time is over")


def execute(spec, settings):
    """The line for the ledger. A solver that raises is a line, too: its answer is the start, its error the note."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    task = suites.load(spec)
    solver = solvers.find(spec.solver, settings)
    counter = Counter(task, seed_of(spec), stop_when_slow=not solver.ours)
    begin, here = time.process_time(), os.getcwd()
    litter = tempfile.TemporaryDirectory()  # some tools leave files behind
    os.chdir(litter.name)
    if not solver.ours:
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, settings.get("limit") or 600)
    try:
        answer = solver.run(task, counter, seed_of(spec))
    except (BudgetSpent, SlowSolver):  # every adapter keeps its incumbent and catches these itself
        answer = solvers.Answer(task.first_point(), note="budget spent before a recommendation")
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        answer = solvers.Answer(task.first_point(), claim="error",
                                note=f"{type(error).__name__}: {error} ({os.path.basename(last.filename)}:{last.lineno})"[:200])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.chdir(here)
        litter.cleanup()
    seconds = time.process_time() - begin
    used = answer.evaluations if answer.evaluations is not None else counter.used
    own = seconds - counter.inside if answer.own_seconds is None else answer.own_seconds
    start = start_truth(spec, task)
    try:
        truth = task.truth(np.asarray(answer.x, float))
    except Exception as error:
        truth = None
        answer.note = f"the answer cannot be evaluated: {error}; {answer.note}"[:200]
    row = dict(suite=spec.suite, problem=spec.problem, dimension=task.dimension, constraints=task.constraints, instance=spec.instance,
               noise=float(spec.noise), noise_kind=spec.noise_kind, budget=spec.budget, solver=spec.solver, version=solver.version(),
               build=solver.build(), direction="max" if task.maximise else "min", evaluations=used, failed=counter.failed, start_objective=start.objective, claim=answer.claim,
               own_ms=1000 * own / max(1, used), seconds=seconds, led_by=answer.led_by, note=answer.note.replace("\n", " "))
    row["x"] = " ".join(f"{v:.9g}" for v in answer.x) if task.dimension <= 15 else ""
    if truth is None:
        row.update(feasible=False, score=math.inf, violation=math.inf)
        return row
    row.update(score=truth.score, objective=truth.objective, objective_se=truth.objective_se, violation=truth.violation,
               feasible=bool(truth.feasible))
    if answer.interval is not None:
        low, high = answer.interval
        slack = 2 * truth.objective_se + 1e-12 * abs(truth.objective)
        row.update(low=low, high=high, covers=bool(low - slack <= truth.objective <= high + slack))
    return row
