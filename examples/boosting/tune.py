#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tunes gradient boosting under limits on its latency: tune.py [--budget N] [--limits MS...] [--out DIR]

Writes DIR/boosting-evaluations.csv and DIR/boosting-answers.csv, of which figure.py makes the picture. An answer, scikit-learn's default
and the luckiest evaluation are judged by fresh splits that no search has seen.
"""
import argparse
import csv
import pathlib

import numpy as np
import zeroth

from boosting import BOUNDS, DEFAULT, SCALE, TYPE, WHEN, evaluate


def tuned(limit, budget, store, trees):
    return zeroth.minimize(evaluate, {**BOUNDS, "trees": (10, trees)}, constraints=[f"mean(ms) <= {limit}"], when=WHEN, type=TYPE, scale=SCALE,
                           points=[{**DEFAULT, "trees": min(100, trees)}], budget=budget, check_share=0.3, store=store, name=f"boosting {limit} ms")


def evaluated(store):
    """Settings as dicts, losses and latencies of the newest run."""
    store = zeroth.Store(store)
    answers, names = store.answers(), store.run().names
    settings = [{name: values[int(value)] if values else float(value)
                 for name, values, value in zip(names.variables, names["values"], row) if value == value} for row in answers.x]
    return settings, answers.objective, answers.constraints[:, 0]


def judged(x, splits):
    """Mean and standard error of the loss over fresh splits, and the mean latency."""
    rows = [evaluate(x, 10**6 + k) for k in range(splits)]
    loss = np.array([row["objective"] for row in rows])
    return loss.mean(), loss.std(ddof=1) / np.sqrt(splits), float(np.mean([row["ms"] for row in rows]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=int, default=120)
    parser.add_argument("--limits", type=float, nargs="+", default=[0.12, 0.25, 0.5])
    parser.add_argument("--trees", type=int, default=BOUNDS["trees"][1], help="at most")
    parser.add_argument("--splits", type=int, default=25, help="fresh evaluations that judge a setting")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    store = options.out / "boosting.db"
    evaluations, answers = [], []

    def say(what, limit, x, claim):
        loss, se, ms = judged(x, options.splits)
        setting = ", ".join(f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in x.items())
        print(f"{what:22} loss {loss:.4f} +- {se:.4f} in {ms:.3f} ms (claimed {claim}): {setting}", flush=True)
        answers.append([what, limit, claim.split()[0], f"{loss:.5f}", f"{se:.5f}", f"{ms:.4f}", setting])

    say("scikit-learn's default", "", DEFAULT, "nothing")
    for limit in options.limits:
        answer = tuned(limit, options.budget, store, options.trees)
        seen, losses, times = evaluated(store)
        evaluations += [[limit, x["grow"], f"{loss:.5f}", f"{ms:.4f}"] for x, loss, ms in zip(seen, losses, times)]
        say(f"answer, {limit} ms", limit, dict(answer.x), f"{answer.fun:.4f}")
        allowed = [k for k in range(len(seen)) if times[k] <= limit]
        if allowed:
            best = min(allowed, key=lambda k: losses[k])
            say("the luckiest evaluation", limit, seen[best], f"{losses[best]:.4f}")
    for name, head, rows in (("evaluations", ["limit", "grow", "loss", "ms"], evaluations),
                             ("answers", ["what", "limit", "claimed", "loss", "se", "ms", "setting"], answers)):
        with open(options.out / f"boosting-{name}.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(rows)


if __name__ == "__main__":
    main()
