# SPDX-License-Identifier: MIT
"""Solvers by name. An adapter has run(task, counter, seed) -> Answer; it keeps to the counter's budget."""
import dataclasses
import importlib
from typing import Optional, Sequence, Tuple


@dataclasses.dataclass
class Answer:
    x: Sequence[float]
    claim: str = ""  # what the tool says of it; empty: it says nothing
    interval: Optional[Tuple[float, float]] = None  # of the objective, as claimed
    led_by: str = ""
    note: str = ""
    evaluations: Optional[int] = None  # None: as counted
    own_seconds: Optional[float] = None  # None: all but the time inside evaluations


class Adapter:
    """A solver as a function; `package` names the distribution whose version goes to the ledger."""
    ours = False

    def __init__(self, run, package=None):
        self.run, self.package = run, package

    def version(self):
        if self.package is None:
            return ""
        from importlib.metadata import version
        return f"{self.package} {version(self.package)}"

    def build(self):
        return ""


# name -> (module, function, package)
RIVALS = {
    "random": ("simple", "random_search", None),
    "start": ("simple", "stay_at_start", None),
    "cobyla": ("scipy_solvers", "cobyla", "scipy"),
    "cobyla-fresh": ("scipy_solvers", "cobyla_fresh", "scipy"),
    "slsqp": ("scipy_solvers", "slsqp", "scipy"),
    "slsqp-fresh": ("scipy_solvers", "slsqp_fresh", "scipy"),
    "cobyqa": ("scipy_solvers", "cobyqa", "scipy"),
    "trust-constr": ("scipy_solvers", "trust_constr", "scipy"),
    "trust-constr-fresh": ("scipy_solvers", "trust_constr_fresh", "scipy"),
    "de": ("scipy_solvers", "differential_evolution", "scipy"),
    "spsa": ("simple", "spsa", None),
    "cma": ("pycma", "augmented_lagrangian", "cma"),
    "optuna-tpe": ("optuna_solvers", "tpe", "optuna"),
    "optuna-gp": ("optuna_solvers", "gp", "optuna"),
    # requirements-heavy.txt
    "nomad": ("heavy", "nomad", "PyNomadBBO"),
    "ngopt": ("heavy", "ngopt", "nevergrad"),
    "smac": ("heavy", "smac", "smac"),
    "scbo": ("botorch_solvers", "scbo", "botorch"),
    "qlognei": ("botorch_solvers", "qlognei", "botorch"),
}


MIXED = ("zeroth", "random", "start", "optuna-tpe", "smac")


def find(name, settings):
    """`zeroth`, `zeroth:SOLVER` (a solver of zeroth by name), `simopt:NAME` (SimOpt's own), or a rival."""
    if name == "zeroth" or name.startswith("zeroth:"):
        from .zeroth_solver import Zeroth
        return Zeroth(name.partition(":")[2], settings)
    if name.startswith("simopt:"):
        from .simopt_solvers import SimOptSolver
        return SimOptSolver(name.partition(":")[2])
    if name not in RIVALS:
        raise SystemExit(f"there is no solver {name}; there are: zeroth, zeroth:NAME, simopt:NAME, {', '.join(RIVALS)}")
    module, function, package = RIVALS[name]
    return Adapter(getattr(importlib.import_module(f"{__name__}.{module}"), function), package)


def fits(name, spec):
    """Whether a solver can be asked at all: SimOpt's own know only SimOpt's problems, and not all of them; few know mixtures."""
    if spec.suite == "mixed":
        return name in MIXED or name.startswith("zeroth:")
    if not name.startswith("simopt:"):
        return not name.endswith("-fresh") or spec.noise_kind == "shared"  # elsewhere noise is fresh anyway
    if spec.suite != "simopt":
        return False
    from .simopt_solvers import compatible
    return compatible(name.partition(":")[2], spec.problem)
