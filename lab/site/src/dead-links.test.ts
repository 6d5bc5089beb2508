import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { deadLinks } from "./dead-links.mjs";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-site-"));
afterAll(() => rmSync(folder, { recursive: true }));

const link = (...targets: readonly string[]) => targets.map((target) => `<a class="x" href="${target}">t</a>`).join("");
const PAGES = {
  "index.html": link("/docs/a", "docs/a#there", "docs/a#gone", "docs/none", "https://host.example/x"),
  "docs/a.html": `<h2 id="there">t</h2>${link("#there", "#gone", "./b/", "../")}`,
  "docs/b/index.html": link("../a#there", "/docs/b", "../../api/x"),
  "api/x.html": link("#property", "./none", "../docs/a#gone"),
};

test("links to pages and headings that are not there are found, in the reference those to pages", () => {
  for (const [path, html] of Object.entries(PAGES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), html);
  }
  expect([...deadLinks(folder)].sort()).toEqual([
    "api/x.html: ./none",
    "docs/a.html: #gone",
    "index.html: docs/a#gone",
    "index.html: docs/none",
  ]);
});
