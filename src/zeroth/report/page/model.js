// What a model of all evaluations says: which variables matter, and how the objective looks around the answer.

// A table whose bars are drawn with their errors.
zeroth.importanceTable = run => {
  const {el} = zeroth, m = run.model;
  return m.importance.map((entry, k) => {
    const f = run.functions.find(f => f.index === m.functions[k]) ?? run.functions[0];
    const order = entry.total.map((_, i) => i).sort((a, b) => entry.total[b] - entry.total[a]).slice(0, 30);
    const most = Math.max(1, ...order.map(i => entry.total[i] + 2 * entry.total_se[i]));
    const share = (value, se) => { const digits = 200 * se < 1 ? 1 : 0; return `${(100 * value).toFixed(digits)} ± ${(200 * se).toFixed(digits)} %`; };
    const bar = (value, se) => el("span", {class: "bar", role: "img", "aria-label": share(value, se)},
      el("i", {style: `width:${(100 * value / most).toFixed(1)}%`}),
      el("b", {style: `left:${(100 * Math.max(0, value - 2 * se) / most).toFixed(1)}%;width:${(100 * (Math.min(most, value + 2 * se) - Math.max(0, value - 2 * se)) / most).toFixed(1)}%`}));
    return el("section", {class: "card importance", "aria-label": `Importance for ${f.index ? f.about ?? f.name : "the objective"}`},
      el("h3", {}, f.index ? f.about ?? f.name : "objective"),
      zeroth.table(["Variable", "", {text: "In all", n: true}, {text: "Alone", n: true}], order.map(i => [run.variables[i].name, bar(entry.total[i], entry.total_se[i]),
        share(entry.total[i], entry.total_se[i]), share(entry.first[i], entry.first_se[i])])));
  });
};

// The objective over two variables, the others as in the answer.
zeroth.Contour = class {
  constructor(key) {
    const {el} = zeroth;
    this.title = el("figcaption", {id: `${key}-title`});
    this.summary = el("p", {class: "chart-summary"});
    this.canvas = el("canvas", {class: "contour", role: "img"});
    this.table = el("details", {ontoggle: () => this.fillTable()}, el("summary", {}, "Data as a table"));
    this.figure = el("figure", {class: "chart", id: key, "aria-labelledby": `${key}-title`}, this.title, this.summary, this.canvas, this.table);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  set(run, pair) {
    if (this.pair === pair) return;  // drawn already
    const a = run.variables[pair.a], b = run.variables[pair.b], words = zeroth.valueText;
    Object.assign(this, {run, pair, a, b});
    this.title.textContent = `${a.name} and ${b.name}`;
    const finite = pair.mean.filter(v => v !== null);
    this.low = Math.min(...finite); this.high = Math.max(...finite);
    this.summary.textContent = `Mean objective from ${zeroth.number(this.low, 3)} to ${zeroth.number(this.high, 3)}, bright is good; pale: hardly known.`
      + (pair.feasible ? " Thick line: beyond it some constraint is likelier violated than not." : "") + ` Circle: the answer (${words(a, run.answer.x?.[pair.a], 3)}; ${words(b, run.answer.x?.[pair.b], 3)}).`;
    this.canvas.setAttribute("aria-label", `${this.title.textContent}. ${this.summary.textContent}`);
    this.draw();
    this.fillTable();
  }

  // Where along an axis a value lies, in steps of the grid.
  place(list, value) {
    const rising = list[list.length - 1] >= list[0];
    for (let i = 0; i + 1 < list.length; ++i) {
      const [from, to] = [list[i], list[i + 1]];
      if (rising ? value >= from && value <= to : value <= from && value >= to) return i + (to === from ? 0 : (value - from) / (to - from));
    }
    return (value <= list[0]) === rising ? 0 : list.length - 1;
  }

  draw() {
    const {pair, run, canvas} = this, width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio;
    if (!pair || !width) return;
    canvas.width = width * ratio; canvas.height = height * ratio;
    const ctx = canvas.getContext("2d"), {color} = zeroth, nx = pair.x.length, ny = pair.y.length;
    ctx.scale(ratio, ratio);
    const left = 62, right = 10, top = 8, bottom = 40, w = width - left - right, h = height - top - bottom, span = (this.high - this.low) || 1;
    const image = document.createElement("canvas"), small = image.getContext("2d");
    image.width = nx; image.height = ny;
    for (let j = 0; j < ny; ++j)
      for (let i = 0; i < nx; ++i) {
        const k = j * nx + i, good = (pair.mean[k] - this.low) / span;
        small.globalAlpha = Math.max(0.15, Math.min(1, 1.3 - 2 * pair.sd[k] / span));
        small.fillStyle = zeroth.ramp(run.maximize ? good : 1 - good);
        small.fillRect(i, ny - 1 - j, 1, 1);
      }
    const smooth = !this.a.values?.length && !this.b.values?.length;
    ctx.imageSmoothingEnabled = smooth;
    ctx.save();
    ctx.beginPath(); ctx.rect(left, top, w, h); ctx.clip();
    // Cells around their centres: the outermost ones are half cut off where the axes are numbers.
    const cw = smooth ? w / (nx - 1) : w / nx, ch = smooth ? h / (ny - 1) : h / ny;
    ctx.drawImage(image, smooth ? left - cw / 2 : left, smooth ? top - ch / 2 : top, cw * nx, ch * ny);
    const x = i => smooth ? left + w * i / (nx - 1) : left + (i + 0.5) * cw, y = j => smooth ? top + h - h * j / (ny - 1) : top + h - (j + 0.5) * ch;
    const lines = (values, level, paint, thick) => {
      ctx.strokeStyle = paint; ctx.lineWidth = thick; ctx.beginPath();
      for (let j = 0; j + 1 < ny; ++j)
        for (let i = 0; i + 1 < nx; ++i) {
          const corner = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([p, q]) => ({p, q, v: values[q * nx + p] - level})), cuts = [];
          corner.forEach((c, n) => { const d = corner[(n + 1) % 4]; if (c.v < 0 !== d.v < 0) { const t = c.v / (c.v - d.v); cuts.push([c.p + t * (d.p - c.p), c.q + t * (d.q - c.q)]); } });
          for (let n = 0; n + 1 < cuts.length; n += 2) { ctx.moveTo(x(cuts[n][0]), y(cuts[n][1])); ctx.lineTo(x(cuts[n + 1][0]), y(cuts[n + 1][1])); }
        }
      ctx.stroke();
    };
    if (smooth) {
      for (let n = 1; n < 7; ++n) lines(pair.mean, this.low + span * n / 7, zeroth.faded(color("card"), 0.6), 1);
      if (pair.feasible) { lines(pair.feasible, 0.5, color("card"), 5); lines(pair.feasible, 0.5, color("ink"), 2.5); }
    } else if (pair.feasible) {
      ctx.fillStyle = color("ink"); ctx.font = "12px system-ui, sans-serif"; ctx.textAlign = "center";
      for (let j = 0; j < ny; ++j) for (let i = 0; i < nx; ++i) if (pair.feasible[j * nx + i] < 0.5) ctx.fillText("×", x(i), y(j) + 4);
    }
    const ax = run.answer.x?.[pair.a], bx = run.answer.x?.[pair.b];
    if (ax !== null && ax !== undefined && bx !== null && bx !== undefined) {
      ctx.beginPath(); ctx.arc(x(this.place(pair.x, ax)), y(this.place(pair.y, bx)), 6, 0, 7);
      ctx.lineWidth = 5; ctx.strokeStyle = color("card"); ctx.stroke(); ctx.lineWidth = 2.5; ctx.strokeStyle = color("ink"); ctx.stroke();
    }
    ctx.restore();
    ctx.strokeStyle = color("line"); ctx.strokeRect(left, top, w, h);
    this.labels(ctx, {left, top, w, h, width, height});
  }

  labels(ctx, {left, top, w, h, height}) {
    const {a, b, pair} = this, {color} = zeroth, text = (v, value) => zeroth.shortened(zeroth.valueText(v, value, 3), 10);
    ctx.font = "12px system-ui, sans-serif"; ctx.fillStyle = color("muted");
    const ends = list => [list[0], list[list.length - 1]];
    const [x0, x1] = ends(pair.x), [y0, y1] = ends(pair.y);
    ctx.textAlign = "left"; ctx.fillText(text(a, x0), left, height - 24);
    ctx.textAlign = "right"; ctx.fillText(text(a, x1), left + w, height - 24);
    ctx.fillText(text(b, y0), left - 5, top + h - 2); ctx.fillText(text(b, y1), left - 5, top + 11);
    ctx.fillStyle = color("ink"); ctx.textAlign = "center";
    ctx.fillText(zeroth.shortened(a.name, Math.floor(w / 7)), left + w / 2, height - 6);
    ctx.save(); ctx.translate(14, top + h / 2); ctx.rotate(-Math.PI / 2); ctx.fillText(zeroth.shortened(b.name, Math.floor(h / 7)), 0, 0); ctx.restore();
  }

  fillTable() {
    if (!this.table.open || !this.pair) return;
    const {pair, a, b} = this, nx = pair.x.length, few = list => list.map((_, i) => i).filter(i => i % Math.ceil(list.length / 7) === 0);
    this.table.replaceChildren(this.table.firstChild, zeroth.table([`${b.name} \\ ${a.name}`, ...few(pair.x).map(i => ({text: zeroth.valueText(a, pair.x[i], 3), n: true}))],
      few(pair.y).reverse().map(j => [zeroth.valueText(b, pair.y[j], 3), ...few(pair.x).map(i => zeroth.plusminus(pair.mean[j * nx + i], 2 * pair.sd[j * nx + i]))]), "Mean objective ± 2 standard deviations of the model"));
  }
};

// All pairs of the variables that matter most.
zeroth.ContourGrid = class {
  constructor(prefix) {
    this.prefix = prefix;
    this.node = zeroth.el("div", {class: "charts small"});
    this.contours = [];
  }
  show(run, pairs) {
    while (this.contours.length < pairs.length) { this.contours.push(new zeroth.Contour(`${this.prefix}${this.contours.length}`)); }
    this.node.replaceChildren(...pairs.map((_, i) => this.contours[i].figure));
    pairs.forEach((pair, i) => this.contours[i].set(run, pair));
  }
  recolor() { for (const contour of this.contours) contour.draw(); }
};
