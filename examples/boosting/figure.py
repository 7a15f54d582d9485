#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what tune.py has written: figure.py DIR OUTPUT.svg"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#8a8a8a"
plt.rcParams.update({"font.size": 9, "svg.hashsalt": "zeroth", "axes.spines.top": False, "axes.spines.right": False})


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main():
    folder = pathlib.Path(sys.argv[1])
    evaluations, answers = rows(folder / "boosting-evaluations.csv"), rows(folder / "boosting-answers.csv")
    limits = sorted({float(row["limit"]) for row in evaluations})
    shown = limits[len(limits) // 2]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4), facecolor="white", constrained_layout=True)

    for grow, colour in (("depth", BLUE), ("leaves", ORANGE)):
        some = [row for row in evaluations if row["grow"] == grow and float(row["limit"]) == shown]
        left.plot([float(row["ms"]) for row in some], [float(row["loss"]) for row in some], "o", color=colour, ms=3, alpha=0.6,
                  label=f"grown by {grow}")
    left.axvline(shown, color=GREY, lw=1, ls="--")
    left.text(shown, 0.78, f" limit {shown} ms", color=GREY, va="top", transform=left.get_xaxis_transform())
    left.set(xscale="log", yscale="log", xlabel="latency of 512 rows, ms", ylabel="log loss on four splits", title="Every evaluation under one limit")
    left.legend(framealpha=0.95, edgecolor="none", loc="upper right")

    def errorbars(some, colour, marker, label):
        right.errorbar([float(r["ms"]) for r in some], [float(r["loss"]) for r in some], yerr=[1.96 * float(r["se"]) for r in some], fmt=marker,
                       color=colour, ms=6, capsize=2, lw=1, label=label)

    errorbars([r for r in answers if r["what"].startswith("answer")], GREEN, "o", "zeroth's answers")
    lucky = [r for r in answers if "luckiest" in r["what"]]
    errorbars(lucky, ORANGE, "s", "luckiest evaluations")
    errorbars([r for r in answers if "default" in r["what"]], GREY, "D", "scikit-learn's default")
    right.plot([float(r["ms"]) for r in lucky], [float(r["claimed"]) for r in lucky], "s", mfc="none", color=ORANGE, ms=6, label="what these claimed")
    for limit in limits:
        right.axvline(limit, color=GREY, lw=0.5, ls=":")
    right.set(xscale="log", xlabel="latency of 512 rows, ms", ylabel="mean log loss on fresh splits", title="What a limit costs")
    right.legend(frameon=False, fontsize=8, loc="lower right")
    for axes, ticks in ((left, (0.1, 0.2, 0.5, 1, 2)), (right, (0.1, 0.2, 0.3, 0.5))):
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
    left.set_yticks((0.1, 0.2, 0.4), ("0.1", "0.2", "0.4"))
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
