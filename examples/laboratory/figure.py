#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the experiments of a store beside the truth that the laboratory does not know: figure.py lab.db OUTPUT.svg"""
import sys

import matplotlib
import numpy as np
import zeroth

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from bench import shares  # noqa: E402

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#8a8a8a"
plt.rcParams.update({"font.size": 9, "svg.hashsalt": "zeroth", "axes.spines.top": False, "axes.spines.right": False})


def main():
    store = zeroth.Store(sys.argv[1])
    answers, result = store.answers(), store.run().result
    names = store.run().names
    catalyst = np.array(names["values"][0])[answers.x[:, 0].astype(int)]
    heat, minutes = answers.x[:, 1], answers.x[:, 2]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4), facecolor="white", constrained_layout=True)

    degrees, times = np.meshgrid(np.linspace(40, 100, 61), np.geomspace(10, 120, 61))
    product, waste = np.vectorize(lambda d, t: shares("palladium", d, t))(degrees, times)
    lines = left.contour(degrees, times, product - 0.2 * times, levels=[20, 40, 50, 60], colors=GREY, linewidths=0.7)
    left.clabel(lines, fontsize=7)
    left.contourf(degrees, times, waste, levels=[8, 200], colors=[ORANGE], alpha=0.12)
    for name, marker, colour in (("nickel", "s", GREY), ("palladium", "o", BLUE)):
        some = catalyst == name
        left.plot(heat[some], minutes[some], marker, color=colour, ms=4, alpha=0.7, label=name)
    left.plot(result["x"]["temperature"], result["x"]["minutes"], "*", color=GREEN, ms=13, label="the answer")
    left.set(yscale="log", xlabel="temperature", ylabel="minutes", title="Where it was tried (shaded: too much waste)")
    left.set_yticks([10, 30, 100], ["10", "30", "100"])
    left.minorticks_off()
    left.legend(framealpha=0.95, edgecolor="none", fontsize=8)

    number = np.arange(1, len(heat) + 1)
    clean = answers.constraints[:, 0] <= 8
    right.axvspan(len(heat) - result["replicates"] + 0.5, len(heat) + 0.5, color=GREEN, alpha=0.12, lw=0)
    right.plot(number[clean], answers.objective[clean], "o", color=BLUE, ms=4, label="impurity at most 8 %")
    right.plot(number[~clean], answers.objective[~clean], "x", color=ORANGE, ms=5, label="more, or failed")
    right.set(xlabel="experiment", ylabel="yield less time", title="How it went (green: the check)")
    right.legend(frameon=False, fontsize=8, loc="lower right")
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
