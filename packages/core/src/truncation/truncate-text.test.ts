import { describe, expect, test } from "vitest";
import type { ToolResultMessage } from "../message/message.ts";
import { absentImage, result } from "../testing/builders.ts";
import { utf8Bytes } from "../text.ts";
import type { OutputCategory } from "../tool.ts";
import type { Truncation } from "./span.ts";
import { truncateMessage, truncateToolResult } from "./truncate-text.ts";

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index}`).join("\n");
}

function cut(text: string, category: OutputCategory, capTokens: number): string {
  return truncateToolResult(text, { category, capTokens }).text;
}

/** The lines before the first notice, and those after the last one. */
function keptLines(text: string): readonly [number, number] {
  const lines = text.split("\n").filter((line) => line !== "");
  const isNotice = (line: string) => line.startsWith("[… ");
  const first = lines.findIndex(isNotice);
  return [first, lines.length - 1 - lines.findLastIndex(isNotice)];
}

describe("truncateToolResult", () => {
  test.each([
    ["X-1 short text is unchanged", "hello world", "head-tail", 100, "hello world"],
    ["X-2 a cap of 0 switches truncation off", "a".repeat(10_000), "head-tail", 0, "a".repeat(10_000)],
    ["X-3 nothing stays nothing", "", "generic", 10, ""],
    ["X-4 the cap itself fits", "a".repeat(40), "generic", 10, "a".repeat(40)],
    ["X-5 one byte over: no notice fits, so the text alone is cut", "a".repeat(41), "generic", 10, "a".repeat(40)],
    ["X-6 a long line in a small cap", "x".repeat(10_000), "generic", 10, "x".repeat(40)],
    ["X-7 the cut falls on the line boundary", `${"a".repeat(10)}\n${"b".repeat(100)}`, "generic", 5, `${"a".repeat(10)}\n`],
    ["X-40 the cut backs off to a whole character", `a${"é".repeat(20)}`, "generic", 10, `a${"é".repeat(19)}`],
    ["X-41 of three bytes each", "世".repeat(14), "generic", 10, "世".repeat(13)],
    ["of four bytes each", "😀".repeat(11), "generic", 10, "😀".repeat(10)],
    [
      "X-8 a long line keeps head and tail around the notice",
      "x".repeat(80_000),
      "generic",
      100,
      `${"x".repeat(182)}\n[… 79636 bytes omitted]\n${"x".repeat(182)}`,
    ],
    ["X-14 (3 + 2 there) without a notice the beginning alone", numbered(1000), "head-tail", 10, `${numbered(5)}\n`],
    ["X-15 five leading matches", numbered(1000), "match-list", 10, `${numbered(5)}\n`],
    ["X-16 (3 + 2 there) the beginning alone", numbered(1000), "file-content", 10, `${numbered(5)}\n`],
    ["X-17 the nearest line boundary", numbered(1000), "generic", 10, `${numbered(5)}\n`],
    ["X-36 lines that end in CRLF stay whole", "1234567\r\n".repeat(5), "head-tail", 10, "1234567\r\n".repeat(4)],
  ] as const)("%s", (_rule, text, category, capTokens, expected) => {
    expect(cut(text, category, capTokens)).toBe(expected);
  });

  // The systems' own counts are without the notice in the cap; with it, fewer lines fit.
  test.each([
    ["X-9 (13 + 11 there) head and tail share the room", numbered(200), "head-tail", 50, [11, 9]],
    ["X-10 (26 there) leading matches alone", numbered(200), "match-list", 50, [21, 0]],
    ["X-11 (13 + 11 there) head and tail share the room", numbered(200), "file-content", 50, [11, 9]],
    ["X-23 (9 there) leading matches alone", many(500, "match", "some content"), "match-list", 50, [7, 0]],
    ["X-25 (6 + 6 there)", many(500, "", "some source code line here"), "file-content", 100, [6, 5]],
    ["X-26 command output keeps 60 + 40 lines at most", "ten chars.\n".repeat(2000), "head-tail", 4000, [60, 40]],
    ["X-27 (727 + 727 there) a file keeps what fits", "ten chars.\n".repeat(2000), "file-content", 4000, [725, 725]],
  ] as const)("%s", (_rule, text, category, capTokens, expected) => {
    expect(keptLines(cut(text, category, capTokens))).toEqual(expected);
  });

  test("X-32 to X-35: lines longer than their room keep what fits", () => {
    const text = `${"a".repeat(8001)}\n${"b".repeat(8001)}`;
    expect(truncateToolResult(text, { category: "head-tail", capTokens: 4000 })).toEqual({
      text: `${"a".repeat(7981)}\n[… 40 bytes omitted]\n${"b".repeat(7982)}`,
      isTruncated: true,
      omittedLines: 0,
      omittedBytes: 40,
    });
  });

  test("the notice counts what is missing and carries the tool's hint", () => {
    const hint = "use offset and limit to see more";
    expect(truncateToolResult(numbered(1000), { category: "generic", capTokens: 50, hint })).toEqual({
      text: `${numbered(16)}\n[… 984 lines / 8771 bytes omitted]\n[… use offset and limit to see more]`,
      isTruncated: true,
      omittedLines: 984,
      omittedBytes: 8771,
    });
  });

  test.each([
    ["a hint that does not fit is left out", 30, "[… 989 lines / 8811 bytes omitted]"],
    ["then the lines are", 13, "[… 8868 bytes omitted]"],
    ["then the notice", 10, ""],
  ])("%s", (_rule, capTokens, notice) => {
    const hint = "use offset and limit to see more";
    const { text } = truncateToolResult(numbered(1000), { category: "generic", capTokens, hint });
    expect(text.slice(text.search(/\[…|$/))).toBe(notice);
  });

  test.each([
    ["an error line", "src/a.c:7: error: expected ';'"],
    ["an exit code", "Process exited with code 3"],
    ["a failed test", "--- FAIL: TestParse (0.01s)"],
  ])("command output keeps %s between head and tail", (_rule, line) => {
    const text = `${numbered(300)}\n${line}\n${numbered(300)}`;
    const { text: kept, omittedLines } = truncateToolResult(text, { category: "head-tail", capTokens: 500 });
    expect(kept.split("\n")).toContain(line);
    expect(kept.split("\n").filter((each) => each.startsWith("[… "))).toEqual([
      "[… 240 lines / 2120 bytes omitted]",
      "[… 260 lines / 2230 bytes omitted]",
    ]);
    expect(omittedLines).toBe(500);
  });

  test("a log of nothing but errors keeps head and tail all the same", () => {
    const { text } = truncateToolResult("error: x\n".repeat(5000), { category: "head-tail", capTokens: 1000 });
    expect(utf8Bytes(text)).toBeLessThanOrEqual(4000);
    expect(text.startsWith("error: x\n".repeat(60))).toBe(true);
    expect(text.endsWith("error: x\n".repeat(40))).toBe(true);
  });
});

function many(count: number, word: string, rest: string): string {
  return Array.from({ length: count }, (_, index) => `${word} ${index}: ${rest}`.trim()).join("\n");
}

describe("a truncation from outside", () => {
  const text = numbered(1000);
  const last: Truncation = {
    category: "newest",
    cut: ({ text: { length }, roomBytes }) => [{ start: length - roomBytes, end: length }],
  };

  test("cuts its own category", () => {
    const cut = truncateToolResult(text, { category: "newest", capTokens: 100, truncations: [last] });
    expect(cut.text).toMatch(/^\[… \d+ lines \/ \d+ bytes omitted\]\n[\s\S]*line 999$/);
  });

  test("a category that no truncation is for is cut as generic", () => {
    const generic = truncateToolResult(text, { category: "generic", capTokens: 100 });
    expect(truncateToolResult(text, { category: "newest", capTokens: 100 })).toEqual(generic);
    expect(generic.isTruncated).toBe(true);
  });

  test.each<[string, Truncation["cut"]]>([
    ["more than its room", ({ text: { length } }) => [{ start: 1, end: length }]],
    ["spans that overlap", () => [0, 5].map((start) => ({ start, end: start + 100 }))],
    ["spans that run back", () => [{ start: 90, end: 10 }]],
    ["spans beyond the text", () => [{ start: -5, end: Number.POSITIVE_INFINITY }]],
    ["half a character", () => [{ start: 0, end: 1 }]],
  ])("that keeps %s stays within the cap, with whole characters", (_, cut) => {
    const truncations = [{ category: "odd", cut }];
    const made = truncateToolResult("😀\n".repeat(1000), { category: "odd", capTokens: 100, truncations });
    expect(utf8Bytes(made.text)).toBeLessThanOrEqual(400);
    expect(made.text.isWellFormed()).toBe(true);
    expect(made.isTruncated).toBe(true);
  });
});

function withTexts(texts: readonly string[]): ToolResultMessage {
  return { ...result("r1", "c1", ""), parts: [...texts.map((text) => ({ type: "text", text }) as const), absentImage()] };
}

describe("truncateMessage", () => {
  test.each([
    ["without a cap", "x".repeat(10_000), null],
    ["with a cap of 0", "x".repeat(10_000), { capTokens: 0 }],
    ["within the cap", "x".repeat(400), { capTokens: 100 }],
  ])("gives the message itself %s", (_rule, text, truncation) => {
    const message = withTexts([text]);
    expect(truncateMessage(message, truncation).message).toBe(message);
  });

  test("a result in which something reads as ours is quoted once: it gives the same value again", () => {
    const message = withTexts(["[Compacted: it]"]);
    const { message: quoted } = truncateMessage(message, { capTokens: 100 });
    expect(quoted.parts[0]).toEqual({ type: "text", text: "\\[Compacted: it]" });
    expect(truncateMessage(message, { capTokens: 200 }).message).toBe(quoted);
  });

  test("cuts text alone, and counts", () => {
    const cut = truncateMessage(withTexts(["ab\n".repeat(1000)]), { capTokens: 100 }, { hint: "a hint" });
    expect(cut.message.parts).toEqual([
      { type: "text", text: `${"ab\n".repeat(116)}[… 884 lines / 2652 bytes omitted]\n[… a hint]` },
      absentImage(),
    ]);
    expect(cut.isTruncated).toBe(true);
  });

  test("parts share the cap: small ones stay whole", () => {
    const small = "kept";
    const { message } = truncateMessage(withTexts(["x".repeat(5000), small, "y".repeat(5000)]), { capTokens: 1000 });
    const sizes = message.parts.map((part) => (part.type === "text" ? part.text.length : 0));
    expect(message.parts[1]).toEqual({ type: "text", text: small });
    expect(sizes).toEqual([1987, 4, 1987, 0]);
  });
});
