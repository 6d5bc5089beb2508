import { describe, expect, test } from "vitest";
import { utf8Bytes } from "../text.ts";
import { OUTPUT_CATEGORIES } from "../tool.ts";
import { truncateToolResult } from "./truncate-text.ts";

const plain = (count: number) =>
  Array.from({ length: count }, (_, index) => `step ${index} of the work is done and was written`);

function cut(lines: readonly string[], category: string, capTokens = 1000) {
  return truncateToolResult(lines.join("\n"), { category, capTokens, keeps: "diagnoses" }).text;
}

const DIAGNOSES = [
  "src/main.c:42:7: error: expected ';' before 'return'",
  "TypeError: Cannot read properties of undefined (reading 'id')",
  "java.lang.IllegalStateException: closed",
  "    at render (/srv/app/view.js:12:34)",
  '  File "/srv/app/model.py", line 91, in save',
  "Process exited with code 137",
  "thread 'main' panicked at src/lib.rs:7:5",
  "--- FAIL: TestSum (0.00s)",
  "E       assert 3 == 4",
  "make: *** [all] Error 2",
  "✗ sums two numbers",
  "bash: frobnicate: command not found",
  "ld: undefined reference to `main'",
  "error TS2304: Cannot find name 'x'.",
  "CONFLICT (content): Merge conflict in a.txt",
  "connect: connection refused",
];

describe.each(OUTPUT_CATEGORIES)("a cut of %s", (category) => {
  test.each(DIAGNOSES)("keeps %s from the middle", (line) => {
    const kept = cut([...plain(2000), line, ...plain(2000)], category);
    expect(kept.split("\n")).toContain(line);
    expect(utf8Bytes(kept)).toBeLessThanOrEqual(4000);
  });

  test("keeps one of each shape before the repetitions of another", () => {
    const noise = Array.from({ length: 900 }, (_, index) => `warning: retry ${index} failed`);
    const kept = cut([...plain(500), ...noise, DIAGNOSES[0] ?? "", ...plain(500)], category);
    expect(kept.split("\n")).toContain(DIAGNOSES[0]);
  });

  test("says of what it left something out, and how much of that looks like an error", () => {
    const noise = Array.from({ length: 900 }, (_, index) => `warning: retry ${index} failed`);
    expect(cut([...plain(500), ...noise, ...plain(500)], category)).toMatch(
      /\[… \d+ lines \/ \d+ bytes of (?:command output|search results|file text|output) omitted; in all gaps \d+ lines look like an error\]/,
    );
  });

  test("cuts a text without diagnoses where the category alone does", () => {
    const { omittedLines } = truncateToolResult(plain(3000).join("\n"), { category, capTokens: 1000 });
    const kept = truncateToolResult(plain(3000).join("\n"), { category, capTokens: 1000, keeps: "diagnoses" });
    expect(kept.omittedLines - omittedLines).toBeLessThanOrEqual(2);
  });

  test("keeps what stands around an error in one endless line", () => {
    const line = `${'{"n":1},'.repeat(20_000)}{"level":"error","text":"disk full on /dev/sda1"},${'{"n":2},'.repeat(20_000)}`;
    expect(cut([line], category)).toContain("disk full on /dev/sda1");
  });
});

test("search results are their places: the leading ones stay, whole", () => {
  const hits = Array.from({ length: 900 }, (_, index) => `src/a${index}.ts:${index}: const x = ${index};`);
  expect(cut(hits, "match-list").startsWith(hits.slice(0, 60).join("\n"))).toBe(true);
});

test("a policy that does not ask for it cuts as it did", () => {
  const text = [...plain(2000), DIAGNOSES[0], ...plain(2000)].join("\n");
  expect(truncateToolResult(text, { category: "generic", capTokens: 1000 }).text).not.toContain("main.c");
});
