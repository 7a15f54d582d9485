# SPDX-License-Identifier: MIT
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["ZEROTH_BUILD"])
sys.path.insert(0, str(BUILD / "python"))


@pytest.fixture
def cli():
    """The command line of the same build; returns what it printed."""
    def run(*arguments, cwd):
        done = subprocess.run([str(BUILD / "zeroth"), *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
        assert done.returncode in (0, 3, 4), done.stderr
        return done.stdout
    return run
