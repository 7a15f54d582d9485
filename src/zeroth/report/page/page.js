// The page itself: tabs, the choice of a run, and new data while a run goes on.
zeroth.start = () => {
  const {el} = zeroth, byId = id => document.getElementById(id);
  let data = JSON.parse(byId("data").textContent);
  const parts = [["answer", "Answer"], ["convergence", "Convergence"], ["constraints", "Constraints"], ["variables", "Variables"], ["comparison", "Comparison"]];
  const panels = {};
  let current = "answer", chosen = null;

  const tabs = parts.map(([key, text]) => el("button", {type: "button", role: "tab", id: `tab-${key}`, "aria-controls": `panel-${key}`, "aria-selected": "false", tabindex: -1, onclick: () => go(key)}, text));
  byId("tabs").append(...tabs);
  byId("tabs").addEventListener("keydown", event => {
    const at = parts.findIndex(([key]) => key === current), last = parts.length - 1;
    const to = {ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(parts[to][0]);
    tabs[to].focus();
  });
  for (const [key] of parts) byId("main").append(el("section", {role: "tabpanel", id: `panel-${key}`, "aria-labelledby": `tab-${key}`, hidden: true}));

  const selected = () => data.runs.find(r => r.id === chosen) ?? data.runs[data.runs.length - 1];

  const heading = () => {
    const run = selected();
    byId("title").textContent = run.name;
    byId("subtitle").textContent = `${run.solver}, seed ${run.seed}, ${zeroth.plural(run.dimension, "variable")}, ${zeroth.plural(run.constraints, "constraint")}`;
    const select = byId("run"), keys = data.runs.map(r => `${r.id}${r.running}${r.status}`).join();
    if (select.dataset.keys !== keys) {
      select.dataset.keys = keys;
      select.replaceChildren(...[...data.runs].reverse().map(r => el("option", {value: r.id},
        `${r.id}: ${r.name}, ${r.solver}, seed ${r.seed}${r.running ? " (running)" : ""}`)));
    }
    select.value = run.id;
    byId("run-label").hidden = data.runs.length < 2;
    byId("footer").textContent = `${data.store}, as it was on ${data.generated}. zeroth ${data.zeroth}. Drawn by uPlot (MIT licence).`
      + (data.left_out ? ` ${zeroth.plural(data.left_out, "older run")} left out.` : "");
  };

  // Draws the current panel anew from the data as they are now.
  const show = () => {
    const run = selected(), node = byId(`panel-${current}`);
    if (current === "answer") {
      // Live updates must not close what the reader has opened.
      const open = [...node.querySelectorAll("details")].map(d => d.open);
      const focus = node.contains(document.activeElement);
      zeroth.answerPanel(node, run);
      if (zeroth.shownRun === run.id) node.querySelectorAll("details").forEach((d, i) => { d.open = open[i] ?? false; });
      if (focus) byId("tab-answer").focus({preventScroll: true});
    } else {
      panels[current] ??= new zeroth[`${current}Panel`](node);
      panels[current].show(data, run);
    }
    zeroth.shownRun = run.id;
  };
  zeroth.redraw = show;

  const go = key => {
    current = key;
    parts.forEach(([name], i) => {
      const on = name === key;
      tabs[i].setAttribute("aria-selected", String(on));
      tabs[i].tabIndex = on ? 0 : -1;
      if (on) tabs[i].scrollIntoView({block: "nearest", inline: "center"});
      byId(`panel-${name}`).hidden = !on;
    });
    history.replaceState(null, "", `#${key}${chosen !== null ? `&run=${chosen}` : ""}`);
    show();
  };

  const readHash = () => {
    const words = location.hash.slice(1).split("&");
    const key = words.find(word => parts.some(([name]) => name === word));
    const run = Number(words.find(word => word.startsWith("run="))?.slice(4));
    if (data.runs.some(r => r.id === run)) chosen = run;
    heading();
    go(key ?? (words[0].startsWith("run=") ? "answer" : current));
  };

  byId("run").addEventListener("change", event => { chosen = Number(event.target.value); heading(); go(current); });
  addEventListener("hashchange", readHash);
  // On paper every part is there, drawn, whatever was open on the screen.
  const recolor = () => {
    for (const chart of zeroth.charts.values()) if (chart.u) chart.rebuild();
    panels.variables?.drawParallel();
    panels.variables?.contours.recolor();
  };
  const printAll = () => {
    document.documentElement.classList.add("paper");  // the colours of paper, at night too
    const before = current;
    for (const [key] of parts) { byId(`panel-${key}`).hidden = false; current = key; show(); }
    current = before;
    for (const chart of zeroth.charts.values()) chart.appear();
    if (panels.variables) panels.variables.inView = true;
    recolor();
    for (const chart of zeroth.charts.values()) chart.u?.setSize({width: 300, height: chart.height});  // two columns of a sheet
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
  addEventListener("beforeprint", printAll);
  addEventListener("afterprint", () => { document.documentElement.classList.remove("paper"); recolor(); for (const chart of zeroth.charts.values()) { chart.width = 0; chart.resize(); } go(current); });

  // What people come for: a run that is going on, or else the best answer to the newest run's problem.
  chosen = data.opens ?? null;
  readHash();

  if (!data.live) return;
  const live = byId("live");
  live.hidden = false;
  live.textContent = "live";
  let stamp = "";
  const poll = async () => {
    try {
      const answer = await fetch(`data${location.search}`, {headers: stamp ? {"If-None-Match": stamp} : {}, cache: "no-store"});
      if (answer.status === 200) {
        stamp = answer.headers.get("ETag") ?? "";
        data = await answer.json();
        heading();
        show();
      } else if (answer.status !== 304) throw new Error(String(answer.status));
      const run = selected();
      live.classList.remove("lost");
      const words = run.running ? `live: ${zeroth.number(run.evaluations)} of ${zeroth.number(run.budget)} evaluations` : "live: no run is going on";
      if (live.textContent !== words) live.textContent = words;
    } catch {
      live.classList.add("lost");
      live.textContent = "the server has ended; this is its last word";
    }
    setTimeout(poll, 1000);
  };
  setTimeout(poll, 200);
};
zeroth.start();
