// The answer first: what to do, how good it is, how sure that is, how to get it again.
zeroth.statusWords = run => {
  const spent = `${zeroth.number(run.evaluations)} of ${zeroth.number(run.budget)} evaluations`;
  if (run.running) return ["", "Running.", `${spent} so far. What is shown is the solver's recommendation at this moment; it is checked by fresh evaluations at the end.`];
  switch (run.status) {
    case "converged": return ["good", "Converged.", "Fresh evaluations confirm that it is feasible, and with 95 % confidence nothing better by more than the objective's error exists, by the model."];
    case "budget": return ["good", "Budget spent; the answer is confirmed feasible.", "Fresh evaluations confirm the constraints. That it is the optimum is not certified: a larger budget may still improve it."];
    case "infeasible": return ["bad", "No candidate is feasible, by the evidence.", "Below is the least bad one: no point that seems feasible was found. The problem itself may still have one."];
    case "interrupted": return ["", "Interrupted.", `${spent}. ${run.python ? "The same call with store= and resume=True" : "The same command with --resume"} goes on exactly where it stopped.`];
    case "imported": return ["", "Imported.", "Earlier evaluations that later runs of this problem begin with; not a run of its own."];
    case "failed": return ["bad", "Failed.", run.result?.message ?? "Every evaluation failed."];
    case "running": return ["bad", "Ended without finishing.", `${spent} are in the store, but no process works on the run any more. ${run.python ? "The same call with store= and resume=True" : "The same command with --resume"} goes on where it stopped.`];
    case "undecided": {
      const {doubt, more_evaluations: more} = run.result ?? {};
      const why = doubt?.probability >= 0 ? ` ${doubt.name} holds with probability ${zeroth.percent(doubt.probability)}.` : "";
      return ["warn", "Undecided.", `Whether the answer is feasible cannot be said yet at the confidence asked for.${why}${more ? ` About ${zeroth.number(more)} more evaluations would decide.` : ""}`];
    }
    case "local": return ["good", "A local optimum, confirmed feasible.", "The optimality conditions hold there as far as the noise lets one see; others may be better."];
    case "stopped": return ["good", "Stopped by a rule; the answer is confirmed feasible.", "Fresh evaluations confirm that every constraint holds."];
    default: return ["", run.status, ""];
  }
};

// What the multiplier says, per unit of the declared limit; of a probability per percentage point.
zeroth.priceWords = (run, f) => {
  if (f.multiplier === null) return null;
  const {el, number} = zeroth, half = f.multiplier_half;
  const step = f.kind === "probability" || f.kind === "quantile" ? 0.01 : 1;
  const unit = f.kind === "probability" || f.kind === "quantile" ? "one percentage point of probability" : "1 unit";
  const buys = run.maximize ? "more" : "less", scaled = half === null ? null : step * half;
  const name = el("code", {}, f.name);
  if (f.equality)
    return ["Shifting the target of ", name, ` by 1 unit changes the objective by ${zeroth.plusminus(Math.abs(f.multiplier), half)}.`];
  if (half !== null && f.multiplier <= half)
    return ["Relaxing ", name, ` by ${unit} buys nothing that can be told from zero (${number(step * f.multiplier, 2)} ± ${number(scaled, 2)}).`];
  return ["Relaxing ", name, ` by ${unit} buys `, el("strong", {}, zeroth.plusminus(step * f.multiplier, scaled)), ` ${buys} objective`, half === null ? " (no error known)." : "."];
};

// A variable's value for people: a text where it has values, words where it does not apply.
zeroth.valueText = (v, value, digits) => value === null || value === undefined ? "does not apply"
  : v?.values?.length ? v.values[value] ?? "?" : zeroth.number(value, digits);

zeroth.pointTable = run => {
  const {el, number} = zeroth, x = run.answer.x ?? [];
  if (!x.length) return el("p", {class: "muted"}, run.dimension > 1000
    ? `The point has ${number(run.dimension)} coordinates; zeroth solve --json prints it.` : "No point is recommended yet.");
  const rows = x.slice(0, 30).map((value, i) => {
    const v = run.variables?.[i] ?? {name: `x[${i}]`, lower: null};
    let place = "";
    if (v.values?.length) place = el("span", {class: "small muted"}, ` one of ${v.values.slice(0, 8).join(", ")}${v.values.length > 8 ? ", …" : ""}`);
    else if (value !== null && v.lower !== null && v.upper > v.lower) {
      const share = v.log && v.lower > 0 ? Math.log(value / v.lower) / Math.log(v.upper / v.lower) : (value - v.lower) / (v.upper - v.lower);
      place = [el("span", {class: "place", role: "img", "aria-label": `${(100 * share).toFixed(0)} % of the way from the lower to the upper bound`},
        el("i", {style: `left:${Math.min(100, Math.max(0, 100 * share)).toFixed(1)}%`})),
        el("span", {class: "small muted nowrap"}, ` ${number(v.lower, 3)} to ${number(v.upper, 3)}${v.log ? ", log" : ""}`)];
    }
    return [v.name, zeroth.valueText(v, value, 7), place];
  });
  const known = (run.variables ?? []).some(v => v.lower !== null);
  const table = zeroth.table(["Variable", {text: "Value", n: true}, known ? "Within its bounds" : ""], rows);
  const all = el("details", {}, el("summary", {}, x.length > 30 ? `All ${x.length} coordinates, at full precision` : "At full precision"),
    el("pre", {tabindex: 0}, JSON.stringify(run.variables?.length === x.length && !run.variables[0].name.startsWith("x[")
      ? Object.fromEntries(x.map((v, i) => [run.variables[i].name, run.variables[i].values?.length && v !== null ? run.variables[i].values[v] : v]).filter(([, v]) => v !== null)) : x, null, x.length > 60 ? 0 : 1)));
  return [table, all];
};

zeroth.answerPanel = (panel, run) => {
  const {el, number, interval} = zeroth, a = run.answer, r = run.result ?? {};
  const [tone, headline, words] = zeroth.statusWords(run);
  const source = a.checked ? `from ${zeroth.plural(a.evaluated || 0, "fresh evaluation")} at this point`
    : "estimated from the search's own evaluations nearby; not checked yet";
  const objective = el("section", {class: "card", "aria-label": "Objective"},
    el("h3", {}, run.maximize ? "Objective (maximised)" : "Objective (minimised)"),
    a.objective?.mean !== null && a.objective
      ? [el("p", {class: "big"}, zeroth.estimate(a.objective)),
         el("p", {class: "muted small"}, `${interval(a.objective) ? (a.objective.low < a.objective.high ? `95 % interval ${interval(a.objective)}, ` : "without noise, ") : ""}${source}`)]
      : el("p", {class: "muted"}, "Not known yet."));
  const functions = a.functions ?? [];
  const constraintRows = functions.map(f => [f.what ?? f.name, zeroth.quantity(f, f.mean, (f.high - f.low) / 2), zeroth.rangeWords(f), zeroth.limitWords(f),
    f.equality && !(f.probability >= 0) ? "–" : zeroth.percent(f.probability), f.multiplier === null ? "–" : zeroth.plusminus(f.multiplier, f.multiplier_half)]);
  const idle = f => !f.equality && f.multiplier !== null && Math.abs(f.multiplier) < 1e-9 && !(f.multiplier_half > 0), free = functions.filter(idle);
  const refuted = r.feasibility === "infeasible";
  const sentences = refuted ? (r.relaxation ?? []).map(c => ["With ", el("code", {}, c.name), ` relaxed by ${number(c.amount, 4)} (95 %: ${number(c.interval[0], 4)} to ${number(c.interval[1], 4)}) the answer would be feasible.`]) : functions.filter(f => !idle(f)).map(f => zeroth.priceWords(run, f)).filter(Boolean).slice(0, 12);
  if (free.length && !refuted) sentences.push([free.length <= 3 ? free.flatMap((f, i) => [i ? ", " : "", el("code", {}, f.name)]) : zeroth.plural(free.length, "other constraint"), free.length === 1 ? " does not bind: relaxing it buys nothing." : " do not bind: relaxing them buys nothing."]);
  const constraints = functions.length === 0 ? null : el("section", {class: "card", "aria-label": "Constraints"},
    el("h3", {}, "Constraints"),
    a.probability === undefined ? null : a.probability < 0.0001 ? el("p", {}, "That all of them hold cannot be claimed with any probability.")
      : el("p", {}, "All of them hold with probability ", el("strong", {}, a.probability > 0.9999 ? zeroth.percent(a.probability) : "at least " + zeroth.percent(a.probability)), "."),
    zeroth.table(["Constraint", {text: "Value", n: true}, {text: "95 % interval", n: true}, {text: "Limit", n: true}, {text: "Holds with probability", n: true}, {text: "Multiplier", n: true}], constraintRows, `${source}; in the units of the declaration`, true),
    sentences.length ? el("ul", {class: "sentences"}, sentences.map(s => el("li", {}, s))) : null,
    sentences.length && !refuted ? el("p", {class: "muted small"}, "Prices hold for small changes; ± is a 95 % interval.") : null);
  const fact = (name, value) => value === null || value === undefined || value === "" ? null : [el("dt", {}, name), el("dd", {}, value)];
  const facts = el("section", {class: "card", "aria-label": "The run"}, el("h3", {}, "The run"), el("dl", {class: "facts"},
    fact("Solver", run.solver), fact("Note", r.note), fact("Seed", String(run.seed)),
    fact("Evaluations", `${number(run.evaluations)}${run.costs ? "" : ` of ${number(run.budget)}`}, ${number(run.failed)} failed`),
    fact("Cost", run.costs ? `${r.cost === undefined ? "not known yet," : number(r.cost)} of ${number(run.budget)} units; ` +
      run.costs.map(c => `${c.name} costs ${number(c.cost)}${r.asked ? `, asked ${zeroth.plural(r.asked[c.name] ?? 0, "time")}` : ""}`).join("; ") : null),
    fact("At a time", run.width > 1 || run.lag > 0 ? `${zeroth.plural(run.width, "point")} proposed` + (run.lag > 0 ? `, up to ${number(run.lag)} more before the oldest is answered (lag)` : "") : null),
    fact("Known limits", run.limits?.length ? run.limits.join("; ") : null),
    fact("Known before", run.evaluated_before ? zeroth.plural(run.evaluated_before, "earlier evaluation") : null),
    fact("Tried first", run.points_first ? zeroth.plural(run.points_first, "point") : null),
    fact("Time in evaluations", run.seconds !== null ? `${number(run.seconds, 3)} s` : null),
    fact("KKT residual", r.kkt_residual?.estimate !== null && r.kkt_residual ? zeroth.plusminus(r.kkt_residual.estimate, 1.96 * r.kkt_residual.se) : null),
    fact("Truth", r.truth ? `objective ${number(r.truth.objective, 6)}${r.truth.gap !== null ? `, ${number(r.truth.gap, 3)} from the optimum` : ""}, violation ${number(r.truth.violation, 3)}` : null),
    fact("Started", run.started.replace("T", " ").replace("Z", " UTC")), fact("Finished", run.finished.replace("T", " ").replace("Z", " UTC")),
    fact("Continues", run.continues ? `run ${run.continues}` : null), fact("Version", `zeroth ${run.version}`)));
  const copy = el("button", {type: "button", onclick: async () => {
    try { await navigator.clipboard.writeText(run.command); copy.textContent = "Copied"; } catch { copy.textContent = "Select the line to copy it"; }
  }}, "Copy");
  const again = el("section", {class: "card", "aria-label": "Do it again"},
    el("div", {class: "row"}, el("h3", {}, "Do it again"), copy),
    el("pre", {tabindex: 0}, run.command),
    run.python ? el("p", {class: "muted small"}, "The run was made from Python: the function itself is not in the store.") : null,
    run.document ? el("details", {}, el("summary", {}, run.python ? "The declaration, as a problem file" : "The problem file as it was"), el("pre", {class: "document", tabindex: 0}, run.document)) : null);
  panel.replaceChildren(...[
    el("div", {class: `status ${tone}`}, el("strong", {}, headline), words),
    el("div", {class: "columns"},
      el("section", {class: "card", "aria-label": "Recommended point"}, el("h3", {}, a.checked ? "Recommended point" : "Recommended so far"), zeroth.pointTable(run)),
      objective),
    constraints ? el("div", {class: "wide"}, constraints) : null,
    el("div", {class: "columns"}, facts, again)].filter(Boolean));
};
