# SPDX-License-Identifier: MIT
"""A support vector machine: which kernel, which C, which degree. Some settings were tried by hand before, and a polynomial
kernel takes much longer than the others, so two workers must not wait for each other."""
import os
import sys
import time

import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

import zeroth
from zeroth.sklearn import ZerothSearchCV

X, y = make_moons(240, noise=0.3, random_state=0)
BOUNDS = {"kernel": ["rbf", "poly", "linear"], "C": (1e-2, 1e3), "degree": (2, 5)}
WHEN = {"degree": "kernel == 'poly'"}


def error(x, seed):
    """Cross-validated error under folds that the seed names, and how long one fit took, against a limit of half a second."""
    folds = StratifiedKFold(4, shuffle=True, random_state=seed % 2**32)
    begin = time.perf_counter()
    score = cross_val_score(SVC(kernel=x["kernel"], C=x["C"], degree=x.get("degree", 3)), X, y, cv=folds).mean()
    time.sleep(0.02 if x["kernel"] == "poly" else 0.0)  # as unequal as real data make it
    return 1 - score, [(time.perf_counter() - begin) / 4 - 0.5]


def main():
    budget = int(os.environ.get("BUDGET", 80))
    earlier = [{"kernel": "linear", "C": 1.0, "objective": 0.14, "seconds": -0.49},
               {"kernel": "rbf", "C": 1.0, "objective": 0.09, "seconds": -0.49}]
    answer = zeroth.minimize(error, BOUNDS, constraints=["seconds"], when=WHEN, scale={"C": "log"}, type={"degree": "integer"},
                             budget=budget, workers=2, width=2, lag=2, evaluated=earlier, solver="trust-bo",
                             store="tuning.db", name="svm", progress=sys.stderr.isatty())
    print(f"kernel {answer.x['kernel']}, C {answer.x['C']:.3g}: error {answer.fun:.3f} +- {answer.objective.se:.3f}, {answer.feasibility}")
    assert answer.fun < 0.14, answer
    assert "kernel" in answer._repr_html_() and "<svg" in answer._repr_html_()

    # The same in scikit-learn's own words.
    search = ZerothSearchCV(SVC(), BOUNDS, when=WHEN, scale={"C": "log"}, n_iter=25, cv=4).fit(X, y)
    print("ZerothSearchCV:", search.best_params_, f"score {search.best_score_:.3f}")
    assert search.best_score_ > 0.86 and len(search.cv_results_["params"]) == 25
    assert np.mean(search.predict(X) == y) > 0.86


if __name__ == "__main__":
    main()
