# SPDX-License-Identifier: MIT
"""bench/outside without its packages: the harness runs, resumes and judges on the small problems that need numpy alone."""
import csv
import math
import subprocess
import sys

import numpy as np
import pytest
from conftest import BUILD, ROOT

OUTSIDE = ROOT / "bench/outside"
sys.path.insert(0, str(OUTSIDE))

from harness import scores  # noqa: E402
from harness.solvers.simple import random_point  # noqa: E402
from harness.suites import cases, designs  # noqa: E402
from harness.suites.formulas import DESIGNS  # noqa: E402
from harness.task import BudgetSpent, Counter, Spec, stream  # noqa: E402


def run(ledger, *options):
    done = subprocess.run([sys.executable, "-B", str(OUTSIDE / "run.py"), "--suite", "cases", "--problems", "steps,half_fails", "--instances",
                           "1", "--solvers", "zeroth,random", "--zeroth-build", str(BUILD), "--ledger", str(ledger), "--jobs", "1", *options],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def test_two_problems_two_solvers(tmp_path):
    ledger = tmp_path / "ledger.csv"
    first = run(ledger, "--budget", "40")
    rows = list(csv.DictReader(ledger.open()))
    assert {(row["problem"], row["solver"]) for row in rows} == {(p, s) for p in ("steps", "half_fails") for s in ("zeroth", "random")}
    for row in rows:
        assert int(row["evaluations"]) <= 40
        assert row["claim"] != "error", row["note"]
        assert float(row["score"]) >= 0
    assert "half_fails" in first.stdout and "ms/eval" in first.stdout
    # What stands there is not run again; what was cut off in the middle of a line is.
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join(lines[:-1]) + lines[-1][:20])
    again = run(ledger, "--budget", "40")
    assert again.stderr.startswith("1 of 1 runs")
    columns = [tuple(row[name] for name in ("problem", "solver", "score", "x")) for row in csv.DictReader(ledger.open()) if row["x"]]
    assert sorted(columns) == sorted(tuple(row[name] for name in ("problem", "solver", "score", "x")) for row in rows)


def test_instances_kept_for_reports_are_not_touched_by_accident(tmp_path):
    done = subprocess.run([sys.executable, "-B", str(OUTSIDE / "run.py"), "--suite", "cases", "--instances", "101", "--solvers", "random"],
                          capture_output=True, text=True)
    assert done.returncode == 2 and "not of the split build" in done.stderr


@pytest.mark.parametrize("name", cases.names())
def test_truth_is_what_evaluations_say_on_average(name):
    task = cases.load(Spec("cases", name, 3, 1.0, "shared", 10, ""))
    case = cases.FAMILIES[name](stream(cases.text_seed(name), 3))
    best, start = task.truth(case.best), task.truth(task.first_point())
    assert abs(best.score) < 1e-9 and best.feasible
    assert start.score > 0.5
    x = 0.9 * case.best + 0.1 * task.start
    x = np.where(task.integer, np.round(x), x)
    values = np.array([[f, *g] for f, g in (task.evaluate(x, seed) for seed in range(2000))])
    expected = np.array([case.mean(x), *np.ravel(case.limits(x))])
    spread = values.std(axis=0)
    error = np.abs(values.mean(axis=0) - expected)
    rounding = 1e-9 * (1 + np.abs(expected))
    unseen = np.where(spread <= rounding, 1e-3 * (1 + np.abs(expected)), 0)  # what happens less often than once in so many evaluations
    assert np.all(error <= 5 * spread / np.sqrt(len(values)) + rounding + unseen), (error, spread)
    assert task.evaluate(x, 7) == task.evaluate(x, 7)


@pytest.mark.parametrize("name", cases.names())
def test_no_feasible_point_is_better_than_the_best_known(name):
    task = cases.load(Spec("cases", name, 4, 1.0, "shared", 10, ""))
    case = cases.FAMILIES[name](stream(cases.text_seed(name), 4))
    draw = np.random.default_rng(1)
    for _ in range(500):
        x = case.best + (task.upper - task.lower) * draw.normal(size=task.dimension) * 10 ** draw.uniform(-4, 0)
        x = np.clip(x, task.lower, task.upper)
        truth = task.truth(np.where(task.integer, np.round(x), x))
        assert not truth.feasible or truth.score > -1e-5, x


@pytest.mark.parametrize("name", DESIGNS)
def test_designs_have_their_published_optimum(name):
    design = DESIGNS[name]
    value, limits = design.values(design.best)
    assert abs(value) == pytest.approx(float(design.published.split()[0]), rel=1e-4)
    task = designs.load(Spec("designs", name, 1, 0.0, "none", 10, ""))
    best = task.truth(design.best)
    assert best.feasible and abs(best.score) < 1e-6
    draw = np.random.default_rng(2)
    for _ in range(300):
        x = np.clip(design.best + (task.upper - task.lower) * draw.normal(size=task.dimension) * 10 ** draw.uniform(-5, -1), task.lower, task.upper)
        truth = task.truth(np.where(task.integer, np.round(x), x))
        assert not truth.feasible or truth.score > -1e-5, x
    noisy = designs.load(Spec("designs", name, 1, 0.05, "shared", 10, ""))
    middle = noisy.first_point()
    assert noisy.evaluate(middle, 5)[0] == noisy.evaluate(middle, 5)[0] != noisy.evaluate(middle, 6)[0]


def test_the_counter_ends_a_run_at_its_budget():
    task = cases.load(Spec("cases", "steps", 1, 1.0, "shared", 3, ""))
    counter = Counter(task, 1)
    for _ in range(3):
        counter(task.first_point())
    with pytest.raises(BudgetSpent):
        counter(task.first_point())
    assert counter.used == 3


def test_the_page_shows_what_the_ledgers_say():
    done = subprocess.run([sys.executable, "-B", str(OUTSIDE / "report.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_known_limits_are_written_as_a_problem_file_has_them():
    from harness.solvers.zeroth_solver import linear_text
    assert linear_text([-1, 2, 0, 1], 3, list("abcd")) == "-a + 2.0*b + d <= 3.0"


def test_quick_leaves_what_was_said():
    sys.path.insert(0, str(OUTSIDE))
    import run as harness_run
    options = harness_run.options_of(["--suite", "cases", "--quick", "--budget", "70"])
    assert options.budgets == [70] and options.instances == [1] and options.minutes == 20


def test_tail_of_student():
    # Tables: 12.706 and 2.776 are the 97.5 % points for 1 and 4 degrees of freedom; far out it is the normal's.
    assert scores.student_tail(12.7062, 1) == pytest.approx(0.05, abs=1e-5)
    assert scores.student_tail(-2.77645, 4) == pytest.approx(0.05, abs=1e-5)
    assert scores.student_tail(1.959964, 100000) == pytest.approx(0.05, abs=1e-5)
    assert scores.student_tail(0, 3) == pytest.approx(1)


def test_holm_stops_at_the_first_that_does_not_stand():
    assert scores.holm([0.04, 0.001, 0.013]) == [True, True, True]
    assert scores.holm([0.04, 0.001, 0.03]) == [False, True, False]


def row(solver, instance, score, feasible="1", problem="a"):
    return dict(suite="cases", problem=problem, instance=str(instance), noise="1", noise_kind="shared", budget="100", solver=solver, version="",
                score=str(score), feasible=feasible, claim="", covers="")


def test_wins_need_more_than_luck_and_infeasible_answers_win_nothing():
    sure = [row("zeroth", i, 0.1 + 0.001 * i) for i in range(5)] + [row("random", i, 0.5 + 0.002 * i) for i in range(5)]
    for one in sure:
        one["version"] = "zeroth 9" if one["solver"] == "zeroth" else ""
    assert scores.wins_and_losses(sure, "zeroth 9") == {"random": (1, 0, 0, 1, 0)}
    infeasible = [dict(one, feasible="0") if one["solver"] == "zeroth" else one for one in sure]
    assert scores.wins_and_losses(infeasible, "zeroth 9") == {"random": (0, 0, 1, 0, 1)}
    luck = [dict(one, score=str(0.5 + (-1) ** int(one["instance"]))) if one["solver"] == "zeroth" else one for one in sure]
    assert scores.wins_and_losses(luck, "zeroth 9")["random"][1] == 1


def test_mixed_designs_have_their_published_optimum():
    from harness.suites import mixed
    for name, point, best in (("vessel", [11, 5, 38.860103, 221.36549], 5850.3831), ("spring", [35, 1.2230411, 9], 2.658559)):
        truth = mixed.load(Spec("mixed", name, 1, 0.0, "none", 10, "")).truth(point)
        assert truth.objective == pytest.approx(best, rel=1e-5) and truth.violation < 1e-6 and truth.score == pytest.approx(0, abs=1e-4)


def test_mixed_problems_hand_over_what_applies():
    from harness.suites import mixed
    assert len(mixed.names()) == 8
    draw = np.random.default_rng(1)
    for name, problem in mixed.PROBLEMS.items():
        assert not math.isnan(sum(v for i, v in enumerate(problem.start) if mixed.applies(problem.variables, i, problem.start)))
        if name in ("svm-cancer", "boosting-diabetes"):
            continue  # they need scikit-learn
        task = mixed.load(Spec("mixed", name, 1, 0.0, "none", 10, ""))
        for _ in range(20):
            x = random_point(task, draw)
            shown = mixed.seen(problem.variables, x)
            assert [one is None for one in shown] == [math.isnan(v) for v in x]
            first, again = task.evaluate(x, 7), task.evaluate(x, 7)
            assert first == again and math.isfinite(first[0]) and len(first[1]) == task.constraints
