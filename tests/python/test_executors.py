# SPDX-License-Identifier: MIT
"""Workers that somebody else keeps: real pools, real Dask clusters with real worker processes, killed for real."""
import concurrent.futures
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
import zeroth
from zeroth import _executors

from conftest import BUILD

SETTINGS = dict(bounds=[(0, 1), (0, 1)], constraints=1, budget=60, width=6, solver="trust-bo", seed=4)


def measure(x, seed):
    rng = random.Random(seed)
    return (x[0] - 0.3) ** 2 + (x[1] - 0.6) ** 2 + rng.gauss(0, 0.02), [0.8 - x[0] - x[1] + rng.gauss(0, 0.02)]


def by_value(log=None, seconds=0.0):
    """The same as a closure, which travels to workers that cannot import this file; it notes who ran it."""
    def measured(x, seed):
        import os
        import random
        import time
        time.sleep(seconds)
        if log is not None:
            with open(log, "a") as file:
                file.write(f"{os.getpid()}\n")
        rng = random.Random(seed)
        return (x[0] - 0.3) ** 2 + (x[1] - 0.6) ** 2 + rng.gauss(0, 0.02), [0.8 - x[0] - x[1] + rng.gauss(0, 0.02)]
    return measured


def bits(result):
    return result.x.tobytes() if hasattr(result.x, "tobytes") else bytes(result.x), result.fun, result.nfev, result.status


@pytest.fixture(scope="module")
def serial():
    return bits(zeroth.minimize(measure, name="measure", **SETTINGS))


@pytest.fixture(scope="module")
def lagging():
    return bits(zeroth.minimize(measure, name="measure", **{**SETTINGS, "lag": 5}))


def pids(log):
    return [int(line) for line in pathlib.Path(log).read_text().split()]


@pytest.mark.parametrize("make", [concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor])
def test_any_executor_gives_the_serial_run(make, serial, lagging):
    with make(3) as executor:
        assert bits(zeroth.minimize(measure, workers=executor, **SETTINGS)) == serial
        assert bits(zeroth.minimize(measure, workers=executor, lag=5, **SETTINGS)) == lagging


def test_a_lag_gives_the_same_run_for_any_number_of_workers(serial, lagging):
    assert lagging != serial
    for workers in (1, 2, 5):
        assert bits(zeroth.minimize(measure, name="measure", workers=workers, lag=5, **SETTINGS)) == lagging


def test_an_exception_is_a_failed_evaluation(serial):
    def fails_now_and_then(x, seed):
        if seed % 7 == 0:
            raise ValueError("diverged")
        return measure(x, seed)
    with concurrent.futures.ThreadPoolExecutor(3) as executor:
        result = zeroth.minimize(fails_now_and_then, workers=executor, **SETTINGS)
    assert result.failed == sum(result.failures.values()) > 0
    assert list(result.failures) == ["ValueError: diverged"]
    assert bits(result) == bits(zeroth.minimize(fails_now_and_then, **SETTINGS))


def kills_its_process(x, seed):
    if os.path.exists("die") and seed % 5 == 0:
        os.remove("die")
        os.kill(os.getpid(), signal.SIGKILL)
    return measure(x, seed)


def test_a_broken_process_pool_ends_the_run_resumably(tmp_path, monkeypatch, serial):
    monkeypatch.chdir(tmp_path)

    def let_one_die(state):
        if state["evaluations"] == 18:
            pathlib.Path("die").touch()
    with concurrent.futures.ProcessPoolExecutor(2) as executor, pytest.raises(zeroth.WorkersLost, match="resume=True"):
        zeroth.minimize(kills_its_process, workers=executor, store="runs.db", callback=let_one_die, **SETTINGS)
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        result = zeroth.minimize(kills_its_process, workers=executor, store="runs.db", resume=True, **SETTINGS)
    assert bits(result) == serial
    assert result.failed == 0 and result.replayed >= 18


def test_what_is_no_executor_is_refused():
    with pytest.raises((TypeError, ValueError), match="workers"):
        zeroth.minimize(measure, workers="many", **SETTINGS)
    with concurrent.futures.ThreadPoolExecutor(2) as executor, pytest.raises(ValueError, match="timeout"):
        zeroth.minimize(measure, workers=executor, timeout=1.0, **SETTINGS)


def test_joblib(serial):
    joblib = pytest.importorskip("joblib")
    assert bits(zeroth.minimize(measure, workers=joblib.Parallel(n_jobs=2, backend="threading"), **SETTINGS)) == serial
    assert bits(zeroth.minimize(measure, workers=joblib.Parallel(n_jobs=2), **SETTINGS)) == serial


def test_ray(serial):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        assert bits(zeroth.minimize(by_value(), name="measure", workers=ray, **SETTINGS)) == serial

        class Laboratory:
            def __init__(self, fun):
                self.fun = fun

            def evaluate(self, x, seed):
                return self.fun(x, seed)
        pool = ray.util.ActorPool([ray.remote(Laboratory).remote(by_value()) for _ in range(2)])
        assert bits(zeroth.minimize(by_value(), name="measure", workers=pool, **SETTINGS)) == serial
    finally:
        ray.shutdown()


# Under mpirun every rank but the first serves mpi4py's pool. The function lives in a module that all ranks can import.
MPI_PROGRAM = """
import sys
sys.path[:0] = [{tests!r}, {build!r}]
import os, zeroth
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor
from test_executors import SETTINGS, bits, measure

def noted(x, seed):
    with open("ranks", "a") as file:
        file.write("%d\\n" % MPI.COMM_WORLD.Get_rank())
    return measure(x, seed)

if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        for lag in (0, 5):
            print(repr(bits(zeroth.minimize(noted, workers=pool, name="measure", lag=lag, **SETTINGS))), flush=True)
"""


def test_mpi4py_futures(tmp_path, serial, lagging):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (Debian: python3-mpi4py)")
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun here")
    (tmp_path / "program.py").write_text(MPI_PROGRAM.format(tests=os.path.dirname(os.path.abspath(__file__)), build=str(BUILD / "python")))
    ran = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-B", "-m", "mpi4py.futures", "program.py"],
                         cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [repr(serial), repr(lagging)]
    ranks = (tmp_path / "ranks").read_text().split()
    assert set(ranks) == {"1", "2"} and len(ranks) == serial[2] + lagging[2]


@pytest.fixture
def cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                  local_directory=str(tmp_path)) as cluster:
        yield cluster


def test_dask_gives_the_serial_run(cluster, serial, lagging):
    with cluster.get_client() if hasattr(cluster, "get_client") else __import__("distributed").Client(cluster) as client:
        assert bits(zeroth.minimize(by_value(), name="measure", workers=client, **SETTINGS)) == serial
        assert bits(zeroth.minimize(by_value(), name="measure", workers=client, lag=5, **SETTINGS)) == lagging


def test_a_dask_worker_that_is_killed_costs_nothing_but_its_evaluation(cluster, tmp_path, serial):
    from distributed import Client
    log, killed = tmp_path / "log", []

    def kill_one(state):
        if state["evaluations"] >= 12 and not killed:
            killed.append(pids(log)[-1])
            os.kill(killed[0], signal.SIGKILL)
    with Client(cluster) as client:
        result = zeroth.minimize(by_value(str(log), 0.02), name="measure", workers=client, callback=kill_one, **SETTINGS)
    assert killed and bits(result) == serial
    assert result.failed == 0
    after = pids(log)[pids(log).index(killed[0]) + 1:]
    assert len(set(after) - {killed[0]}) >= 1
    assert len(pids(log)) <= result.nfev + 2  # what was under way there


def test_a_dask_worker_that_joins_later_is_used(tmp_path, serial):
    distributed = pytest.importorskip("distributed")
    log, joined = tmp_path / "log", []
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None,
                                  local_directory=str(tmp_path)) as cluster, distributed.Client(cluster) as client:
        def join(state):
            if state["evaluations"] >= 12 and not joined:
                joined.append(len(set(pids(log))))
                cluster.scale(2)
                client.wait_for_workers(2)
        result = zeroth.minimize(by_value(str(log), 0.02), name="measure", workers=client, callback=join, **SETTINGS)
    assert bits(result) == serial
    assert joined == [1] and len(set(pids(log))) == 2


def test_a_dask_scheduler_that_dies_ends_the_run_resumably(tmp_path, serial, monkeypatch):
    monkeypatch.setattr(_executors._Dask, "patience", 3.0)
    distributed = pytest.importorskip("distributed")
    program = ("import sys, time; from distributed import LocalCluster\n"
               "if __name__ == '__main__':\n"
               "    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)\n"
               "    print(cluster.scheduler_address, flush=True); time.sleep(600)\n")
    (tmp_path / "cluster.py").write_text(program)
    host = subprocess.Popen([sys.executable, "cluster.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    store = str(tmp_path / "runs.db")
    try:
        address = host.stdout.readline().strip()
        client = distributed.Client(address, timeout=20, set_as_default=False)

        def kill_scheduler(state):
            if state["evaluations"] >= 12:
                host.kill()
        begin = time.monotonic()
        with pytest.raises(zeroth.WorkersLost, match="resume=True"):
            zeroth.minimize(by_value(None, 0.02), name="measure", workers=client, store=store, callback=kill_scheduler, **SETTINGS)
        assert time.monotonic() - begin < 60
        client.close(timeout=1)
    finally:
        host.kill()
        host.wait()
    resumed = zeroth.minimize(measure, name="measure", store=store, resume=True, **SETTINGS)
    assert bits(resumed) == serial
    assert resumed.failed == 0 and resumed.replayed >= 12


def test_search_takes_single_answers_in_any_order():
    search = zeroth.Search([(0, 1), (0, 1)], constraints=1, budget=60, width=2, lag=4, solver="trust-bo", seed=4)
    rng, most = random.Random(1), 0
    while not search.done:
        questions = search.ask()
        most = max(most, len(questions))
        question = rng.choice(questions)
        x, seed = question
        search.tell(question, measure(x, seed))
        with pytest.raises(zeroth.Error if search.done else (ValueError, zeroth.Error)):
            search.tell(question, measure(x, seed))
    assert most >= 6
    expected = zeroth.minimize(measure, bounds=[(0, 1), (0, 1)], constraints=1, budget=60, width=2, lag=4, solver="trust-bo", seed=4)
    assert bits(search.result()) == bits(expected)
