import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { renderMarkdownReport } from "./markdown.ts";

/** A comment on a pull request holds 65,536 characters: a page of four windows leaves room for another. */
const MOST_CHARS = 30_000;

describe("renderMarkdownReport", () => {
  test("says first what is lost, then answers, says how valid it is, and compares", () => {
    const page = renderMarkdownReport(exampleReport({ sweptRatios: [0.9] }));
    const places = [
      "### Losing cases first",
      "Nearest to best: sven",
      "### Validity",
      "### Working room 64k",
      "### Differences",
      "### Skipped",
    ].map((text) => page.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(page).toContain("How sure: It cannot be known: the 2 sessions");
  });

  test("has a row a policy and window, each with as many cells as the head", () => {
    const page = renderMarkdownReport(exampleReport({ workingRoomsTokens: [32_000, 64_000] }));
    const rows = page.split("\n").filter((line) => /^\| (recorded|none|sven\\\*) /.test(line));
    expect(rows).toHaveLength(2 * (3 + 4));
    const cells = (line: string) => line.split("|").length;
    const heads = page.split("\n").filter((line) => /^\| (policy|over)/.test(line));
    expect(new Set(rows.map(cells))).toEqual(new Set(heads.map(cells)));
  });

  test("stays short enough to paste, however many sessions there are", () => {
    const sessions = Array.from({ length: 50 }, (_, index) => `a-folder/with-a-long-name/session-${index}.jsonl`);
    const page = renderMarkdownReport(
      exampleReport({ sessions, calls: 10, workingRoomsTokens: [16_000, 32_000, 64_000, 128_000] }),
    );
    expect(page.length).toBeLessThan(MOST_CHARS);
  });

  test("no name becomes markup or ends a cell", () => {
    const page = renderMarkdownReport(exampleReport({ sessions: ["a|b<img src=x>.jsonl", "`c`.jsonl"] }));
    expect(page).not.toMatch(/[^\\]<img/);
  });
});
