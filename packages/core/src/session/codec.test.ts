import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import type { JsonValue } from "../json.ts";
import { arbitraryLog } from "../testing/arbitrary-transcript.ts";
import {
  absentImage,
  assistant,
  compaction,
  dropped,
  human,
  NO_RECORD,
  replacedHistory,
  replacedPart,
  result,
  revertOf,
  sessionStart,
  summarized,
  summaryMessage,
  usageEntry,
} from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
import { decodeEntry, decodeLog, encodeEntry, encodeLog, MAXIMUM_LINE_BYTES, MAXIMUM_NESTING_COUNT } from "./codec.ts";

const image = (source: ReturnType<typeof absentImage>["source"]) => {
  return { ...absentImage(), widthPx: 800, heightPx: 600, sizeBytes: 4, source };
};
const reply = assistant("a", [
  { type: "reasoning", text: "", opaque: { signature: "abc", nested: [1, null, true] } },
  { type: "text", text: "calling\u2028\n\ud800 😀" },
  { type: "tool-call", callId: "c", toolName: "t", argumentsJson: "{", paths: [{ path: "x", access: "modify" }] },
]);
const usage = usageOf({ uncachedTokens: 1, cacheReadTokens: 2, outputTokens: 3, raw: { input_tokens: 1 } });

const entries: readonly (readonly [string, SessionEntry])[] = [
  ["a session's beginning", { ...sessionStart("be brief"), createdMs: 1, agent: { name: "agent", version: null } }],
  ["a sub-agent's beginning", { ...sessionStart(), parent: { sessionId: "parent", callId: "c" } }],
  ["tools", { ...sessionStart(), tools: [{ name: "read", description: "reads", parametersJson: "{}" }] }],
  ["a human message", { type: "message", message: { ...human("u", "hello"), atMs: 1_700_000_000_000 } }],
  [
    "images",
    {
      type: "message",
      message: {
        ...human("u", "see"),
        parts: [
          image({ kind: "base64", data: "aGVsbG8=" }),
          image({ kind: "url", url: "https://example.org/a.png" }),
          image({ kind: "artifact", handle: "h" }),
          absentImage(),
        ],
      },
    },
  ],
  ["a reply with reasoning and a call", { type: "message", message: reply }],
  ["a failed result", { type: "message", message: { ...result("r", "c", "failed"), isError: true, category: "head-tail" } }],
  ["a result of a category from outside", { type: "message", message: { ...result("r", "c", "rows"), category: "table" } }],
  ["a usage report", { ...usageEntry("request", "a", 100), usage, overheadHash: "o", viewHash: "v", atMs: 2 }],
  [
    "a change of model",
    {
      type: "model-change",
      id: "m",
      modelId: "other",
      limits: { contextWindowTokens: 1000, maxOutputTokens: null },
      atMs: null,
    },
  ],
  ["a change to an unknown model", { type: "model-change", id: "m", modelId: "other", limits: null, atMs: null }],
  ["a summary", compaction("k", [{ ...summarized(summaryMessage("s", "summary"), ["u", "a"]), usage }], "r")],
  ["drops", compaction("k", [dropped("u", "a", summaryMessage("n", "notice")), dropped("r", "r")])],
  ["replaced parts", compaction("k", [replacedPart("r", 0, { type: "text", text: "stub" })])],
  ["a new history", compaction("k", [replacedHistory([human("u", "hello"), reply])])],
  [
    "a full record",
    {
      ...compaction("k", []),
      record: {
        ...NO_RECORD,
        gate: "after-tool-batch",
        reason: "overflow",
        steps: [{ strategy: "summarize", outcome: "failed", detail: "no" }],
        tokensBefore: 10,
        work: { charactersScanned: 1, messagesVisited: 2, tokenizerCalls: 3 },
      },
    },
  ],
  [
    "an attempt",
    {
      type: "attempt",
      id: "a",
      reason: "over-budget",
      outcome: "failed",
      steps: [{ strategy: "summarize", outcome: "failed", detail: "no answer" }],
      estimatedTokens: 12.5,
      atMs: null,
    },
  ],
  ["a revert", revertOf("k")],
];

describe("an entry", () => {
  test.each(entries)("comes back as it was: %s", (_, entry) => {
    const line = encodeEntry(entry);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(decodeEntry(line, { file: "log.jsonl", line: 1 })).toEqual(entry);
  });

  test("of usage gets an id if an older log left it empty", () => {
    const line = encodeEntry(usageEntry("", "a", 100));
    expect(decodeEntry(line, { file: "log.jsonl", line: 1 })).toEqual(usageEntry("unnamed", "a", 100));
  });
});

/** A reply with JSON that is nested so deep, below the levels of the entry itself. */
function nested(levels: number): SessionEntry {
  let opaque: JsonValue = ']}\\"[{';
  for (let level = 0; level < levels; level++) opaque = level % 2 === 0 ? [opaque] : { "[": opaque };
  return { type: "message", message: assistant("a", [{ type: "reasoning", text: "", opaque }]) };
}
/** Entry, message, parts and part are levels themselves. */
const DEEPEST = MAXIMUM_NESTING_COUNT - 4;

describe("a limit", () => {
  test.each([1, 100, DEEPEST])("takes an entry that is nested %i levels deep", (levels) => {
    const line = encodeEntry(nested(levels));
    expect(encodeEntry(decodeEntry(line, { file: "log.jsonl", line: 1 }))).toBe(line);
    expect(decodeLog(line.trimEnd(), "log.jsonl").entries).toHaveLength(1);
  });

  test.each([DEEPEST + 1, 5_000, 100_000])("writes no entry that is nested %i levels deep", (levels) => {
    expect(() => encodeEntry(nested(levels))).toThrowError(
      expect.objectContaining({ code: "session-limit", details: { limit: "nesting", maximum: MAXIMUM_NESTING_COUNT } }),
    );
  });

  test.each(["[", '{"a":'])("reads no line that nests %s too deep, whole or not", (opening) => {
    const text = opening.repeat(100_000);
    expect(() => decodeEntry(text, { file: "log.jsonl", line: 7 })).toThrowError(
      expect.objectContaining({ code: "session-limit", message: "log.jsonl:7: nested deeper than 1000 levels" }),
    );
  });

  test("counts no bracket of a text", () => {
    const entry: SessionEntry = { type: "message", message: human("u", '\\"[{'.repeat(10_000)) };
    expect(decodeEntry(encodeEntry(entry), { file: "log.jsonl", line: 1 })).toEqual(entry);
  });

  test("writes no line that is longer than what is read", () => {
    const controls = "\u0001".repeat(Math.ceil(MAXIMUM_LINE_BYTES / "\\u0001".length));
    expect(() => encodeEntry({ type: "message", message: human("u", controls) })).toThrowError(
      expect.objectContaining({ code: "session-limit", details: { limit: "line-bytes", maximum: MAXIMUM_LINE_BYTES } }),
    );
  });
});

const good = encodeEntry(sessionStart());
const turn = encodeEntry({ type: "message", message: human("u", "hello") });

describe("a whole log", () => {
  test("comes back as it was, whatever was said in it", () => {
    fc.assert(
      fc.property(arbitraryLog, (log) => {
        expect(decodeLog(encodeLog(log), "log.jsonl")).toEqual({ entries: log, cutOff: null });
      }),
      { numRuns: 40 },
    );
  });

  test("is read up to its last whole line, wherever a crash cut it off", () => {
    fc.assert(
      fc.property(arbitraryLog, fc.nat(), (log, place) => {
        const text = encodeLog(log);
        const cut = text.slice(0, place % text.length);
        const { entries: read } = decodeLog(cut, "log.jsonl");
        const lines = cut.split("\n").length - 1;
        expect(read.length - lines).toBeGreaterThanOrEqual(0);
        expect(read.length - lines).toBeLessThanOrEqual(1);
        expect(read).toEqual(log.slice(0, read.length));
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ["empty", "", 0],
    ["with empty lines", `\n${good}\n \n${turn}\n`, 2],
    ["with a last line that has no line break", good + turn.trimEnd(), 2],
    ["with CRLF line ends", good.replace("\n", "\r\n") + turn, 2],
  ])("is read: %s", (_, text, count) => {
    const decoded = decodeLog(text, "log.jsonl");
    expect([decoded.entries.length, decoded.cutOff]).toEqual([count, null]);
  });

  test.each([5, 20, turn.length - 2])("drops and reports a last line that was cut off after %i characters", (chars) => {
    const cut = good + turn.slice(0, chars);
    expect(decodeLog(cut, "log.jsonl")).toEqual({ entries: [sessionStart()], cutOff: { line: 2, chars } });
  });

  test("a log of a newer version says so", () => {
    expect(() => decodeLog(good.replace('"version":1', '"version":7'), "log.jsonl")).toThrowError(
      "log.jsonl:1: written by a newer version of this package (log version 7, this one reads up to 6); update it to open the log",
    );
  });

  test("an entry that is not known may be a newer version's, so the advice is not to throw it away alone", () => {
    expect(() => decodeLog(`${good}{"type":"unknown"}\n`, "log.jsonl")).toThrowError(
      "if a newer version of this package wrote it, update, else mend or remove this line",
    );
  });

  test.each([
    ["no JSON", `${good}{"type":\n${turn}`, 2],
    ["a cut-off line that is not the last", `${turn.slice(0, 20)}\n${good}`, 1],
    ["a cut-off line with a line break", `${good}${turn.slice(0, 20)}\n`, 2],
    ["JSON that is no entry", `${good}\n{"type":"unknown"}\n`, 3],
    ["JSON that is no entry, without a line break", `${good}{"type":"unknown"}`, 2],
    ["no object", `${good}[]\n`, 2],
    ["a newer version", good.replace('"version":1', '"version":7'), 1],
    ["a key too many", `${good}${JSON.stringify({ ...revertOf("k"), more: 1 })}\n`, 2],
    ["a key too few", `${JSON.stringify({ type: "revert", id: "r" })}\n`, 1],
    ["an image in a reply", turn.replace('"role":"user"', '"role":"assistant"'), 1],
  ])("is refused with file and line: %s", (_, text, line) => {
    expect(() => decodeLog(text, "log.jsonl")).toThrowError(
      expect.objectContaining({
        code: "bad-session",
        message: expect.stringContaining(`log.jsonl:${line}: `),
        details: { file: "log.jsonl", line },
      }),
    );
  });
});
