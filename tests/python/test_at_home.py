# SPDX-License-Identifier: MIT
"""What a Python user expects without reading: progress, points by name, notebooks, plots, runs found by their names."""
import io
import json
import pickle
import re
import sqlite3
import sys
import types
import warnings

import numpy as np
import pytest

from conftest import BUILD  # noqa: F401  (puts the build on the path)

import zeroth
from zeroth import _progress


def plant(x, seed):
    noise = np.random.default_rng(seed).normal(0, 0.1, 2)
    return (x[0] - 1) ** 2 + x[1] ** 2 + noise[0], [x[0] - 2 * x[1] - 0.5 + noise[1]]


BOX = [(0, 1), (0, 1)]


def test_points_have_names_where_bounds_have_them():
    seen = []

    def fun(x, seed):
        seen.append((x["a"], x[0], x.copy()["b"]))
        return x["a"] ** 2 + x[1] ** 2

    answer = zeroth.minimize(fun, {"a": (0, 1), "b": (0, 1)}, budget=30)
    assert answer.x["a"] == answer.x[0] and answer.x["b"] == answer.x[1] and answer.x.shape == (2,)
    assert all(a == first for a, first, _ in seen)
    assert dict(answer.x) == {"a": answer.x[0], "b": answer.x[1]} and answer.x.get("c", 7) == 7
    with pytest.raises(KeyError):
        answer.x["c"]
    again = pickle.loads(pickle.dumps(answer.x))
    assert again["b"] == answer.x["b"] and isinstance(np.asarray(answer.x) + 1, np.ndarray)
    assert not isinstance(zeroth.minimize(lambda x: x[0] ** 2, [(0, 1)], budget=10).x, zeroth.NamedArray)


def test_named_points_reach_other_processes():
    from concurrent.futures import ProcessPoolExecutor
    with ProcessPoolExecutor(2) as pool:
        answer = zeroth.minimize(named_square, {"a": (0, 1)}, budget=8, workers=pool, width=2)
    assert answer.failed == 0 and answer.x["a"] == answer.x[0]


def named_square(x, seed):
    return x["a"] ** 2


def test_callback_sees_the_evaluation_and_the_incumbent():
    states = []
    zeroth.minimize(plant, {"a": (0, 1), "b": (0, 1)}, constraints=1, budget=40, callback=states.append)
    last = states[-1]
    for key in ("objective", "constraints", "incumbent", "evaluations", "time", "best", "budget", "failed", "checking", "x"):
        assert key in last
    assert last.evaluations == 40 and last.time >= 0 and len(last.constraints) == 1 and 0 <= last.incumbent["a"] <= 1
    assert isinstance(last.objective, float)

    failing = []
    zeroth.minimize(lambda x: 1 / 0 if x[0] > 0.5 else x[0], [(0, 1)], solver="random", budget=20, callback=failing.append)
    failed = [s for s in failing if s.failure]
    assert failed and failed[0].objective is None and "ZeroDivisionError" in failed[0].failure


def test_maximised_callbacks_have_the_users_sign():
    best = []
    zeroth.minimize(lambda x: x[0], [(0, 1)], direction="maximize", solver="random", budget=20,
                    callback=lambda s: best.append((s.best, s.objective)) and None)
    running = [b for b, _ in best]
    assert running == sorted(running) and running[-1] > 0.5 and all(0 <= o <= 1 for _, o in best)


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_drawn_in_a_terminal_and_silent_elsewhere(monkeypatch):
    def slow(x):
        import time
        time.sleep(0.03)
        return x[0]

    terminal, file = FakeTerminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    zeroth.minimize(slow, [(0, 1)], budget=10)
    text = terminal.getvalue()
    assert "\r\033[K[" in text and " of 10 (" in text and text.endswith("\r\033[K")
    monkeypatch.setattr(sys, "stderr", file)
    zeroth.minimize(slow, [(0, 1)], budget=10)
    assert file.getvalue() == ""
    zeroth.minimize(slow, [(0, 1)], budget=10, progress=True)
    assert " of 10 (" in file.getvalue() and "\033" not in file.getvalue()
    terminal.truncate(0)
    monkeypatch.setattr(sys, "stderr", terminal)
    zeroth.minimize(slow, [(0, 1)], budget=10, progress=False)
    assert terminal.getvalue().strip("\0") == ""
    with pytest.raises(TypeError, match="progress"):
        zeroth.minimize(slow, [(0, 1)], budget=10, progress="yes")


def test_progress_in_a_notebook_is_one_line_of_html(monkeypatch):
    shown = []

    class Handle:
        def update(self, markup):
            shown.append(markup)

    class ZMQInteractiveShell:
        pass

    fake = types.ModuleType("IPython")
    fake.get_ipython = ZMQInteractiveShell
    display = types.ModuleType("IPython.display")
    display.HTML = str
    display.display = lambda markup, display_id: Handle()
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(_progress._Notebook, "pause", 0.0)
    zeroth.minimize(lambda x: x[0], [(0, 1)], budget=10, progress=True)
    assert any("<progress" in markup and "of 10" in markup for markup in shown) and shown[-1] == ""
    assert not any("<script" in markup for markup in shown)


def test_notebooks_see_tables_and_a_chart(tmp_path):
    answer = zeroth.minimize(plant, {"a": (0, 1), "<b>": (0, 1)}, constraints=["mean(emission) <= 70"], budget=60,
                             store=tmp_path / "s.db")
    text = answer._repr_html_()
    assert "<svg" in text and "&lt;b&gt;" in text and "<b></td>" not in text and "mean(emission)" in text and "&lt;= 70" in text
    store = zeroth.Store(tmp_path / "s.db")
    assert "plant" in store._repr_html_()
    run = store.run()
    assert "<svg" in run._repr_html_() and "mean(emission)" in run._repr_html_()
    assert len(answer.history["objective"]) == answer.nfev


def test_hostile_names_are_text_in_notebooks(tmp_path):
    """In the result, the store and the run: as declared, and as somebody wrote them into a stranger's store."""
    script, image = "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'
    hostile = (script, image, "' onmouseover='alert(1)", "</td></svg><b>")
    seen = []
    answer = zeroth.minimize(plant, {hostile[0]: (0, 1), hostile[1]: (0, 1)}, constraints=["' onmouseover '"], budget=40,
                             solver="random", name=hostile[3], store=tmp_path / "s.db")
    seen += [answer._repr_html_(), zeroth.Store(tmp_path / "s.db")._repr_html_(), zeroth.Store(tmp_path / "s.db").run()._repr_html_()]
    with sqlite3.connect(tmp_path / "s.db") as db:
        result = json.loads(db.execute("SELECT result FROM runs").fetchone()[0])
        result["x"] = {name: value for name, value in zip(hostile, [0.5, script, image, [script]])}
        result["status"], result["constraints"][0]["name"] = script, image
        db.execute("UPDATE runs SET name = ?, solver = ?, status = ?, started = ?, result = ?",
                   (*hostile, json.dumps(result)))
    store = zeroth.Store(tmp_path / "s.db")
    seen += [store._repr_html_(), store.run()._repr_html_()]
    for text in seen:
        for begin in ("<script", "<img", "</td></svg><b>"):
            assert begin not in text
        for tag in re.findall(r"<[^>]*>", text):
            assert "onmouseover" not in tag and "onerror" not in tag, tag


def test_plots_with_matplotlib(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    answer = zeroth.minimize(plant, BOX, constraints=1, budget=60, store=tmp_path / "s.db")
    axes = answer.plot()
    assert len(axes) == 2 and axes[0].get_xlabel() == "evaluation" and axes[1].get_yticklabels()[0].get_text() == "c1"
    axes[0].figure.savefig(tmp_path / "answer.png")
    assert zeroth.Store(tmp_path / "s.db").run().plot().get_ylabel() == "objective"


def test_declared_units_everywhere():
    def noise(x, seed):
        rng = np.random.default_rng(seed)
        return x[0], [80 - 20 * x[0] + rng.normal()]

    answer = zeroth.minimize(noise, [(0, 1)], constraints=["mean(noise) <= 70", "probability(noise <= 75) >= 0.9"], budget=300)
    mean, chance = (c.declared for c in answer.constraints)
    assert mean.what == "mean(noise)" and mean.limit == 70 and mean.relation == "<=" and 60 <= mean.estimate <= 72
    assert mean.interval[0] <= mean.estimate <= mean.interval[1]
    assert chance.what == "probability(noise <= 75)" and chance.limit == 0.9 and chance.relation == ">=" and 0 <= chance.estimate <= 1
    plain = zeroth.minimize(plant, BOX, constraints=1, budget=60).constraints[0]
    assert plain.declared.limit == 0 and plain.declared.estimate == plain.mean


def test_resume_says_when_no_run_has_that_name(tmp_path):
    store = tmp_path / "s.db"

    def first(x, seed):
        return x[0] ** 2

    def renamed(x, seed):
        return x[0] ** 2

    zeroth.minimize(first, [(0, 1)], budget=20, store=store, callback=lambda s: s.evaluations >= 8)
    with pytest.warns(RuntimeWarning, match="no run named .*renamed.*first.*name="):
        zeroth.minimize(renamed, [(0, 1)], budget=20, store=store, resume=True)

    zeroth.minimize(first, [(0, 1)], name="mine", budget=20, store=store, callback=lambda s: s.evaluations >= 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resumed = zeroth.minimize(renamed, [(0, 1)], name="mine", budget=20, store=store, resume=True)
    assert resumed.replayed >= 8
    zeroth.minimize(first, [(0, 1)], name="other", budget=20, store=store, callback=lambda s: s.evaluations >= 8)
    with pytest.raises(zeroth.Error, match="has changed since run.*\n.*upper"):
        zeroth.minimize(first, [(0, 2)], name="other", budget=20, store=store, resume=True)


def test_idle_workers_are_mentioned():
    with pytest.warns(RuntimeWarning, match=r"2 of 3 workers had nothing to do; width=3"):
        zeroth.minimize(lambda x: x[0], [(0, 1)], budget=12, workers=3, solver="trust-bo")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zeroth.minimize(lambda x: x[0], [(0, 1)], budget=12, workers=3, width=3, solver="random")
