"use strict";
// Small parts that every panel uses: elements, numbers in words, and charts around uPlot.
const zeroth = {charts: new Map()};

zeroth.el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") node.style.cssText = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
};

zeroth.color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// Figures: `digits` significant ones, thousands apart, a real minus sign.
zeroth.number = (value, digits = 5) => {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text;
  if (size >= 1e7 || size < 1e-4) text = value.toExponential(Math.max(0, digits - 1)).replace(/\.?0+e/, "e").replace("e+", "e");
  else if (Number.isInteger(value)) text = value.toLocaleString("en-US");
  else {
    const decimals = Math.max(0, Math.min(12, digits - 1 - Math.floor(Math.log10(size))));
    text = value.toLocaleString("en-US", {minimumFractionDigits: 0, maximumFractionDigits: decimals});
  }
  return text.replace("-", "\u2212");
};

// A value to the digits that its uncertainty leaves, so that columns line up and nothing is pretended.
zeroth.fixed = (value, half) => {
  if (value === null || value === undefined) return "–";
  if (!(half > 0)) return zeroth.number(value, 6);
  const decimals = 1 - Math.floor(Math.log10(half));
  if (decimals > 8 || decimals < -6) return zeroth.number(value, 6);
  const shown = Math.max(0, decimals);
  return value.toLocaleString("en-US", {minimumFractionDigits: shown, maximumFractionDigits: shown}).replace(/^-(?=[0.]*$)/, "").replace("-", "\u2212");
};
zeroth.plusminus = (value, half) =>
  half > 0 ? `${zeroth.fixed(value, half)} ± ${zeroth.number(half, 2)}` : zeroth.number(value, 5);
// A value with its interval: ± where that is even to both sides, else the value alone, and the interval stands beside it.
zeroth.estimate = e => {
  const half = (e.high - e.low) / 2, off = Math.abs(e.mean - (e.high + e.low) / 2);
  return half > 0 && off > 0.15 * half ? zeroth.fixed(e.mean, half) : zeroth.plusminus(e.mean, half);
};
zeroth.interval = e =>
  e.low === null || e.low === undefined ? "" : `${zeroth.fixed(e.low, (e.high - e.low) / 2)} to ${zeroth.fixed(e.high, (e.high - e.low) / 2)}`;
// A declared quantity: probabilities in per cent, everything else as a number.
zeroth.quantity = (f, value, half) => value === null || value === undefined ? "–"
  : f.kind === "probability" ? `${(100 * value).toFixed(half && 100 * half < 0.1 ? 2 : 1)} %` : half > 0 ? zeroth.fixed(value, half) : zeroth.number(value, 5);
zeroth.relation = r => r === ">=" ? "≥" : "≤";
zeroth.limitWords = f => f.equality ? (f.tolerance ? `0 ± ${zeroth.number(f.tolerance, 2)}` : "= 0") : `${zeroth.relation(f.relation)} ${zeroth.quantity(f, f.limit)}`;
zeroth.rangeWords = f => f.low === null || f.low === undefined ? (f.high === null || f.high === undefined ? "–" : `below ${zeroth.quantity(f, f.high)}`)
  : f.high === null || f.high === undefined ? `above ${zeroth.quantity(f, f.low)}` : `${zeroth.quantity(f, f.low, (f.high - f.low) / 2)} to ${zeroth.quantity(f, f.high, (f.high - f.low) / 2)}`;
zeroth.percent = p => p === null || p === undefined ? "–" : p > 0.9999 ? "> 99.99 %" : p < 0.0001 ? "< 0.01 %" : `${(100 * p).toFixed(p > 0.99 ? 2 : 1)} %`;
zeroth.plural = (count, word) => `${zeroth.number(count)} ${word}${count === 1 ? "" : "s"}`;

// Long names break after their own marks, not in the middle of a word.
zeroth.breakable = cell => typeof cell === "string" && cell.length > 12 ? cell.split(/(?<=[_./,(\- ])(?=[^\s])/).flatMap((part, i) => i ? [zeroth.el("wbr"), part] : [part]) : cell;

// `stacked`: on a narrow screen every row becomes a block of its own, so that nothing is cut.
zeroth.table = (head, rows, caption, stacked) => {
  const {el} = zeroth;
  return el("div", {class: stacked ? "scroll stacked" : "scroll", tabindex: rows.length > 12 ? 0 : null, role: rows.length > 12 ? "region" : null, "aria-label": rows.length > 12 ? caption : null},
    el("table", {},
      caption ? el("caption", {}, caption) : null,
      el("thead", {}, el("tr", {}, head.map(h => el("th", {scope: "col", class: h.n ? "n" : null}, h.text ?? h)))),
      el("tbody", {}, rows.map(row => el("tr", {class: row.chosen ? "chosen" : null}, (row.cells ?? row).map((cell, i) =>
        el(i === 0 ? "th" : "td", {scope: i === 0 ? "row" : null, class: head[i]?.n ? "n" : null, "data-label": head[i]?.text ?? head[i]}, i === 0 ? zeroth.breakable(cell) : cell)))))));
};

// One chart. `spec`:
//   title, summary (the text alternative), xLabel, yLabel, x (ascending), logX/logY allowed, include (y values that must be in view)
//   series: {label, y, color, kind: "line" | "points", dash, width, size, low, high (a band)}
//   limit: {y, label} a dashed line;  ticks: {x, label} marks at the bottom;  cursorX: a vertical line {x, label}
// A chart keeps its zoom and its axes when it is updated with new data of the same shape.
zeroth.Chart = class {
  constructor(key, height) {
    const {el} = zeroth;
    this.key = key;
    this.height = height;
    this.logX = this.logY = false;
    this.title = el("figcaption", {id: `${key}-title`});
    this.tools = el("div", {class: "chart-tools", role: "group"});
    this.summary = el("p", {class: "chart-summary"});
    this.plot = el("div", {class: "plot", tabindex: 0, role: "img", onkeydown: event => this.onKey(event)});
    this.table = el("details", {ontoggle: () => this.fillTable()}, el("summary", {}, "Data as a table"));
    this.figure = el("figure", {class: "chart", id: key, "aria-labelledby": `${key}-title`},
      el("div", {class: "chart-head"}, this.title, this.tools), this.summary, this.plot, this.table);
    this.observer = new ResizeObserver(() => this.resize());
    this.sight = new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting)) this.appear();
    }, {rootMargin: "200px"});
    this.sight.observe(this.figure);
    this.observer.observe(this.plot);
  }

  // `spec.make`, where there is one, gives the rest of the specification once the chart comes into view.
  set(spec) {
    this.pending = spec.make && !this.visible ? spec : null;
    if (spec.make) spec = this.visible ? {...spec, ...spec.make()} : {...spec, x: [], series: []};
    this.spec = spec;
    this.title.textContent = spec.title;
    this.summary.textContent = spec.summary ?? "";
    this.plot.setAttribute("aria-label", `${spec.title}. ${spec.summary ?? ""} Plus and minus zoom, arrows move, 0 shows all.`);
    this.tools.setAttribute("aria-label", `Axes of ${spec.title}`);
    if (!this.buttons) {
      this.buttons = {};
      const add = (name, text, label, act) => {
        this.buttons[name] = zeroth.el("button", {type: "button", "aria-label": label, onclick: act}, text);
        this.tools.append(this.buttons[name]);
      };
      if (spec.logX !== false) add("logX", "log x", "Logarithmic x axis", () => this.toggle("logX"));
      if (spec.logY !== false) add("logY", "log y", "Logarithmic y axis", () => this.toggle("logY"));
      add("reset", "all", "Show all of the data", () => this.reset());
      if (spec.startLogX && this.buttons.logX) this.logX = true;
      for (const name of ["logX", "logY"]) this.buttons[name]?.setAttribute("aria-pressed", String(this[name]));
    }
    if (this.visible) this.draw();
    if (this.table.open) this.fillTable();
  }

  appear() {
    if (this.visible) return;
    this.visible = true;
    if (this.pending) this.set(this.pending);
    else this.draw();
  }

  toggle(axis) {
    this[axis] = !this[axis];
    this.buttons[axis].setAttribute("aria-pressed", String(this[axis]));
    this.rebuild();
  }

  reset() {
    this.zoomed = false;
    if (this.u) this.u.setData(this.data());
  }

  onKey(event) {
    const u = this.u;
    if (!u || event.target !== this.plot || event.ctrlKey || event.metaKey || event.altKey) return;
    let {min, max} = u.scales.x;
    const log = this.logX, to = log ? Math.log : v => v, from = log ? Math.exp : v => v;
    min = to(min); max = to(max);
    const width = max - min, center = (min + max) / 2;
    const moves = {"+": [center - width / 3, center + width / 3], "=": [center - width / 3, center + width / 3],
      "-": [center - width * 0.75, center + width * 0.75], ArrowLeft: [min - width / 8, max - width / 8],
      ArrowRight: [min + width / 8, max + width / 8]};
    if (event.key === "0") this.reset();
    else if (moves[event.key]) u.setScale("x", {min: from(moves[event.key][0]), max: from(moves[event.key][1])});
    else return;
    event.preventDefault();
  }

  // Columns for uPlot. A logarithmic x axis has no place for 0.
  data() {
    const {spec} = this;
    const keep = this.logX ? spec.x.findIndex(v => v > 0) : 0;
    const cut = column => keep > 0 ? column.slice(keep) : keep < 0 ? [] : column;
    const columns = [cut(spec.x)];
    for (const s of spec.series) {
      columns.push(cut(s.y));
      if (s.low) columns.push(cut(s.high), cut(s.low));
    }
    return columns;
  }

  shape() { return this.spec.series.map(s => `${s.label}|${s.color}|${!!s.low}|${s.kind}`).join("\n") + this.spec.yLabel + (this.spec.xTexts ?? "") + (this.spec.limit?.y ?? "") + (this.spec.line?.map(v => v).join() ?? ""); }

  draw() {
    if (!this.spec) return;
    if (!this.u || this.drawnShape !== this.shape()) return this.rebuild();
    this.u.setData(this.data(), !this.zoomed);
    if (this.zoomed) this.u.redraw();
  }

  rebuild() {
    const kept = this.zoomed && this.u ? {min: this.u.scales.x.min, max: this.u.scales.x.max} : null;
    this.u?.destroy();
    this.drawnShape = this.shape();
    const width = this.plot.clientWidth || 400;
    this.width = width;
    this.u = new uPlot(this.options(width), this.data(), this.plot);
    if (kept && (!this.logX || kept.min > 0)) this.u.setScale("x", kept);
    else this.zoomed = false;
    for (const head of this.plot.querySelectorAll(".u-legend .u-series th")) {
      head.tabIndex = 0;
      head.setAttribute("role", "button");
      head.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { head.click(); event.preventDefault(); } });
    }
  }

  resize() {
    const width = this.plot.clientWidth;
    if (this.u && width && Math.abs(width - this.width) > 1) {
      this.width = width;
      this.u.setSize({width, height: this.height});
    }
  }

  // A symmetric logarithm where zero or negative values must be shown too.
  yScale() {
    const include = this.spec.include ?? [];
    const range = (u, low, high) => {
      [low, high] = this.withBands(u, low, high);
      for (const v of include) { low = Math.min(low ?? v, v); high = Math.max(high ?? v, v); }
      if (low === null || high === null) return [0, 1];
      if (low === high) { const pad = Math.abs(low) * 0.1 || 1; return [low - pad, high + pad]; }
      const pad = (high - low) * 0.06;
      return [low - pad, high + pad];
    };
    if (!this.logY) return {range};
    let smallest = Infinity, nonpositive = include.some(v => v <= 0);
    for (const s of this.spec.series)
      for (const list of [s.y, s.low, s.high])
        for (const v of list ?? []) {
          if (v === null || v === undefined) continue;
          if (v <= 0) nonpositive = true;
          if (v !== 0) smallest = Math.min(smallest, Math.abs(v));
        }
    if (smallest === Infinity) return {range};
    if (!nonpositive) return {distr: 3};
    let largest = smallest;
    for (const s of this.spec.series) for (const v of s.y) if (v !== null && Math.abs(v) > largest) largest = Math.abs(v);
    return {distr: 4, asinh: Math.max(smallest, largest * 1e-5)};
  }

  // A band is in view with all but its widest tenth: where almost nothing is known it would flatten everything else.
  withBands(u, low, high) {
    let column = 1;
    for (const s of this.spec.series) {
      if (s.low) {
        const first = u.series[0].idxs?.[0] ?? 0, last = u.series[0].idxs?.[1] ?? u.data[0].length - 1;
        const part = k => (u.data[k] ?? []).slice(first, last + 1).filter(v => v !== null && v !== undefined).sort((a, b) => a - b);
        const upper = part(column + 1), lower = part(column + 2);
        if (upper.length) {
          low = Math.min(low ?? Infinity, lower[Math.floor(0.1 * (lower.length - 1))]);
          high = Math.max(high ?? -Infinity, upper[Math.ceil(0.9 * (upper.length - 1))]);
        }
        column += 2;
      }
      ++column;
    }
    return [low, high];
  }

  options(width) {
    const {spec} = this, color = zeroth.color, ink = color("ink"), muted = color("muted"), grid = color("grid");
    const series = [{label: spec.xLabel, value: (u, v) => v === null ? "–" : spec.xTexts ? spec.xTexts[v] ?? "" : zeroth.number(v, 6)}];
    const bands = [], paints = ["transparent"];
    for (const s of spec.series) {
      const paint = color(s.color) || s.color;
      const value = (u, v) => v === null || v === undefined ? "" : zeroth.number(v, 5);
      if (s.kind === "points")
        paints.push(paint), series.push({label: s.label, value, stroke: paint, paths: (u, k, from, to) => zeroth.dots(u, k, from, to, paint, s.size ?? 4), points: {show: false}});
      else
        paints.push(paint), series.push({label: s.label, value, stroke: paint, width: s.width ?? 2, dash: s.dash, spanGaps: true, points: {show: spec.x.length < 3 && !s.dash, size: 6, fill: paint}});
      if (s.low) {
        const at = series.length;
        paints.push("transparent", "transparent");
        const edge = {stroke: "transparent", width: 0, class: "hidden", auto: false, spanGaps: true, points: {show: false}};
        series.push({...edge, label: `${s.label}, upper`}, {...edge, label: `${s.label}, lower`});
        bands.push({series: [at, at + 1], fill: zeroth.faded(paint, 0.18)});
      }
    }
    const font = "12px system-ui, sans-serif";
    const axis = {stroke: muted, font, labelFont: font, grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1, size: 4}};
    const yScale = this.yScale();
    const logAxis = threshold => ({splits: (u, k, low, high) => zeroth.logSplits(low, high, threshold), filter: (u, splits) => splits});
    // As many digits as tell one tick from the next.
    const yValues = (u, splits) => {
      const known = splits.filter(v => v !== null), steps = known.slice(1).map((v, i) => Math.abs(v - known[i])).filter(v => v > 0);
      const digits = steps.length ? Math.min(12, Math.max(4, 1 + Math.ceil(Math.log10(Math.max(...known.map(Math.abs)) / Math.min(...steps))))) : 4;
      return splits.map(v => v === null ? "" : zeroth.number(v, digits));
    };
    return {
      width, height: this.height, series, bands,
      scales: {x: {time: false, distr: this.logX ? 3 : 1, range: (u, min, max) => min === null ? [1, 10] : spec.xTexts ? [-0.5, spec.xTexts.length - 0.5] : min === max ? [min - 0.5, max + 0.5].map(v => this.logX ? Math.max(v, 1e-9) : v) : [min, max]}, y: yScale},
      axes: [{...axis, ...(this.logX ? logAxis() : {}), label: spec.xLabel, labelSize: 18, size: 30, ...(spec.xTexts ? {splits: spec.xTexts.map((_, i) => i), filter: (u, splits) => splits} : {}),
              values: (u, splits) => splits.map(v => v === null ? "" : spec.xTexts ? zeroth.shortened(spec.xTexts[v] ?? "", 14) : zeroth.number(v, 4)), space: 60},
             {...axis, ...(this.logY ? logAxis(yScale.asinh) : {}), label: spec.yLabel + (this.logY && yScale.distr === 4 ? " (symmetric log)" : ""), labelSize: 18, size: (u, values) => 14 + 7 * Math.max(3, ...(values ?? []).map(v => v.length)), values: yValues}],
      cursor: {drag: {x: true, y: false, dist: 6}, focus: {prox: -1}, points: {size: 7}, sync: spec.sync ? {key: spec.sync, setSeries: false} : undefined},
      legend: {live: true, markers: {width: 0, fill: (u, i) => paints[i]}},
      hooks: {
        setScale: [(u, key) => { if (key === "x") this.zoomed = this.differs(u); }],
        draw: [u => this.marks(u, ink, muted)],
      },
    };
  }

  differs(u) {
    const x = u.data[0];
    if (!x.length || u.scales.x.min === null) return false;
    const low = x[0], high = x[x.length - 1], width = (high - low) || 1;
    return Math.abs(u.scales.x.min - low) > 0.6 * (low === high) + 1e-6 * width || Math.abs(u.scales.x.max - high) > 0.6 * (low === high) + 1e-6 * width;
  }

  marks(u, ink, muted) {
    const {spec} = this, {ctx} = u, ratio = devicePixelRatio, {left, top, width, height} = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.lineWidth = 1.5 * ratio;
    if (spec.limit) {
      const y = u.valToPos(spec.limit.y, "y", true);
      ctx.strokeStyle = ink;
      ctx.setLineDash([6 * ratio, 4 * ratio]);
      ctx.beginPath(); ctx.moveTo(left, y); ctx.lineTo(left + width, y); ctx.stroke();
      ctx.setLineDash([]);
      ctx.fillStyle = ink;
      ctx.textAlign = "right";
      ctx.strokeStyle = zeroth.color("card");
      ctx.lineWidth = 4 * ratio;
      ctx.strokeText(spec.limit.label, left + width - 6 * ratio, y - 6 * ratio);
      ctx.fillText(spec.limit.label, left + width - 6 * ratio, y - 6 * ratio);
      ctx.lineWidth = 1.5 * ratio;
    }
    if (spec.line) {
      const [x0, y0, x1, y1] = spec.line, at = (x, y) => [u.valToPos(x, "x", true), u.valToPos(y, "y", true)];
      ctx.strokeStyle = zeroth.color("c1");
      ctx.setLineDash([5 * ratio, 4 * ratio]);
      ctx.beginPath(); ctx.moveTo(...at(x0, y0)); ctx.lineTo(...at(x1, y1)); ctx.stroke();
      ctx.setLineDash([]);
    }
    if (spec.cursorX && Number.isFinite(spec.cursorX.x)) {
      const x = u.valToPos(spec.cursorX.x, "x", true);
      ctx.strokeStyle = ink;
      ctx.setLineDash([2 * ratio, 3 * ratio]);
      ctx.beginPath(); ctx.moveTo(x, top); ctx.lineTo(x, top + height); ctx.stroke();
      ctx.setLineDash([]);
    }
    if (spec.ticks?.x.length) {
      ctx.strokeStyle = zeroth.color("fail");
      ctx.lineWidth = 1.5 * ratio;
      const size = 4 * ratio, y = top + height - 7 * ratio;
      ctx.beginPath();
      for (const value of spec.ticks.x) {
        const x = u.valToPos(value, "x", true);
        ctx.moveTo(x - size, y - size); ctx.lineTo(x + size, y + size);
        ctx.moveTo(x - size, y + size); ctx.lineTo(x + size, y - size);
      }
      ctx.stroke();
    }
    ctx.restore();
  }

  fillTable() {
    if (!this.table.open) return;
    this.appear();
    const {spec} = this, rows = [], count = Math.min(25, spec.x.length);
    for (let i = 0; i < count; ++i) {
      const k = count === 1 ? 0 : Math.round(i * (spec.x.length - 1) / (count - 1));
      rows.push([spec.xTexts ? spec.xTexts[spec.x[k]] ?? "" : zeroth.number(spec.x[k], 6), ...spec.series.map(s => s.low && s.low[k] !== null && s.low[k] !== undefined
        ? `${zeroth.number(s.y[k])} (${zeroth.number(s.low[k])} to ${zeroth.number(s.high[k])})` : zeroth.number(s.y[k]))]);
    }
    const caption = count < spec.x.length ? `${count} of ${spec.x.length} points, evenly chosen` : "All points";
    this.table.replaceChildren(this.table.firstChild,
      zeroth.table([{text: spec.xLabel, n: true}, ...spec.series.map(s => ({text: s.label, n: true}))], rows, caption));
  }

  destroy() {
    this.observer.disconnect();
    this.sight.disconnect();
    this.u?.destroy();
  }
};

// Places for the marks of a logarithmic axis, at most about eight: powers of ten, with 2 and 5 between where there is
// room, and round steps within a single decade. `threshold`: of a symmetric logarithm, which has room for 0.
zeroth.logSplits = (low, high, threshold) => {
  const places = [];
  const positive = (from, to) => {
    const decades = Math.log10(to / from);
    if (decades < 1) {
      const raw = (to - from) / 4, power = 10 ** Math.floor(Math.log10(raw)), step = power * [1, 2, 5, 10].find(m => m * power >= raw);
      for (let i = Math.ceil(from / step); i * step <= to; ++i) places.push(i * step);
      return;
    }
    const every = Math.max(1, Math.ceil(decades / 7)), factors = decades < 3 ? [1, 2, 5] : [1];
    for (let k = Math.floor(Math.log10(from)); k <= Math.log10(to); ++k)
      if (k % every === 0) for (const f of factors) if (f * 10 ** k >= from * 0.999999 && f * 10 ** k <= to * 1.000001) places.push(f * 10 ** k);
  };
  if (threshold === undefined) {
    if (low > 0 && high > low) positive(low, high);
    return places;
  }
  const up = high > threshold ? zeroth.logSplits(threshold, high) : [], down = -low > threshold ? zeroth.logSplits(threshold, -low) : [];
  const thin = list => list.length > 4 ? list.filter((_, i) => (list.length - 1 - i) % Math.ceil(list.length / 4) === 0) : list;
  return [...thin(down).map(v => -v).reverse(), ...(low <= 0 && high >= 0 ? [0] : []), ...thin(up)];
};

// A name that fits: the beginning and, where names differ at their ends, the end.
zeroth.shortened = (text, room) => text.length <= room ? text : room < 5 ? text.slice(0, room) : `${text.slice(0, Math.ceil(room / 2) - 1)}…${text.slice(text.length - Math.floor(room / 2))}`;

// Several texts in little room, each to be told from the others: those that would look alike get their number.
zeroth.distinct = (texts, room) => {
  const short = texts.map(text => zeroth.shortened(text, room));
  return short.map((text, i) => {
    if (short.indexOf(text) === i && short.lastIndexOf(text) === i) return text;
    const number = `${i + 1}`;
    return room < number.length + 4 ? number : `${number} ${zeroth.shortened(texts[i], room - number.length - 1)}`;
  });
};

// Points, drawn at once: thousands of paths would take longer than the rest of the page together.
zeroth.dots = (u, k, from, to, paint, size) => {
  const {ctx, bbox} = u, x = u.data[0], y = u.data[k], many = to - from > 1500, radius = size * devicePixelRatio / 2;
  const across = u.series[0].scale, up = u.series[k].scale;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - radius, bbox.top - radius, bbox.width + 2 * radius, bbox.height + 2 * radius);
  ctx.clip();
  ctx.fillStyle = paint;
  for (let i = from; i <= to; ++i) {
    if (y[i] === null || y[i] === undefined) continue;
    const cx = u.valToPos(x[i], across, true), cy = u.valToPos(y[i], up, true);
    if (many) ctx.fillRect(cx - radius * 0.85, cy - radius * 0.85, radius * 1.7, radius * 1.7);
    else { ctx.beginPath(); ctx.arc(cx, cy, radius, 0, 2 * Math.PI); ctx.fill(); }
  }
  ctx.restore();
  return null;
};

zeroth.faded = (paint, alpha) => {
  const hex = paint.match(/^#(..)(..)(..)$/);
  return hex ? `rgba(${parseInt(hex[1], 16)}, ${parseInt(hex[2], 16)}, ${parseInt(hex[3], 16)}, ${alpha})` : paint;
};

// A panel's charts by key: what is still wanted is updated, the rest goes.
zeroth.Grid = class {
  constructor(prefix, small) {
    this.prefix = prefix;
    this.small = small;
    this.node = zeroth.el("div", {class: small ? "charts small" : "charts"});
    this.charts = new Map();
  }
  show(specs) {
    const wanted = new Set(specs.map(s => s.key));
    for (const [key, chart] of this.charts)
      if (!wanted.has(key)) { chart.destroy(); chart.figure.remove(); this.charts.delete(key); zeroth.charts.delete(this.prefix + key); }
    specs.forEach((spec, place) => {
      let chart = this.charts.get(spec.key);
      if (!chart) {
        chart = new zeroth.Chart(`${this.prefix}${spec.key}`, this.small ? 200 : 250);
        this.charts.set(spec.key, chart);
        zeroth.charts.set(this.prefix + spec.key, chart);
      }
      if (this.node.children[place] !== chart.figure) this.node.insertBefore(chart.figure, this.node.children[place] ?? null);
      chart.set(spec);
    });
  }
  recolor() { for (const chart of this.charts.values()) if (chart.u) chart.rebuild(); }
};

// The rows of several tables with their own x on one ascending x: what uPlot needs to draw them together.
zeroth.join = tables => {
  const places = [...new Set(tables.flatMap(t => t.x))].sort((a, b) => a - b);
  const index = new Map(places.map((v, i) => [v, i]));
  return {x: places, columns: tables.map(t => t.columns.map(column => {
    const out = new Array(places.length).fill(null);
    t.x.forEach((v, i) => { out[index.get(v)] = column[i] ?? null; });
    return out;
  }))};
};

zeroth.around = (mean, se, times = 2, floor = -Infinity) => [
  mean.map((v, i) => v === null || se[i] === null || se[i] === undefined ? null : Math.max(floor, v - times * se[i])),
  mean.map((v, i) => v === null || se[i] === null || se[i] === undefined ? null : v + times * se[i])];
