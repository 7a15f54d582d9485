# SPDX-License-Identifier: MIT
"""Scores over ledgers: data profiles with bootstrap bands, ranks, wins and losses corrected for multiplicity, claims against the truth."""
import math

import numpy as np

from .ledger import number

LEVELS = (0.1, 0.01, 0.0001)


def label_of(row):
    """zeroth is told apart by version; rivals have one."""
    return row["solver"].replace("zeroth", row["version"]) if row["solver"].startswith("zeroth") else row["solver"]


def newest(rows):
    """Of a run that was done twice (with another build of the same version) the later one."""
    kept = {}
    for row in rows:
        kept[(row["suite"], row["problem"], row["instance"], row["noise"], row["noise_kind"], row["budget"], label_of(row))] = row
    return list(kept.values())


def solved(row, level):
    return row["feasible"] == "1" and number(row, "score") <= level


def share_with_band(flags_by_problem, draws=1000):
    """Mean over problems of the share solved, and its 95 % bootstrap band, by drawing problems."""
    shares = np.array([np.mean(flags) for flags in flags_by_problem.values()])
    draw = np.random.default_rng(1)
    means = shares[draw.integers(len(shares), size=(draws, len(shares)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(shares.mean()), float(low), float(high)


def profile(rows, level, axis):
    """{solver: [(x, share, low, high)]}: share of problems truly feasible and within the level, against axis(row)."""
    cells = {}
    for row in rows:
        cells.setdefault(label_of(row), {}).setdefault(axis(row), {}).setdefault(row["problem"], []).append(solved(row, level))
    return {solver: [(x, *share_with_band(problems)) for x, problems in sorted(by_x.items())] for solver, by_x in cells.items()}


def comparable(row):
    """Scores by which runs are compared: an answer that is truly infeasible is worth no more than the start."""
    score = number(row, "score")
    score = math.inf if math.isnan(score) else score
    return score if row["feasible"] == "1" else max(1.0, score)


def mean_ranks(rows):
    """{solver: mean rank} over problems where all of them ran; ties share."""
    solvers = sorted({label_of(row) for row in rows})
    cells = {}
    for row in rows:
        key = (row["problem"], row["noise"], row["noise_kind"], row["budget"])
        cells.setdefault(key, {}).setdefault(label_of(row), []).append(comparable(row))
    ranks = {solver: [] for solver in solvers}
    for found in cells.values():
        if len(found) < len(solvers):
            continue
        medians = {solver: float(np.median(values)) for solver, values in found.items()}
        for solver, value in medians.items():
            below = sum(other < value for other in medians.values())
            equal = sum(other == value for other in medians.values())
            ranks[solver].append(below + (equal + 1) / 2)
    return {solver: (float(np.mean(values)), len(values)) for solver, values in ranks.items() if values}


def student_tail(t, freedom):
    """P(|T| > |t|), by Simpson's rule on the density after x = tan(a): smooth and bounded, so 2000 steps are exact to 1e-9."""
    constant = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    low, high, steps = math.atan(abs(t) / math.sqrt(freedom)), math.pi / 2, 2000
    at = lambda a: constant * math.sqrt(freedom) * math.cos(a) ** (freedom - 1)
    width = (high - low) / steps
    inner = sum((4 if k % 2 else 2) * at(low + k * width) for k in range(1, steps))
    return min(1.0, 2 * width / 3 * (at(low) + at(high) + inner))


def paired_tests(rows, ours, rival):
    """[(problem key, mean difference ours - rival, p)]: paired by instance, Student's t; infinite scores count as 10."""
    cells = {}
    for row in rows:
        if label_of(row) in (ours, rival):
            key = (row["problem"], row["noise"], row["noise_kind"], row["budget"])
            cells.setdefault(key, {}).setdefault(label_of(row), {})[row["instance"]] = min(10.0, comparable(row))
    tests = []
    for key, found in sorted(cells.items()):
        common = sorted(set(found.get(ours, {})) & set(found.get(rival, {})))
        if len(common) < 2:
            continue
        differences = np.array([found[ours][i] - found[rival][i] for i in common])
        spread = differences.std(ddof=1)
        if spread < 1e-12:
            p = 1.0 if abs(differences.mean()) < 1e-12 else 0.0
        else:
            p = student_tail(differences.mean() / (spread / math.sqrt(len(common))), len(common) - 1)
        tests.append((key, float(differences.mean()), p))
    return tests


def holm(p_values, level=0.05):
    """Which of them stand after Holm's correction."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    stands = [False] * len(p_values)
    for rank, i in enumerate(order):
        if p_values[i] > level / (len(p_values) - rank):
            break
        stands[i] = True
    return stands


def wins_and_losses(rows, ours):
    """{rival: (wins, ties, losses, wins after correction, losses after correction)}; corrected over all rivals and problems together."""
    everything = [(rival, *test) for rival in sorted({label_of(row) for row in rows} - {ours}) for test in paired_tests(rows, ours, rival)]
    stands = holm([test[-1] for test in everything])
    table = {}
    for (rival, _, difference, p), sure in zip(everything, stands):
        wins, ties, losses, sure_wins, sure_losses = table.get(rival, (0, 0, 0, 0, 0))
        win, loss = p < 0.05 and difference < 0, p < 0.05 and difference > 0
        table[rival] = (wins + win, ties + (not win and not loss), losses + loss, sure_wins + (win and sure), sure_losses + (loss and sure))
    return table


def claims(rows):
    """{solver: counts of what it said against what is true}, of solvers that say anything."""
    found = {}
    for row in rows:
        if row["claim"] in ("", "error"):
            continue
        mine = found.setdefault(label_of(row), dict(runs=0, said_feasible=0, and_is=0, said_infeasible=0, and_was=0, undecided=0, intervals=0,
                                                    cover=0, converged=0, converged_bad=0))
        feasible = row["feasible"] == "1"
        mine["runs"] += 1
        if "undecided" in row["claim"]:
            mine["undecided"] += 1
        elif "infeasible" in row["claim"]:
            mine["said_infeasible"] += 1
            mine["and_was"] += not feasible
        else:
            mine["said_feasible"] += 1
            mine["and_is"] += feasible
        if row["covers"] != "":
            mine["intervals"] += 1
            mine["cover"] += row["covers"] == "1"
        if row["claim"].startswith("converged"):
            mine["converged"] += 1
            mine["converged_bad"] += not solved(row, 0.01)
    return found
