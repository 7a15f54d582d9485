# SPDX-License-Identifier: MIT
import json
import sqlite3
import sys

import numpy as np
import pytest

import zeroth
from problems import BOX, plant, same_run


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "runs.db"
    result = zeroth.minimize(plant, {"heat": (0, 1), "flow": (0, 1)}, constraints=["emission"], budget=300, store=path,
                             solver="adaptive-conex")
    return path, result


def test_answers_are_arrays_that_hold_what_the_function_returned(kept):
    path, result = kept
    store = zeroth.Store(path)
    run = store.run()
    assert (run.id, run.name, run.status, run.budget) == (result.run, "plant", result.status, 300)
    assert run.names.variables == ["heat", "flow"] and run.result["objective"]["mean"] == result.fun
    a = store.answers(result.run)
    assert a.x.shape == (300, 2) and a.constraints.shape == (300, 1) and a.equalities.shape == (300, 0)
    for i in range(0, 300, 17):
        objective, (emission,) = plant(a.x[i], int(a.seed[i]))
        assert objective == a.objective[i] and emission == a.constraints[i, 0]
    assert (a.number == np.arange(300)).all() and (a.seconds >= 0).all() and not a.failure.any()
    trace = store.trace()
    assert trace.x.shape == (len(trace.evaluations), 2) and isinstance(trace.figures[0], dict)


def test_the_frame_has_a_column_for_everything(kept):
    pandas = pytest.importorskip("pandas")
    frame = zeroth.Store(kept[0]).frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 300
    assert {"heat", "flow", "objective", "emission", "seed", "failure"} <= set(frame.columns)


def test_the_command_line_reads_and_verifies_what_python_wrote(kept, cli, tmp_path):
    listing = cli("runs", kept[0], cwd=tmp_path)
    assert "plant" in listing and kept[1].status in listing
    cli("verify", kept[0], cwd=tmp_path)
    assert len(cli("export", kept[0], "--csv", cwd=tmp_path).splitlines()) == 301
    exported = json.loads(cli("export", kept[0], "--json", cwd=tmp_path))
    assert len(exported["answers"]) == 300


def test_a_finished_run_is_replayed_and_a_larger_budget_continues_it(kept):
    path, result = kept
    calls = []

    def counted(x, seed):
        calls.append(seed)
        return plant(x, seed)

    options = dict(bounds={"heat": (0, 1), "flow": (0, 1)}, constraints=["emission"], name="plant", store=path, resume=True,
                   solver="adaptive-conex")
    again = zeroth.minimize(counted, budget=300, **options)
    same_run(again, result)
    assert not calls and again.replayed == 300
    more = zeroth.minimize(counted, budget=400, **options)
    assert more.nfev == 400 and 0 < len(calls) < 400
    fresh = zeroth.minimize(plant, {"heat": (0, 1), "flow": (0, 1)}, constraints=["emission"], budget=400,
                            solver="adaptive-conex")
    same_run(more, fresh)


def test_a_changed_problem_is_not_resumed(tmp_path):
    path = tmp_path / "runs.db"
    zeroth.minimize(plant, BOX, constraints=1, budget=200, store=path, callback=lambda state: state["evaluations"] > 50)
    with pytest.raises(ValueError, match="the problem has changed"):
        zeroth.minimize(plant, [(0, 1), (0, 2)], constraints=1, budget=200, store=path, resume=True)


def test_without_a_store_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    zeroth.minimize(plant, BOX, constraints=1, budget=50)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_a_store_is_refused(tmp_path):
    with pytest.raises((ValueError, RuntimeError), match="missing.db"):
        zeroth.Store(tmp_path / "missing.db")
    (tmp_path / "text.db").write_text("this is not a database " * 100)
    with pytest.raises((ValueError, RuntimeError), match="text.db"):
        zeroth.Store(tmp_path / "text.db").runs()
    zeroth.minimize(plant, BOX, constraints=1, budget=50, store=tmp_path / "runs.db")
    with pytest.raises(ValueError, match="no run 9"):
        zeroth.Store(tmp_path / "runs.db").answers(9)


def test_a_run_begun_on_the_command_line_goes_on_in_python(cli, tmp_path):
    file = tmp_path / "problem.toml"
    file.write_text('[problem]\nbuiltin = "qcqp"\nn = 5\n[solver]\nbudget = 600\n')
    whole = json.loads(cli("solve", file, "--json", "--quiet", "--store", "whole.db", cwd=tmp_path))
    part = zeroth.Problem.from_file(file).minimize(store=tmp_path / "part.db", callback=lambda state: state["evaluations"] > 200)
    assert part.status == "interrupted"
    resumed = json.loads(cli("solve", file, "--json", "--quiet", "--store", "part.db", "--resume", cwd=tmp_path))
    assert resumed["x"] == whole["x"] and resumed["objective"] == whole["objective"]
    again = zeroth.Problem.from_file(file).minimize(store=tmp_path / "whole.db", resume=True)
    assert again.replayed == 600 and list(again.x) == list(whole["x"])


def test_a_failure_text_that_is_not_utf8_is_read_all_the_same(tmp_path, cli):
    (tmp_path / "evaluate.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    q = json.loads(line)\n"
        "    if q['id'] == 2:\n"
        "        sys.stdout.buffer.write(b'{\"id\":2,\"error\":\"caf\\xe9\"}\\n')\n"
        "    else:\n"
        "        print(json.dumps({'id': q['id'], 'objective': q['x'][0]}))\n"
        "    sys.stdout.flush()\n")
    (tmp_path / "p.toml").write_text(f'[problem]\ncommand = ["{sys.executable}", "evaluate.py"]\n[variables]\ncount = 1\n'
                                     'lower = 0\nupper = 1\n[solver]\nname = "random"\nbudget = 20\n')
    cli("solve", "p.toml", "--quiet", "--store", "runs.db", cwd=tmp_path)
    failures = [text for text in zeroth.Store(tmp_path / "runs.db").answers().failure if text]
    assert len(failures) == 1 and failures[0].encode()
    # As older versions stored it.
    with sqlite3.connect(tmp_path / "runs.db") as db:
        db.execute("UPDATE answers SET failure = CAST(x'63c328ff' AS TEXT) WHERE failure IS NOT NULL")
    failures = [text for text in zeroth.Store(tmp_path / "runs.db").answers().failure if text]
    assert len(failures) == 1 and failures[0].startswith("c")
