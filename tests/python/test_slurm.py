# SPDX-License-Identifier: MIT
"""Dask workers as Slurm jobs, on a Slurm of one node on loopback (tests/slurm)."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, ROOT

SLURM = ROOT / "tests" / "slurm"


@pytest.mark.parametrize("how", ["sbatch", "jobqueue"])
def test_dask_workers_are_slurm_jobs(how, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed (Debian: python3-distributed)")
    if how == "jobqueue":
        pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed (PyPI)")
    if os.geteuid() != 0:
        pytest.skip("a Slurm of one's own needs root")
    if shutil.which("slurmctld", path=os.environ.get("PATH", "") + ":/usr/sbin") is None:
        pytest.skip("no Slurm here (Debian: slurmctld slurmd slurm-client munge)")
    ran = subprocess.run([str(SLURM / "with_slurm.sh"), sys.executable, "-B", str(SLURM / "dask_workers.py"), how], cwd=tmp_path,
                         capture_output=True, text=True, timeout=240, env={**os.environ, "PYTHONPATH": str(BUILD / "python")})
    logs = "".join(log.read_text()[-2000:] for log in pathlib.Path(tmp_path).glob("*.log"))
    assert ran.returncode == 0, ran.stdout + ran.stderr + logs
    assert "the serial run, bit for bit" in ran.stdout
