# SPDX-License-Identifier: MIT
"""The stories of docs/stories: their scripts run at small size, and their pages and README say what ledgers say."""
import csv
import os
import re
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT

EXAMPLES = ROOT / "examples"


def run(folder, *command):
    done = subprocess.run([sys.executable, "-B", *map(str, command)], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "PATH": f"{BUILD}:{os.environ['PATH']}",
                               "OPENBLAS_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def a_picture(path):
    text = path.read_text()
    assert text.count("<path") > 50 and "#ffffff" in text  # drawn on white, so that it can be read at night
    return text


def test_boosting(tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    out = run(tmp_path, EXAMPLES / "boosting/tune.py", "--budget", 10, "--limits", 5, "--splits", 2, "--trees", 20, "--out", tmp_path)
    assert "answer, 5.0 ms" in out
    answers, evaluations = rows(tmp_path / "boosting-answers.csv"), rows(tmp_path / "boosting-evaluations.csv")
    assert len(evaluations) == 10 and answers[1]["what"].startswith("answer")
    assert all(row["grow"] in ("depth", "leaves") and float(row["ms"]) > 0 for row in evaluations)
    run(tmp_path, EXAMPLES / "boosting/figure.py", tmp_path, "picture.svg")
    a_picture(tmp_path / "picture.svg")


def test_the_page_on_boosting_shows_its_ledger():
    page = (ROOT / "docs/stories/boosting.md").read_text()
    shown = re.findall(r"^\| [^|]+ \| [\d. ]*\| \**(\d\.\d+) \+- (\d\.\d+)\** \| (\d\.\d+) \|", page, re.MULTILINE)
    kept = [tuple(f"{float(row[key]):.{digits}f}" for key, digits in (("loss", 3), ("se", 3), ("ms", 2)))
            for row in rows(ROOT / "docs/figures/boosting-answers.csv")]
    assert shown == kept


def test_staffing_draws(tmp_path):
    pytest.importorskip("matplotlib")
    out = run(tmp_path, EXAMPLES / "staffing/relax.py", "--budget", 60, "picture.svg")
    assert len(re.findall(r"^ +\d+%", out, re.MULTILINE)) == 5
    a_picture(tmp_path / "picture.svg")


def test_laboratory_draws(tmp_path):
    pytest.importorskip("matplotlib")
    zeroth, problem = BUILD / "zeroth", EXAMPLES / "laboratory/problem.toml"
    days = 0
    while days < 20:
        table = subprocess.run([zeroth, "ask", problem, "-q", "-n", "4", "--csv", "--store", "lab.db"], cwd=tmp_path, capture_output=True,
                               text=True, check=True).stdout
        (tmp_path / "day.csv").write_text(table)
        if table.count("\n") <= 1:
            break
        days += 1
        run(tmp_path, EXAMPLES / "laboratory/bench.py", "day.csv")
        subprocess.run([zeroth, "tell", "-q", "day.csv", "--store", "lab.db"], cwd=tmp_path, check=True)
    assert days == 9  # as the page says
    run(tmp_path, EXAMPLES / "laboratory/figure.py", "lab.db", "picture.svg")
    a_picture(tmp_path / "picture.svg")


def test_the_picture_of_an_answer(tmp_path):
    pytest.importorskip("matplotlib")
    run(tmp_path, EXAMPLES / "python/answer_picture.py", "picture.svg")
    a_picture(tmp_path / "picture.svg")


def test_readme_claims_what_the_ledgers_of_others_problems_say():
    readme, outside = (ROOT / "README.md").read_text(), (ROOT / "docs/outside.md").read_text()
    claims = outside.split("<!-- from simopt: claims -->")[1].split("<!-- end -->")[0]
    duels = outside.split("<!-- from simopt: duels -->")[1].split("<!-- end -->")[0]
    said = next(line.split("|") for line in claims.splitlines() if "zeroth 0.2.0" in line)
    runs, feasible, true, undecided = (int(said[k]) for k in (2, 3, 4, 7))
    assert f"| {true} of {feasible} ({undecided} more it left undecided) |" in readme
    assert float(said[9].rstrip(" %")) == 100 and f"| {int(said[8])} of {int(said[8])} |" in readme
    better, level, worse = map(int, re.search(r"zeroth 0\.2\.0 \| simopt:RNDSRCH \| (\d+) \| (\d+) \| (\d+)", duels).groups())
    assert f"| {better}, {worse} of {better + level + worse} |" in readme
