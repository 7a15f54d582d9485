# SPDX-License-Identifier: MIT
"""Dask workers that are Slurm jobs: one is cancelled in the middle, one comes later, and the run is the serial one, bit for bit.

    tests/slurm/with_slurm.sh python3 tests/slurm/dask_workers.py sbatch        jobs submitted by hand
    tests/slurm/with_slurm.sh python3 tests/slurm/dask_workers.py jobqueue      by dask-jobqueue's SLURMCluster

Run by tests/python/test_slurm.py.
"""
import os
import random
import shlex
import subprocess
import sys
import time

import zeroth
from distributed import Client, LocalCluster

HERE = "127.0.0.1"
SETTINGS = dict(bounds=[(0, 1), (0, 1)], constraints=1, budget=80, width=2, lag=6, solver="trust-bo", seed=4, name="measure")


def measurement(log):
    """As a closure it travels by value, to workers that cannot import this file."""
    def measure(x, seed):
        import os
        import random
        import time
        if log:
            with open(log, "a") as file:
                file.write(os.environ.get("SLURM_JOB_ID", "none") + "\n")
            time.sleep(0.05)
        rng = random.Random(seed)
        return (x[0] - 0.3) ** 2 + (x[1] - 0.6) ** 2 + rng.gauss(0, 0.02), [0.8 - x[0] - x[1] + rng.gauss(0, 0.02)]
    return measure


def bits(result):
    return [float(v) for v in result.x], result.fun, result.nfev, result.status, result.failed


class ByHand:
    """A scheduler here, and a job for each worker."""

    def __init__(self):
        self.cluster = LocalCluster(n_workers=0, host=HERE, dashboard_address=None)
        self.jobs = []

    def scale(self, count):
        command = f"{shlex.quote(sys.executable)} -m distributed.cli.dask_worker {self.cluster.scheduler_address} --nthreads 1 --no-dashboard --host {HERE}"
        while len(self.jobs) < count:
            job = subprocess.run(["sbatch", "--parsable", "--output=worker-%j.log", "--ntasks=1", "--wrap", command], check=True,
                                 capture_output=True, text=True)
            self.jobs.append(job.stdout.strip())

    def close(self):
        subprocess.run(["scancel", *self.jobs], check=False)
        self.cluster.close()


def by_jobqueue():
    from dask_jobqueue import SLURMCluster
    return SLURMCluster(cores=1, processes=1, memory="256MB", walltime="00:05:00", python=sys.executable, job_directives_skip=["--mem"],
                        worker_extra_args=["--host", HERE, "--no-dashboard"], scheduler_options={"host": HERE, "dashboard_address": None})


def main(how):
    serial = bits(zeroth.minimize(measurement(None), **SETTINGS))
    log, cancelled = os.path.abspath("log"), []
    seen = lambda: open(log).read().split() if os.path.exists(log) else []  # noqa: E731
    cluster = by_jobqueue() if how == "jobqueue" else ByHand()
    try:
        cluster.scale(2)
        with Client(cluster if how == "jobqueue" else cluster.cluster) as client:
            client.wait_for_workers(2, timeout=60)

            def cancel_one(state):
                if state["evaluations"] >= 15 and not cancelled:
                    cancelled.append(seen()[-1])
                    subprocess.run(["scancel", "--signal=KILL", "--full", cancelled[0]], check=True)
                    subprocess.run(["scancel", cancelled[0]], check=True)
                    if how != "jobqueue":
                        cluster.scale(3)  # another takes its place in the queue
                    time.sleep(0.5)
            result = zeroth.minimize(measurement(log), workers=client, callback=cancel_one, store="run.db", **SETTINGS)
    finally:
        cluster.close()
    jobs = seen()
    assert "none" not in jobs, "an evaluation was made outside of Slurm"
    assert bits(result) == serial, (bits(result), serial)
    assert cancelled and len(set(jobs)) >= 2, set(jobs)
    assert len(jobs) <= result.nfev + 3, (len(jobs), result.nfev)  # what was under way on the one that was cancelled
    print(f"{result.nfev} evaluations in jobs {sorted(set(jobs))}, job {cancelled[0]} cancelled in the middle: the serial run, bit for bit")


if __name__ == "__main__":
    random.seed(1)
    main(sys.argv[1] if len(sys.argv) > 1 else "sbatch")
