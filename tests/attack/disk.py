# SPDX-License-Identifier: MIT
"""The disk is full, the file may not grow, the store is taken away, the directory cannot be written. Held: an exit code of
1 with the reason, a store that is sound, and a resumed run with the bits of the undisturbed one."""
import os
import resource
import shutil
import subprocess
import time

from common import bits, problem, run


def undisturbed(arena, folder, budget=1500):
    (folder / "p.toml").write_text('[problem]\nbuiltin = "qcqp"\nn = 6\n[solver]\nname = "random"\nbudget = %d\n' % budget)
    return run([arena.tool, "solve", "p.toml", "--json", "-q", "--store", "whole.db"], folder)[1]


def resumes(arena, folder, store, whole):
    code, out, err = run([arena.tool, "solve", "p.toml", "--json", "-q", "--resume", "--store", store], folder)
    sound = run([arena.tool, "verify", store], folder)[0] == 0
    return bits(out) is not None and bits(out) == bits(whole) and sound


def full_disk(arena):
    folder = arena.scratch()
    whole = undisturbed(arena, folder)
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(disk)], capture_output=True).returncode != 0:
        return arena.table.skip("disk", "full (a tmpfs of 200 KB)", "mounting is not possible here")
    tried = held = 0
    try:
        for size in (120, 160, 200)[:arena.times(2)]:
            for old in disk.iterdir():
                old.unlink()
            subprocess.run(["mount", "-o", f"remount,size={size}k", str(disk)], check=True)
            tried += 1
            code, out, err = run([arena.tool, "solve", "p.toml", "--json", "-q", "--store", "disk/run.db"], folder)
            subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
            held += code == 1 and b"full" in err and resumes(arena, folder, "disk/run.db", whole)
    finally:
        subprocess.run(["umount", str(disk)])
    arena.table.add("disk", "full (a tmpfs of 120 to 200 KB)", tried, held)


def file_limit(arena):
    folder = arena.scratch()
    whole = undisturbed(arena, folder)
    tried = held = 0
    for size in (60_000, 150_000)[:arena.times(2)]:
        for old in folder.glob("run.db*"):
            old.unlink()
        tried += 1
        code, out, err = run([arena.tool, "solve", "p.toml", "--json", "-q", "--store", "run.db"], folder,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        held += code == 1 and len(err) > 0 and resumes(arena, folder, "run.db", whole)
    arena.table.add("disk", "ulimit -f", tried, held)


def taken_away(arena):
    folder = arena.scratch()
    (folder / "p.toml").write_text(problem(arena.evaluator, ("ok", "--sleep", "0.01"), 300, "", "random"))
    tried = held = 0
    for what in ("deleted", "moved", "replaced"):
        for old in folder.glob("*.db*"):
            old.unlink()
        process = subprocess.Popen([arena.tool, "solve", "p.toml", "-q", "--store", "run.db"], cwd=folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(0.7)
        tried += 1
        if what == "deleted":
            (folder / "run.db").unlink()
        else:
            (folder / "run.db").rename(folder / "elsewhere.db")
        if what == "replaced":
            (folder / "run.db").write_bytes(b"")
        _, err = process.communicate(timeout=60)
        held += process.returncode == 1 and b"was deleted, moved or replaced" in err
    arena.table.add("disk", "the store is deleted, moved or replaced during a run", tried, held)


def read_only(arena):
    folder = arena.scratch()
    undisturbed(arena, folder, 200)
    place = folder / "place"
    place.mkdir()
    shutil.copy(folder / "whole.db", place / "run.db")
    os.chmod(folder, 0o755)
    os.chmod(place, 0o555)
    os.chmod(place / "run.db", 0o444)
    as_nobody = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
    tried = held = 0
    for command in (["runs"], ["verify"], ["export"], ["export", "--json"], ["report", "-o", "-"]):
        tried += 1
        code, out, err = run([arena.tool, command[0], "place/run.db", *command[1:]], folder, **as_nobody)
        held += code == 0 and len(out) > 0
    os.chmod(place, 0o755)
    arena.table.add("disk", "a sound store in a directory that cannot be written", tried, held)


def unwritable_streams(arena):
    folder = arena.scratch()
    (folder / "p.toml").write_text(problem(arena.evaluator, ("ok",), 40, "", "random"))
    solve = f"{arena.tool} solve p.toml --json"
    cases = [(f"{solve} 2>/dev/full", (0,)), (f"{solve} 2>&-", (0,)), (f"{solve} >/dev/full", (1,)), (f"{solve} >&-", (1,)),
             (f"{arena.tool} list >/dev/full", (1,)), (f"{arena.tool} --help >/dev/full", (1,)),
             (f"{arena.tool} export zeroth.db >/dev/full", (1,)), (f"{arena.tool} runs zeroth.db >/dev/full", (1,)),
             (f"{solve} 2>&1 >/dev/null | true; exit ${{PIPESTATUS[0]}}", (0,)), (f"{solve} <&- >/dev/null 2>&-", (0,))]
    held = 0
    for command, codes in cases:
        code, out, err = run(["bash", "-c", command], folder)
        good = code in codes and run([arena.tool, "verify", "zeroth.db"], folder)[0] == 0
        held += good
    arena.table.add("disk", "stdout or stderr full, closed, or a reader that left", len(cases), held)


def campaign(arena):
    for attack in (full_disk, file_limit, taken_away, read_only, unwritable_streams):
        attack(arena)
