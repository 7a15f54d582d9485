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
const problem = (name, body, constraints, variables, solver = "", more = "") => {
  write(`${name}.toml`, `[problem]\nname = "${name}"\n${evaluator(name, body)}constraints = ${JSON.stringify(constraints)}\n${more}${variables}[solver]\n${solver || "budget = 120\n"}`);
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
    await page.waitForTimeout(120);
    const wrong = await faults(page), empty = await blank(page);
    check(wrong.length === 0 && empty === 0, `${name}, ${label}, ${tab}: nothing cut, no overlap, legible ${wrong.join("; ")}${empty ? ` ${empty} empty pictures` : ""}`);
    await page.screenshot({path: join(screenshots, `state-${name}-${label}-${tab}.png`), fullPage: true});
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
      wide: [...p.querySelectorAll("figure.chart, .card, table")].filter(n => n.getClientRects().length && n.getBoundingClientRect().right > innerWidth + 1).length};
  }));
  check(seen.length === 5 && seen.every(p => p.height > 100), `on paper every part is there (${seen.map(p => p.height)})`);
  check(seen.every(p => p.charts === p.drawn), `on paper every chart is drawn (${seen.map(p => `${p.drawn} of ${p.charts}`)})`);
  check(seen.every(p => p.wide === 0), `on paper nothing is cut (${seen.map(p => p.wide)})`);
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
  names.forEach((name, i) => { run.anyhow("solve", `${name}.toml`, "--store", "states.db", "-q"); ids[name] = i + 1; });
  problem("all-failed", '1 / 0, []', [], real("a"), "budget = 40\n");
  run.anyhow("solve", "all-failed.toml", "--store", "states.db", "-q");
  ids["all-failed"] = names.length + 1;
  run("report", "states.db", "-o", "states.html", ...Object.values(ids).flatMap(id => ["--run", String(id)]));
  const quick = process.argv.includes("--quick");
  for (const [name, id] of Object.entries(ids)) {
    await look(name, id, {}, "desk");
    await look(name, id, {width: 390, height: 844}, "phone");
    if (!quick || name === "declared-units") await look(name, id, {colorScheme: "dark"}, "dark");
  }
  await declared(ids["declared-units"]);
  await paper(ids["declared-units"]);
  await opensOnTheBest();
} catch (error) {
  check(false, error.stack);
} finally {
  await end();
}
console.log(failed() === 0 ? "all good" : `${failed()} failed`);
process.exit(failed() === 0 ? 0 : 1);
