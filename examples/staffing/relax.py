#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What would relaxing the promise buy? The cheapest plan for each of several promises: relax.py [--budget N] [--seed N] [FIGURE.svg]

One evaluation is one simulated day, as in problem.toml; here the constraint is declared in its own units. With FIGURE.svg it draws the
picture of docs/stories/staffing.md, which needs matplotlib.
"""
import argparse
import itertools

import zeroth
from call_centre import SHIFTS, cost, shift

PROMISES = (0.80, 0.85, 0.90, 0.95, 0.98)
DAYS = [f"fresh {d}" for d in range(100)]


def day(plan, seed):
    calls, in_time = (sum(counts) for counts in zip(*(shift(name, int(plan[name]), seed) for name in SHIFTS)))
    return {"objective": cost(plan), "in_time": in_time / calls}


def planned(promise, budget, seed):
    return zeroth.minimize(day, {name: (1, 15) for name in SHIFTS}, type="integer", constraints=[f"mean(in_time) >= {promise}"],
                           budget=budget, check_share=0.4, common_noise=True, seed=seed)


def enumerated():
    """(cost, share in time, plan) of all 3,375 plans over the same fresh days."""
    counts = {(name, k): [shift(name, k, d) for d in DAYS] for name in SHIFTS for k in range(1, 16)}
    for plan in itertools.product(range(1, 16), repeat=3):
        days = zip(*(counts[name, k] for name, k in zip(SHIFTS, plan)))
        served = [sum(c[1] for c in one) / sum(c[0] for c in one) for one in days]
        yield cost(dict(zip(SHIFTS, plan))), sum(served) / len(served), plan


def draw(answers, plans, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"font.size": 9, "svg.hashsalt": "zeroth", "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), facecolor="white", constrained_layout=True)
    near = [p for p in plans if p[1] > 0.75 and p[0] < 34]
    left.plot([100 * p[1] for p in near], [p[0] for p in near], ".", ms=2, color="#bbbbbb", label="all plans")
    best = [min((p for p in plans if p[1] >= promise), key=lambda p: p[0]) for promise in PROMISES]
    left.plot([100 * p[1] for p in best], [p[0] for p in best], "_", ms=14, mew=2, color="#d55e00", label="cheapest by enumeration")
    left.errorbar([100 * a[1] for a in answers], [a[0] for a in answers], xerr=[196 * a[2] for a in answers], fmt="o", ms=5, capsize=2, lw=1,
                  color="#0072b2", label="zeroth's answers")
    left.set(xlabel="callers in time, %", ylabel="wages", title="What a promise costs")
    left.set_ylim(16, 34)
    left.legend(framealpha=0.95, edgecolor="none", loc="upper left")
    people = range(1, 16)
    for name, colour in zip(SHIFTS, ("#0072b2", "#d55e00", "#009e73")):
        shares = [sum(c[1] for c in some) / sum(c[0] for c in some) for some in ([shift(name, k, d) for d in DAYS[:30]] for k in people)]
        right.plot(people, [100 * s for s in shares], "o-", ms=3, lw=1, color=colour, label=name)
    right.axhline(90, color="#8a8a8a", lw=1, ls="--")
    right.set(xlabel="people", ylabel="callers in time, %", title="Each shift by itself")
    right.legend(frameon=False, loc="lower right")
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("figure", nargs="?")
    options = parser.parse_args()
    plans, answers = list(enumerated()), []
    print("promise  plan        wages  in time           feasibility  cheapest by enumeration")
    for promise in PROMISES:
        answer = planned(promise, options.budget, options.seed)
        plan = {name: int(answer.x[name]) for name in SHIFTS}
        kept = answer.constraints[0]
        best = min((p for p in plans if p[1] >= promise), key=lambda p: p[0])
        answers.append((answer.fun, kept.declared.estimate, kept.se))
        print(f"{promise:7.0%}  {', '.join(map(str, plan.values())):10}  {answer.fun:5.1f}  {kept.declared.estimate:.4f} +- {kept.se:.4f}  "
              f"{answer.feasibility:11}  {best[0]:.1f}")
        truth = next(p for p in plans if p[2] == tuple(plan.values()))
        assert answer.feasibility != "confirmed" or truth[1] > promise - 0.005, (promise, truth)
    if options.figure:
        draw(answers, plans, options.figure)


if __name__ == "__main__":
    main()
