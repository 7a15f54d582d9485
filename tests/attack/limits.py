# SPDX-License-Identifier: MIT
"""Too few descriptors or too little memory. Held: an error before the run, or the bits of the free run; never a hang, a
signal, or an answer that blames the evaluator."""
import resource

from common import BENIGN, answers, bits, problem, run


def campaign(arena):
    folder = arena.scratch()
    (folder / "p.toml").write_text(problem(arena.evaluator, ("ok",), 80, "", "random", "width = 40"))
    solve = [arena.tool, "solve", "p.toml", "--json", "-q"]
    reference = run([*solve, "--store", "free.db"], folder)[1]
    tried = held = 0
    for jobs, soft, hard in ((40, 64, 4096), (40, 64, 64), (40, 256, 256), (8, 64, 64), (300, 1024, 4096), (300, 1024, 1024))[
            :max(4, arena.times(5))]:
        tried += 1
        store = f"n{jobs}-{soft}-{hard}.db"
        code, out, err = run([*solve, "--jobs", str(jobs), "--store", store], folder, 120,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
        refused = code == 2 and b"open files" in err and not answers(folder / store)
        same = bits(out) is not None and bits(out) == bits(reference)
        held += refused or same
    arena.table.add("limits", "jobs against ulimit -n", tried, held)
    tried = held = 0
    for megabytes in (40, 60, 80, 120, 200):
        tried += 1
        size = megabytes << 20
        code, out, err = run([*solve, "--store", f"m{megabytes}.db"], folder, 60,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        # This evaluator never fails by itself: whatever says so is the lack of memory, which nobody may be blamed for.
        blamed = any(failure is not None for _, failure in answers(folder / f"m{megabytes}.db").values())
        ended = code not in (0, 3, 4) or bits(out) == bits(reference)
        # Below some size not even the loader gets through: 127.
        held += (code in BENIGN or code == 127) and not blamed and ended
    arena.table.add("limits", "ulimit -v from 40 to 200 MB", tried, held)
