# SPDX-License-Identifier: MIT
"""The bundled examples end with assertions about what they found; here they are run as a reader would run them."""
import os
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT


@pytest.mark.parametrize("name", ["sparse_logistic", "inventory", "safe_policy"])
def test_example(name, tmp_path):
    path = ROOT / "examples/python" / f"{name}.py"
    text = path.read_text()
    assert text.count("# %%") >= 4 and "\nassert " in text
    done = subprocess.run([sys.executable, "-B", str(path)], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "OPENBLAS_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
