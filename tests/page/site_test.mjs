// SPDX-License-Identifier: MIT
// The documentation's site on a server of our own: light, dark and on a phone; search, navigation, nothing from elsewhere.
import {readFileSync, readdirSync} from "node:fs";
import {createServer} from "node:http";
import {extname, join, resolve} from "node:path";
import {check, end, failed, open, shot} from "./browser.mjs";

const site = resolve(process.argv[3]);
const types = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png"};
const server = createServer((request, response) => {
  try {
    const file = join(site, decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const bytes = readFileSync(file);
    response.setHeader("Content-Type", types[extname(file)] ?? "text/plain").end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const home = `http://127.0.0.1:${server.address().port}/`;
const address = name => home + name;
const views = {light: {}, dark: {colorScheme: "dark"}, phone: {width: 390, height: 844}};
const pages = {home: "index.html", gallery: "docs/gallery.html", options: "docs/reference/options.html", paper: "docs/paper.html", install: "docs/install.html"};

for (const [view, how] of Object.entries(views))
  for (const [name, file] of Object.entries(pages)) {
    const page = await open(address(file), how);
    await page.waitForTimeout(300);
    await shot(page, `site-${name}-${view}`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    check(width <= (how.width ?? 1280), `${file}, ${view}: nothing sticks out sideways (${width} pixels)`);
    const broken = await page.evaluate(() => [...document.images].filter(i => i.complete && i.naturalWidth === 0).map(i => i.src));
    check(broken.length === 0, `${file}, ${view}: every picture is there ${broken}`);
    const scheme = await page.evaluate(() => document.body.getAttribute("data-md-color-scheme"));
    check(scheme === (view === "dark" ? "slate" : "default"), `${file}, ${view}: colours follow the system (${scheme})`);
    check(page.requests.every(url => url.startsWith(home) || url.startsWith("data:") || url.startsWith("blob:")), `${file}, ${view}: nothing comes from elsewhere`);
    check(page.troubles.length === 0, `${file}, ${view}: no complaints in the console ${page.troubles}`);
    await page.context().close();
  }

const page = await open(address("index.html"));
const tabs = await page.locator(".md-tabs__link").allInnerTexts();
check(tabs.map(t => t.trim()).join() === "Home,Tutorial,How to,Reference,Explanation", `navigation in four parts: ${tabs}`);
await page.keyboard.press("/");  // as the theme has it
await page.keyboard.type("chance constraint", {delay: 20});
await page.waitForSelector(".md-search-result__item", {timeout: 20000});
const found = await page.locator(".md-search-result__item a").first().getAttribute("href");
check(found.includes("chance"), `search finds ${found}`);
await shot(page, "site-search");

check(readdirSync(join(site, "docs/reference/cpp")).includes("annotated.html"), "the C++ reference is part of the site");
const reference = await open(address("docs/reference/cpp/annotated.html"));
check((await reference.content()).includes("MinimizeOptions"), "the C++ reference lists MinimizeOptions");
await shot(reference, "site-cpp");
const python = await open(address("docs/reference/python.html"));
check((await python.content()).includes("zeroth.minimize"), "the Python reference has zeroth.minimize");
await end();
server.close();
process.exit(failed() ? 1 : 0);
