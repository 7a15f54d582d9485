# SPDX-License-Identifier: MIT
"""SimOpt's own solvers, run as SimOpt runs them: streams by macro-replication, common random numbers, the problem's own bounds."""
import time

import numpy as np
from mrg32k3a.mrg32k3a import MRG32k3a
from simopt.directory import problem_directory, solver_directory

from . import Answer


def compatible(name, problem_name):
    solver, problem = solver_directory[name], problem_directory[problem_name]
    if name == "FCSA" and problem.n_stochastic_constraints == 0:  # asserts that there are some
        return False
    if problem.constraint_type.value > solver.constraint_type.value:
        return False
    if solver.gradient_needed and not problem.gradient_available:
        return False
    return solver.variable_type == problem.variable_type or solver.variable_type.name == "MIXED"


class SimOptSolver:
    ours = False

    def __init__(self, name):
        self.name = name

    def version(self):
        from importlib.metadata import version
        return f"simoptlib {version('simoptlib')}"

    def build(self):
        return ""

    def run(self, task, counter, seed):
        problem = task.native
        solver = solver_directory[self.name]()
        streams = problem.model.n_rngs
        stream = 3 + seed % 1000003  # 0 to 2 are kept by SimOpt; one stream per run, as one per macro-replication there
        solver.solution_progenitor_rngs = [MRG32k3a(s_ss_sss_index=[stream, i, 0]) for i in range(streams)]
        solver.attach_rngs([MRG32k3a(s_ss_sss_index=[stream, streams + i, 0]) for i in range(3)])
        inside = [0.0]
        simulate = problem.simulate

        def timed(*arguments, **keywords):
            begin = time.process_time()
            try:
                return simulate(*arguments, **keywords)
            finally:
                inside[0] += time.process_time() - begin

        problem.simulate = timed
        begin = time.process_time()
        try:
            table = solver.run(problem)
        finally:
            problem.simulate = simulate
        seconds = time.process_time() - begin
        table = table[table["budget"] <= task.budget]
        if not len(table):  # nothing recommended yet
            return Answer(task.first_point(), evaluations=int(solver.budget.used), own_seconds=seconds - inside[0])
        return Answer(np.array(table["solution"].iloc[-1], float), evaluations=int(solver.budget.used),
                      own_seconds=seconds - inside[0])
