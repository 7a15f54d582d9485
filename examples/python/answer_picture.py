#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's picture of an answer: answer_picture.py OUTPUT.svg

The plant of README: cost and emission are measured with errors. Left, every evaluation; right, what the answer says, beside what
the luckiest evaluation says and the truth, which is known here.
"""
import sys

import matplotlib
import numpy as np
import zeroth

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#8a8a8a"
plt.rcParams.update({"font.size": 9, "svg.hashsalt": "zeroth", "axes.spines.top": False, "axes.spines.right": False})


def truth(x):
    return (x[0] - 1) ** 2 + x[1] ** 2, x[0] - 2 * x[1] - 0.5


def plant(x, seed):
    noise = np.random.default_rng(seed).normal(0, 0.1, 2)
    cost, emission = truth(x)
    return cost + noise[0], [emission + noise[1]]


def main():
    answer = zeroth.minimize(plant, {"temperature": (0, 1), "flow": (0, 1)}, constraints=["emission"], budget=1000, store="picture.db")
    seen = zeroth.Store("picture.db").answers()
    held = seen.constraints[:, 0] <= 0
    figure, (left, right, last) = plt.subplots(1, 3, figsize=(8.6, 3.1), facecolor="white", width_ratios=[1.3, 1, 1], constrained_layout=True)

    left.plot(*seen.x[held].T, "o", color=BLUE, ms=3, alpha=0.5, label="emission seen within its limit")
    left.plot(*seen.x[~held].T, "x", color=ORANGE, ms=4, alpha=0.5, label="above it")
    left.plot([0.5, 1], [0, 0.25], color=GREY, lw=1, ls="--", label="the true limit")
    left.plot(*answer.x, "*", color=GREEN, ms=14, label="the answer")
    left.set(xlabel="temperature", ylabel="flow", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), title=f"{len(seen.x)} noisy evaluations")
    left.legend(framealpha=0.95, edgecolor="none", fontsize=7.5, loc="upper left")

    luckiest = np.flatnonzero(held)[np.argmin(seen.objective[held])]
    lucky = truth(seen.x[luckiest])
    bars = ((right, "cost", answer.fun, answer.objective.interval, truth(answer.x)[0], seen.objective[luckiest], lucky[0], 0.05, "optimum"),
            (last, "emission", answer.constraints[0].mean, answer.constraints[0].interval, truth(answer.x)[1],
             seen.constraints[luckiest, 0], lucky[1], 0.0, "limit"))
    for axes, name, mean, (low, high), true, claimed, lucky_true, line, what in bars:
        axes.axhline(line, color=GREY, lw=1, ls="--")
        axes.text(1.58, line, what, color=GREY, va="top", ha="right", fontsize=8)
        axes.errorbar([0], [mean], yerr=[[mean - low], [high - mean]], fmt="*", color=GREEN, ms=11, capsize=4)
        axes.plot([0.18], [true], "o", mfc="none", color="black", ms=5)
        axes.plot([1], [claimed], "s", color=ORANGE, ms=6)
        axes.plot([1.18], [lucky_true], "o", mfc="none", color="black", ms=5, label="the truth there")
        axes.set(title=name, xlim=(-0.5, 1.6))
        axes.set_xticks([0, 1], ["zeroth,\n95 %", "luckiest\nevaluation"])
    right.legend(frameon=False, fontsize=7.5)
    figure.savefig(sys.argv[1], metadata={"Date": None})


if __name__ == "__main__":
    main()
