// A panel for each constraint, and the ledger of what failed.
zeroth.constraintsPanel = class {
  constructor(panel) {
    const {el} = zeroth;
    this.note = el("p", {class: "muted small"});
    this.more = el("p", {class: "muted small"});
    this.grid = new zeroth.Grid("constraints-");
    this.ledger = el("section", {"aria-label": "Failure ledger"});
    panel.replaceChildren(el("h2", {}, "Constraints"), this.note, this.grid.node, this.more, this.ledger);
  }

  show(data, run) {
    const evaluated = run.evaluated, number = zeroth.number;
    if (!run.detailed) { this.note.textContent = zeroth.notDetailed(data, run); this.grid.show([]); this.ledger.replaceChildren(); return; }
    const shown = evaluated.number.length;
    this.note.textContent = (shown < evaluated.total
      ? `${number(shown)} of ${number(evaluated.total)} evaluations are drawn: of every one of equal intervals the smallest and the largest value of each function and one failure, so no extreme is missing, but the points evaluation more spread out than they are. `
      : `All ${number(shown)} evaluations are drawn. `)
      + "Grey: this evaluation saw some constraint above its limit. Crosses at the bottom: failed evaluations.";
    this.more.textContent = run.constraints + 1 > run.functions.length ? `Shown are the ${run.functions.length - 1} of ${run.constraints} constraints nearest to their limits.` : "";
    this.grid.show(run.functions.map((f, i) => this.spec(run, f, i)).filter(spec => spec.index > 0).concat(this.spec(run, run.functions[0], 0)));
    this.showLedger(run);
  }

  spec(run, f, i) {
    const evaluated = run.evaluated, p = run.path, y = evaluated.values[i];
    const pick = code => y.map((v, k) => evaluated.state[k] === code ? v : null);
    const mean = p.mean?.[i] ?? [], [low, high] = zeroth.around(mean, p.se?.[i] ?? []);
    const joined = zeroth.join([{x: evaluated.number, columns: [pick("1"), pick("0")]}, {x: p.evaluations, columns: [mean, low, high]}]);
    const failed = evaluated.number.filter((_, k) => evaluated.state[k] === "2");
    const final = run.answer.functions?.[f.index - 1];
    const series = [{label: "evaluation, infeasible", y: joined.columns[0][0], color: "grey", kind: "points"},
      {label: "evaluation, feasible", y: joined.columns[0][1], color: "c0", kind: "points"}];
    if (mean.some(v => v !== null)) series.push({label: "at the recommended point", y: joined.columns[1][0], low: joined.columns[1][1], high: joined.columns[1][2], color: "c6"});
    else if (run.intervals) {
      const again = zeroth.join([{x: evaluated.number, columns: [pick("1"), pick("0")]}, {x: run.intervals.number, columns: [run.intervals.mean[i]]}]);
      joined.x = again.x; series[0].y = again.columns[0][0]; series[1].y = again.columns[0][1];
      series.push({label: "mean of the evaluations", y: again.columns[1][0], color: "c6"});
    }
    const words = f.index === 0 ? "All evaluations of the objective." : final && final.mean !== null
      ? `At the recommended point ${zeroth.plusminus(final.mean, (final.high - final.low) / 2)}${final.probability !== undefined && final.probability !== null ? `; holds with probability ${zeroth.percent(final.probability)}` : ""}.` : "No estimate yet.";
    return {key: `f${f.index}`, index: f.index, title: f.index === 0 ? "objective" : f.name, xLabel: "evaluation", yLabel: f.index === 0 ? "objective" : "value", x: joined.x, series,
      include: f.index === 0 ? [] : [0], limit: f.index === 0 ? undefined : {y: 0, label: f.equality ? "wanted: = 0" : "limit: ≤ 0"}, ticks: {x: failed},
      sync: "constraints", summary: words + (failed.length ? ` ${zeroth.plural(run.failed, "evaluation")} failed.` : "")};
  }

  showLedger(run) {
    const {el, number} = zeroth;
    this.ledger.replaceChildren(el("h2", {}, "Failure ledger"), run.failures.length === 0 ? el("p", {}, "No evaluation failed.")
      : zeroth.table(["Reason", {text: "Times", n: true}, {text: "First", n: true}, {text: "Last", n: true}, "How it ended"], run.failures.map(f => [
        f.reason, number(f.count), number(f.first), number(f.last),
        [f.signal ? `signal ${f.signal}` : f.exit_code ? `exit code ${f.exit_code}` : "–",
         f.error_output ? el("details", {}, el("summary", {}, "its last words"), el("pre", {tabindex: 0}, f.error_output)) : null]]),
        `${zeroth.plural(run.failed, "failed evaluation")} of ${number(run.evaluations)}. A failure is data: the solver was told, the budget was charged, nothing stopped.`));
  }
};

zeroth.notDetailed = (data, run) => `This page holds every detail of the newest runs only; zeroth report ${data.store} --run ${run.id} shows this one in full.`;
