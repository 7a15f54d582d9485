// How the recommendation came about, over the evaluations.
zeroth.groupOf = (data, run) => {
  const problem = data.problems.find(p => p.runs.includes(run.id));
  return {problem, group: problem?.solvers.find(g => g.runs.includes(run.id))};
};

zeroth.convergencePanel = class {
  constructor(panel) {
    const {el} = zeroth;
    this.node = panel;
    this.seeds = el("input", {type: "checkbox", id: "all-seeds", onchange: () => this.show(this.data, this.run)});
    this.choice = el("p", {class: "row"}, this.seeds, el("label", {for: "all-seeds"}));
    this.note = el("p", {class: "muted small"});
    this.grid = new zeroth.Grid("convergence-");
    panel.replaceChildren(el("h2", {}, "Convergence"), this.note, this.choice, this.grid.node);
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
      ? "With this many variables no estimate at the recommended point is made from nearby evaluations: the lines are means of the evaluations in equal intervals of the run."
      : "At every place: what the evaluations taken until then say about the point recommended then (a plane, with squares where curvature shows, fitted to the nearest evaluations, or the mean of the evaluations at the point itself). Bands are errors of the fit; of its bias, where evaluations are far apart, they know nothing"
        + (run.path.checked ? "; the last place is the checked answer." : ".");
    this.grid.show(many && this.seeds.checked ? this.overSeeds(data, group, run) : this.ofRun(run));
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
        series: [{label: "moved since the place before", y: p.moved, color: "c2"}],
        summary: "Root mean square over the variables" + (run.variables?.[0]?.lower !== null ? ", in shares of their ranges." : ".")});
    if (p.noise?.some(list => list.some(v => v !== null)))
      specs.push({key: "noise", title: "Noise of one evaluation", xLabel: "evaluations", yLabel: "standard deviation", x: p.evaluations, sync: "convergence",
        series: p.noise.slice(0, 8).map((y, i) => ({label: run.functions[i].name, y, color: `c${i % 8}`})), include: [0],
        summary: "Standard deviation of the nearest evaluations around the fit; curvature counts as noise, so early values are too high."});
    for (const [name, y] of Object.entries(t?.figures ?? {}))
      if (y.some(v => v !== null && v !== y[y.length - 1]))  // what never changed needs no chart
        specs.push({key: `figure-${name.replace(/[^A-Za-z0-9_-]/g, "-")}`, title: `The solver's “${name}”`, xLabel: "evaluations", yLabel: name, x: t.evaluations, sync: "convergence",
          series: [{label: name, y, color: "c4"}], summary: `Reported by ${run.solver}; now ${zeroth.number(last(y), 4)}.`});
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
