# SPDX-License-Identifier: MIT
"""What the module promises beyond its results: little overhead, stubs that are true, experiments that run."""
import ast
import importlib.util
import inspect
import os
import subprocess
import sys

import zeroth
from conftest import BUILD, ROOT


def test_overhead_of_a_trivial_function():
    spec = importlib.util.spec_from_file_location("python_overhead", ROOT / "bench/python_overhead.py")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    for _ in range(5):  # whatever else the machine does can only add to it
        call, extra = bench.overhead(20_000)
        print(f"{extra:.2f} microseconds above the bare call of {call:.2f}")
        if extra < 10 * max(1, call / 0.5):  # a slow machine stretches both
            return
    assert False, "five measurements, none below 10 microseconds"


def test_generated_files_are_up_to_date():
    done = subprocess.run([sys.executable, str(ROOT / "scripts/generate"), "--check"], capture_output=True, text=True,
                          env={**os.environ, "ZEROTH_PYTHON_BUILD": str(BUILD / "python")})
    assert done.returncode == 0, done.stderr


def test_the_stub_says_what_the_module_has():
    tree = ast.parse((ROOT / "python/zeroth/__init__.pyi").read_text())
    declared = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name in zeroth.__all__:
        if name != "__version__":
            assert name in declared, name
    for name in ("minimize", "reproduce", "describe", "solvers", "problems"):
        stub = declared[name].args
        own = list(inspect.signature(getattr(zeroth, name)).parameters)
        stubbed = [a.arg for a in stub.posonlyargs + stub.args + stub.kwonlyargs] + ([stub.kwarg.arg] if stub.kwarg else [])
        assert own == stubbed, name
    for name in ("Problem", "Search", "Store"):
        methods = {n.name for n in declared[name].body if isinstance(n, ast.FunctionDef)}
        public = {m for m in vars(getattr(zeroth, name)) if not m.startswith("_") and m != "resolve"}
        assert public <= methods, public - methods


def test_help_shows_every_option_of_the_run():
    for option in ("budget", "seed", "width", "lag", "check_share", "confidence"):
        assert f"\n{option}: " in zeroth.minimize.__doc__


def test_reproduce_runs_a_study(tmp_path):
    lines = []
    table = zeroth.reproduce("rates", smoke=True, out=tmp_path, progress=lines.append)
    assert "slope of the gap" in table and any(tmp_path.iterdir())
