# SPDX-License-Identifier: MIT
"""A callback for a tracker of experiments: ten lines. With MLflow, `log` is mlflow.log_metrics(numbers, step=step)."""
import json

import numpy as np

import zeroth


def plant(x, seed):
    noise = np.random.default_rng(seed).normal(0, 0.1, 2)
    return (x["heat"] - 1) ** 2 + x["flow"] ** 2 + noise[0], [x["heat"] - 2 * x["flow"] - 0.5 + noise[1]]


with open("metrics.jsonl", "w") as file:
    def log(numbers, step):
        file.write(json.dumps({"step": step, **numbers}) + "\n")

    def track(state):
        numbers = {"seconds": state.time, "failed": state.failed, **{name: float(value) for name, value in dict(state.incumbent).items()}}
        if state.objective is not None:
            numbers.update(objective=state.objective, constraint=state.constraints[0])
        if state.best is not None:
            numbers.update(best=state.best)
        log(numbers, step=state.evaluations)

    answer = zeroth.minimize(plant, {"heat": (0, 1), "flow": (0, 1)}, constraints=1, budget=100, callback=track)

print(answer.x["heat"], answer.fun)
assert answer.fun < 0.6
