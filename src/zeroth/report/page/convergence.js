// How the recommendation came about, over the evaluations.
zeroth.groupOf = (data, run) => {
  const problem = data.problems.find(p => p.runs.includes(run.id));
  return {problem, group: problem?.solvers.find(g => g.runs.includes(run.id))};
};

zeroth.figureWords = {
  radius: "how far from the recommended point new points are tried, in shares of the ranges.",
  hessian_error: "how wrong the model of the curvature still is, by its own estimate.",
  step: "length of the last step.", step_size: "length of the last step.",
  boost: "by how much more evaluations each point gets than planned, because comparisons were too close.",
  trust: "how far predictions may be relied on: 1 if they came true so far.",
  rejected: "steps that fresh evaluations did not confirm, so far.",
  restarts: "how often the search began anew from its best point.",
  level_se: "standard error of the objective at the centre of the search.",
  local_share: "share of the evaluations that the search by slopes gets.",
  curvature: "largest curvature seen, which bounds the length of steps.",
  sites: "points that the model of the whole set rests on.", violated: "how far the point that the model would recommend violates a constraint, by the model.",
  rho: "weight of the penalty for violated constraints.", primal_residual: "how far the copies of the point still differ.", dual_residual: "how far they moved in the last round.",
  kkt_fallback: "the same residual at a more cautious point.", race_moves: "how often a comparison of candidates changed the recommendation.",
  race_confirming: "1 while the best candidate is being confirmed by further evaluations.",
};

zeroth.convergencePanel = class {
  constructor(panel) {
    const {el} = zeroth;
    this.node = panel;
    this.seeds = el("input", {type: "checkbox", id: "all-seeds", onchange: () => this.show(this.data, this.run)});
    this.choice = el("p", {class: "row"}, this.seeds, el("label", {for: "all-seeds"}));
    this.note = el("p", {class: "muted small"});
    this.grid = new zeroth.Grid("convergence-");
    this.expertGrid = new zeroth.Grid("expert-");
    this.expertNames = el("ul", {class: "sentences small"});
    this.experts = el("details", {class: "experts", ontoggle: () => { if (this.experts.open) this.expertGrid.show(this.expertSpecs ?? []); }},
      el("summary", {}, "For experts: the solver's own figures"), this.expertNames, this.expertGrid.node);
    this.workerGrid = new zeroth.Grid("workers-");
    this.workerTable = el("div");
    this.workers = el("section", {"aria-label": "Workers"}, el("h2", {}, "Workers"), this.workerGrid.node, this.workerTable);
    panel.replaceChildren(el("h2", {}, "Convergence"), this.note, this.choice, this.grid.node, this.workers, this.experts);
    this.touched = false;
    this.seeds.addEventListener("change", () => { this.touched = true; });
  }

  show(data, run) {
    const same = this.run?.id === run.id;
    this.data = data;
    this.run = run;
    const {group} = zeroth.groupOf(data, run), many = group && group.runs.length > 1;
    this.choice.hidden = !many;
    if (!same && !this.touched) this.seeds.checked = false;
    if (many) this.choice.lastChild.textContent = `Mean and standard error over the ${group.runs.length} runs of ${group.label}, each run thin`;
    this.note.textContent = run.dimension > 30
      ? "With this many variables nothing is fitted around the recommended point: the lines are means of the evaluations in equal intervals of the run."
      : "After each evaluation the solver would have recommended some point. The lines show what was known about that point at that time, from the evaluations made until then, with ± 2 standard errors. Early on, few evaluations lie near it, and the true error may be larger than the band"
        + (run.path.checked ? ". The last point is the checked answer." : ".");
    const over = many && this.seeds.checked, own = over ? [] : this.ofSolver(run);
    this.grid.show(over ? this.overSeeds(data, group, run) : this.ofRun(run));
    this.experts.hidden = own.length === 0;
    this.expertNames.replaceChildren(...own.map(spec => zeroth.el("li", {}, zeroth.el("code", {}, spec.yLabel), `: ${spec.words}`)));
    this.expertSpecs = own;
    if (this.experts.open) this.expertGrid.show(own);
    this.showWorkers(run, over);
  }

  showWorkers(run, hidden) {
    const {el, number} = zeroth, list = run.workers ?? [];
    this.workers.hidden = hidden || list.length === 0;
    if (this.workers.hidden) { this.workerGrid.show([]); return; }
    const bins = list[0].per_interval.length, each = run.evaluations / bins;
    const x = list[0].per_interval.map((_, i) => (i + 0.5) * each);
    this.workerGrid.show(list.length < 2 ? [] : [{key: "workers", title: "Evaluations per worker over the run", xLabel: "evaluations", yLabel: "evaluations in the interval", x, include: [0], logX: false, logY: false,
      series: list.slice(0, 8).map((w, i) => ({label: `worker ${w.worker}`, y: w.per_interval, color: `c${i % 8}`})),
      summary: `${zeroth.plural(list.length, "worker")}; the run in ${bins} equal intervals.` + (list.length > 8 ? " The first 8 are drawn." : "")}]);
    this.workerTable.replaceChildren(zeroth.table(["Worker", {text: "Evaluations", n: true}, {text: "Failed", n: true}, {text: "Time evaluating", n: true}, {text: "Mean time of one", n: true}],
      list.slice(0, 20).map(w => [String(w.worker), number(w.evaluations), number(w.failed), `${number(w.seconds, 3)} s`, `${number(w.seconds / Math.max(1, w.evaluations), 3)} s`]),
      list.length > 20 ? `20 of ${list.length} workers` : null));
  }

  ofRun(run) {
    const p = run.path, specs = [], last = list => list.length ? list[list.length - 1] : null;
    const wide = !p.mean?.[0]?.some(v => v !== null) && run.intervals;
    const x = wide ? run.intervals.number : p.evaluations;
    const mean = wide ? run.intervals.mean[0] : p.mean?.[0] ?? [], se = wide ? run.intervals.se[0] : p.se?.[0] ?? [];
    const [low, high] = zeroth.around(mean, se);
    const objective = [{label: wide ? "mean of the evaluations" : "estimate", y: mean, low, high, color: "c0"}];
    if (p.exact_objective && !wide) objective.push({label: "exact (known of this benchmark)", y: p.exact_objective, color: "c6", dash: [4, 4], width: 1.5});
    specs.push({key: "objective", title: `Objective (${run.maximize ? "maximised" : "minimised"})`, xLabel: "evaluations", yLabel: "objective", x, series: objective, sync: "convergence",
      summary: mean.length ? `From ${zeroth.number(mean.find(v => v !== null), 4)} to ${zeroth.number(last(mean), 4)}; band: ± 2 standard errors.` : "No data yet."});
    if (run.constraints > 0 && !wide) {
      const [vlow, vhigh] = zeroth.around(p.violation, p.violation_se, 2, 0);
      const series = [{label: "estimate", y: p.violation, low: vlow, high: vhigh, color: "c1"}];
      if (p.exact_violation) series.push({label: "exact (known of this benchmark)", y: p.exact_violation, color: "c6", dash: [4, 4], width: 1.5});
      specs.push({key: "violation", title: "Violation of the worst constraint", xLabel: "evaluations", yLabel: "violation", x, series, include: [0], limit: {y: 0, label: "feasible"}, sync: "convergence",
        summary: `Now ${zeroth.number(last(p.violation), 3)}; 0 is feasible; band: ± 2 standard errors.`});
    }
    const t = run.trace;
    if (t?.multipliers.length) {
      const names = run.functions.slice(1);
      specs.push({key: "multipliers", title: "Multipliers", xLabel: "evaluations", yLabel: "multiplier", x: t.evaluations, sync: "convergence",
        series: t.multipliers.slice(0, 8).map((y, i) => ({label: names[i]?.name ?? `c${i + 1}`, y, color: `c${i % 8}`})), include: [0],
        summary: "What the objective gains per unit by which a constraint is relaxed, as the solver saw it" + (t.multipliers.length > 8 ? "; the first 8 of them." : ".")});
    }
    if (p.moved?.some(v => v > 0))
      specs.push({key: "moved", title: "Steps of the recommendation", xLabel: "evaluations", yLabel: run.variables?.[0]?.lower !== null ? "share of the ranges" : "distance", x: p.evaluations, sync: "convergence",
        series: [{label: "moved since the point before", y: p.moved, color: "c2"}],
        summary: "Root mean square over the variables" + (run.variables?.[0]?.lower !== null ? ", in shares of their ranges." : ".")});
    if (p.noise?.some(list => list.some(v => v !== null)))
      specs.push({key: "noise", title: "Noise of one evaluation", xLabel: "evaluations", yLabel: "standard deviation", x: p.evaluations, sync: "convergence",
        series: p.noise.map((y, i) => ({label: run.functions[i].about ?? run.functions[i].what ?? run.functions[i].name, y})).filter(s => s.y.some(v => v !== null)).slice(0, 8).map((s, i) => ({...s, color: `c${i % 8}`})), include: [0],
        summary: "Standard deviation of single evaluations near the recommended point; early values, from points far apart, are too high."});
    if (t?.leaders) specs.push(this.leaders(t));
    return specs;
  }

  // Which of the searches that "auto" runs side by side was believed when.
  leaders(t) {
    const {names, at} = t.leaders, x = at.map(entry => entry.evaluations), parts = [];
    const share = t.figures?.local_share, byEvaluations = new Map(t.evaluations.map((e, i) => [e, share?.[i] ?? null]));
    at.forEach((entry, i) => { if (i === 0 || at[i - 1].who !== entry.who) parts.push({from: entry.evaluations, who: names[entry.who]}); });
    const series = names.map((name, k) => ({label: `${name} leads`, y: at.map(entry => entry.who === k ? 1.06 + 0.06 * k : null), color: `c${k}`, kind: "points", size: 6}));
    if (share?.some(v => v !== null)) series.push({label: "share of evaluations for slopes", y: x.map(e => byEvaluations.get(e) ?? null), color: "c6"});
    const words = parts.slice(0, 4).map((part, i) => i === 0 ? `${part.who} led first` : `${part.who} from evaluation ${zeroth.number(part.from)}`).join(", ");
    return {key: "leaders", title: "Which search led when", xLabel: "evaluations", yLabel: "share", x, series, include: [0, 1], logY: false, sync: "convergence",
      summary: `${words}${parts.length > 4 ? `, and ${parts.length - 4} changes after` : ""}. “auto” runs a model of the whole set and a search by slopes side by side and gives more evaluations to whoever wins comparisons.`};
  }

  // What the solver reports about itself: names are its own, one sentence each says what they mean.
  ofSolver(run) {
    const t = run.trace, specs = [];
    for (const [name, y] of Object.entries(t?.figures ?? {}))
      if (y.some(v => v !== null && v !== y[y.length - 1]))  // what never changed needs no chart
        specs.push({key: `figure-${name.replace(/[^A-Za-z0-9_-]/g, "-")}`, title: name, xLabel: "evaluations", yLabel: name, x: t.evaluations, sync: "convergence",
          words: zeroth.figureWords[name] ?? `reported by ${run.solver} about itself.`, series: [{label: name, y, color: "c4"}],
          summary: `${zeroth.figureWords[name] ?? `Reported by ${run.solver} about itself.`} Now ${zeroth.number(y.findLast?.(v => v !== null) ?? null, 4)}.`});
    return specs;
  }

  overSeeds(data, group, run) {
    return ["objective", "violation"].filter(kind => kind === "objective" || run.constraints > 0).map(kind => {
      const band = group[kind], members = data.runs.filter(r => group.runs.includes(r.id));
      const of = r => kind === "objective" ? r.path.mean?.[0] ?? [] : r.path.violation;
      const joined = zeroth.join([{x: band.evaluations, columns: [band.mean, ...zeroth.around(band.mean, band.se, 1)]},
        ...members.map(r => ({x: r.path.evaluations, columns: [of(r)]}))]);
      const [mean, low, high] = joined.columns[0];
      return {key: kind, title: kind === "objective" ? `Objective over ${group.runs.length} seeds` : `Violation over ${group.runs.length} seeds`,
        xLabel: "evaluations", yLabel: kind, x: joined.x, sync: "convergence", include: kind === "violation" ? [0] : [], limit: kind === "violation" ? {y: 0, label: "feasible"} : undefined,
        summary: "Thick: mean; band: ± 1 standard error of the mean; thin: each run.",
        series: [...members.map((r, i) => ({label: `seed ${r.seed}`, y: joined.columns[i + 1][0], color: r.id === run.id ? "c1" : "grey", width: 1})),
          {label: "mean", y: mean, low, high, color: "c0", width: 3}]};
    });
  }
};
