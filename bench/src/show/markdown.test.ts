import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { renderMarkdownReport } from "./markdown.ts";

/** A comment on a pull request holds 65,536 characters: a page of four windows leaves room for another. */
const MOST_CHARS = 45_000;

describe("renderMarkdownReport", () => {
  test("answers first, with the table of the answer, then shows all others", () => {
    const page = renderMarkdownReport(exampleReport({ sweptRatios: [0.9] }));
    const places = [
      "### The answer, 64k for messages and reply",
      "Closest: ",
      "### Policies, 64k for messages and reply",
      "### Kept, measure by measure",
      "### Dollars and prompt cache",
      "### Inputs left out",
    ].map((text) => page.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(page).toContain("How sure: too little data: ");
  });

  test("has in each table rows of as many cells as its head", () => {
    const page = renderMarkdownReport(exampleReport({ workingRoomsTokens: [32_000, 64_000] }));
    const cells = (line: string) => line.split("|").length;
    const tables = page
      .trim()
      .split("\n\n")
      .filter((part) => part.startsWith("| "));
    expect(tables.length).toBeGreaterThan(8);
    for (const table of tables) expect(new Set(table.split("\n").map(cells)).size).toBe(1);
  });

  test("stays short enough to paste, with twenty sessions", () => {
    const sessions = Array.from({ length: 20 }, (_, index) => `a-folder/with-a-long-name/session-${index}.jsonl`);
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
