# SPDX-License-Identifier: MIT
"""Bad arguments: a TypeError or ValueError that names the argument and says what would be right."""
import numpy as np
import pytest

import zeroth
from problems import BOX, plant

GOOD = dict(fun=plant, bounds=BOX, constraints=1, budget=50)


@pytest.mark.parametrize("change,kind,words", [
    (dict(fun=3), TypeError, "fun must be callable"),
    (dict(fun=lambda: 1.0), TypeError, "fun must be callable as fun.x, seed."),
    (dict(fun=lambda x, seed, third: 1.0), TypeError, "fun must be callable as fun.x, seed."),
    (dict(bounds=None), TypeError, "bounds is missing"),
    (dict(bounds=3), TypeError, "bounds must be a sequence"),
    (dict(bounds=[]), ValueError, "bounds is empty"),
    (dict(bounds=[(0, 1), 2]), TypeError, "bounds must hold a .lower, upper. pair for variable 1"),
    (dict(bounds=[(0, "one")]), TypeError, "bounds must be a number, not 'one'"),
    (dict(bounds=[(0, float("nan"))]), ValueError, "bounds must not hold NaN"),
    (dict(bounds=[(1, 0)]), ValueError, "'lower' is 1, above 'upper' = 0"),
    (dict(bounds=[(0, None)]), ValueError, "'upper' is missing or infinite"),
    (dict(bounds={"a": (0, 1)}, names=["a"]), TypeError, "names is given twice"),
    (dict(names=["a"]), ValueError, "names must hold a name for each of the 2 variables"),
    (dict(names=["a", "a"]), ValueError, "two variables have the name 'a'"),
    (dict(constraints=-1), ValueError, "constraints must be at least 0"),
    (dict(constraints="limit"), TypeError, "constraints must be a number or a sequence of names"),
    (dict(constraints=[1]), TypeError, "constraints must hold names"),
    (dict(constraints=["a", "a"]), ValueError, "'constraints' names 'a' twice"),
    (dict(equalities=1.5), TypeError, "equalities must be a number or a sequence of names"),
    (dict(type="whole"), ValueError, "type must be one of 'real', 'integer', 'binary', 'categorical', 'ordinal', not 'whole'"),
    (dict(type=["real"]), ValueError, "type has 1 entries for 2 variables"),
    (dict(type={"a": "real"}), TypeError, "type is a dict by name, but the variables have no names"),
    (dict(bounds={"a": (0, 1)}, scale={"b": "log"}), ValueError, "scale names the variable 'b'"),
    (dict(scale="log"), ValueError, "scale = .log. needs a bound above zero"),
    (dict(start=[0.5, 7.0]), ValueError, "'start' is 7, outside"),
    (dict(start=["x", "y"]), TypeError, "start must be a number, not 'x'"),
    (dict(set="simplex"), TypeError, "set must be a dict"),
    (dict(set={"type": "cube"}), ValueError, "cube"),
    (dict(direction="up"), ValueError, "direction must be one of"),
    (dict(common_noise=1), TypeError, "common_noise must be True or False"),
    (dict(name=5), TypeError, "name must be a text"),
    (dict(timeout="1s"), TypeError, "timeout must be a number"),
    (dict(timeout=-1), ValueError, "'timeout' is -1"),
    (dict(retries=-1), ValueError, "retries must be at least 0"),
    (dict(solver="conexx"), ValueError, "solver: there is no 'conexx'; did you mean 'conex'"),
    (dict(solver=3), TypeError, "solver must be a text"),
    (dict(budget=0), ValueError, "budget must be at least 1"),
    (dict(budget=10.5), TypeError, "budget must be an integer"),
    (dict(budget=True), TypeError, "budget must be an integer"),
    (dict(seed=-1), ValueError, "seed must be at least 0"),
    (dict(width=0), ValueError, "width must be at least 1"),
    (dict(check_share=2.0), ValueError, "'check_share' is 2"),
    (dict(confidence="high"), TypeError, "confidence must be a number"),
    (dict(workers=0), ValueError, "workers must be at least 1"),
    (dict(workers="all"), TypeError, "workers must be an integer"),
    (dict(resume=True), ValueError, "resume needs store="),
    (dict(store=3), TypeError, "str, bytes or os.PathLike"),
    (dict(callback=3), TypeError, "callback must be callable"),
    (dict(solver="conex", nuu=0.1), TypeError, "unexpected keyword argument 'nuu'.* did you mean 'nu'"),
    (dict(buget=10), TypeError, "unexpected keyword argument 'buget'.*did you mean 'budget'"),
    (dict(solver="conex", nu=-1.0), ValueError, "'nu' is -1, but must be > 0"),
    (dict(solver="conex", nu={1, 2}), TypeError, "nu must be a number"),
    (dict(solver="conex", directions="uniform"), ValueError, "directions"),
    (dict(solver="albo", solver_options={"start": -1}), ValueError, "'start' is -1"),
    (dict(solver_options=3), TypeError, "solver_options must be a dict"),
    (dict(solver="conex", batch=2, solver_options={"batch": 3}), TypeError, "batch is given twice"),
])
def test_is_refused_by_name(change, kind, words):
    with pytest.raises(kind, match=words):
        zeroth.minimize(**{**GOOD, **change})


def test_a_problem_brings_its_own_arguments():
    problem = zeroth.Problem(plant, BOX, constraints=1)
    with pytest.raises(TypeError, match="direction belongs to the Problem"):
        zeroth.minimize(problem, direction="maximize")
    with pytest.raises(TypeError, match="bounds belongs to the Problem"):
        zeroth.minimize(problem, BOX)
    assert zeroth.minimize(problem, budget=50).nfev == 50
    assert "2 variables, 1 constraints" in repr(problem)


def test_unknown_names_elsewhere():
    with pytest.raises(ValueError, match="qcpq.*did you mean 'qcqp'"):
        zeroth.Problem.builtin("qcpq")
    with pytest.raises(ValueError, match="'size' is -1"):
        zeroth.Problem.builtin("qcqp", size=-1.0)
    with pytest.raises(ValueError, match="there is no 'conx'; did you mean 'conex'"):
        zeroth.describe("conx")
    with pytest.raises(ValueError, match="there is no experiment 'rate'; did you mean 'rates'"):
        zeroth.reproduce("rate")
    with pytest.raises(FileNotFoundError):
        zeroth.Problem.from_file("no such file.toml")


def test_scipy_bounds_are_understood():
    class Bounds:  # what scipy.optimize.Bounds looks like
        lb, ub = np.array([0.0, 0.0]), 1.0

    assert zeroth.minimize(plant, Bounds(), constraints=1, budget=50).x.shape == (2,)


def test_a_second_parameter_is_a_seed_only_if_it_says_so():
    def scaled(x, scale=2.0):
        assert scale == 2.0
        return scale * x[0]

    def seeded(x, seed=None):
        assert seed is not None
        return x[0]

    assert zeroth.minimize(scaled, [(0, 1)], budget=30).success
    assert zeroth.minimize(seeded, [(0, 1)], budget=30).success
