# SPDX-License-Identifier: MIT
"""scipy's COBYLA (PRIMA's since 1.16) and SLSQP with finite differences, restarted until the budget is spent.

Without noise a restart begins at a random point, and the best measured feasible point is the answer. With noise the variants
without suffix freeze one seed where the problem honours seeds, `-fresh` ones never do; a restart goes on from the last answer under
another seed, and the last answer is it.
"""
import numpy as np
from scipy import optimize

from ..task import BudgetSpent, SlowSolver, fresh_seed, stream
from . import Answer
from .unit_box import UnitBox


class Memory:
    """scipy asks objective and constraints apart; here both come from one evaluation."""

    def __init__(self, box):
        self.box, self.known = box, {}

    def both(self, u):
        key = np.asarray(u, float).tobytes()
        if key not in self.known:
            found = self.box(u)
            self.known[key] = found if found is not None else (1e12, np.full(self.box.constraints, 1e12))
        return self.known[key]

    def objective(self, u):
        return self.both(u)[0]

    def slack(self, u):
        return -self.both(u)[1]


def restarted(task, counter, seed, local, fresh):
    box = UnitBox(task, counter)
    draw = stream(seed, 2)
    u, last, round_ = box.start(), box.start(), 0
    try:
        while counter.left > task.dimension + 2:
            box.seed = None if fresh or not task.shared else fresh_seed(seed, -1 - round_)
            before = counter.used
            last = np.clip(local(Memory(box), u, box.constraints, counter.left, task.noisy and (fresh or not task.shared), round_), 0, 1)
            if counter.used == before:
                break
            round_ += 1
            u = last if task.noisy else draw.uniform(size=task.dimension)
    except (BudgetSpent, SlowSolver):
        # A local search that was cut short has no answer of its own yet: where it stood is the best it measured.
        last = box.best_seen() if round_ == 0 or not task.noisy else last
    return Answer(box.answer_of(last if task.noisy else box.best_seen()), note=f"{round_} restarts")


def cobyla_local(memory, u, constraints, left, rough, round_):
    found = optimize.minimize(memory.objective, u, method="COBYLA", bounds=[(0, 1)] * len(u),
                              constraints=[{"type": "ineq", "fun": memory.slack}] if constraints else [],
                              options={"rhobeg": 0.1, "tol": 1e-2 if rough else 1e-10, "maxiter": left})
    return found.x


def slsqp_local(memory, u, constraints, left, rough, round_):
    found = optimize.minimize(memory.objective, u, method="SLSQP", bounds=[(0, 1)] * len(u),
                              constraints=[{"type": "ineq", "fun": memory.slack}] if constraints else [],
                              options={"ftol": 1e-4 if rough else 1e-14, "eps": 0.05 if rough else 1.5e-8, "maxiter": left})
    return found.x


def cobyqa_local(memory, u, constraints, left, rough, round_):
    limits = [optimize.NonlinearConstraint(lambda v: -memory.slack(v), -np.inf, 0.0)] if constraints else []
    found = optimize.minimize(memory.objective, u, method="COBYQA", bounds=[(0, 1)] * len(u), constraints=limits,
                              options={"maxfev": left, "initial_tr_radius": 0.1, "final_tr_radius": 1e-2 if rough else 1e-8})
    return found.x


def trust_constr_local(memory, u, constraints, left, rough, round_):
    step = 0.05 if rough else 1.5e-8
    limits = [optimize.NonlinearConstraint(lambda v: -memory.slack(v), -np.inf, 0.0, finite_diff_rel_step=step)] if constraints else []
    found = optimize.minimize(memory.objective, np.clip(u, 1e-6, 1 - 1e-6), method="trust-constr", bounds=[(0, 1)] * len(u),
                              constraints=limits, options={"maxiter": left, "finite_diff_rel_step": step, "xtol": 1e-3 if rough else 1e-10})
    return found.x


def differential_evolution(task, counter, seed):
    """scipy's, with its own handling of constraints; fresh noise."""
    box = UnitBox(task, counter)
    memory = Memory(box)
    limits = [optimize.NonlinearConstraint(lambda v: -memory.slack(v), -np.inf, 0.0)] if box.constraints else []
    try:
        found = optimize.differential_evolution(memory.objective, [(0, 1)] * task.dimension, constraints=limits, x0=box.start(),
                                                seed=seed % (1 << 31), maxiter=10 ** 6, polish=False,
                                                popsize=max(4, min(15, task.budget // (20 * task.dimension))))
        return Answer(box.answer_of(found.x))
    except (BudgetSpent, SlowSolver):
        return Answer(box.answer_of(box.best_seen()))


def cobyqa(task, counter, seed):
    return restarted(task, counter, seed, cobyqa_local, False)


def trust_constr(task, counter, seed):
    return restarted(task, counter, seed, trust_constr_local, False)


def trust_constr_fresh(task, counter, seed):
    return restarted(task, counter, seed, trust_constr_local, True)


def cobyla(task, counter, seed):
    return restarted(task, counter, seed, cobyla_local, False)


def cobyla_fresh(task, counter, seed):
    return restarted(task, counter, seed, cobyla_local, True)


def slsqp(task, counter, seed):
    return restarted(task, counter, seed, slsqp_local, False)


def slsqp_fresh(task, counter, seed):
    return restarted(task, counter, seed, slsqp_local, True)
