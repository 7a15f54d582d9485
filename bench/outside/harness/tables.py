# SPDX-License-Identifier: MIT
"""Tables from ledgers: per problem for whoever works on a solver, and summaries over problems."""
import math
import statistics

from .ledger import number

SOLVED = (1e-1, 1e-2, 1e-4)
MEASURED = ("simopt", "tuning")  # no known optimum


def measured(row):
    """Whether nobody knows the best value of the problem."""
    if row["suite"] == "mixed":
        from .suites import mixed
        return row["problem"] in mixed.MEASURED
    return row["suite"] in MEASURED


def latest_builds(rows):
    """Of several builds of zeroth in one ledger only the one that was run last counts for each solver."""
    last = {}
    for row in rows:
        last[row["solver"]] = row["build"]
    return [row for row in rows if row["build"] == last[row["solver"]]]


def with_scores(rows):
    """Where there is no known optimum: 0 is the best answer that any solver found, 1 the initial solution."""
    best = {}
    for row in rows:
        if measured(row) and row["feasible"] == "1" and row["objective"] != "":
            best[row["problem"]] = min(best.get(row["problem"], math.inf), number(row, "objective"))
    for row in rows:
        if measured(row) and row["objective"] != "" and row["problem"] in best:
            fall = number(row, "start_objective") - best[row["problem"]]
            if fall > 0:
                score = (number(row, "objective") - best[row["problem"]]) / fall
                row["score"] = score if row["feasible"] == "1" else max(1.0, score)  # infeasible: no better than the start
    return rows


def compact(value):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if value == 0:
        return "0"
    return f"{value:.2g}" if abs(value) < 1000 else f"{value:.4g}"


def as_posed(row):
    """Ledgers hold what is minimised; people know a problem's own sign."""
    return -number(row, "objective") if row.get("direction") == "max" else number(row, "objective")


def aligned(table):
    widths = [max(len(str(line[i])) for line in table) for i in range(len(table[0]))]
    lines = ["  ".join(str(cell).ljust(width) for cell, width in zip(line, widths)).rstrip() for line in table]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths)] + lines[1:])


def mark(row):
    """Truth beside claim: * infeasible; ! infeasible though claimed feasible; ? feasible though claimed infeasible."""
    claim, feasible = row["claim"], row["feasible"] == "1"
    if claim == "error":
        return " error"
    says_infeasible = "infeasible" in claim
    if not feasible:
        return "*" if not claim or says_infeasible or "undecided" in claim else "*!"
    return "?" if says_infeasible else ""


def per_problem(rows, solvers):
    """One line per problem and budget: score of each solver's answer (all instances), and zeroth's claims."""
    cells = {}
    for row in rows:
        cells.setdefault((row["suite"], row["problem"], row["noise"], row["noise_kind"], int(float(row["budget"]))), []).append(row)
    table = [["problem", "noise", "budget"] + [label for solver in solvers for label in columns(solver)]]
    for (_, problem, noise, kind, budget), found in sorted(cells.items()):
        line = [problem, "-" if kind == "none" else f"{float(noise):g} {kind}", budget]
        for solver in solvers:
            mine = sorted((row for row in found if row["solver"] == solver), key=lambda row: int(row["instance"]))
            if found[0]["suite"] == "simopt":
                scores = " ".join(compact(as_posed(row)) + mark(row) for row in mine)
            else:
                scores = " ".join(compact(number(row, "score")) + mark(row) for row in mine)
            line.append(scores or "-")
            if solver.startswith("zeroth"):
                line += [" ".join(row["claim"] for row in mine) or "-",
                         " ".join({"1": "y", "0": "n"}.get(row["covers"], "-") for row in mine) or "-",
                         " ".join(row["led_by"] for row in mine) or "-",
                         compact(statistics.mean(number(row, "own_ms") for row in mine)) if mine else "-"]
        table.append(line)
    return aligned(table) + "\n* truly infeasible  ! though it says feasible  ? truly feasible though it says infeasible"


def columns(solver):
    return [solver] + ([f"{solver} says", "covers", "led by", "ms/eval"] if solver.startswith("zeroth") else [])


def group_of(row):
    if row["suite"] == "coco":
        function = int(row["problem"][1:4])
        return f"n={int(row['problem'][6:])} {'Rastrigin' if function > 42 else 'smooth'}"
    return row["suite"]


def summary(rows, solvers):
    """Shares of runs: feasible and solved to 10 %, 1 %, 0.01 %; claims; time."""
    groups = {}
    for row in rows:
        evaluations = int(float(row["budget"]))
        per = f"{evaluations // int(row['dimension'])} n" if row["suite"] == "coco" else str(evaluations)
        size = int(row["dimension"]) if row["suite"] == "coco" else 0
        label = (row["suite"], size, evaluations if row["suite"] != "simopt" else 0, group_of(row), "-" if row["noise_kind"] == "none" else f"{float(row['noise']):g} {row['noise_kind']}", per)
        if row["suite"] == "simopt":
            label = label[:-1] + ("own or capped",)
        groups.setdefault(label, []).append(row)
    table = [["group", "noise", "budget", "solver", "runs", "feasible", "1e-1", "1e-2", "1e-4", "feasible+1e-1", "median", "covers",
              "false feasible", "false infeasible", "ms/eval"]]
    for label, found in sorted(groups.items()):
        for solver in solvers:
            mine = [row for row in found if row["solver"] == solver]
            if not mine:
                continue
            scores = [number(row, "score") for row in mine]
            feasible = [row["feasible"] == "1" for row in mine]
            covers = [row["covers"] == "1" for row in mine if row["covers"] != ""]
            claims = [row for row in mine if row["claim"] not in ("", "error")]
            percent = lambda flags: f"{100 * sum(flags) / len(flags):.0f}" if flags else "-"
            table.append([*label[3:], solver, len(mine), percent(feasible)]
                         + [percent([s <= level for s in scores]) for level in SOLVED]
                         + [percent([ok and s <= 0.1 for ok, s in zip(feasible, scores)]),
                            compact(statistics.median([s if not math.isnan(s) else math.inf for s in scores])), percent(covers),
                            sum(mark(row) == "*!" for row in claims), sum(mark(row) == "?" for row in claims),
                            compact(statistics.mean(number(row, "own_ms") for row in mine))])
    return aligned(table)


def ladder(rows, solver):
    """Median score of the answer per family at each budget, and where it rises by more than its sampling error."""
    cells, budgets = {}, set()
    for row in rows:
        if row["solver"] == solver:
            budgets.add(int(float(row["budget"])))
            cells.setdefault((row["suite"], row["problem"]), {}).setdefault(int(float(row["budget"])), {})[row["instance"]] = row
    budgets = sorted(budgets)
    table, broken = [["problem"] + [str(b) for b in budgets] + ["rises"]], 0
    for (_, problem), by_budget in sorted(cells.items()):
        line, rises = [problem], []
        for b in budgets:
            runs = by_budget.get(b, {})
            line.append(f"{compact(statistics.median(number(r, 'score') for r in runs.values()))}"
                        f"{'' if all(r['feasible'] == '1' for r in runs.values()) else '*'}" if runs else "-")
        for less, more in zip(budgets, budgets[1:]):
            a, b = by_budget.get(less, {}), by_budget.get(more, {})
            common = sorted(set(a) & set(b))
            if common and rises_clearly([number(b[i], "score") - number(a[i], "score") for i in common],
                                        [number(a[i], "score") for i in common], [number(b[i], "score") for i in common]):
                rises.append(f"{less}->{more}")
        broken += bool(rises)
        table.append(line + [" ".join(rises) or "-"])
    return aligned(table) + f"\n{solver}: {broken} of {len(cells)} problems get worse with more evaluations (* some answer infeasible)"


def rises_clearly(differences, before, after):
    """The median rises by more than its sampling error: two standard errors of a median, from the spread of the differences."""
    rise = statistics.median(after) - statistics.median(before)
    if len(differences) < 3:
        return rise > 0.02 and rise > 0.5 * statistics.median(before)
    spread = statistics.stdev(before + after)
    error = 1.2533 * math.sqrt(2) * min(spread, statistics.stdev(differences)) / math.sqrt(len(differences))
    return rise > 2 * error and rise > 1e-3
