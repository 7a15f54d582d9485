// SPDX-License-Identifier: MIT
// The report page in a real browser: a run of 100,000 evaluations, a comparison, a phone, and a run that is going on.
import {statSync} from "node:fs";
import {join} from "node:path";
import {build, check, end, failed, firstLine, open, run, scratch, shot, start, write} from "./browser.mjs";

const tabs = ["answer", "convergence", "constraints", "variables", "comparison"];

// Clicks a tab and waits until what is in view has been painted: from the click to the frame after the last chart.
const redraw = (page, tab) => page.evaluate(async name => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  const begin = performance.now();
  document.getElementById(`tab-${name}`).click();
  await frame();
  // Charts come into being when the browser says that they are in view.
  const inView = () => [...document.querySelectorAll("figure.chart .plot")].filter(p => {
    const box = p.getBoundingClientRect();
    return box.width > 0 && box.top < innerHeight && box.bottom > 0;
  });
  for (let i = 0; i < 50 && inView().some(p => !p.querySelector("canvas")); ++i) await frame();
  return performance.now() - begin;
}, tab);

const accessible = async (page, what) => {
  const problems = await page.evaluate(() => {
    const found = [], name = node => node.getAttribute("aria-label") || node.textContent.trim();
    for (const button of document.querySelectorAll("button, [role=button], [role=tab]")) if (!name(button)) found.push("a button without a name");
    for (const image of document.querySelectorAll("[role=img]")) if (!image.getAttribute("aria-label")) found.push("a picture without words");
    for (const field of document.querySelectorAll("select, input")) if (!document.querySelector(`label[for="${field.id}"]`)) found.push(`field ${field.id} without a label`);
    for (const figure of document.querySelectorAll("figure.chart")) if (!figure.querySelector("details")) found.push("a chart without a table");
    for (const mark of ["header", "nav", "main", "footer"]) if (document.querySelectorAll(mark).length !== 1) found.push(`no single ${mark}`);
    if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
    const ids = [...document.querySelectorAll("[id]")].map(n => n.id);
    if (new Set(ids).size !== ids.length) found.push("an id twice");
    return found;
  });
  check(problems.length === 0, `${what}: landmarks, names and text alternatives ${problems.join("; ")}`);
};

const noTrouble = (page, what) => check(page.troubles.length === 0, `${what}: no console errors ${page.troubles.join(" | ")}`);

async function hundredThousand() {
  write("big.toml", '[problem]\nbuiltin = "qcqp"\nn = 12\nm = 4\n[solver]\nname = "conex"\nbudget = 100000\n');
  run("solve", "big.toml", "--store", "big.db", "-q");
  run("report", "big.db", "-o", "big.html");
  const size = statSync(join(scratch, "big.html")).size;
  check(size < 2e6, `page of 100,000 evaluations: ${size} bytes, below 2 MB`);
  const page = await open(`file://${join(scratch, "big.html")}`);
  await page.waitForSelector("#panel-answer .big");
  // The script at the end of the body draws the first panel: the page is usable when the document is.
  const ready = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  check(ready < 2000, `interactive after ${ready.toFixed(0)} ms, below 2000`);
  for (const tab of tabs) {
    const first = await redraw(page, tab);
    // What a live update does: every chart in view from the data, to the next frame. The least of nine:
    // whatever else the machine does only adds to it.
    const again = await page.evaluate(async () => {
      const spent = [];
      for (let i = 0; i < 9; ++i) {
        const begin = performance.now();
        zeroth.redraw();
        await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
        spent.push(performance.now() - begin);
      }
      return Math.min(...spent);
    });
    check(again < 100, `${tab} redraws in ${again.toFixed(0)} ms, below 100 (first drawing, charts built: ${first.toFixed(0)} ms)`);
    await shot(page, `big-${tab}`);
    await accessible(page, `big ${tab}`);
  }
  const axes = await page.evaluate(async () => {
    document.getElementById("tab-constraints").click();
    await new Promise(done => setTimeout(done, 300));
    const spent = [];
    for (const chart of zeroth.charts.values()) {
      if (!chart.u) continue;
      let least = Infinity;
      for (const axis of ["logY", "logX", "logY", "logX"]) {
        const begin = performance.now();
        chart.toggle(axis);
        least = Math.min(least, performance.now() - begin);
      }
      spent.push(least);
    }
    return Math.max(...spent);
  });
  check(axes < 100, `a chart changes its axes in ${axes.toFixed(0)} ms at most, below 100`);
  check(page.requests.length === 1, `the page asks nothing of the network (${page.requests.length - 1} further requests)`);
  noTrouble(page, "big");
}

async function keyboard() {
  const page = await open(`file://${join(scratch, "big.html")}`);
  await page.focus("#tab-answer");
  await page.keyboard.press("ArrowRight");
  check(await page.evaluate(() => document.activeElement.id === "tab-convergence" && !document.getElementById("panel-convergence").hidden), "arrow keys move through the tabs");
  await page.waitForSelector("#convergence-objective canvas");
  await page.focus("#convergence-objective .plot");
  const scale = () => page.evaluate(() => { const {min, max} = zeroth.charts.get("convergence-objective").u.scales.x; return max - min; });
  const before = await scale();
  await page.keyboard.press("+");
  const zoomed = await scale();
  check(zoomed < 0.8 * before, `plus zooms in (${before} to ${zoomed})`);
  await page.keyboard.press("0");
  check(Math.abs(await scale() - before) < 1e-6 * before, "0 shows all again");
  await page.click("#convergence-objective details summary");
  // Browsers send `toggle` after the click has returned: wait for the rows, not for luck.
  await page.waitForSelector("#convergence-objective tbody tr", {state: "attached", timeout: 5000}).catch(() => {});
  check(await page.locator("#convergence-objective tbody tr").count() > 5, "the chart's data can be read as a table");
  await page.click("#convergence-objective button[aria-label='Logarithmic x axis']");
  check(await page.getAttribute("#convergence-objective button[aria-label='Logarithmic x axis']", "aria-pressed") === "true", "log axes on demand");
  noTrouble(page, "keyboard");
}

async function comparison() {
  write("small.toml", '[problem]\nname = "a <b>plant</b> & </script>"\nbuiltin = "qcqp"\nn = 3\nm = 2\n[solver]\nname = "random"\nbudget = 600\n');
  for (const solver of ["random", "adaptive-conex", "conex"])
    for (const seed of ["1", "2", "3"]) run("solve", "small.toml", "--solver", solver, "--seed", seed, "--store", "many.db", "-q");
  run("report", "many.db", "-o", "many.html");
  for (const [name, options] of [["light", {}], ["dark", {colorScheme: "dark"}], ["phone", {width: 390, height: 844}]]) {
    const page = await open(`file://${join(scratch, "many.html")}`, options);
    check(await page.textContent("h1") === "a <b>plant</b> & </script>", `${name}: names are text, never markup`);
    for (const tab of tabs) {
      await redraw(page, tab);
      await page.waitForTimeout(150);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(overflow <= 0, `${name} ${tab}: nothing sticks out sideways (${overflow} px)`);
      await shot(page, `many-${name}-${tab}`);
    }
    check(await page.locator("#panel-comparison table").first().locator("tbody tr").count() === 3, `${name}: three solvers in the table`);
    await page.selectOption("#run", "1");
    check((await page.textContent("#subtitle")).startsWith("random, seed 1"), `${name}: another run can be chosen`);
    await redraw(page, "convergence");
    await page.check("#all-seeds");
    check((await page.textContent("#convergence-objective figcaption")).includes("3 seeds"), `${name}: bands over seeds`);
    await page.waitForTimeout(150);
    await shot(page, `many-${name}-seeds`);
    noTrouble(page, name);
    await page.context().close();
  }
}

async function wide() {
  write("wide.toml", '[problem]\nbuiltin = "qcqp"\nn = 60\n[solver]\nname = "conex"\nbudget = 3000\n');
  run("solve", "wide.toml", "--store", "wide.db", "-q");
  run("report", "wide.db", "-o", "wide.html");
  const page = await open(`file://${join(scratch, "wide.html")}`);
  for (const tab of tabs) await redraw(page, tab);
  await redraw(page, "variables");
  check(await page.locator("#panel-variables figure.chart:visible").count() === 2, "60 variables: a summary instead of 60 panels");
  await shot(page, "wide-variables");
  noTrouble(page, "wide");
}

// Stores at the edge: nothing answered, everything failed, no constraint, very many constraints or variables, killed.
async function odd() {
  const evaluator = join(build, "tests", "zeroth_test_evaluator");
  const command = (name, mode, m, more = "") => `[problem]\nname = "${name}"\ncommand = ["${evaluator}", ${mode}, "--m", "${m}"]\nconstraints = ${m}\n${more}`;
  const box = count => `[variables]\ncount = ${count}\nlower = 0\nupper = 1\n[solver]\nname = "random"\nbudget = 60\n`;
  write("failing.toml", command("failing", '"error"', 2) + box(2));
  write("free.toml", command("free", '"ok"', 0, 'direction = "maximize"\n') + box(1));
  write("tight.toml", command("tight", '"ok"', 40) + box(2));
  write("huge.toml", command("huge", '"ok"', 1) + box(1200));
  for (const name of ["failing", "free", "tight", "huge"]) run.anyhow("solve", `${name}.toml`, "--store", "odd.db", "-q");
  write("slow.toml", command("killed", '"ok", "--sleep", "5"', 1) + box(2));
  const killed = start("solve", "slow.toml", "--store", "odd.db", "-q");
  for (let i = 0; i < 100 && !run("runs", "odd.db").includes("killed"); ++i) await new Promise(done => setTimeout(done, 50));
  killed.kill("SIGKILL");
  await killed.ended;
  run("report", "odd.db", "-o", "odd.html");
  const page = await open(`file://${join(scratch, "odd.html")}`);
  const runs = await page.locator("#run option").allTextContents();
  check(runs.length === 5, `five odd runs (${runs.length})`);
  for (let id = 1; id <= runs.length; ++id) {
    await page.selectOption("#run", String(id));
    for (const tab of tabs) await redraw(page, tab);
    await redraw(page, "answer");
    await shot(page, `odd-${id}`);
    const words = (await page.textContent("#panel-answer")).replace(/\s+/g, " ");
    check(!/undefined|NaN|\[object|null/.test(words), `odd run ${id}: the answer is in words (${words.slice(0, 60)}...)`);
  }
  noTrouble(page, "odd");
}

async function live() {
  const evaluator = join(build, "tests", "zeroth_test_evaluator");
  write("live.toml", `[problem]\nname = "live"\ncommand = ["${evaluator}", "error", "--every", "17", "--sleep", "0.02"]\nconstraints = 2\ncommon_noise = true\n`
    + "[variables]\ncount = 3\nlower = 0\nupper = 1\n[solver]\nname = \"adaptive-conex\"\nbudget = 900\n");
  const solve = start("solve", "live.toml", "--store", "live.db", "-q");
  const answers = () => Number(run("runs", "live.db").split("\n")[1].match(/running +(\d+)|budget +(\d+)|converged +(\d+)/)?.slice(1).find(Boolean));
  for (;;) {  // until the store is there and has something in it
    await new Promise(done => setTimeout(done, 100));
    try { if (answers() > 30) break; } catch { /* not yet */ }
  }
  const server = start("report", "live.db", "--serve");
  const address = await firstLine(server);
  const page = await open(address);
  await redraw(page, "convergence");
  await page.waitForSelector("#convergence-objective canvas");
  const shown = () => page.evaluate(() => Number(document.getElementById("live").textContent.match(/live: ([\d,]+) of/)?.[1].replaceAll(",", "") ?? 0));
  const late = [];
  for (let i = 0; i < 9; ++i) {
    const there = answers(), begin = Date.now();
    while (await shown() < there && Date.now() - begin < 5000) await page.waitForTimeout(20);
    late.push(Date.now() - begin);
    await page.waitForTimeout(150);
  }
  check(Math.max(...late) < 2000, `new evaluations are on the page within ${Math.max(...late)} ms, below 2000`);

  const points = () => page.evaluate(() => zeroth.charts.get("convergence-objective").u.data[0].length);
  const box = await page.locator("#convergence-objective .u-over").boundingBox();
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.7 * box.width, box.y + 60, {steps: 4});
  await page.mouse.up();
  const scales = () => page.evaluate(() => { const {min, max} = zeroth.charts.get("convergence-objective").u.scales.x; return [min, max]; });
  const [zoom, count] = [await scales(), await points()];
  check(await page.evaluate(() => zeroth.charts.get("convergence-objective").zoomed), "dragging zooms");
  for (let i = 0; i < 100 && await points() === count; ++i) await page.waitForTimeout(50);
  const after = await scales();
  check(await points() > count && after[0] === zoom[0] && after[1] === zoom[1], `new points (${count} to ${await points()}) leave the zoom alone`);
  await shot(page, "live-convergence");
  for (const tab of tabs) {
    await redraw(page, tab);
    const before = await shown();
    for (let i = 0; i < 100 && await shown() === before; ++i) await page.waitForTimeout(50);
    check(await shown() > before, `live ${tab}: goes on (${before} to ${await shown()})`);
    await shot(page, `live-${tab}`);
  }
  await redraw(page, "answer");
  await page.click("#panel-answer details summary");
  check(await solve.ended === 0, "the run itself was not disturbed");
  await page.waitForFunction(() => !document.querySelector("#panel-answer .status").textContent.startsWith("Running"), null, {timeout: 5000});
  check((await page.textContent("#panel-answer .status")).match(/feasible/) !== null, "the checked answer replaces the running one");
  check(await page.evaluate(() => document.querySelector("#panel-answer details").open), "what was opened stays open");
  check((await page.textContent("#panel-answer")).includes("fresh evaluation"), "intervals rest on fresh evaluations");
  await redraw(page, "constraints");
  check((await page.textContent("#panel-constraints")).includes("diverged"), "the ledger names the failure");
  noTrouble(page, "live");
  check(page.requests.every(url => url.startsWith(address) || url.startsWith("data:")), "the live page asks its own server only");
  server.kill("SIGINT");
  check(await server.ended === 0, "Ctrl-C ends the server");
  await page.waitForFunction(() => document.getElementById("live").classList.contains("lost"), null, {timeout: 5000});
  check(true, "the page says that its server has ended");
}

try {
  await hundredThousand();
  await keyboard();
  await comparison();
  await wide();
  await odd();
  await live();
} catch (error) {
  check(false, error.stack);
} finally {
  await end();
}
console.log(failed() === 0 ? "all good" : `${failed()} failed`);
process.exit(failed() === 0 ? 0 : 1);
