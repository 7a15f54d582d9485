# SPDX-License-Identifier: MIT
"""SIGKILL at random moments in every way to launch a run. Held: the run, resumed, ends with the bits of the uninterrupted
one, and every answer that was in the store after a kill is there at the end, unchanged."""
import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import time

from common import answers, bits, kill_session, problem, run

# A run from Python: its workers are processes of its own (a number), or those of a Dask cluster (an address).
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import zeroth

def made():
    def plant(x, seed):  # a closure, which travels to workers that cannot import this file
        import os, time
        with open(os.path.join(folder, "pids"), "a") as file:
            file.write(f"{os.getpid()}\\n")
        time.sleep(0.003)
        noise = (seed * 2654435761 % 1000) / 1000 - 0.5
        return (x[0] - 0.3) ** 2 + x[1] + 0.1 * noise, [0.2 - x[1] + 0.05 * noise]
    import os
    folder = os.getcwd()
    return plant

if sys.argv[2].isdigit():
    workers = int(sys.argv[2])
else:
    from distributed import Client
    workers = Client(sys.argv[2], timeout=30)
r = zeroth.minimize(made(), [(0, 1), (0, 1)], constraints=1, budget=80, workers=workers, store="run.db", resume=True,
                    solver="adaptive-conex", name="plant")
print(json.dumps([r.status, r.x.tolist(), r.fun, r.nfev]), flush=True)
"""

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""

# Whoever evaluates by hand: questions that an earlier life was given first, then new ones, until there are none.
BY_HAND = """
zeroth() { "$TOOL" "$@" --store run.db --quiet; }
for round in $(seq 100); do
  { zeroth ask p.toml --again; zeroth ask p.toml -n 8; } >questions 2>>log
  [ -s questions ] || break
  "$EVALUATOR" ok <questions >told
  zeroth tell told >>log 2>&1
done
zeroth ask p.toml --result --json
"""


@dataclasses.dataclass
class Mode:
    name: str
    argv: list
    text: str = ""
    workers: bool = False  # every second kill is one of a worker's


def modes(arena):
    slow = ("ok", "--sleep", "0.003")
    solve = [arena.tool, "solve", "p.toml", "--json", "-q", "--resume", "--store", "run.db"]
    yield Mode("stream", solve, problem(arena.evaluator, slow))
    yield Mode("once", solve, problem(arena.evaluator, slow, 50, 'protocol = "once"'))
    yield Mode("stream, 4 jobs", [*solve, "--jobs", "4"], problem(arena.evaluator, slow, 120, "", "adaptive-conex", "width = 4"))
    yield Mode("builtin, threads", [*solve, "--jobs", "2"],
               '[problem]\nbuiltin = "qcqp"\nn = 4\n[solver]\nname = "conex"\nbudget = 60000\n')
    if shutil.which("mpirun"):
        yield Mode("mpirun -n 3", ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", *solve],
                   problem(arena.evaluator, slow, 80, "", "adaptive-conex", "width = 4"))
    else:
        arena.table.skip("kill -9", "mpirun -n 3", "no mpirun here")
    yield Mode("ask and tell", ["env", f"TOOL={arena.tool}", f"EVALUATOR={arena.evaluator}", "bash", "-c", BY_HAND],
               problem(arena.evaluator, slow, 80, "", "adaptive-conex", "width = 8"))
    program = [arena.python, "program.py", str(arena.build / "python")]
    yield Mode("Python", [*program, "1"])
    yield Mode("Python, 2 workers", [*program, "2"])
    if subprocess.run([arena.python, "-c", "import distributed"], capture_output=True).returncode == 0:
        with cluster(arena) as address:
            yield Mode("Python, Dask", [*program, address], workers=True)
    else:
        arena.table.skip("kill -9", "Python, Dask", "no Dask here")


@contextlib.contextmanager
def cluster(arena):
    """Two Dask workers that outlive the programs they work for."""
    folder = arena.scratch()
    (folder / "cluster.py").write_text(CLUSTER)
    process = subprocess.Popen([arena.python, "cluster.py"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        kill_session(process)


def same(reference, out):
    """Results of the command line without the clock; a Python program prints only what must be equal."""
    if reference.startswith(b"["):
        return reference == out
    return bits(reference) is not None and bits(reference) == bits(out)


def kill_worker(folder):
    """The worker that evaluated last; it may be between two lives."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        os.kill(int((folder / "pids").read_text().split()[-1]), signal.SIGKILL)


class Victim:
    """One run that is killed and resumed until it ends."""

    def __init__(self, arena, mode, folder, took):
        self.arena, self.mode, self.folder, self.took = arena, mode, folder, took
        self.kills = self.lost = 0
        self.acknowledged = {}

    def compare(self):
        there = answers(self.folder / "run.db")
        self.lost += sum(there.get(key) != value for key, value in self.acknowledged.items())
        self.acknowledged.update(there)

    def life(self, patience):
        """What one launch printed; nothing if it was killed."""
        process = subprocess.Popen(self.mode.argv, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            return process.communicate(timeout=patience)[0]
        except subprocess.TimeoutExpired:
            self.kills += 1
            if self.mode.workers and self.kills % 2 == 0:
                kill_worker(self.folder)
                try:
                    return process.communicate(timeout=120)[0]
                except subprocess.TimeoutExpired:
                    pass
            kill_session(process)
            return None

    def outcome(self, reference, wanted=4):
        """Whether nothing was lost and the end is that of the uninterrupted run."""
        for _ in range(60):
            # Every life begins where the last one ended: a few of them fit into the time of the uninterrupted run.
            patience = self.arena.random.uniform(0.1, 0.5) * self.took if self.kills < wanted else 120
            out = self.life(patience)
            self.compare()
            if out is not None:
                return self.lost == 0 and same(reference, out)
        return False


def campaign(arena):
    for mode in modes(arena):
        if arena.modes and mode.name not in arena.modes:
            continue
        folder = arena.scratch()
        (folder / "p.toml").write_text(mode.text)
        (folder / "program.py").write_text(PROGRAM)
        begin = time.monotonic()
        code, reference, err = run(mode.argv, folder, 120)
        took = time.monotonic() - begin
        if code not in (0, 3, 4):
            arena.table.add("kill -9", mode.name, 1, 0, f"the uninterrupted run ended with {code}: {err[-200:]!r}")
            continue
        tried = held = kept = 0
        for _ in range(arena.times(1)):
            for leftover in folder.glob("run.db*"):
                leftover.unlink()
            victim = Victim(arena, mode, folder, took)
            good = victim.outcome(reference)
            tried += victim.kills
            held += victim.kills if good else 0
            kept += len(victim.acknowledged)
        arena.table.add("kill -9", mode.name, tried, held, f"{kept} acknowledged answers compared")
