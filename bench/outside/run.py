#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Solvers on suites that others wrote, with equal budgets: run.py --suite coco|simopt|cases --solvers zeroth,cobyla,... --ledger F.csv

Runs that stand in the ledger already are not done again (of zeroth: with the same build), so a command that was stopped goes on when it
is given again. Then prints the tables. --table prints them without running anything.
"""
import argparse
import concurrent.futures
import dataclasses
import multiprocessing
import os
import sys
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # one process per core does better than threads in each

from harness import ledger, run_one, solvers, suites, tables  # noqa: E402


def words(text):
    return [word for word in text.split(",") if word]


def integers(text):
    """1,2,5-8"""
    found = []
    for word in words(text):
        low, _, high = word.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found


def numbers(text):
    return [float(word) for word in words(text)]


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=sorted(suites.NAMES), required=True)
    parser.add_argument("--solvers", type=words, default=["zeroth", "random"],
                        help="zeroth, zeroth:SOLVER, simopt:NAME, simopt:all, " + ", ".join(solvers.RIVALS))
    parser.add_argument("--split", choices=("build", "report"), default="build",
                        help="which instances: those for building (default) or those kept for reports")
    parser.add_argument("--instances", "--macroreps", type=integers, help="of the split, such as 1,2 or 1-3; default: all of it")
    parser.add_argument("--problems", type=words, help="by name; default: all (simopt, cases)")
    parser.add_argument("--functions", type=integers, help="coco: 1 to 54; default: all")
    parser.add_argument("--dimensions", type=integers, help="coco: 2,5,10,20,40; default: up to 20")
    parser.add_argument("--budget", dest="budgets", type=integers, help="evaluations, one or several; simopt: the problem's own is the most")
    parser.add_argument("--budget-per-dimension", dest="budgets_per_dimension", type=integers, help="coco: default 20,100")
    parser.add_argument("--noise", dest="noises", type=numbers, help="coco: share of the range, such as 0,0.01,0.05; default 0")
    parser.add_argument("--noise-kind", dest="noise_kinds", type=words, help="coco: shared, independent or both (default)")
    parser.add_argument("--ignore-seeds", action="store_true", help="simopt, cases: evaluations do not honour seeds")
    parser.add_argument("--zeroth-build", help="directory of a build, with python/zeroth in it; default: ZEROTH_BUILD")
    parser.add_argument("--as-posed", action="store_true", help="simopt: zeroth gets infinite bounds as they are, if it takes them")
    parser.add_argument("--quick", action="store_true", help="a first impression in about 20 minutes on an idle machine of two cores")
    parser.add_argument("--set", dest="zeroth_options", action="append", default=[], metavar="KEY=VALUE",
                        help="an option of zeroth.minimize, such as check_share=0.2; repeatable")
    parser.add_argument("--ledger", help="CSV file; default: none is kept")
    parser.add_argument("--also", type=words, default=[], help="further ledgers to read: what stands there is shown and not run again")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true", help="run even what stands in the ledger")
    parser.add_argument("--limit", type=float, default=600, help="processor seconds for one run of a rival")
    parser.add_argument("--minutes", type=float, help="begin no run after so long")
    parser.add_argument("--table", action="store_true", help="only print")
    parser.add_argument("--ladder", action="store_true", help="print, for zeroth, scores against budgets and where they rise")
    parser.add_argument("--quiet", action="store_true", help="no table per problem")
    options = parser.parse_args(arguments)
    split = getattr(suites.module(options.suite), options.split.upper())
    outside = [i for i in options.instances or [] if i not in split]
    if outside:
        parser.error(f"instance {outside[0]} is not of the split {options.split} of {options.suite}, which is {split[0]} to {split[-1]}")
    if options.quick:
        quick(options, split)
    options.instances = options.instances or list(split)
    if "simopt:all" in options.solvers:
        from simopt.directory import solver_directory
        at = options.solvers.index("simopt:all")
        options.solvers[at:at + 1] = ["simopt:" + name for name in solver_directory]
    return options


def quick(options, split):
    """One instance, small budgets, a function of every kind; what was said explicitly stays."""
    options.instances = options.instances or [split[0]]
    options.functions = options.functions or [1, 8, 15, 22, 29, 36, 37, 44, 51]
    options.dimensions = options.dimensions or [2, 5, 10]
    options.budgets_per_dimension = options.budgets_per_dimension or [20]
    options.budgets = options.budgets or {"simopt": [300], "cases": [100, 1000], "designs": [300], "tuning": [50], "mixed": [50, 100]}.get(options.suite)
    options.minutes = options.minutes or 20
    options.limit = min(options.limit, 60)


def value_of(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text, text)


def plan(options, settings):
    for spec in suites.module(options.suite).specs(options):
        for name in options.solvers:
            if solvers.fits(name, spec):
                yield dataclasses.replace(spec, solver=name)


def run_all(todo, settings, options):
    """Longest budgets last, so that the first lines come soon; one line of progress."""
    begin, finished, results = time.monotonic(), 0, []
    todo = sorted(todo, key=lambda spec: spec.budget)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        waiting, queue = {}, iter(todo)

        def feed():
            late = options.minutes is not None and time.monotonic() - begin > 60 * options.minutes
            spec = None if late else next(queue, None)
            if spec is not None:
                waiting[pool.submit(run_one.execute, spec, settings)] = spec

        for _ in range(options.jobs):
            feed()
        while waiting:
            done, _ = concurrent.futures.wait(waiting, timeout=1.0, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                del waiting[future]
                row = future.result()
                results.append({name: str(ledger.shown(row.get(name, ""))) for name in ledger.FIELDS})
                if options.ledger:
                    ledger.append(options.ledger, row)
                finished += 1
                feed()
            seconds = time.monotonic() - begin
            now = next(iter(waiting.values()), None)
            progress(f"{finished} of {len(todo)} runs, {seconds:.0f} s"
                     + (f", now {now.solver} on {now.problem} instance {now.instance} with {now.budget}" if now else ""), final=not waiting)
    return results


def progress(text, final):
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K" + text + ("\n" if final else ""))
    elif final:
        sys.stderr.write(text + "\n")
    sys.stderr.flush()


def read_all(options):
    return [row for path in options.also + ([options.ledger] if options.ledger else []) for row in ledger.read(path)]


def main(arguments=None):
    options = options_of(arguments)
    build = options.zeroth_build or os.environ.get("ZEROTH_BUILD")
    settings = {"zeroth_build": build and os.path.abspath(build), "limit": options.limit, "as_posed": options.as_posed,
                "zeroth_options": {key: value_of(value) for key, _, value in (text.partition("=") for text in options.zeroth_options)}}
    rows = read_all(options)
    wanted = list(plan(options, settings))
    if options.table:
        fresh = []
    else:
        known = set() if options.again else {ledger.key_of(row) for row in rows}
        builds = {name: solvers.find(name, settings).build() if name.startswith("zeroth") else "" for name in options.solvers}
        todo = [spec for spec in wanted if ledger.key_of({**dataclasses.asdict(spec), "build": builds[spec.solver]}) not in known]
        fresh = run_all(todo, settings, options)
        rows = read_all(options) + ([] if options.ledger else fresh)
    asked = {(s.suite, s.problem, str(s.instance), f"{s.noise:g}", s.noise_kind, s.budget, s.solver) for s in wanted}
    rows = tables.latest_builds(tables.with_scores(rows))
    shown = {}
    for row in rows:  # of runs done twice the later one
        key = (row["suite"], row["problem"], row["instance"], f"{float(row['noise']):g}", row["noise_kind"], int(float(row["budget"])),
               row["solver"])
        if key in asked:
            shown[key] = row
    if not shown:
        print("no runs")
        return
    if not options.quiet:
        print(tables.per_problem(list(shown.values()), options.solvers), end="\n\n")
    print(tables.summary(list(shown.values()), options.solvers))
    if options.ladder:
        for name in options.solvers:
            if name.startswith("zeroth"):
                print("\n" + tables.ladder(list(shown.values()), name))
    errors = {row["note"] for row in shown.values() if row["claim"] == "error"}
    for note in sorted(errors):
        print(f"error: {note}")


if __name__ == "__main__":
    main()
