# SPDX-License-Identifier: MIT
"""The command line in the first hour: a doctor that names the fault and its remedy, hangs that are noticed, nothing left behind."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from conftest import BUILD, ROOT

TOOL = str(BUILD / "zeroth")
LOOP = """import json, random, sys
for line in sys.stdin:
    q = json.loads(line)
    x, rng = q["x"]["a"], random.Random(q["seed"])
"""
ANSWER = '    print(json.dumps({"id": q["id"], "objective": %s, "constraints": [%s]}), flush=True)\n'


def write(path, body, more="", constraints='["c"]', bounds="lower = 0\nupper = 1", shebang=True):
    (path / "evaluate.py").write_text(("#!/usr/bin/env python3\n" if shebang else "") + body)
    (path / "evaluate.py").chmod(0o755)
    (path / "p.toml").write_text(f'[problem]\nname = "p"\ncommand = ["./evaluate.py"]\nconstraints = {constraints}\n{more}\n'
                                 f'[[variable]]\nname = "a"\n{bounds}\n[solver]\nbudget = 100\n')


# The line after a minute without an answer takes a minute: that run hangs while the other tests of this file are made.
@pytest.fixture(scope="module", autouse=True)
def hanging_minute(tmp_path_factory):
    path = tmp_path_factory.mktemp("minute")
    write(path, "import time\ntime.sleep(1000)\n")
    with open(path / "err", "w") as err:
        child = subprocess.Popen([TOOL, "solve", "p.toml"], cwd=path, stdout=subprocess.DEVNULL, stderr=err)
    yield child, path / "err", time.monotonic()
    child.kill()
    child.wait()


def run(path, *arguments, **keywords):
    return subprocess.run([TOOL, *arguments], cwd=path, capture_output=True, text=True, **keywords)


def check(path, *arguments):
    done = run(path, "check", "p.toml", *arguments)
    return done.returncode, done.stdout + done.stderr


def advice(text):
    return [line[14:] for line in text.splitlines() if line.startswith("advice")]


def test_shows_the_question_and_the_raw_answer(tmp_path):
    write(tmp_path, LOOP + ANSWER % ("x + rng.gauss(0, 1)", "x - 0.5"), "common_noise = true\ntimeout = 9")
    code, text = check(tmp_path)
    assert code == 0, text
    assert re.search(r'^asked +\{"id":0,"x":\{"a":0\.5\},"seed":\d+\}$', text, re.M)
    assert re.search(r'^answered +\{"id": 0, "objective": [-0-9.e]+, "constraints": \[0\.0\]\}$', text, re.M)
    assert "honoured" in text and advice(text) == []


@pytest.mark.parametrize("body, reason, remedy", [
    ("print('starting up')\n" + LOOP + ANSWER % ("x", "x"), "reply is not JSON: starting up", "print everything else to stderr"),
    (LOOP + "    print(json.dumps({'objective': x, 'constraints': [x]}), flush=True)\n", 'no "id"', 'copy "id" from the question'),
    (LOOP + ANSWER % ("float('nan')", "x"), "NaN", '"error": "why"'),
    (LOOP + "    print(json.dumps({'id': q['id'], 'objective': x}), flush=True)\n", "constraints", "one number for each of c"),
    (LOOP + "    raise RuntimeError('mesh is broken')\n", "exit code 1", "it raised RuntimeError: mesh is broken"),
    (LOOP + "    open('data/mesh.dat')\n", "exit code 1", "relative paths in it begin there"),
    ("import no_such_module\n" + LOOP, "exit code 1", "lacks a module"),
    (LOOP + "    sys.exit(0)\n", "exit code 0 without a reply", 'protocol = "once"'),
    (LOOP + "    import os, signal; os.kill(os.getpid(), signal.SIGSEGV)\n", "signal 11", "it crashed"),
])
def test_every_fault_has_its_remedy(tmp_path, body, reason, remedy):
    write(tmp_path, body)
    code, text = check(tmp_path)
    assert code == 1
    assert reason in text and any(remedy in line for line in advice(text)), text
    assert "by chance" not in text
    if "raise" in body:
        assert "Traceback" in text


def test_no_shebang(tmp_path):
    write(tmp_path, LOOP + ANSWER % ("x", "x"), shebang=False)
    code, text = check(tmp_path)
    assert code == 1 and any("#!/usr/bin/env python3" in line for line in advice(text)), text


def test_chance_and_certain_failures_are_told_apart(tmp_path):
    write(tmp_path, LOOP + "    if x > 0.6: raise ValueError('too thin: %g' % x)\n" + ANSWER % ("x", "x"))
    text = check(tmp_path)[1]
    assert "the same question fails again" in text and "failed on" in text
    write(tmp_path, "import os\n" + LOOP + "    if not os.path.exists('tried') and x > 0.6: open('tried', 'w'); sys.exit(3)\n" + ANSWER % ("x", "x"))
    text = check(tmp_path)[1]
    assert "succeeded when it was asked again" in text and "retries = 1" in text


@pytest.mark.parametrize("objective, constraint, more, words", [
    ("3 + rng.gauss(0, 1)", "rng.gauss(0, 1)", "", "no value depends on x"),
    ("x + random.random()", "x", "common_noise = true", "seed every generator"),
    ("x + rng.gauss(0, 1)", "float(rng.random() < x)", "", 'declare "probability(c <= LIMIT) >= 0.95"'),
    ("x", "-1", "", "c never varies: it was -1 everywhere"),
    ("round(x * 200) + rng.gauss(0, 1)", "x", "common_noise = true", "jumps under one seed"),
    ("x", "x + 5", "", "none of 16 random points was seen to satisfy every constraint"),
])
def test_warns_of_what_would_mislead_a_search(tmp_path, objective, constraint, more, words):
    write(tmp_path, LOOP + ANSWER % (objective, constraint), more)
    text = check(tmp_path)[1]
    assert any(words in line for line in advice(text)), text


def test_a_smooth_evaluator_is_not_said_to_jump(tmp_path):
    write(tmp_path, LOOP + ANSWER % ("(x - 0.2) ** 2 + rng.gauss(0, 1)", "x * rng.uniform(0.9, 1.1) - 0.7"), "common_noise = true")
    text = check(tmp_path)[1]
    assert "jumps" not in text and "depends on x" not in text and "few values" not in text, text


def test_log_scales_are_suggested(tmp_path):
    write(tmp_path, LOOP + ANSWER % ("x", "x"), bounds="lower = 1e-4\nupper = 1")
    assert any('scale = "log"' in line for line in advice(check(tmp_path)[1]))
    write(tmp_path, LOOP + ANSWER % ("x", "x"), bounds='lower = 1e-4\nupper = 1\nscale = "log"')
    assert not any('scale = "log"' in line for line in advice(check(tmp_path)[1]))


def test_budgets_only_grow_and_errors_only_shrink(tmp_path):
    write(tmp_path, LOOP + ANSWER % ("x + rng.gauss(0, 1)", "x - 0.5"))
    text = check(tmp_path)[1]
    rows = [(int(n), float(error)) for n, error in re.findall(r"(\d+) evaluations[^:]*: the answer's objective is known to about \+- ([0-9.e-]+)", text)]
    assert len(rows) >= 2 and rows[0][0] == 100 and "as in the file" in text  # never below what the file says
    assert [n for n, _ in rows] == sorted(n for n, _ in rows) and [e for _, e in rows] == sorted((e for _, e in rows), reverse=True)


def gone(pid, seconds=5.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def wait_for(path, seconds=20.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and path.read_text().strip():
            return path.read_text().split()
        time.sleep(0.05)
    raise AssertionError(f"{path} was never written")


# A shell that starts a program of its own, which keeps the pipe open: what the kernel does not end with its parent.
HANGING = """#!/bin/sh
sleep 1000 &
echo $$ $! > pids
wait
"""


# A run's doors, by the process that is killed.
PYTHON = f"import sys; sys.path.insert(0, {str(BUILD / 'python')!r}); import zeroth; zeroth.Problem.from_file('p.toml').minimize(store='z.db')"
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", TOOL, "solve", "p.toml"]
DOORS = {"check": [TOOL, "check", "p.toml"], "solve": [TOOL, "solve", "p.toml"], "Python": [sys.executable, "-B", "-c", PYTHON],
         "mpirun": MPIRUN, "a rank under mpirun": MPIRUN}


def ranks_of(launcher):
    """Processes that mpirun has started, the one that evaluates first."""
    children = [int(pid) for pid in open(f"/proc/{launcher}/task/{launcher}/children").read().split()]

    def rank(pid):
        words = open(f"/proc/{pid}/environ", "rb").read().split(b"\0")
        return next((int(word.split(b"=")[1]) for word in words if word.startswith(b"OMPI_COMM_WORLD_RANK=")), -1)
    return sorted(children, key=rank, reverse=True)


@pytest.mark.parametrize("door", DOORS)
def test_kill_9_leaves_no_evaluator_behind(tmp_path, door):
    if shutil.which(DOORS[door][0]) is None:
        pytest.skip(f"no {DOORS[door][0]} here")
    write(tmp_path, "")
    (tmp_path / "evaluate.py").write_text(HANGING)
    child = subprocess.Popen(DOORS[door], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pids = wait_for(tmp_path / "pids")
    os.kill(ranks_of(child.pid)[0] if "rank" in door else child.pid, signal.SIGKILL)
    child.wait(60)
    for pid in pids:
        assert gone(pid, 20 if "mpirun" in door else 5), f"{door}: process {pid} is left behind"


def test_an_ordinary_end_takes_grandchildren_along(tmp_path):
    write(tmp_path, "", "timeout = 0.3")
    (tmp_path / "evaluate.py").write_text(HANGING)
    text = check(tmp_path)[1]
    assert "timeout" in text
    for pid in wait_for(tmp_path / "pids"):
        assert gone(pid)


def test_the_first_ctrl_c_says_what_is_waited_for_and_the_second_ends(tmp_path):
    write(tmp_path, "")
    (tmp_path / "evaluate.py").write_text(HANGING)
    with open(tmp_path / "err", "w") as err:
        child = subprocess.Popen([TOOL, "solve", "p.toml"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=err)
        wait_for(tmp_path / "pids")
        child.send_signal(signal.SIGINT)
        end = time.monotonic() + 10
        while "Ctrl-C again" not in (tmp_path / "err").read_text() and time.monotonic() < end:
            time.sleep(0.05)
        assert "waiting for the evaluation under way" in (tmp_path / "err").read_text()
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert child.wait(10) == 130


def test_check_says_that_it_waits(tmp_path):
    write(tmp_path, "")
    (tmp_path / "evaluate.py").write_text(HANGING)
    with open(tmp_path / "err", "w") as err:
        child = subprocess.Popen([TOOL, "check", "p.toml"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=err)
        end = time.monotonic() + 20
        while "waiting for an answer since" not in (tmp_path / "err").read_text() and time.monotonic() < end:
            time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        assert child.wait(10) == 130
    assert "flush its output" in (tmp_path / "err").read_text()


def test_mistyped_commands_get_a_suggestion(tmp_path):
    done = run(tmp_path, "slove", "p.toml")
    assert done.returncode == 2 and "did you mean 'solve'?" in done.stderr
    assert "zeroth --help" in run(tmp_path, "xyzzy").stderr


def test_reasons_that_differ_in_numbers_are_one(tmp_path):
    write(tmp_path, LOOP + "    if rng.random() < 0.3:\n        print(json.dumps({'id': q['id'], 'error': 'residual %g after %d steps' % (x, q['id'])}), flush=True)\n"
          "        continue\n" + ANSWER % ("x", "x - 2"))
    done = run(tmp_path, "solve", "p.toml", "-q", "--solver", "random")
    lines = [line for line in done.stdout.splitlines() if " x residual" in line]
    assert len(lines) == 1 and "differ in numbers only" in lines[0], done.stdout


def test_the_summary_says_what_plus_minus_is_in_declared_units(tmp_path):
    write(tmp_path, LOOP + ANSWER % ("x + rng.gauss(0, 0.1)", "60 + 5 * x + rng.gauss(0, 1)"), constraints='["mean(noise) <= 70", "quantile(noise, 0.9) <= 80"]')
    done = run(tmp_path, "solve", "p.toml", "-q", "--solver", "random", "--set", "check_share=0.3")
    assert re.search(r"mean\(noise\) <= 70: 6\d\.\d+ \+- 0\.\d+", done.stdout) and "+- is one standard error" in done.stdout
    assert re.search(r"quantile\(noise, 0\.9\) <= 80: quantile 6\d", done.stdout), done.stdout


def test_bash_completion_knows_the_runs(tmp_path):
    write(tmp_path, LOOP + ANSWER % ("x", "x - 2"))
    for seed in "12":
        run(tmp_path, "solve", "p.toml", "-q", "--solver", "random", "--budget", "10", "--seed", seed)
    script = f'source <({TOOL} completion bash); COMP_WORDS=({TOOL} report zeroth.db --run ""); COMP_CWORD=4; _zeroth; echo "${{COMPREPLY[@]}}"'
    assert subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True).stdout.split() == ["1", "2"]


@pytest.mark.parametrize("language, source", [("c++", "evaluate.cpp"), ("files", "simulate.cpp")])
def test_compiled_templates_work_from_anywhere(tmp_path, language, source):
    done = run(tmp_path, "init", "--language", language, "--directory", "my study")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "my study" / source).read_text().splitlines()
    assert not any(line.startswith(" " * 20) for line in lines) and "int main() {" in lines
    step = re.search(r"next:  (\(cd .*?\));", done.stdout).group(1)
    assert subprocess.run(["bash", "-c", step], cwd=tmp_path).returncode == 0
    checked = run(tmp_path, "check", "my study/problem.toml", "--replicates", "4")
    assert checked.returncode == 0 and "honoured" in checked.stdout, checked.stdout
    if language == "files":
        assert "step_size 0.1" in checked.stdout and "loss = " in checked.stdout  # what went in and what came out


def r_is_here():
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed (Debian: r-base-core)")


def jsonlite_is_here():
    return subprocess.run(["Rscript", "-e", "quit(status = !requireNamespace('jsonlite', quietly = TRUE))"], capture_output=True).returncode == 0


# Both ways to read a question: by the package jsonlite, and by base R alone.
def r_source(path, fallback):
    if not fallback and not jsonlite_is_here():
        pytest.skip("jsonlite is not installed (Debian: r-cran-jsonlite)")
    text = path.read_text()
    line = 'has_jsonlite <- requireNamespace("jsonlite", quietly = TRUE)'
    assert text.count(line) == 1
    path.write_text(text.replace(line, "has_jsonlite <- FALSE" if fallback else line + "\nstopifnot(has_jsonlite)"))


@pytest.mark.parametrize("fallback", [False, True])
def test_the_r_template_keeps_seeds_short(tmp_path, fallback):
    r_is_here()
    assert run(tmp_path, "init", "--language", "r").returncode == 0
    r_source(tmp_path / "evaluate.R", fallback)
    done = run(tmp_path, "check", "problem.toml", "--replicates", "4", env={**os.environ, "LC_ALL": "C"})
    assert done.returncode == 0 and "honoured" in done.stdout
    assert int(re.search(r'"seed":(\d+)', done.stdout).group(1)) < 2**31


def test_the_r_example_is_the_same_with_and_without_jsonlite(tmp_path):
    r_is_here()
    found = []
    for fallback in (True, False):
        place = tmp_path / str(fallback)
        shutil.copytree(ROOT / "examples" / "r", place)
        r_source(place / "evaluate.R", fallback)
        done = run(place, "solve", "problem.toml", "-q", "--json", "--solver", "random", "--budget", "20")
        assert done.returncode in (0, 3, 4), done.stderr
        result = json.loads(done.stdout)
        assert result["failed"] == 0
        found.append((result["x"], result["objective"]))
    assert found[0] == found[1]
    assert "%%" not in (ROOT / "examples/r/evaluate.R").read_text()  # seeds come short, and are used as they come


def test_after_a_minute_without_an_answer_solve_says_so(hanging_minute):
    child, err, begin = hanging_minute
    if time.monotonic() - begin < 50:
        assert "no answer since" not in err.read_text(), "too early"
    while "no answer since" not in err.read_text() and time.monotonic() - begin < 90:
        time.sleep(0.2)
    words = err.read_text()
    assert re.search(r"no answer since 6\d s, an evaluation is under way; a hang would last for ever: timeout = SECONDS", words), words
    assert child.poll() is None and words.count("no answer since") == 1
