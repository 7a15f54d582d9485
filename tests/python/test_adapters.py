# SPDX-License-Identifier: MIT
"""zeroth inside scipy, scikit-learn and Optuna, against the packages themselves. scipy and scikit-learn are Debian's (scripts/packages-test)
and must be there; Optuna comes from PyPI, and without it its tests alone are skipped."""
import numpy as np
import pytest

from conftest import BUILD, ROOT  # noqa: F401

import zeroth


class TestScipy:
    def solve(self, fun, x0, **keywords):
        from scipy.optimize import minimize
        import zeroth.scipy
        return minimize(fun, x0, method=zeroth.scipy.method, **keywords)

    def test_noisy_function_with_bounds(self):
        from scipy.optimize import OptimizeResult
        rng = np.random.default_rng(1)
        answer = self.solve(lambda x, shift: float(np.sum((x - shift) ** 2) + 0.01 * rng.normal()), [0.9, 0.9], args=(0.3,),
                            bounds=[(0, 1), (0, 1)], options={"budget": 200})
        assert isinstance(answer, OptimizeResult) and answer.success and answer.nfev == 200
        assert np.max(np.abs(answer.x - 0.3)) < 0.15 and answer.objective.se > 0

    def test_every_kind_of_constraint(self):
        from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint
        asked = []

        def fun(x):
            asked.append(np.array(x))
            return float(x[0] + x[1])

        answer = self.solve(fun, [0.9, 0.8], bounds=Bounds([0, 0], [1, 1]), options={"budget": 200}, constraints=[
            LinearConstraint([[1.0, -1.0]], -np.inf, 0.5), NonlinearConstraint(lambda x: x[0] * x[1], 0.25, np.inf),
            {"type": "ineq", "fun": lambda x: x[0] - 0.2}])
        assert len(answer.constraints) == 2 and answer.x[0] * answer.x[1] > 0.24 and answer.fun < 1.15
        assert all(x[0] - x[1] <= 0.5 + 1e-9 for x in asked[1:])  # a known limit is never violated

    def test_callback_and_bad_constraints(self):
        seen = []
        self.solve(lambda x: float(x[0] ** 2), [0.5], bounds=[(0, 1)], options={"budget": 20}, callback=seen.append)
        assert seen and np.shape(seen[-1]) == (1,)
        import zeroth.scipy
        with pytest.raises(TypeError, match="LinearConstraint"):
            zeroth.scipy.method(lambda x: 0.0, [0.5], bounds=[(0, 1)], constraints=["x > 0"])


class TestSklearn:
    @pytest.fixture
    def data(self):
        from sklearn.datasets import make_moons
        return make_moons(120, noise=0.3, random_state=0)

    def test_behaves_as_a_search_estimator(self, data):
        from sklearn.base import clone
        from sklearn.svm import SVC
        from zeroth.sklearn import ZerothSearchCV
        X, y = data
        search = ZerothSearchCV(SVC(), {"kernel": ["rbf", "poly", "linear"], "C": (1e-2, 1e3), "degree": (2, 5)},
                                when={"degree": "kernel == 'poly'"}, scale={"C": "log"}, n_iter=20, cv=3,
                                points=[{"kernel": "rbf", "C": 1.0}])
        clone(search)  # parameters are kept as given
        search.fit(X, y)
        results = search.cv_results_
        assert len(results["params"]) == 20 and results["params"][0]["kernel"] == "rbf" and results["params"][0]["C"] == pytest.approx(1.0)
        assert all("degree" in p if p["kernel"] == "poly" else "degree" not in p for p in results["params"])
        assert all(isinstance(p.get("degree", 2), int) for p in results["params"])
        assert search.best_score_ == max(results["mean_test_score"]) and search.best_params_ in results["params"]
        assert search.score(X, y) > 0.8 and len(search.predict(X)) == len(y)

    def test_the_same_random_state_gives_the_same_search(self, data):
        from sklearn.neighbors import KNeighborsClassifier
        from zeroth.sklearn import ZerothSearchCV

        def tried(state):
            search = ZerothSearchCV(KNeighborsClassifier(), {"n_neighbors": (1, 30), "weights": ["uniform", "distance"]}, n_iter=10,
                                    cv=3, random_state=state).fit(*data)
            return search.cv_results_["params"]
        assert tried(3) == tried(3)

    def test_failing_candidates_are_failed_evaluations(self, data):
        from sklearn.svm import SVC
        from zeroth.sklearn import ZerothSearchCV
        X, y = data
        with pytest.warns(Warning):
            search = ZerothSearchCV(SVC(), {"C": (-1.0, 2.0)}, n_iter=12, cv=3).fit(X, y)
        assert search.search_.failed > 0 and search.best_params_["C"] > 0


class TestOptuna:
    @pytest.fixture(autouse=True)
    def quiet(self):
        self.optuna = pytest.importorskip("optuna", reason="Optuna is not installed (PyPI; bench/outside/setup makes an environment with it)")
        self.optuna.logging.set_verbosity(self.optuna.logging.ERROR)

    def study(self, objective, trials, direction="minimize", n_jobs=1, **keywords):
        from zeroth.optuna import Sampler
        sampler = Sampler(budget=trials, **keywords)
        study = self.optuna.create_study(sampler=sampler, direction=direction)
        study.optimize(objective, n_trials=trials, n_jobs=n_jobs)
        return study, sampler

    def test_mixed_parameters_stay_inside_their_distributions(self):
        def objective(trial):
            x = trial.suggest_float("x", 1e-3, 1.0, log=True)
            k = trial.suggest_int("k", 2, 10, step=2)
            grid = trial.suggest_float("grid", 0.0, 1.0, step=0.25)
            kind = trial.suggest_categorical("kind", ["a", None, 3])
            trial.suggest_float("fixed", 2.0, 2.0)
            assert k % 2 == 0 and (4 * grid) % 1 == 0 and 1e-3 <= x <= 1
            return (np.log10(x) + 1) ** 2 + (k - 6) ** 2 / 4 + (grid - 0.5) ** 2 + (kind != "a")

        study, sampler = self.study(objective, 50)
        assert len(study.trials) == 50 and sampler.search is not None and sampler.search.evaluations >= 45
        assert study.best_value < 0.3 and study.best_params["kind"] == "a"

    def test_constraints_decide(self):
        def objective(trial):
            x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
            trial.set_user_attr("c", 0.8 - x - y)
            return x + 2 * y

        study, sampler = self.study(objective, 60, constraints_func=lambda t: [t.user_attrs["c"]], startup=3)
        assert len(sampler.search.recommend().x) == 2
        feasible = [t for t in study.trials if t.user_attrs["c"] <= 0.02]
        assert min(t.value for t in feasible) < 0.95  # the optimum is 0.8 at (0.8, 0)
        assert all("constraints" in t.system_attrs for t in study.trials)

    def test_maximise_prune_fail_and_several_threads(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            if trial.number % 7 == 3:
                raise self.optuna.TrialPruned()
            return -(x - 0.7) ** 2

        study, sampler = self.study(objective, 30, direction="maximize", n_jobs=2, width=2)
        assert abs(study.best_params["x"] - 0.7) < 0.1 and sampler.search.failed > 0

    def test_a_conditional_space_and_more_trials_than_the_budget(self):
        def objective(trial):
            kind = trial.suggest_categorical("kind", ["a", "b"])
            return trial.suggest_float("x", 0, 1) if kind == "a" else 1 + trial.suggest_float("z", 0, 1)

        study, _ = self.study(objective, 12)
        study.optimize(objective, n_trials=10)
        assert len(study.trials) == 22 and study.best_value < 0.5

    def test_two_objectives_are_refused(self):
        from zeroth.optuna import Sampler
        study = self.optuna.create_study(sampler=Sampler(budget=10), directions=["minimize", "minimize"])
        with pytest.raises(ValueError, match="one objective"):
            study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1.0), n_trials=4)


def test_the_trackers_example_logs_every_batch(tmp_path):
    import subprocess
    import sys
    done = subprocess.run([sys.executable, "-B", str(ROOT / "examples/python/tracker.py")], cwd=tmp_path, capture_output=True, text=True,
                          env={"PYTHONPATH": str(BUILD / "python"), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert len(lines) > 20 and '"best"' in lines[-1]
    assert zeroth.__version__
