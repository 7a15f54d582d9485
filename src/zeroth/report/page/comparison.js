// Runs of one problem side by side, and the list of all runs.
zeroth.comparisonPanel = class {
  constructor(panel) {
    const {el} = zeroth;
    this.head = el("div");
    this.grid = new zeroth.Grid("comparison-");
    this.tolerance = el("select", {id: "tolerance", onchange: () => this.show(this.data, this.run)});
    this.targets = el("section", {"aria-label": "Evaluations to target"});
    this.list = el("section", {"aria-label": "All runs"});
    panel.replaceChildren(el("h2", {}, "Comparison"), this.head, this.grid.node, this.targets, this.list);
  }

  show(data, run) {
    const {el, number} = zeroth;
    this.data = data;
    this.run = run;
    const {problem} = zeroth.groupOf(data, run), groups = problem.solvers;
    const constrained = run.constraints > 0;
    this.head.replaceChildren(
      el("p", {class: "muted small"}, `${zeroth.plural(problem.runs.length, "run")} of “${problem.name}” by ${zeroth.plural(groups.length, "solver setting")}. `
        + "Objectives are those of the checked answers; the interval of a mean over seeds is Student's t at 95 %; p-values compare with the best setting (Welch's test, Holm's adjustment)."
        + (groups.some(g => g.finished === 1) ? " Settings with one finished run are judged by that run's own errors, which says nothing about other seeds." : "")),
      zeroth.table(["Solver", {text: "Budget", n: true}, {text: "Runs finished", n: true}, ...(constrained ? [{text: "Feasible", n: true}] : []), {text: `Objective (${problem.maximize ? "higher" : "lower"} is better)`, n: true}, {text: "95 % interval", n: true}, {text: "p", n: true}, "In words"],
        groups.map(g => ({chosen: g.runs.includes(run.id) && groups.length > 1, cells: [g.label, number(g.budget), `${g.finished} of ${g.runs.length}`, ...(constrained ? [`${g.feasible} of ${g.finished}`] : []),
          g.mean === null ? "–" : zeroth.fixed(g.mean, (g.high - g.low) / 2), g.mean === null ? "–" : zeroth.interval(g) || "–", g.p_value === null ? "–" : g.p_value < 0.001 ? "< 0.001" : g.p_value.toFixed(3), this.words(g)]}))));
    this.grid.show(["objective", "violation"].filter(kind => kind === "objective" || constrained).map(kind => this.spec(problem, kind)));
    this.showTargets(problem);
    this.showList(data, run);
  }

  words(g) {
    if (g.finished === 0) return "not finished";
    const infeasible = 2 * g.feasible < g.finished;
    if (g.best) return infeasible ? "best, but mostly infeasible" : "best";
    if (infeasible) return "mostly infeasible";
    if (g.p_value === null) return "–";
    return g.p_value < 0.05 ? "worse than the best" : "cannot be told from the best";
  }

  spec(problem, kind) {
    const joined = zeroth.join(problem.solvers.map(g => ({x: g[kind].evaluations, columns: [g[kind].mean, ...zeroth.around(g[kind].mean, g[kind].se, 1, kind === "violation" ? 0 : -Infinity)]})));
    const several = problem.solvers.some(g => g.runs.length > 1);
    return {key: kind, title: kind === "objective" ? "Objective at the recommendation" : "Violation at the recommendation", xLabel: "evaluations", yLabel: kind, x: joined.x, sync: "comparison",
      include: kind === "violation" ? [0] : [], limit: kind === "violation" ? {y: 0, label: "feasible"} : undefined,
      summary: several ? "Mean over seeds; band: ± 1 standard error of the mean." : "One run each: no band.",
      series: problem.solvers.slice(0, 8).map((g, i) => { const [mean, low, high] = joined.columns[i]; return {label: g.label, y: mean, low, high, color: `c${i}`, dash: i > 5 ? [6, 3] : undefined}; })};
  }

  showTargets(problem) {
    const {el, number} = zeroth, tolerances = problem.solvers[0]?.targets ?? [];
    this.targets.hidden = tolerances.length === 0;
    if (!tolerances.length) return;
    if (this.tolerance.options.length !== tolerances.length)
      this.tolerance.replaceChildren(...tolerances.map((t, i) => el("option", {value: i}, `${100 * t.tolerance} %`)));
    const at = Number(this.tolerance.value || 0);
    this.targets.replaceChildren(el("h2", {}, "Evaluations to target"),
      el("label", {for: "tolerance"}, "Left of the way to the best answer ", this.tolerance),
      zeroth.table(["Solver", {text: "Reached", n: true}, {text: "Median", n: true}, {text: "Fastest", n: true}, {text: "Slowest", n: true}],
        problem.solvers.map(g => { const t = g.targets[at]; return [g.label, `${t.reached} of ${g.runs.length}`, number(t.median), number(t.lowest), number(t.highest)]; }),
        `Evaluations until the estimate at the recommendation reached ${number(tolerances[at].target, 5)} with no constraint above twice the standard error of the checked answers. The way goes from the worst beginning to the best checked, feasible answer.`));
  }

  showList(data, run) {
    const {el, number} = zeroth;
    this.list.replaceChildren(el("h2", {}, "All runs"), zeroth.table([{text: "Run", n: false}, "Problem", "Solver", {text: "Seed", n: true}, "Status", {text: "Evaluations", n: true}, {text: "Objective", n: true}, {text: "Feasible with probability", n: true}],
      data.runs.map(r => ({chosen: r.id === run.id, cells: [el("a", {href: `#run=${r.id}`}, `run ${r.id}`), r.name, r.solver, String(r.seed), r.running ? "running" : r.status === "running" ? "killed" : r.status,
        `${number(r.evaluations)} of ${number(r.budget)}`, r.answer.objective ? zeroth.plusminus(r.answer.objective.mean, (r.answer.objective.high - r.answer.objective.low) / 2) : "–",
        r.answer.probability === undefined ? "–" : zeroth.percent(r.answer.probability)]})),
      data.left_out ? `${zeroth.plural(data.left_out, "run")} of the store not shown; --run NUMBER chooses.` : null));
  }
};
