# SPDX-License-Identifier: MIT
"""Results, runs and stores as notebooks show them, and as matplotlib draws them."""
import html
import math

import numpy as np


def number(value, digits=5):
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}g}"


def _cells(row, tag="td"):
    return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row) + "</tr>"


def table(head, rows):
    return ("<table><thead>" + _cells(head, "th") + "</thead><tbody>" + "".join(_cells(row) for row in rows)
            + "</tbody></table>")


def best_so_far(objective, feasible, maximize):
    """The best objective among the evaluations that saw every constraint hold, up to each."""
    worst = -math.inf if maximize else math.inf
    kept = np.where(np.asarray(feasible, dtype=bool), objective, worst)
    best = (np.maximum if maximize else np.minimum).accumulate(kept) if len(kept) else kept
    return np.where(np.isfinite(best), best, np.nan)


def _thinned(count, most):
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int)) if count else np.array([], dtype=int)


def chart(objective, feasible, maximize, width=420, height=150):
    """Evaluations as dots, the best feasible one so far as a line: a small picture in SVG."""
    objective = np.asarray(objective, dtype=float)
    finite = objective[np.isfinite(objective)]
    if finite.size < 2:
        return ""
    low, high = np.quantile(finite, [0.02, 0.98])
    high = high if high > low else low + 1
    picked = _thinned(len(objective), 300)
    best = best_so_far(objective, feasible, maximize)
    left, bottom = 50, 20

    def place(i, value):
        x = left + (width - left - 6) * i / max(1, len(objective) - 1)
        y = 6 + (height - bottom - 12) * (high - min(max(value, low), high)) / (high - low)
        return x, y

    dots = []
    for i in picked:
        if math.isfinite(objective[i]):
            x, y = place(i, objective[i])
            colour = "#0072b2" if feasible[i] else "#98a1a9"
            dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.8" fill="{colour}"/>')
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(i, best[i]) for i in picked if math.isfinite(best[i])))
    texts = [(left - 4, 12, "end", number(high, 3)), (left - 4, height - bottom - 4, "end", number(low, 3)),
             (left, height - 4, "start", "1"), (width - 4, height - 4, "end", f"{len(objective)} evaluations")]
    labels = "".join(f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="10" fill="currentColor">{text}</text>'
                     for x, y, anchor, text in texts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="objective of '
            f'{len(objective)} evaluations; the line is the best feasible one so far">' + "".join(dots)
            + f'<polyline points="{line}" fill="none" stroke="#d55e00" stroke-width="1.5"/>' + labels + "</svg>")


def interval(pair):
    low, high = pair if pair is not None else (math.nan, math.nan)
    return f"{number(low)} to {number(high)}"


def constraint_rows(constraints):
    """Name, value in declared units, 95 % interval, limit, probability, multiplier."""
    rows = []
    for c in constraints:
        d = c.declared
        rows.append([c.name, number(d.estimate), interval(d.interval), f"{d.relation} {number(d.limit)}",
                     number(c.probability_feasible, 4), number(c.multiplier, 3)])
    return rows


def point_rows(x, names):
    values = x.items() if hasattr(x, "items") else [(names[i] if names else f"x[{i}]", v) for i, v in enumerate(x)]
    return [[name, number(value, 7) if isinstance(value, float) else value] for name, value in list(values)[:30]]


def result_html(result):
    parts = [f"<p><b>{html.escape(result.status)}</b>, feasibility {html.escape(result.feasibility)}: {html.escape(result.message)}</p>",
             f"<p>objective <b>{number(result.fun, 6)}</b>, 95 % interval {interval(result.objective.interval)}, from "
             f"{result.replicates} fresh evaluations; {result.nfev} evaluations in all, {result.failed} failed</p>",
             table(["variable", "value"], point_rows(result.x, result.names))]
    if len(result.x) > 30:
        parts.append(f"<p>... and {len(result.x) - 30} more</p>")
    if result.constraints:
        parts.append(table(["constraint", "value", "95 % interval", "limit", "holds with probability", "multiplier"],
                           constraint_rows(result.constraints)))
    history = result.history
    if history is not None:
        parts.append(chart(history["objective"], history["feasible"], result.maximize))
    return "".join(parts)


def _axes(ax, count):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot needs matplotlib (Debian: python3-matplotlib; or pip install matplotlib)") from None
    return plt.subplots(1, count, figsize=(5 * count, 3.5), squeeze=False, layout="constrained")[1][0] if ax is None else np.atleast_1d(ax)


def plot_evaluations(ax, objective, feasible, maximize, estimate=None):
    """Evaluations over the run; `estimate`: (mean, low, high) of the checked answer."""
    objective = np.asarray(objective, dtype=float)
    picked = _thinned(len(objective), 5000)
    good = np.asarray(feasible, dtype=bool)[picked]
    ax.plot(picked[~good] + 1, objective[picked][~good], ".", color="#98a1a9", markersize=3, label="saw a constraint violated")
    ax.plot(picked[good] + 1, objective[picked][good], ".", color="#0072b2", markersize=3, label="saw every constraint hold")
    ax.plot(picked + 1, best_so_far(objective, feasible, maximize)[picked], color="#d55e00", label="best of these so far")
    if estimate is not None and math.isfinite(estimate[0]):
        ax.axhline(estimate[0], color="black", linestyle="--", linewidth=1, label="checked answer")
        if all(map(math.isfinite, estimate[1:])):
            ax.axhspan(estimate[1], estimate[2], color="black", alpha=0.1)
    ax.set_xlabel("evaluation")
    ax.set_ylabel("objective")
    ax.legend(fontsize="small")
    return ax


def plot_constraints(ax, constraints):
    """Each constraint's distance to its limit with its interval; left of the line is feasible."""
    for i, c in enumerate(constraints):
        d, sign = c.declared, 1 if c.declared.relation == "<=" else -1
        middle = sign * (d.estimate - d.limit)
        ends = sorted(sign * (end - d.limit) for end in d.interval)
        if all(map(math.isfinite, ends)):
            ax.plot(ends, [i, i], color="#0072b2", linewidth=3, alpha=0.5)
        ax.plot([middle], [i], "o", color="#0072b2")
    ax.axvline(0, color="black", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(constraints)), [c.name for c in constraints])
    ax.set_ylim(len(constraints) - 0.5, -0.5)
    ax.set_xlabel("beyond the limit (at most 0 is feasible)")
    return ax


def plot_result(result, ax=None):
    wanted = [kind for kind, there in (("evaluations", result.history is not None), ("constraints", bool(result.constraints))) if there]
    if not wanted:
        raise ValueError("there is nothing to plot: no history (a Search keeps none) and no constraints")
    axes = _axes(ax, len(wanted))
    for place, kind in zip(axes, wanted):
        if kind == "constraints":
            plot_constraints(place, result.constraints)
        else:
            plot_evaluations(place, result.history["objective"], result.history["feasible"], result.maximize,
                             (result.fun, *(result.objective.interval or (math.nan, math.nan))))
    return axes
