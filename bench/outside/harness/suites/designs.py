# SPDX-License-Identifier: MIT
"""Classical engineering designs and one large problem, written from their published formulas (see formulas.py for the references).

Score: max((f - f*) / range, violation / range), where f* is the best known value, which a noise-free solver confirms (`python -m
harness.suites.designs`), and a range is how far a function moves between the start (the middle of the box) and the best known
point. Noise is normal, or a smooth wave per seed, with that share of the range for standard deviation, as for COCO.
"""
import numpy as np

from ..task import Spec, Task, Truth, fresh_seed, stream, text_seed
from .shared_noise import smooth_field
from .formulas import DESIGNS

BUILD, REPORT = (1, 2, 3), (4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
NOISES = (0.0, 0.01, 0.05)


def names():
    return list(DESIGNS)


def specs(options):
    for name in options.problems or names():
        if name not in DESIGNS:
            raise SystemExit(f"there is no design {name}; there are: {', '.join(DESIGNS)}")
        for budget in options.budgets or (300, 1000):
            for instance in options.instances:
                for noise in options.noises or NOISES:
                    for kind in ("none",) if noise == 0 else options.noise_kinds or ("shared", "independent"):
                        yield Spec("designs", name, instance, noise, kind, budget, "")


def load(spec):
    design = DESIGNS[spec.problem]
    lower, upper, integer = design.lower, design.upper, design.integer
    start = (lower + upper) / 2
    start = np.where(integer, np.round(start), start)
    f0, g0 = design.values(start)
    f_best, g_best = design.values(design.best)
    f_range = max(abs(f0 - f_best), 0.1 * abs(f_best), 1e-12)
    # A limit that is met exactly at both points is measured by its size elsewhere in the box.
    elsewhere = stream(text_seed(spec.problem)).uniform(lower, upper, (50, len(lower)))
    g_range = np.maximum(np.abs(g0 - g_best), 0.05 * np.median([np.abs(design.values(x)[1]) for x in elsewhere], axis=0))
    shared = spec.noise_kind != "independent"
    name = text_seed(spec.problem)

    def evaluate(x, seed):
        f, g = design.values(x)
        if spec.noise == 0:
            return f, g
        key = fresh_seed(name ^ spec.instance, seed)
        z = smooth_field(x, start, upper - lower, key, len(g) + 1) if shared else stream(key).standard_normal(len(g) + 1)
        return f + spec.noise * f_range * z[0], g + spec.noise * g_range * z[1:]

    def truth(x):
        x = np.clip(x, lower, upper)
        f, g = design.values(np.where(integer, np.round(x), x))
        violation = max([0.0] + list(g / g_range))
        return Truth(f, violation, violation <= 1e-6, max((f - f_best) / f_range, violation), values=tuple(g))

    return Task(evaluate, truth, lower, upper, start, len(g0), spec.budget, integer, shared=shared, noisy=spec.noise > 0)


def confirm():
    """Prints what a noise-free solver reaches from many starts, beside the best known value."""
    from scipy import optimize
    draw = np.random.default_rng(1)
    for name, design in DESIGNS.items():
        width = design.upper - design.lower
        free = ~design.integer
        at = lambda u: np.where(design.integer, design.best, design.lower + np.clip(u, 0, 1) * width)
        f_scale = max(1e-12, abs(design.values(design.best)[0]))
        found = (np.inf, None)
        starts = [(design.best - design.lower) / width] + list(draw.uniform(size=(30, len(width))))
        for u in starts if free.any() else []:
            result = optimize.minimize(lambda u: design.values(at(u))[0] / f_scale, u, method="SLSQP", bounds=[(0, 1)] * len(width),
                                       constraints={"type": "ineq", "fun": lambda u: -design.values(at(u))[1]},
                                       options={"maxiter": 1000, "ftol": 1e-13})
            f, g = design.values(at(result.x))
            if (not len(g) or max(g) <= 1e-7) and f < found[0]:
                found = (f, at(result.x))
        f, g = design.values(design.best)
        print(f"{name}: published {design.published}, here {f:.8g} (worst limit {max([-np.inf] + list(g)):.1e}), solver {found[0]:.8g}",
              "" if found[1] is None else " ".join(f"{v:.10g}" for v in found[1]))


if __name__ == "__main__":
    confirm()
