// A panel for each constraint in the units of its declaration, and the ledger of what failed.
zeroth.constraintsPanel = class {
  constructor(panel) {
    const {el} = zeroth;
    this.note = el("p", {class: "muted small"});
    this.more = el("p", {class: "muted small"});
    this.grid = new zeroth.Grid("constraints-");
    this.tradeHead = el("h2", {}, "What each limit costs");
    this.tradeNote = el("p", {class: "muted small"}, "The best mean objective that a model of all evaluations expects if this limit were another one and the others stayed. Band: ± 2 standard deviations of the model. Dashed: the multiplier at the answer, as a straight line.");
    this.trade = new zeroth.Grid("tradeoff-");
    this.ledger = el("section", {"aria-label": "Failed evaluations"});
    panel.replaceChildren(el("h2", {}, "Constraints"), this.note, this.grid.node, this.more, this.tradeHead, this.tradeNote, this.trade.node, this.ledger);
  }

  show(data, run) {
    const evaluated = run.evaluated, number = zeroth.number;
    if (!run.detailed) { this.note.textContent = zeroth.notDetailed(data, run); this.grid.show([]); this.trade.show([]); this.tradeHead.hidden = this.tradeNote.hidden = true; this.ledger.replaceChildren(); return; }
    const shown = evaluated.number.length;
    this.note.textContent = (shown < evaluated.total
      ? `${number(shown)} of ${number(evaluated.total)} evaluations are drawn: the run is cut into equal intervals, and of each the smallest and the largest value of every function are kept, so the dots seem more spread out than all evaluations are. `
      : `All ${number(shown)} evaluations are drawn. `)
      + (run.constraints > 0 ? "Blue: this single evaluation saw every constraint hold. Grey: it did not. " : "") + (run.failed ? "Crosses at the bottom: failed evaluations." : "");
    this.more.textContent = run.constraints + 1 > run.functions.length ? `Shown are the ${run.functions.length - 1} of ${run.constraints} constraints nearest to their limits.` : "";
    const constraints = run.functions.map((f, i) => [f, i]).filter(([f]) => f.index > 0);
    this.grid.show([...constraints.flatMap(([f, i]) => this.specs(run, f, i)), ...this.specs(run, run.functions[0], 0)]);
    const curves = run.model?.tradeoffs ?? [];
    this.tradeHead.hidden = this.tradeNote.hidden = curves.length === 0;
    this.trade.show(curves.map(curve => this.tradeoff(run, curve)));
    this.showLedger(run);
  }

  // Evaluations against the limit; of a probability or quantile the estimated probability is a chart of its own.
  specs(run, f, i) {
    const evaluated = run.evaluated, p = run.path, y = evaluated.values[i], final = run.answer.functions?.[f.index - 1];
    const pick = code => y.map((v, k) => evaluated.state[k] === code ? v : null);
    const mean = p.mean?.[i] ?? [], chance = f.kind === "probability" || f.kind === "quantile";
    const [low, high] = zeroth.around(mean, p.se?.[i] ?? [], 2, chance ? 0 : -Infinity);
    const capped = chance ? high.map(v => v === null ? null : Math.min(1, v)) : high;
    const failed = evaluated.number.filter((_, k) => evaluated.state[k] === "2");
    const points = [{label: run.constraints ? "evaluation, infeasible" : "evaluation", y: pick("1"), color: "grey", kind: "points"},
      {label: run.constraints ? "evaluation, feasible" : "evaluation", y: pick("0"), color: "c0", kind: "points"}].filter(s => run.constraints || s.color === "c0");
    const wide = !mean.some(v => v !== null) && run.intervals;
    const line = chance || f.kind === "cvar" ? null : wide ? {x: run.intervals.number, columns: [run.intervals.mean[i]]} : {x: p.evaluations, columns: [mean, low, capped]};
    const joined = zeroth.join([{x: evaluated.number, columns: points.map(s => s.y)}, ...(line ? [line] : [])]);
    points.forEach((s, k) => { s.y = joined.columns[0][k]; });
    const series = [...points];
    if (line && joined.columns[1][0].some(v => v !== null))
      series.push(wide ? {label: "mean of the evaluations", y: joined.columns[1][0], color: "c6"}
        : {label: "mean at the recommended point", y: joined.columns[1][0], low: joined.columns[1][1], high: joined.columns[1][2], color: "c6"});
    const limit = f.index === 0 ? undefined : f.line !== undefined
      ? {y: f.line, label: f.kind === "probability" ? `${f.about} ${f.side === "above" ? "≤" : "≥"} ${zeroth.number(f.line, 4)} is wanted` : `limit ${zeroth.relation(f.relation)} ${zeroth.number(f.line, 4)}`}
      : {y: 0, label: f.equality ? "wanted: = 0" : "limit ≤ 0"};
    const holds = final && final.probability !== undefined && final.probability !== null ? `; holds with probability ${zeroth.percent(final.probability)}` : "";
    const words = f.index === 0 ? "All evaluations of the objective." : final && final.mean !== null && final.mean !== undefined
      ? `At the recommended point ${zeroth.quantity(final, final.mean, (final.high - final.low) / 2)} (95 %: ${zeroth.rangeWords(final)}), wanted ${zeroth.limitWords(final)}${holds}.` : "No estimate yet.";
    const specs = [{key: `f${f.index}`, title: f.index === 0 ? "objective" : chance ? `${f.about}, single evaluations` : f.what ?? f.name, xLabel: "evaluation", yLabel: f.index === 0 ? "objective" : f.about ?? "value", x: joined.x, series,
      include: limit ? [limit.y] : [], limit, ticks: {x: failed}, sync: "constraints",
      summary: (chance ? `What ${f.name} is about.` : words) + (failed.length ? ` ${zeroth.plural(run.failed, "evaluation")} failed.` : "")}];
    if (chance) {
      const wanted = f.path ?? f, x = wide ? run.intervals.number : p.evaluations, level = wide ? run.intervals.mean[i] : mean;
      specs.unshift({key: `f${f.index}-chance`, title: wanted.what, xLabel: "evaluations", yLabel: "probability", x, include: [wanted.limit], sync: "constraints",
        series: [wide ? {label: "share in each interval", y: level, color: "c6"} : {label: "at the recommended point", y: level, low, high: capped, color: "c6"}],
        limit: {y: wanted.limit, label: `limit ${zeroth.relation(wanted.relation)} ${zeroth.number(wanted.limit, 4)}`}, logY: false, summary: words});
    }
    return specs;
  }

  tradeoff(run, curve) {
    const f = run.functions.find(f => f.index === curve.function) ?? {}, final = run.answer.functions?.[curve.function - 1];
    const order = curve.limit.map((_, k) => k).sort((a, b) => curve.limit[a] - curve.limit[b]);
    const x = order.map(k => curve.limit[k]), y = order.map(k => curve.mean[k]), sd = order.map(k => curve.sd[k]);
    const [low, high] = zeroth.around(y, sd), here = f.line ?? f.limit ?? 0, objective = run.answer.objective?.mean;
    const chance = f.kind === "probability" || f.kind === "quantile" || f.kind === "cvar";
    const slope = !chance && final?.multiplier ? (run.maximize ? 1 : -1) * final.multiplier * (f.relation === ">=" ? -1 : 1) : null;
    const reach = (x[x.length - 1] - x[0]) / 4;
    return {key: `f${curve.function}`, title: `Objective against the limit of ${f.about ?? f.name}`, xLabel: chance ? `limit inside ${f.name}` : `limit (${zeroth.relation(f.relation)})`, yLabel: "best objective", x, logX: false, logY: false,
      series: [{label: "best mean objective, by the model", y, low, high, color: "c0"}], cursorX: {x: here},
      line: slope !== null && Number.isFinite(objective) ? [here - reach, objective - slope * reach, here + reach, objective + slope * reach] : undefined,
      summary: `Dotted: the limit as declared, ${zeroth.number(here, 4)}.` + (slope !== null ? ` Multiplier ${zeroth.plusminus(final.multiplier, final.multiplier_half)} per unit.` : "")};
  }

  showLedger(run) {
    const {el, number} = zeroth;
    this.ledger.replaceChildren(el("h2", {}, "Failed evaluations"), run.failures.length === 0 ? el("p", {}, "No evaluation failed.")
      : zeroth.table(["Reason", {text: "Times", n: true}, {text: "First", n: true}, {text: "Last", n: true}, "How it ended"], run.failures.map(f => [
        f.several ? [f.reason, el("span", {class: "muted small"}, " and others that differ in numbers only")] : f.reason, number(f.count), number(f.first), number(f.last),
        [f.signal ? `signal ${f.signal}` : f.exit_code ? `exit code ${f.exit_code}` : "–",
         f.error_output ? el("details", {}, el("summary", {}, "its last words"), el("pre", {tabindex: 0}, f.error_output)) : null]]),
        `${zeroth.plural(run.failed, "failed evaluation")} of ${number(run.evaluations)}. Failures are part of the data: the solver was told, the budget was charged, nothing stopped.`, true));
  }
};

zeroth.notDetailed = (data, run) => `This page holds every detail of the newest runs only; zeroth report ${data.store} --run ${run.id} shows this one in full.`;
