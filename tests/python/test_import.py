# SPDX-License-Identifier: MIT
"""An import that fails says what to do: each law takes the real package, spoils one thing, and imports it in a fresh interpreter."""
import ast
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(os.environ.get("ZEROTH_BUILD", "build/release")) / "python" / "zeroth"


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "zeroth", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def complaint(folder, before="pass"):
    done = subprocess.run([sys.executable, "-B", "-c", f"import sys; {before}; import zeroth"], cwd=folder, text=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(folder)})
    assert done.returncode == 1, done
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: "), done.stderr
    return last


def test_the_copy_itself_is_imported(copy):
    subprocess.run([sys.executable, "-B", "-c", "import zeroth; zeroth.solvers()"], cwd=copy, check=True,
                   env={**os.environ, "PYTHONPATH": str(copy)})


def test_a_module_of_another_python_names_both_pythons(copy):
    [module] = (copy / "zeroth").glob("_zeroth.*.so")
    module.rename(module.with_name("_zeroth.cpython-27-x86_64-linux-gnu.so"))
    said = complaint(copy)
    assert "built for Python 2.7" in said
    assert "this is Python %d.%d" % sys.version_info[:2] in said
    assert f"{sys.executable} -m pip install zeroth" in said
    assert "circular" not in said


def test_the_source_without_a_build_says_how_to_install(copy):
    for module in (copy / "zeroth").glob("_zeroth.*.so"):
        module.unlink()
    said = complaint(copy)
    assert "no compiled part" in said
    assert str(copy / "zeroth") in said
    assert "-m pip install ." in said


def test_missing_numpy_is_named_with_the_command_that_installs_it(copy):
    assert f"{sys.executable} -m pip install numpy" in complaint(copy, "sys.modules['numpy'] = None")


def test_a_numpy_that_is_there_but_broken_is_not_called_missing(copy):
    (copy / "numpy").mkdir()
    (copy / "numpy" / "__init__.py").write_text("import a_part_of_numpy")
    done = subprocess.run([sys.executable, "-B", "-c", "import zeroth"], cwd=copy, text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(copy)})
    assert "No module named 'a_part_of_numpy'" in done.stderr
    assert "pip install numpy" not in done.stderr


def test_an_old_python_is_told_which_it_needs(copy):
    assert "needs Python 3.9 or newer" in complaint(copy, "sys.version_info = (3, 8, 1, 'final', 0)")


def test_pythons_that_are_too_old_can_read_the_message():
    for name in ("__init__.py", "_import.py"):
        ast.parse((PACKAGE / name).read_text(encoding="utf-8"), feature_version=(3, 4))
