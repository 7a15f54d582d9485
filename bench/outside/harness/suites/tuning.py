# SPDX-License-Identifier: MIT
"""Hyperparameters of real learners on the data that scikit-learn brings: one evaluation trains on a random 70 % and measures on the rest,
so the noise is that of the split (and of the learner). Limits are on the size of the model, which a split moves, too.

Choices such as a kernel are integer variables; what spans decades is on a log scale. The truth of an answer is the mean over 200 splits
that no run sees. The score is made when tables are: 0 at the best answer in all ledgers, 1 at the start.
"""
import dataclasses
import warnings

import numpy as np

from ..task import Spec, Task, Truth, mix

BUILD, REPORT = (1, 2, 3), (4, 5, 6, 7, 8)
SPLITS = 200


@dataclasses.dataclass
class Learner:
    data: str
    make: object  # (hyperparameters, seed) -> learner
    size: object  # learner -> number that must not exceed `most`
    most: float
    lower: list
    upper: list
    start: list
    integer: list
    logarithmic: list
    regression: bool = False


def svm(x, seed):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    kernel = ("rbf", "poly", "sigmoid")[int(x[2])]
    return make_pipeline(StandardScaler(), SVC(C=x[0], gamma=x[1], kernel=kernel, degree=int(x[3])))


def boosting(x, seed):
    from sklearn.ensemble import GradientBoostingRegressor
    return GradientBoostingRegressor(learning_rate=x[0], n_estimators=int(x[1]), max_depth=int(x[2]), subsample=x[3],
                                     loss=("squared_error", "huber")[int(x[4])], random_state=seed)


def forest(x, seed):
    from sklearn.ensemble import RandomForestClassifier
    return RandomForestClassifier(n_estimators=int(x[0]), max_depth=int(x[1]), max_features=x[2], min_samples_leaf=int(x[3]),
                                  criterion=("gini", "entropy")[int(x[4])], random_state=seed)


LEARNERS = {
    # how many support vectors must be kept for a prediction
    "svm-cancer": Learner("load_breast_cancer", svm, lambda m: m[-1].n_support_.sum(), 60, [1e-3, 1e-5, 0, 2], [1e3, 1e1, 2, 4],
                          [1.0, 1.0, 1, 3], [False, False, True, True], [True, True, False, False]),
    # how many nodes all trees have together
    "boosting-diabetes": Learner("load_diabetes", boosting, lambda m: sum(t.tree_.node_count for t in m.estimators_.ravel()), 400,
                                 [0.01, 5, 1, 0.3, 0], [1.0, 200, 6, 1.0, 1], [0.8, 20, 3, 1.0, 0], [False, True, True, False, True],
                                 [True, True, False, False, False], regression=True),
    "forest-digits": Learner("load_digits", forest, lambda m: sum(t.tree_.node_count for t in m.estimators_), 2500,
                             [2, 2, 0.05, 1, 0], [60, 20, 1.0, 20, 1], [5, 3, 1.0, 10, 0], [True, True, False, True, True],
                             [True, False, True, True, False]),
}


def names():
    return list(LEARNERS)


def specs(options):
    for name in options.problems or names():
        if name not in LEARNERS:
            raise SystemExit(f"there is no learner {name}; there are: {', '.join(LEARNERS)}")
        for budget in options.budgets or (100, 300):
            for instance in options.instances:
                yield Spec("tuning", name, instance, 1.0, "independent" if options.ignore_seeds else "shared", budget, "")


def load(spec):
    import sklearn.datasets
    from sklearn.model_selection import train_test_split
    warnings.simplefilter("ignore")
    learner = LEARNERS[spec.problem]
    inputs, outputs = getattr(sklearn.datasets, learner.data)(return_X_y=True)
    spread = outputs.var() if learner.regression else 1.0
    integer, logarithmic = np.array(learner.integer), np.array(learner.logarithmic)
    lower, upper = np.array(learner.lower, float), np.array(learner.upper, float)

    def evaluate(x, seed):
        x = np.where(integer, np.round(x), x)
        small = mix(seed) % (1 << 31)
        train_in, test_in, train_out, test_out = train_test_split(inputs, outputs, test_size=0.3, random_state=small,
                                                                  stratify=None if learner.regression else outputs)
        model = learner.make(x, small).fit(train_in, train_out)
        missed = (model.predict(test_in) - test_out) ** 2 / spread if learner.regression else model.predict(test_in) != test_out
        return float(np.mean(missed)), [float(learner.size(model)) / learner.most - 1]

    def truth(x):
        values = np.array([[f, *g] for f, g in (evaluate(x, (1 << 52) + k) for k in range(SPLITS))])
        mean, se = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(SPLITS)
        feasible = bool(mean[1] <= 1.64 * se[1])
        return Truth(mean[0], 0.0 if feasible else float(mean[1]), feasible, objective_se=se[0], values=(mean[1],))

    return Task(evaluate, truth, lower, upper, learner.start, 1, spec.budget, integer, shared=spec.noise_kind == "shared", noisy=True,
                scale=["log" if one else "linear" for one in logarithmic])
