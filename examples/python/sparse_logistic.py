# SPDX-License-Identifier: MIT
# %% [markdown]
# # Logistic regression under a sparsity limit
#
# A bank wants a credit score that a clerk can explain: at most eight of the 24 attributes, on average over the customers it happens
# to be trained on. Two penalties decide how many coefficients survive, and the loss on unseen customers can only be measured
# with noise, because every split of the data gives another number. That is min E[f0] subject to E[f1] <= 0.
#
# The data are the German credit data (1000 customers, 24 numeric attributes). Nothing but numpy is used.

# %%
import pathlib

import numpy as np

import zeroth

DATA = pathlib.Path(__file__).resolve().parents[2] / "data/german/german.data-numeric"
table = np.loadtxt(DATA)
X, y = table[:, :24], table[:, 24] == 2  # 2: did not pay
X = (X - X.mean(axis=0)) / X.std(axis=0)
LIMIT = 8  # attributes


# %% [markdown]
# Training minimises log loss + l1 |w|_1 + l2/2 |w|^2 by accelerated proximal gradient steps; soft thresholding sets coefficients
# to exactly zero.

# %%
def train(X, y, l1, l2, steps=100):
    n, d = X.shape
    step = 1 / (np.linalg.norm(X, 2) ** 2 / (4 * n) + 0.25 + l2)
    w, b, ahead, ahead_b, t = np.zeros(d), 0.0, np.zeros(d), 0.0, 1.0
    for _ in range(steps):
        error = 1 / (1 + np.exp(-(X @ ahead + ahead_b))) - y
        new = ahead - step * (X.T @ error / n + l2 * ahead)
        new = np.sign(new) * np.maximum(np.abs(new) - step * l1, 0)
        new_b = ahead_b - step * error.mean()
        t, momentum = (1 + (1 + 4 * t * t) ** 0.5) / 2, (t - 1) / ((1 + (1 + 4 * t * t) ** 0.5) / 2)
        ahead, ahead_b = new + momentum * (new - w), new_b + momentum * (new_b - b)
        w, b = new, new_b
    return w, b


def measure(x, seed):
    """Loss on held-out customers and the number of attributes beyond the limit, for one random split."""
    l1, l2 = x
    order = np.random.default_rng(seed).permutation(len(y))
    train_rows, test_rows = order[:700], order[700:]
    w, b = train(X[train_rows], y[train_rows], l1, l2)
    margin = (X[test_rows] @ w + b) * np.where(y[test_rows], 1, -1)
    return {"objective": np.logaddexp(0, -margin).mean(), "attributes": np.count_nonzero(w) - LIMIT}


# %% [markdown]
# The split is drawn from the seed alone, so `common_noise=True`: two points can be compared on the same split. 120 evaluations are
# few enough for the Bayesian solver, which `auto` picks by itself.

# %%
answer = zeroth.minimize(measure, {"l1": (1e-3, 0.3), "l2": (1e-4, 1.0)}, scale="log", constraints=["attributes"], budget=120,
                         common_noise=True, seed=3)
print(answer.message)
print(f"l1 = {answer.x[0]:.4f}, l2 = {answer.x[1]:.4f}")
print(f"loss {answer.fun:.4f} +- {answer.objective.se:.4f}")
limit = answer.constraints[0]
print(f"attributes {limit.mean + LIMIT:.2f} +- {limit.se:.2f}, within the limit with probability {limit.probability_feasible:.3f}")

# %% [markdown]
# Is it good? Fresh splits that no one has seen: the answer against no score at all, and against a grid of 21 penalties.

# %%
fresh = range(10**6, 10**6 + 30)


def truth(point):
    evaluations = [measure(point, seed) for seed in fresh]
    return np.mean([evaluation["objective"] for evaluation in evaluations]), np.mean([evaluation["attributes"] for evaluation in evaluations])


loss, excess = truth(answer.x)
nothing = np.log(2) if y.mean() == 0.5 else -(y.mean() * np.log(y.mean()) + (1 - y.mean()) * np.log(1 - y.mean()))
grid = [truth((l1, l2)) for l1 in np.geomspace(0.01, 0.1, 7) for l2 in (1e-4, 0.03, 1.0)]
best = min(loss for loss, excess in grid if excess <= 0)
print(f"on fresh splits: loss {loss:.4f}, {excess + LIMIT:.2f} attributes; no score at all {nothing:.4f}; best of the grid {best:.4f}")

assert limit.probability_feasible > 0.5
assert excess <= 0.5, "the limit must hold on fresh splits too"
assert loss < nothing - 0.03, "the score must be worth something"
assert loss < best + 0.005, "and as good as a grid search with five times as many evaluations"
