// SPDX-License-Identifier: MIT
// A browser whose pages report what goes wrong in them, and the tool under test.
import {spawn, spawnSync} from "node:child_process";
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {chromium} from "playwright-core";

export const build = resolve(process.argv[2]);
export const tool = join(build, "zeroth");
export const screenshots = join(build, "page-test", "screenshots");
mkdirSync(screenshots, {recursive: true});
export const scratch = mkdtempSync(join(tmpdir(), "zeroth-page-"));
const children = new Set();

export const write = (name, text) => { writeFileSync(join(scratch, name), text); return join(scratch, name); };

export const run = (...argv) => {
  const ran = spawnSync(tool, argv, {cwd: scratch, encoding: "utf8"});
  if (ran.status !== 0 && ran.status !== 3 && ran.status !== 4) throw new Error(`zeroth ${argv.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
};

run.anyhow = (...argv) => spawnSync(tool, argv, {cwd: scratch, encoding: "utf8"});  // it may well fail

export const start = (...argv) => {
  const child = spawn(tool, argv, {cwd: scratch, stdio: ["ignore", "pipe", "ignore"]});
  children.add(child);
  child.ended = new Promise(done => child.on("exit", code => { children.delete(child); done(code); }));
  return child;
};

export const firstLine = child => new Promise((done, failed) => {
  let text = "";
  child.stdout.on("data", part => { text += part; if (text.includes("\n")) done(text.split("\n")[0]); });
  child.on("exit", code => failed(new Error(`ended with ${code} before it said anything`)));
});

// Chromium refuses its sandbox to root, which is who runs tests in containers.
const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: process.getuid() === 0 ? ["--no-sandbox"] : []});

export const open = async (address, {width = 1280, height = 900, colorScheme = "light"} = {}) => {
  const context = await browser.newContext({viewport: {width, height}, colorScheme, reducedMotion: "reduce"});
  const page = await context.newPage();
  page.troubles = [];
  page.requests = [];
  page.on("console", message => { if (["error", "warning"].includes(message.type())) page.troubles.push(message.text()); });
  page.on("pageerror", error => page.troubles.push(String(error)));
  page.on("request", request => page.requests.push(request.url()));
  await page.goto(address);
  return page;
};

export const shot = (page, name) => page.screenshot({path: join(screenshots, `${name}.png`)});

export const end = async () => {
  for (const child of children) child.kill("SIGKILL");
  await browser.close();
  rmSync(scratch, {recursive: true, force: true});
};

// Checks are counted, and told apart by their words.
let failures = 0;
export const check = (good, words) => {
  console.log(`${good ? "ok  " : "FAIL"}  ${words}`);
  if (!good) ++failures;
};
export const failed = () => failures;
