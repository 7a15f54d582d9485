# SPDX-License-Identifier: MIT
"""The parts of docs/outside.md that come from ledgers: Markdown tables and figures."""
import math

import numpy as np

from . import scores
from .ledger import number
from .scores import LEVELS, comparable, label_of
from .tables import as_posed, compact


def markdown(table):
    head, *lines = table
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in [head, ["---"] * len(head), *lines])


def percent(value):
    return f"{100 * value:.0f}"


def noise_of(row):
    return "none" if row["noise_kind"] == "none" else f"{100 * float(row['noise']):g} % {row['noise_kind']}"


def shares(rows):
    """Share truly feasible and within 10 %, 1 %, 0.01 % by size, noise and budget; a band for the first."""
    cells = {}
    for row in rows:
        n, budget = int(row["dimension"]), int(float(row["budget"]))
        if row["suite"] == "coco":
            kind = "Rastrigin" if int(row["problem"][1:4]) > 42 else "smooth"
            key = (kind, n, f"n = {n}, {kind}", noise_of(row), budget, f"{budget // n} n")
        else:
            key = ("", 0, "all", noise_of(row) if row["suite"] == "designs" else "own", budget, f"{budget:,}")
        cells.setdefault(key, {}).setdefault(label_of(row), []).append(row)
    table = [["problems", "noise", "evaluations", "solver", "runs", "within 10 % [band]", "1 %", "0.01 %", "truly feasible", "ms per evaluation"]]
    for key, by_solver in sorted(cells.items()):
        for solver, found in sorted(by_solver.items(), key=lambda one: -sum(scores.solved(row, 0.1) for row in one[1]) / len(one[1])):
            flags = {level: {} for level in LEVELS}
            for row in found:
                for level in LEVELS:
                    flags[level].setdefault(row["problem"], []).append(scores.solved(row, level))
            share, low, high = scores.share_with_band(flags[LEVELS[0]])
            table.append([key[2], key[3], key[5], solver, len(found), f"{percent(share)} [{percent(low)}, {percent(high)}]",
                          *(percent(scores.share_with_band(flags[level])[0]) for level in LEVELS[1:]),
                          percent(np.mean([row["feasible"] == "1" for row in found])),
                          compact(float(np.mean([number(row, "own_ms") for row in found])))])
    return markdown(table)


def per_problem(rows):
    """One line per problem: mean of the true objective +- standard error over runs, as posed; the share feasible where below 1."""
    solvers = sorted({label_of(row) for row in rows}, key=lambda one: (not one.startswith("zeroth"), one))
    table = [["problem", "evaluations", *solvers]]
    cells = {}
    for row in rows:
        cells.setdefault((row["problem"], int(float(row["budget"]))), {}).setdefault(label_of(row), []).append(row)
    for (problem, budget), found in sorted(cells.items()):
        best = min((float(np.mean([comparable(row) for row in mine])) for mine in found.values()), default=math.nan)
        line = [problem + (" (max)" if next(iter(found.values()))[0]["direction"] == "max" else ""), f"{budget:,}"]
        for solver in solvers:
            mine = found.get(solver)
            if not mine:
                line.append("")
                continue
            if all(row["claim"] == "error" for row in mine):
                line.append("fails")
                continue
            values = np.array([as_posed(row) for row in mine])
            text = compact4(values.mean()) + (f" +- {compact(values.std(ddof=1) / math.sqrt(len(values)))}" if len(values) > 1 else "")
            feasible = sum(row["feasible"] == "1" for row in mine)
            if feasible < len(mine):
                text += f", feasible {feasible}/{len(mine)}"
            first = feasible == len(mine) and float(np.mean([comparable(row) for row in mine])) <= best + 1e-12
            line.append(f"**{text}**" if first else text)
        table.append(line)
    return markdown(table)


def compact4(value):
    return f"{value:,.0f}" if abs(value) >= 10000 else f"{value:.4g}"


def ladder(rows):
    """Median score per problem against evaluations, for each version of zeroth; where it rises by more than its error."""
    from .tables import rises_clearly
    parts = []
    for solver in sorted({label_of(row) for row in rows if row["solver"] == "zeroth"}):
        mine = [row for row in rows if label_of(row) == solver]
        budgets = sorted({int(float(row["budget"])) for row in mine})
        table, broken = [["problem", *(f"{b:,}" for b in budgets), "rises"]], 0
        problems = sorted({row["problem"] for row in mine})
        for problem in problems:
            by = {b: {row["instance"]: row for row in mine if row["problem"] == problem and int(float(row["budget"])) == b} for b in budgets}
            rises = []
            for less, more in zip(budgets, budgets[1:]):
                common = sorted(set(by[less]) & set(by[more]))
                before, after = ([min(10.0, number(by[b][i], "score")) for i in common] for b in (less, more))
                if common and rises_clearly([a - b for a, b in zip(after, before)], before, after):
                    rises.append(f"{less:,} to {more:,}")
            broken += bool(rises)
            cells = []
            for b in budgets:
                runs = by[b].values()
                cells.append((compact(float(np.median([number(row, "score") for row in runs])))
                              + ("" if all(row["feasible"] == "1" for row in runs) else "*")) if runs else "")
            table.append([problem, *cells, "; ".join(rises)])
        parts.append(f"{solver}: {broken} of {len(problems)} problems get worse with more evaluations (`*`: some answer is infeasible).\n\n"
                     + markdown(table))
    return "\n\n".join(parts)


def ranks(rows):
    found = scores.mean_ranks(rows)
    table = [["solver", "mean rank", "problems and budgets that all ran"]]
    table += [[solver, f"{rank:.2f}", count] for solver, (rank, count) in sorted(found.items(), key=lambda one: one[1][0])]
    return markdown(table)


def duels(rows):
    """Every version of zeroth against every rival, problem by problem."""
    table = [["", "rival", "clearly better", "no clear difference", "clearly worse", "better, corrected", "worse, corrected"]]
    for ours in sorted({label_of(row) for row in rows if row["solver"] == "zeroth"}):
        mine = [row for row in rows if label_of(row) == ours or not row["solver"].startswith("zeroth")]
        for rival, counts in scores.wins_and_losses(mine, ours).items():
            table.append([ours, rival, *counts])
    return markdown(table)


def claims(rows):
    table = [["", "runs", "said feasible", "and is", "said infeasible", "and is", "undecided", "intervals", "cover the truth", "converged",
              "of these not within 1 %"]]
    for solver, c in sorted(scores.claims(rows).items()):
        table.append([solver, c["runs"], c["said_feasible"], c["and_is"], c["said_infeasible"], c["and_was"], c["undecided"], c["intervals"],
                      f"{100 * c['cover'] / c['intervals']:.1f} %" if c["intervals"] else "", c["converged"], c["converged_bad"]])
    return markdown(table)


def behind(rows, most=15):
    """Where the newest zeroth is behind: problems whose best rival has a lower mean score by over 0.01, the worst first."""
    versions = sorted({label_of(row) for row in rows if row["solver"] == "zeroth"})
    if not versions:
        return "zeroth is not in these ledgers."
    ours, cells = versions[-1], {}
    for row in rows:
        if label_of(row) == ours or not row["solver"].startswith("zeroth"):
            key = (row["problem"], noise_of(row) if row["suite"] in ("coco", "designs") else "own", int(float(row["budget"])))
            cells.setdefault(key, {}).setdefault(label_of(row), []).append(min(10.0, comparable(row)))
    lost, raced = [], 0
    for key, found in cells.items():
        means = {solver: float(np.mean(values)) for solver, values in found.items()}
        if ours in means and len(means) > 1:
            raced += 1
            rival = min((one for one in means if one != ours), key=means.get)
            if means[rival] < means[ours] - 0.01:
                lost.append((means[ours] - means[rival], key, means[ours], rival, means[rival]))
    lost.sort(reverse=True)
    table = [["problem", "noise", "evaluations", ours, "best rival", "its score"]]
    table += [[problem, noise, f"{budget:,}", compact(mine), rival, compact(its)] for _, (problem, noise, budget), mine, rival, its in lost[:most]]
    head = f"{ours} is behind its best rival by over 0.01 in {len(lost)} of {raced} cells (mean score; 10 stands for anything worse)."
    return head + (f" The {min(most, len(lost))} worst:\n\n" + markdown(table) if lost else "")


PARTS = {"behind": behind, "shares": shares, "per-problem": per_problem, "ladder": ladder, "ranks": ranks, "duels": duels, "claims": claims}
COLOURS = ("#0b6e99", "#d1495b", "#edae49", "#66a182", "#8d6a9f", "#5c5c5c", "#c97b3a", "#2e4057", "#a3b18a", "#9a031e")


def profile_figure(rows, level, per_dimension):
    """Share of problems truly feasible and within the level against evaluations, with bootstrap bands, as SVG."""
    axis = (lambda row: float(row["budget"]) / int(row["dimension"])) if per_dimension else (lambda row: float(row["budget"]))
    curves = scores.profile(rows, level, axis)
    xs = [point[0] for curve in curves.values() for point in curve]
    low, high = math.log10(min(xs)), math.log10(max(xs))
    wide, tall, left, top = 420, 240, 46, 14
    at_x = lambda x: left + (wide * ((math.log10(x) - low) / (high - low)) if high > low else wide / 2)
    at_y = lambda share: top + tall * (1 - share)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 170} {top + tall + 44}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="#ffffff"/>',  # for readers at night
           f'<rect x="{left}" y="{top}" width="{wide}" height="{tall}" fill="none" stroke="#999"/>']
    for share in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<text x="{left - 6}" y="{at_y(share) + 4:.1f}" text-anchor="end">{100 * share:.0f}</text>'
                   f'<line x1="{left}" x2="{left + wide}" y1="{at_y(share):.1f}" y2="{at_y(share):.1f}" stroke="#eee"/>')
    for x in sorted(set(xs)):
        out.append(f'<text x="{at_x(x):.1f}" y="{top + tall + 16}" text-anchor="middle">{x:g}</text>')
    unit = "evaluations per variable" if per_dimension else "evaluations"
    out.append(f'<text x="{left + wide / 2}" y="{top + tall + 36}" text-anchor="middle">{unit}; % truly feasible and within {100 * level:g} %</text>')
    ordered = sorted(curves, key=lambda one: (not one.startswith("zeroth"), one))
    for k, solver in enumerate(ordered):
        colour, curve = COLOURS[k % len(COLOURS)], curves[solver]
        band = [(at_x(x), at_y(h)) for x, _, _, h in curve] + [(at_x(x), at_y(l)) for x, _, l, _ in reversed(curve)]
        out.append(f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in band)}" fill="{colour}" opacity="0.12"/>')
        out.append(f'<polyline points="{" ".join(f"{at_x(x):.1f},{at_y(s):.1f}" for x, s, _, _ in curve)}" fill="none" stroke="{colour}" '
                   f'stroke-width="{2.5 if solver.startswith("zeroth") else 1.5}"/>')
        out += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(s):.1f}" r="3" fill="{colour}"/>' for x, s, _, _ in curve]
        out.append(f'<text x="{left + wide + 10}" y="{top + 14 + 16 * k}" fill="{colour}">{solver}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"
