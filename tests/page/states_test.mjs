// SPDX-License-Identifier: MIT
// Every panel in every state: light, dark, a phone, a desk, paper; one and fifty variables, no and twenty constraints, no
// feasible point, all failed, categories and conditions, declared units. Nothing is cut, nothing overlaps, all can be read.
import {readFileSync, statSync} from "node:fs";
import {join} from "node:path";
import {check, end, failed, open, run, scratch, screenshots, write} from "./browser.mjs";

const tabs = ["answer", "convergence", "constraints", "variables", "comparison"];

// An evaluator whose words are Python: x by name, u and v normal under the seed.
const evaluator = (name, body) => {
  write(`${name}.py`, `import json, random, sys\nfor line in sys.stdin:\n    q = json.loads(line)\n    x, rng = q["x"], random.Random(q["seed"])\n    u, v = rng.gauss(0, 1), rng.gauss(0, 1)\n`
    + `    try:\n        objective, constraints = ${body}\n        print(json.dumps({"id": q["id"], "objective": objective, "constraints": constraints}), flush=True)\n`
    + `    except Exception as e:\n        print(json.dumps({"id": q["id"], "error": str(e)}), flush=True)\n`);
  return `command = ["python3", "${name}.py"]\n`;
};
const real = (name, more = "") => `[[variable]]\nname = "${name}"\nlower = 0\nupper = 1\n${more}`;
const problem = (name, body, constraints, variables, solver = "", more = "", sections = "") => {
  write(`${name}.toml`, `[problem]\nname = "${name}"\n${evaluator(name, body)}constraints = ${JSON.stringify(constraints)}\n${more}${variables}${sections}[solver]\n${solver || "budget = 120\n"}`);
  return name;
};

const long = "a_very_long_name_of_a_quantity_that_the_simulator_writes_at_the_end_of_each_run";
const letters = count => Array.from({length: count}, (_, i) => `parameter_of_layer_${i}`);
const states = () => [
  problem("one-variable", '(x["a"] - 0.3) ** 2 + 0.1 * u, []', [], real("a")),
  problem("declared-units", '1 - x["a"] + 0.05 * u, [60 + 15 * x["a"] + 2 * u, 4 * x["a"] + abs(v), 10 * x["b"] + u]',
    ["mean(noise) <= 70", "probability(wait <= 5) >= 0.9", "quantile(load, 0.8) <= 9"], real("a") + real("b"), "budget = 300\n", "common_noise = true\n"),
  problem("twenty-constraints", '(x["a"] - 1) ** 2 + (x["b"] - 1) ** 2, [x["a"] + x["b"] - 0.9 - 0.01 * i + 0.02 * u for i in range(20)]',
    Array.from({length: 20}, (_, i) => i === 3 ? long : `limit_${i}`), real("a") + real("b")),
  problem("no-feasible-point", 'x["a"], [1 + x["a"] + 0.01 * u]', ["c"], real("a"), "budget = 60\n"),
  problem("categories", '(x.get("depth", 3) - 3) ** 2 / 10 + (0 if x["kernel"] == "rbf" else 0.5) + (x["c"] - 0.5) ** 2 + 0.05 * u, [x["c"] - 0.9]', ["cost"],
    `[[variable]]\nname = "kernel"\ntype = "categorical"\nvalues = ["rbf", "a polynomial of some degree", "linear"]\n${real("c")}[[variable]]\nname = "depth"\ntype = "integer"\nlower = 1\nupper = 6\nwhen = "kernel == 'rbf'"\n`),
  problem("twenty-variables", 'sum((v - 0.5) ** 2 for v in x.values()) + 0.1 * u, [0.2 - x["parameter_of_layer_0"]]', ["c"], letters(20).map(n => real(n)).join(""), 'name = "random"\nbudget = 200\n'),
  problem("fifty-variables", 'sum((v - 0.5) ** 2 for v in x.values()) + 0.1 * u, [0.2 - x["parameter_of_layer_0"]]', ["c"], letters(50).map(n => real(n)).join(""), 'name = "random"\nbudget = 200\n'),
  problem("costs-and-risk", '(x["a"] - 1) ** 2 + x["b"] + 0.05 * u, [x["a"] + x["b"] - 0.4 + 0.2 * v]', ["cvar(strain, 0.8) <= 0.3"], real("a") + real("b"),
    "budget = 2000\nwidth = 2\n", 'objective = "cvar(price, 0.7)"\npartial = true\nlinear = ["a + b <= 1.5"]\nknown = ["a*b <= 0.6"]\n', "[cost]\nobjective = 20\nstrain = 1\n"),
  problem("asks-ahead", '(x["a"] - 0.3) ** 2 + (x["b"] - 0.6) ** 2 + 0.1 * u, [0.2 - x["a"]]', ["c"], real("a") + real("b"), 'budget = 200\nwidth = 2\nlag = 4\n'),
  problem("some-failed", '(1 / (0 if 0.4 < x["a"] < 0.7 else 1)) * x["a"] + 0.1 * u, [0.3 - x["a"] + 0.1 * v]', ["c"], real("a"), "budget = 100\n"),
];

// What is cut or overlaps in the panel in view, and what cannot be read.
const faults = page => page.evaluate(() => {
  const found = [], shown = node => node.offsetParent !== null && node.getClientRects().length > 0;
  const name = node => (node.getAttribute?.("aria-label") || node.textContent || node.tagName).trim().replace(/\s+/g, " ").slice(0, 50);
  const panel = document.querySelector("[role=tabpanel]:not([hidden])");
  if (document.documentElement.scrollWidth > innerWidth) found.push(`the page sticks out by ${document.documentElement.scrollWidth - innerWidth} px`);
  for (const box of panel.querySelectorAll(".card, .stacked, .status, figure.chart"))
    if (shown(box) && box.scrollWidth > box.clientWidth + 1) found.push(`cut: ${name(box)} (${box.scrollWidth - box.clientWidth} px)`);
  // Tables that may be scrolled sideways elsewhere fit here.
  for (const box of panel.querySelectorAll(".importance .scroll, [aria-label=Constraints] .scroll, [aria-label='Recommended point'] .scroll"))
    if (shown(box) && box.scrollWidth > box.clientWidth + 1) found.push(`a column is cut: ${name(box)} (${box.scrollWidth - box.clientWidth} px)`);
  const boxes = [...panel.querySelectorAll(".card, figure.chart")].filter(shown).map(node => ({node, r: node.getBoundingClientRect()}));
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
    if (a.node.contains(b.node) || b.node.contains(a.node)) return;
    const w = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left), h = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
    if (w > 1 && h > 1) found.push(`overlap: ${name(a.node)} and ${name(b.node)}`);
  }));
  const light = color => { const [r, g, b] = color.match(/[\d.]+/g).map(Number).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = node => { for (let n = node; n; n = n.parentElement) { const c = getComputedStyle(n).backgroundColor; if (!/, 0\)$|transparent|rgba\(.*0\.\d+\)/.test(c)) return c; } return "rgb(255, 255, 255)"; };
  const walker = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  for (let text; (text = walker.nextNode());) {
    const node = text.parentElement;
    if (!text.textContent.trim() || !shown(node) || node.closest("script, style")) continue;
    const a = light(getComputedStyle(node).color), b = light(behind(node)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`contrast ${ratio.toFixed(1)}: ${name(node)}`);
  }
  const words = panel.textContent.replace(/\s+/g, " ");
  for (const bad of ["undefined", "NaN", "[object", "null", "Infinity"]) if (words.includes(bad)) found.push(`"${bad}": ${words.slice(Math.max(0, words.indexOf(bad) - 30), words.indexOf(bad) + 20)}`);
  return [...new Set(found)].slice(0, 6);
});

// Pictures that nothing was drawn in.
const blank = page => page.evaluate(() => [...document.querySelectorAll("[role=tabpanel]:not([hidden]) canvas")].filter(c => {
  const box = c.getBoundingClientRect();
  if (!box.width || box.top > innerHeight || box.bottom < 0 || !c.width) return false;
  const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  for (let i = 3; i < data.length; i += 4) if (data[i]) return false;
  return true;
}).length);

async function look(name, id, options, label) {
  const page = await open(`file://${join(scratch, "states.html")}#run=${id}`, options);
  for (const tab of tabs) {
    await page.click(`#tab-${tab}`);
    // A window as high as the page: everything comes into view, and is drawn.
    const size = page.viewportSize();
    await page.setViewportSize({width: size.width, height: await page.evaluate(() => Math.min(8000, document.documentElement.scrollHeight + 400))});
    await page.waitForTimeout(250);
    const ticks = await page.evaluate(() => [...zeroth.charts.values()].filter(c => c.u && c.figure.offsetParent && !c.logY).flatMap(c => {
      const shown = c.u.axes[1]._values?.filter(Boolean) ?? [];
      return new Set(shown).size < shown.length ? [`${c.spec.title}: ticks ${shown.slice(0, 4)}`] : [];
    }));
    const wrong = [...ticks, ...await faults(page)], empty = await blank(page);
    check(wrong.length === 0 && empty === 0, `${name}, ${label}, ${tab}: nothing cut, no overlap, legible ${wrong.join("; ")}${empty ? ` ${empty} empty pictures` : ""}`);
    await page.screenshot({path: join(screenshots, `state-${name}-${label}-${tab}.png`), fullPage: true});
    await page.setViewportSize(size);
  }
  check(page.troubles.length === 0, `${name}, ${label}: no console errors ${page.troubles.join(" | ")}`);
  await page.context().close();
}

async function declared(id) {
  const page = await open(`file://${join(scratch, "states.html")}#run=${id}`);
  const text = async sel => (await page.textContent(sel)).replace(/\s+/g, " ");
  const rows = await page.locator("#panel-answer table tbody tr").allTextContents();
  check(rows.some(r => /mean\(noise\)6\d\.\d.*≤ 70/.test(r)), `the mean of the noise stands beside 70 (${rows.find(r => r.includes("noise"))})`);
  check(rows.some(r => /probability\(wait <= 5\)(100|9\d)\.\d %.*≥ 90\.0 %/.test(r)), `the probability stands beside 90 % (${rows.find(r => r.includes("wait"))})`);
  await page.click("#tab-constraints");
  await page.waitForSelector("#constraints-f1 canvas");
  const limits = await page.evaluate(() => [...zeroth.charts].filter(([key]) => key.startsWith("constraints-f") && key !== "constraints-f0").map(([key, chart]) => [key, chart.spec.limit.y]));
  check(JSON.stringify(limits) === JSON.stringify([["constraints-f1", 70], ["constraints-f2-chance", 0.9], ["constraints-f2", 5], ["constraints-f3-chance", 0.8], ["constraints-f3", 9]]), `limits are drawn where they are declared (${JSON.stringify(limits)})`);
  const range = await page.evaluate(() => { const c = zeroth.charts.get("constraints-f1"), y = c.spec.series.flatMap(s => s.y).filter(v => v !== null); return [Math.min(...y), Math.max(...y)]; });
  check(range[0] > 50 && range[1] < 90, `evaluations are in units of the noise (${range})`);
  check((await text("#panel-constraints")).includes("What each limit costs"), "the trade-off of each limit is there");
  await page.click("#tab-variables");
  await page.waitForSelector(".importance");
  const shares = await page.locator(".importance tbody tr:first-child th").allTextContents();
  check(shares[0] === "a", `the variable that matters is found (${shares})`);
  check(await page.locator("canvas.contour").count() === 1, "one pair of variables, one contour");
  await page.context().close();
}

// What stands under "The run", by its title.
const facts = page => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#panel-answer dl.facts dt")].map(dt => [dt.textContent, dt.nextElementSibling.textContent.replace(/\s+/g, " ")])));

async function costsAndRisk(id) {
  const page = await open(`file://${join(scratch, "states.html")}#run=${id}`);
  const about = await facts(page), rows = await page.locator("#panel-answer table tbody tr").allTextContents();
  check(/objective costs 20, asked \d+ times; strain costs 1, asked \d+ times/.test(about.Cost) && / of 2,000 units/.test(about.Cost), `the costs by name (${about.Cost})`);
  const [dear, cheap] = about.Cost.match(/asked ([\d,]+)/g).map(t => Number(t.replace(/\D/g, "")));
  check(cheap > dear, `the cheap constraint is asked more often (${cheap} and ${dear})`);
  check(about["Known limits"] === "a + b <= 1.5; a*b <= 0.6", `known limits in their words (${about["Known limits"]})`);
  check(about["Known before"] === "1 earlier evaluation" && about["Tried first"] === "2 points", `what was known and tried first (${about["Known before"]}, ${about["Tried first"]})`);
  check(rows.some(r => /cvar\(strain, 0\.8\)[-\d.]+.*≤ 0\.3/.test(r)), `the mean of the worst stands beside its limit (${rows.find(r => r.includes("strain"))})`);
  const words = (await page.textContent("#panel-answer")).replace(/\s+/g, " ");
  check(words.includes("cvar(price, 0.7)"), "what is minimised of the objective is said");
  await page.context().close();
}

async function asksAhead(id) {
  const page = await open(`file://${join(scratch, "states.html")}#run=${id}`);
  const about = await facts(page);
  check(about["At a time"] === "2 points proposed, up to 4 more before the oldest is answered (lag)", `width and lag (${about["At a time"]})`);
  await page.click("#tab-convergence");
  await page.waitForSelector("#convergence-leaders");
  check((await page.textContent("#convergence-leaders figcaption")) === "Which search led when", "which search led when has its chart");
  const led = await page.evaluate(() => {
    const spec = zeroth.charts.get("convergence-leaders").spec, run = JSON.parse(document.getElementById("data").textContent).runs.find(r => r.id === Number(location.hash.match(/run=(\d+)/)[1]));
    const at = run.trace.leaders.at, names = run.trace.leaders.names;
    // One point for each time, at the one that led then.
    return {times: at.length, names, right: at.every((entry, i) => names.every((name, k) => (spec.series[k].y[i] !== null) === (entry.who === k))), summary: spec.summary};
  });
  check(led.times > 3 && led.right && led.names.length >= 1, `the chart shows who led at each of ${led.times} times (${led.names})`);
  check(led.summary.startsWith(`${led.names[0]} led first`), `and says it in words (${led.summary.slice(0, 60)})`);
  check((await page.textContent("#workers-workers figcaption")) === "Evaluations per worker over the run", "evaluations per worker have their chart");
  const workers = await page.evaluate(() => {
    const spec = zeroth.charts.get("workers-workers").spec;
    const rows = [...document.querySelectorAll("section[aria-label=Workers] > div table tbody tr, section[aria-label=Workers] table tbody tr")].map(r => [...r.children].map(c => c.textContent));
    return {drawn: spec.series.map(s => s.y.reduce((a, b) => a + b, 0)), rows};
  });
  const counts = workers.rows.filter(r => /^\d+$/.test(r[0]) && r.length === 5).map(r => Number(r[1]));
  check(workers.drawn.length === 3 && workers.drawn.reduce((a, b) => a + b, 0) === 200, `three workers made all 200 evaluations (${workers.drawn})`);
  check(JSON.stringify(counts) === JSON.stringify(workers.drawn), `the table has the same numbers (${counts})`);
  check(page.troubles.length === 0, "no console errors");
  await page.context().close();
}

// Names that begin alike are told from one another on the axes, also where there is little room.
async function axisNames(id, count, width) {
  const page = await open(`file://${join(scratch, "states.html")}#run=${id}`, {width, height: 844});
  await page.click("#tab-variables");
  await page.locator("canvas.parallel").scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector("canvas.parallel").dataset.axes !== undefined);
  const names = (await page.evaluate(() => document.querySelector("canvas.parallel").dataset.axes)).split("\n");
  check(names.length === count + 1 && new Set(names).size === count + 1, `${count} axes have ${new Set(names).size - 1} names at ${width} px (${names.slice(0, 3)})`);
  const cut = await page.evaluate(() => [9, 12, 4].map(room => zeroth.distinct(["rate_of_layer_1_of_the_net", "rate_of_layer_2_of_the_net", "other"], room)));
  check(cut.every((list, i) => new Set(list).size === 3 && list.every(text => text.length <= [9, 12, 4][i])), `what differs in the middle keeps apart, too (${cut[0]})`);
  await page.context().close();
}

async function paper(id) {
  const page = await open(`file://${join(scratch, "states.html")}#run=${id}`, {colorScheme: "dark", width: 760});
  const file = join(screenshots, "state-print.pdf");
  await page.pdf({path: file, format: "A4"});
  check(statSync(file).size > 50_000, `all of it on paper: ${statSync(file).size} bytes`);
  // The same on the screen, where it can be looked into.
  await page.emulateMedia({media: "print"});
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.waitForTimeout(500);
  const seen = await page.evaluate(() => [...document.querySelectorAll("[role=tabpanel]")].map(p => {
    const charts = [...p.querySelectorAll("figure.chart")].filter(f => f.getClientRects().length);
    return {id: p.id, height: p.offsetHeight, charts: charts.length, drawn: charts.filter(f => f.querySelector("canvas")).length,
      wide: [...p.querySelectorAll("figure.chart, .card, table")].filter(n => n.getClientRects().length && n.getBoundingClientRect().right > innerWidth + 1).map(n => n.textContent.slice(0, 60))};
  }));
  check(seen.length === 5 && seen.every(p => p.height > 100), `on paper every part is there (${seen.map(p => p.height)})`);
  check(seen.every(p => p.charts === p.drawn), `on paper every chart is drawn (${seen.map(p => `${p.drawn} of ${p.charts}`)})`);
  check(seen.every(p => p.wide.length === 0), `on paper nothing is cut (${seen.flatMap(p => p.wide).join("; ")})`);
  const paint = await page.evaluate(() => [getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.body).color]);
  check(paint[0] === "rgb(255, 255, 255)" && paint[1] === "rgb(0, 0, 0)", `on paper black on white, at night too (${paint})`);
  await page.screenshot({path: join(screenshots, "state-print.png"), fullPage: true});
  await page.context().close();
}

async function opensOnTheBest() {
  write("best.toml", '[problem]\nbuiltin = "qcqp"\nn = 3\nm = 2\n[solver]\nname = "adaptive-conex"\nbudget = 600\n');
  run("solve", "best.toml", "--store", "best.db", "-q");
  run("solve", "best.toml", "--store", "best.db", "-q", "--solver", "random", "--budget", "40");
  run("report", "best.db", "-o", "best.html");
  const data = JSON.parse(readFileSync(join(scratch, "best.html"), "utf8").match(/id="data">(.*?)<\/script>/s)[1]);
  const page = await open(`file://${join(scratch, "best.html")}`);
  check(data.opens === 1 && await page.inputValue("#run") === "1", `opens on the best run, not the newest (${data.opens})`);
  await page.click("#tab-convergence");
  check(await page.locator("details.experts").count() === 1 && !(await page.evaluate(() => document.querySelector("details.experts").open)), "the solver's own figures are folded away");
  await page.click("details.experts > summary");
  await page.locator("details.experts figure.chart").first().scrollIntoViewIfNeeded();
  await page.waitForSelector("details.experts figure.chart canvas");
  check(await page.locator("details.experts li").count() >= 2 && (await page.textContent("details.experts")).includes("length of the last step"), "and each has its sentence");
  await page.context().close();
}

try {
  const names = states(), ids = {};
  write("earlier.csv", "a,b,objective,strain\n0.5,0.5,0.8,0.2\n");
  write("first.csv", "a,b\n0.25,0.25\n0.75,0.5\n");
  const more = {"costs-and-risk": ["--points", "first.csv"], "asks-ahead": ["-j", "3"]};
  const count = () => Math.max(...run("runs", "states.db").split("\n").map(line => Number(line.match(/^ *(\d+) /)?.[1] ?? 0)));
  for (const name of names) {
    if (name === "costs-and-risk") run("import", `${name}.toml`, "earlier.csv", "--store", "states.db");
    run.anyhow("solve", `${name}.toml`, "--store", "states.db", "-q", ...(more[name] ?? []));
    ids[name] = count();
  }
  problem("all-failed", '1 / 0, []', [], real("a"), "budget = 40\n");
  run.anyhow("solve", "all-failed.toml", "--store", "states.db", "-q");
  ids["all-failed"] = count();
  run("report", "states.db", "-o", "states.html", ...Object.values(ids).flatMap(id => ["--run", String(id)]));
  const quick = process.argv.includes("--quick");
  for (const [name, id] of Object.entries(ids)) {
    await look(name, id, {}, "desk");
    await look(name, id, {width: 390, height: 844}, "phone");
    if (!quick || name === "declared-units") await look(name, id, {colorScheme: "dark"}, "dark");
  }
  await declared(ids["declared-units"]);
  await costsAndRisk(ids["costs-and-risk"]);
  await asksAhead(ids["asks-ahead"]);
  for (const width of [1280, 390]) await axisNames(ids["twenty-variables"], 20, width);
  await paper(ids["declared-units"]);
  await opensOnTheBest();
} catch (error) {
  check(false, error.stack);
} finally {
  await end();
}
console.log(failed() === 0 ? "all good" : `${failed()} failed`);
process.exit(failed() === 0 ? 0 : 1);
