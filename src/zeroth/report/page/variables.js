// Where the evaluations were, variable by variable.
zeroth.ramp = share => {
  // A perceptually even ramp from dark blue over green to yellow, readable with colour-blind eyes.
  const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const at = Math.min(0.9999, Math.max(0, share)) * (stops.length - 1), i = Math.floor(at), part = at - i;
  return `rgb(${stops[i].map((v, k) => Math.round(v + part * (stops[i + 1][k] - v))).join(",")})`;
};

zeroth.quantile = (list, q) => {
  const sorted = list.filter(v => v !== null && Number.isFinite(v)).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.round(q * (sorted.length - 1))] : null;
};

zeroth.variablesPanel = class {
  constructor(panel) {
    const {el} = zeroth;
    this.note = el("p", {class: "muted small"});
    this.what = el("select", {id: "slice-function", onchange: () => this.show(this.data, this.run)});
    this.choice = el("label", {for: "slice-function"}, "Shown against each variable ", this.what);
    this.only = el("input", {type: "checkbox", id: "only-feasible", onchange: () => this.drawParallel()});
    this.canvas = el("canvas", {class: "parallel", role: "img"});
    this.scale = el("div", {class: "scale"});
    this.text = el("p", {class: "chart-summary"});
    this.table = el("details", {ontoggle: () => this.fillTable()}, el("summary", {}, "Data as a table"));
    this.parallel = el("figure", {class: "chart", "aria-labelledby": "parallel-title"},
      el("div", {class: "chart-head"}, el("figcaption", {id: "parallel-title"}, "Parallel coordinates"),
        el("span", {class: "row"}, this.only, el("label", {for: "only-feasible"}, "only feasible evaluations"))),
      this.text, this.canvas, this.scale, this.table);
    this.grid = new zeroth.Grid("variables-", true);
    this.importance = el("div", {class: "columns"});
    this.importanceHead = el("h2", {}, "Which variables matter");
    this.importanceNote = el("p", {class: "muted small"});
    this.contourHead = el("h2", {}, "Two variables at a time");
    this.contourNote = el("p", {class: "muted small"}, "The mean objective by a model of all evaluations, over the variables that matter most; the others are as in the answer.");
    this.contours = new zeroth.ContourGrid("contour-");
    this.wide = el("div");
    this.wideGrid = new zeroth.Grid("wide-");
    panel.replaceChildren(el("h2", {}, "Variables"), this.note, this.wideGrid.node, this.wide, this.choice, this.grid.node, this.importanceHead, this.importanceNote, this.importance, this.contourHead, this.contourNote, this.contours.node, el("h2", {id: "parallel-head"}, "All variables at once"), this.parallel);
    new ResizeObserver(() => this.drawParallel()).observe(this.canvas);
    new IntersectionObserver(entries => {
      this.inView = entries.some(entry => entry.isIntersecting);
      this.drawParallel();
    }, {rootMargin: "200px"}).observe(this.canvas);
  }

  show(data, run) {
    this.data = data;
    this.run = run;
    const s = run.sample, detailed = run.detailed && s;
    for (const node of [this.choice, this.grid.node, this.parallel, document.getElementById("parallel-head")]) node.hidden = !detailed;
    this.wide.hidden = this.wideGrid.node.hidden = !!detailed;
    this.showModel(detailed ? run : {});
    if (!detailed) return this.showWide(data, run);
    this.wideGrid.show([]);
    const names = run.functions.map(f => f.name);
    if (this.what.dataset.names !== names.join("\n")) {
      this.what.dataset.names = names.join("\n");
      this.what.replaceChildren(...names.map((name, i) => zeroth.el("option", {value: i}, name)));
    }
    const shown = s.number.length;
    this.note.textContent = (shown < s.total ? `${zeroth.number(shown)} of ${zeroth.number(s.total)} evaluations, evenly spaced over the run, so that their density is the run's own. ` : `All ${zeroth.number(shown)} evaluations. `)
      + (run.constraints ? "Blue: this single evaluation saw every constraint hold. Grey: it did not. " : "") + "Dotted line: the recommended value." + (run.model ? " Red: the mean along this variable by a model of all evaluations, with ± 2 standard deviations, the other variables as in the answer." : "");
    const f = Number(this.what.value || 0), y = s.values[f] ?? [], fun = run.functions[f];
    this.grid.show(run.variables.map((v, i) => ({key: `v${i}`, title: v.name, startLogX: v.log && !v.values?.length, make: () => this.slice(run, v, i, f, y, fun)})));
    this.drawParallel();
  }

  // Evaluations against one variable, with the model's mean along it through the answer.
  slice(run, v, i, f, y, fun) {
    const s = run.sample, at = run.model?.functions.indexOf(fun.index) ?? -1, model = at >= 0 ? run.model.slices[i] : null;
    const rows = s.x[i].map((value, k) => ({x: value, k})).filter(r => s.state[r.k] !== "2" && r.x !== null);
    if (model) model.x.forEach((value, k) => { if (value !== null) rows.push({x: value, m: k}); });
    rows.sort((a, b) => a.x - b.x);
    const pick = code => rows.map(r => r.k !== undefined && s.state[r.k] === code ? y[r.k] : null);
    const of = value => rows.map(r => r.m === undefined ? null : value(r.m));
    const mean = k => model.mean[at][k], sd = k => model.sd[at][k];
    const series = [{label: "infeasible", y: pick("1"), color: "grey", kind: "points", size: 3.5}, {label: run.constraints ? "feasible" : "evaluation", y: pick("0"), color: "c0", kind: "points", size: 3.5}].filter(one => run.constraints || one.color === "c0");
    if (model) {
      const text = v.values?.length > 0;
      series.push({label: "model through the answer", y: of(mean), low: of(k => mean(k) - 2 * sd(k)), high: of(k => mean(k) + 2 * sd(k)), color: "c1", ...(text ? {kind: "points", size: 8} : {})});
    }
    const spread = [zeroth.quantile(s.x[i], 0.05), zeroth.quantile(s.x[i], 0.95)];
    const limit = fun.index === 0 ? undefined : {y: fun.line ?? fun.limit ?? 0, label: fun.equality ? "= 0" : `${zeroth.relation(fun.side === "below" ? ">=" : "<=")} ${zeroth.number(fun.line ?? fun.limit ?? 0, 4)}`};
    return {xLabel: v.name, yLabel: fun.about ?? fun.name, x: rows.map(r => r.x), cursorX: {x: run.answer.x?.[i]}, series, xTexts: v.values?.length ? v.values : undefined,
      include: limit ? [limit.y] : [], limit,
      summary: `Recommended ${zeroth.valueText(v, run.answer.x?.[i], 5)}` + (v.values?.length ? "." : `; nine of ten evaluations between ${zeroth.valueText(v, spread[0], 3)} and ${zeroth.valueText(v, spread[1], 3)}.`)};
  }

  showModel(run) {
    const m = run.model, pairs = m?.contours ?? [];
    for (const node of [this.importanceHead, this.importanceNote, this.importance]) node.hidden = !m;
    for (const node of [this.contourHead, this.contourNote, this.contours.node]) node.hidden = pairs.length === 0;
    if (this.shownModel === m) return;  // an update without news
    this.shownModel = m;
    this.contours.show(run, pairs);
    if (!m) { this.importance.replaceChildren(); return; }
    this.importanceNote.textContent = `Sobol’ indices of a Gaussian process through ${zeroth.number(m.sites)} of the points evaluated, over all of the variables’ ranges. In all: the share of the variation that would be gone if this variable were fixed, its interplay with others included. Alone: without that. ± 2 standard errors, by leaving out parts of the points.`;
    this.importance.replaceChildren(...zeroth.importanceTable(run));
  }

  lines() {
    const {run} = this, s = run.sample, limit = 400, every = Math.max(1, Math.ceil(s.number.length / limit)), rows = [];
    for (let k = 0; k < s.number.length; k += every)
      if (s.state[k] !== "2" && !(this.only.checked && s.state[k] === "1")) rows.push(k);
    return rows;
  }

  drawParallel() {
    const {run, canvas} = this;
    if (!run?.sample || !run.detailed || this.parallel.hidden) return;
    const s = run.sample, rows = this.lines(), objective = s.values[0];
    const words = `${zeroth.number(rows.length)} evaluations; each line is one, bright is good, grey saw a constraint violated, the thick line is the recommended point.`;
    this.text.textContent = words;
    canvas.setAttribute("aria-label", `Parallel coordinates of ${run.variables.length} variables and the objective. ${words}`);
    if (!this.inView) return;
    const low = zeroth.quantile(objective, 0.02), high = zeroth.quantile(objective, 0.98), span = (high - low) || 1;
    const good = k => run.maximize ? (objective[k] - low) / span : (high - objective[k]) / span;  // 1 is best
    const axes = [...run.variables.map((v, i) => ({name: v.name, column: s.x[i], log: v.log, values: v.values, chosen: run.answer.x?.[i],
      low: v.lower ?? Math.min(...s.x[i].filter(x => x !== null)), high: v.upper ?? Math.max(...s.x[i].filter(x => x !== null))})),
      {name: "objective", column: objective, low, high, chosen: run.answer.objective?.mean}];
    const width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio;
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const gap = (width - 92) / Math.max(1, axes.length - 1), upright = gap < 70 && axes.some(a => a.name.length * 6.6 > gap);
    const left = 46, right = 46, top = upright ? 130 : 30, bottom = 26, color = zeroth.color;
    const place = i => left + (width - left - right) * (axes.length === 1 ? 0.5 : i / (axes.length - 1));
    const share = (a, v) => a.log && a.low > 0 ? Math.log(v / a.low) / Math.log(a.high / a.low) : (v - a.low) / ((a.high - a.low) || 1);
    const level = (a, v) => height - bottom - (height - top - bottom) * Math.min(1.02, Math.max(-0.02, share(a, v)));
    const line = value => {
      ctx.beginPath();
      axes.forEach((a, i) => { const v = value(a); if (v !== null && v !== undefined) ctx.lineTo(place(i), level(a, v)); });
      ctx.stroke();
    };
    ctx.lineWidth = 1;
    ctx.globalAlpha = 0.35;
    ctx.strokeStyle = color("grey");
    for (const k of rows) if (s.state[k] === "1") line(a => a.column[k]);
    ctx.globalAlpha = 0.75;
    for (const k of rows.filter(k => s.state[k] === "0").sort((a, b) => good(a) - good(b))) { ctx.strokeStyle = zeroth.ramp(good(k)); line(a => a.column[k]); }
    ctx.globalAlpha = 1;
    ctx.lineWidth = 5; ctx.strokeStyle = color("card"); line(a => a.chosen);
    ctx.lineWidth = 2.5; ctx.strokeStyle = color("ink"); line(a => a.chosen);
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "center";
    const room = Math.max(4, Math.floor(gap / 6.6));
    const names = zeroth.distinct(axes.map(a => a.name), upright ? 17 : room);
    canvas.dataset.axes = names.join("\n");
    axes.forEach((a, i) => {
      ctx.strokeStyle = color("muted"); ctx.lineWidth = 1;
      ctx.beginPath(); ctx.moveTo(place(i), top); ctx.lineTo(place(i), height - bottom); ctx.stroke();
      ctx.fillStyle = color("ink");
      if (upright) { ctx.save(); ctx.translate(place(i) + 4, top - 6); ctx.rotate(-Math.PI / 2); ctx.textAlign = "left"; ctx.fillText(names[i], 0, 0); ctx.restore(); }
      else ctx.fillText(names[i], place(i), 12);
      ctx.fillStyle = color("muted");
      if (!upright && room > 5) { ctx.fillText(zeroth.valueText(a, a.high, 3).slice(0, room), place(i), 25); ctx.fillText(zeroth.valueText(a, a.low, 3).slice(0, room), place(i), height - 8); }
    });
    const stops = [0, 0.25, 0.5, 0.75, 1].map(zeroth.ramp).join(",");
    const [worst, best] = run.maximize ? [low, high] : [high, low];
    this.scale.replaceChildren("objective ", zeroth.number(worst, 3), zeroth.el("i", {style: `background:linear-gradient(90deg,${stops})`}), zeroth.number(best, 3), " (best)");
    if (this.table.open) this.fillTable();
  }

  fillTable() {
    if (!this.table.open) return;
    const {run} = this, s = run.sample, rows = this.lines(), count = Math.min(20, rows.length);
    const picked = [...rows].sort((a, b) => (run.maximize ? -1 : 1) * (s.values[0][a] - s.values[0][b])).filter(k => s.state[k] === "0").slice(0, count);
    this.table.replaceChildren(this.table.firstChild, zeroth.table([{text: "Evaluation", n: true}, ...run.variables.map(v => ({text: v.name, n: true})), {text: "objective", n: true}],
      picked.map(k => [zeroth.number(s.number[k]), ...s.x.map((c, i) => zeroth.valueText(run.variables[i], c[k], 4)), zeroth.number(s.values[0][k], 5)]),
      "The evaluations with the best objective among those that saw every constraint hold. A single evaluation may be lucky; the recommended point is not chosen by it."));
  }

  showWide(data, run) {
    const {el, number} = zeroth, w = run.wide;
    this.grid.show([]);
    if (!run.detailed) { this.note.textContent = zeroth.notDetailed(data, run); this.wide.replaceChildren(); this.wideGrid.show([]); return; }
    this.note.textContent = `${number(run.dimension)} variables: a summary instead of as many panels.`;
    if (!w?.histogram) { this.wide.replaceChildren(el("p", {}, "The recommended point is not known yet.")); this.wideGrid.show([]); return; }
    const counts = w.histogram.counts, step = (w.histogram.to - w.histogram.from) / counts.length;
    const specs = [{key: "histogram", title: w.histogram.shares ? "Where the recommended coordinates lie in their ranges" : "Recommended coordinates", logX: false,
      xLabel: w.histogram.shares ? "share of the range" : "value", yLabel: "coordinates", x: counts.map((_, i) => w.histogram.from + (i + 0.5) * step), include: [0],
      series: [{label: "coordinates", y: counts, color: "c0", width: 2}],
      summary: w.histogram.shares ? `${number(w.at_lower)} at their lower bound, ${number(w.at_upper)} at their upper bound.` : `Between ${number(w.histogram.from, 4)} and ${number(w.histogram.to, 4)}.`}];
    if (w.distance) specs.push({key: "distance", title: "Distance to the last recommendation", xLabel: "evaluations", yLabel: "root mean square", x: w.distance.evaluations, include: [0],
      series: [{label: "distance", y: w.distance.value, color: "c2"}], summary: "Over all coordinates, in their own units."});
    this.wideGrid.show(specs);
    this.wide.replaceChildren(...(w.moved ? [el("h2", {}, "What moved"), zeroth.table(["Variable", {text: "Start", n: true}, {text: "Now", n: true}, {text: "Moved by", n: true}],
      w.moved.map(m => [m.name, number(m.start, 5), number(m.now, 5), number(m.now - m.start, 4)]), `The ${w.moved.length} variables that moved furthest`)] : []));
  }
};
