# SPDX-License-Identifier: MIT
"""Gradient boosting on scikit-learn's breast cancer data (569 tumours, 30 measurements): what a setting is worth, and how long it takes.

The loss is the mean over four random splits into training and test data, which the seed names. The latency is that of scoring 512
tumours, the least of 50 times: whatever else the machine does only ever adds.
"""
import time

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

X, Y = load_breast_cancer(return_X_y=True)
BATCH = X[np.random.default_rng(1).integers(0, len(X), 512)]

BOUNDS = {
    "trees": (10, 300),
    "rate": (0.01, 1.0),
    "grow": ["depth", "leaves"],             # what limits a tree
    "depth": (1, 8),
    "leaves": (2, 64),
    "features": ["all", "sqrt", "log2"],     # considered for a split
    "subsample": (0.3, 1.0),
}
WHEN = {"depth": "grow == 'depth'", "leaves": "grow == 'leaves'"}
TYPE = {"trees": "integer", "depth": "integer", "leaves": "integer"}
SCALE = {"trees": "log", "rate": "log", "leaves": "log"}
DEFAULT = {"trees": 100, "rate": 0.1, "grow": "depth", "depth": 3, "features": "all", "subsample": 1.0}


def fitted(x, train, labels):
    model = GradientBoostingClassifier(
        n_estimators=int(x["trees"]), learning_rate=x["rate"], subsample=x["subsample"], random_state=0,
        max_features=None if x["features"] == "all" else x["features"],
        max_depth=int(x["depth"]) if x["grow"] == "depth" else None,
        max_leaf_nodes=int(x["leaves"]) if x["grow"] == "leaves" else None)
    return model.fit(train, labels)


def milliseconds(model, repeats=50):
    least = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        model.predict_proba(BATCH)
        least = min(least, time.perf_counter() - begin)
    return 1000 * least


def evaluate(x, seed):
    splits = np.random.RandomState(seed % 2**32)
    losses = []
    for _ in range(4):
        train, test, labels, truth = train_test_split(X, Y, test_size=0.3, stratify=Y, random_state=splits)
        model = fitted(x, train, labels)
        losses.append(log_loss(truth, model.predict_proba(test)))
    return {"objective": np.mean(losses), "ms": milliseconds(model)}
