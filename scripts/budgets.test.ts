import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { budgets, heartOf, linesBelow, unbudgeted } from "./budgets.mjs";

test("no folder has more lines, and the documents no more words, than their budget", () => {
  expect(budgets().flatMap(({ name, now, most }) => (now > most ? [`${name}: ${now} of ${most}`] : []))).toEqual([]);
});

test("the heart of core is fifteen files, read in this order", () => {
  expect(heartOf("packages/core").map((path) => basename(path, ".ts"))).toEqual(
    ["entry", "message", "budget", "cut-point", "why-act", "strategy", "drop-oldest", "chain"].concat([
      "apply-edits",
      "execute",
      "compact",
      "view",
      "session-state",
      "fit-session",
      "open-session",
    ]),
  );
});

test("the fit state is counted by its own fields", () => {
  expect(budgets().find(({ name }) => name.startsWith("fields of FitState"))?.now).toBeGreaterThan(0);
});

test("each folder with sources has a budget", () => {
  expect(unbudgeted()).toEqual([]);
});

test.each([
  ["a source", "src/a.ts", { rest: 2, tests: 0 }],
  ["a script of a browser", "src/a.js", { rest: 2, tests: 0 }],
  ["a test", "src/a.test.ts", { rest: 0, tests: 2 }],
  ["a test of a script", "a.test.mjs", { rest: 0, tests: 2 }],
  ["a builder of tests", "testing/a.ts", { rest: 0, tests: 2 }],
  ["a builder in a folder below", "src/testing/made/a.mjs", { rest: 0, tests: 2 }],
  ["a page", "a.md", { rest: 0, tests: 0 }],
  ["an installed package", "node_modules/a/a.js", { rest: 0, tests: 0 }],
  ["a built package", "dist/a.js", { rest: 0, tests: 0 }],
])("lines of %s", (_, path, expected) => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-budgets-"));
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), "first\nsecond\n");
  expect(linesBelow(folder)).toEqual(expected);
});
