import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { type Excerpt, excerptsIn, excerptsText } from "../prompts/notices.ts";
import { assistant, calling, human, reply, result } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { passageQuoter } from "./kept-passages.ts";
import { LINES, type LinesSpec, linePieces } from "./lines.ts";

/** Plain text that leaves, too: half of what leaves may be quoted, and it states nothing. */
const plain = reply("plain", "and so on ".repeat(400));

function excerptsOf(covered: readonly Message[], kept: readonly Message[] = [], maximumChars = 1000): readonly Excerpt[] {
  const spec: LinesSpec = { kind: "lines", atMost: { tokens: maximumChars } };
  const budget = { windowTokens: 10_000, inputBudgetTokens: 10_000 };
  const room = { budget, roomTokens: 10_000, inHandTokens: 0, charsPerToken: 1, log: null, work: createWorkCounter() };
  const text = passageQuoter([LINES.bind(spec)], room)
    .quote([plain, ...covered], kept)
    .join("\n");
  return excerptsIn({ ...human("notice", text), origin: "notice" });
}

function linesOf(covered: readonly Message[], kept: readonly Message[] = [], maximumChars = 1000): readonly string[] {
  return excerptsOf(covered, kept, maximumChars).flatMap(({ lines }) => lines);
}

const writing = (id: string, argumentsJson: string) =>
  assistant(id, [{ type: "tool-call", callId: `c-${id}`, toolName: "write", argumentsJson, paths: [] }]);

describe("lines", () => {
  test("are lines that state rare words, under the message that they come from", () => {
    const covered = [
      human("u", "Mend parseHeader.\nBe quick."),
      calling("a", ["c"]),
      result("r", "c", "1 ok\nsee src/head.ts\n"),
    ];
    expect(excerptsOf(covered)).toEqual([
      { source: "human", handle: "u", lines: ["Mend parseHeader."] },
      { source: "tool", handle: "r", lines: ["see src/head.ts"] },
    ]);
  });

  test.each<[string, readonly Message[], readonly Message[], readonly string[]]>([
    ["what replies say is no source", [reply("a", "I wrote newThing")], [], []],
    [
      "of a word only the newest line",
      [result("r", "c", "old someName"), result("s", "d", "new someName")],
      [],
      ["new someName"],
    ],
    ["not what a kept result states", [result("r", "c", "old someName")], [result("s", "d", "new someName")], []],
    ["what a kept reply only uses", [result("r", "c", "old someName")], [reply("a", "see someName")], ["old someName"]],
  ])("%s", (_, covered, kept, lines) => {
    expect(linesOf(covered, kept)).toEqual(lines);
  });

  test.each<[string, readonly Message[]]>([
    ["in its text", [reply("a", "I call usedName")]],
    ["in a call's arguments", [writing("a", String.raw`{"text":"x\nusedName"}`)]],
  ])("what a reply used goes first: %s", (_, replies) => {
    const covered = [result("r", "c", "one usedName\none sideName"), ...replies];
    expect(linesOf(covered, [], 36)).toEqual(["one usedName"]);
  });

  test("what was used more, or later, goes before what was used less, or earlier", () => {
    const covered = [result("r", "c", "one usedName\none sideName"), reply("a", "usedName"), reply("b", "sideName")];
    expect(linesOf([...covered, reply("d", "usedName")], [], 36)).toEqual(["one usedName"]);
    expect(linesOf([...covered, reply("d", "x".repeat(9000))], [], 36)).toEqual(["one sideName"]);
  });

  test("a used word goes before several that nobody used", () => {
    const covered = [result("r", "c", "one usedName\na sideName b otherName c thirdName"), reply("a", "usedName")];
    expect(linesOf(covered, [], 36)).toEqual(["one usedName"]);
  });

  test("of lines worth the same the shorter goes first, of equally long ones the newest", () => {
    expect(linesOf([result("r", "c", "one sideName\na long line of otherName")], [], 46)).toEqual(["one sideName"]);
    expect(linesOf([result("r", "c", "one sideName\ntwo nextName")], [], 36)).toEqual(["two nextName"]);
  });

  test("a word that replies used and nothing stated has no line", () => {
    expect(linesOf([result("r", "c", "one sideName"), reply("a", "goneName")])).toEqual(["one sideName"]);
  });

  test("a word that one reply says twice is used once", () => {
    const covered = [result("r", "c", "one usedName\none sideName"), reply("a", "usedName usedName"), reply("b", "sideName")];
    expect(linesOf([...covered], [], 36)).toEqual(["one sideName"]);
  });

  test("those of an earlier compaction are chosen again, under their own messages; the rest of a summary is not looked at", () => {
    const earlier: Excerpt = { source: "read", handle: "r0", lines: ["the line of oldName"] };
    const said = (text: string | null) => ({ type: "text", text: text ?? "" }) as const;
    const summary: Message = {
      ...human("s", ""),
      origin: "summary",
      parts: [said("it said otherName"), said(excerptsText([earlier]))],
    };
    expect(excerptsOf([summary], [])).toEqual([earlier]);
    expect(excerptsOf([summary, result("r", "c", "oldName again")], [])).toEqual([
      { source: "tool", handle: "r", lines: ["oldName again"] },
    ]);
    expect(excerptsOf([result("r", "c", "oldName before")], [summary])).toEqual([]);
  });

  test("of a long line the piece around the word", () => {
    const line = `${"x ".repeat(300)}someName${" y".repeat(300)}`;
    const [piece = "", ...others] = linesOf([result("r", "c", line)]);
    expect(others).toEqual([]);
    expect(piece.length).toBeLessThanOrEqual(320);
    expect(line).toContain(piece);
    expect(piece).toContain("x someName y");
    // The piece that the word begins in, not a neighbour that shows it at its edge.
    expect(piece.indexOf("someName")).toBeGreaterThanOrEqual(80);
    expect(piece.length - piece.indexOf("someName")).toBeGreaterThan(80);
  });
});

const piecesOf = (text: string) => [...linePieces(text)].map(({ start, end }) => text.slice(start, end));

describe("line pieces", () => {
  test("lines come without the white space around them, empty ones not at all", () => {
    expect(piecesOf("  one\n\n \ntwo \r\nthree")).toEqual(["one", "two", "three"]);
  });

  test("a line of 320 characters is whole, a longer one comes in pieces that are whole lines themselves", () => {
    expect(piecesOf("x".repeat(320)).map((piece) => piece.length)).toEqual([320]);
    expect(piecesOf("x".repeat(500)).map((piece) => piece.length)).toEqual([240, 320, 260, 100]);
  });

  test("the pieces' own parts are the line, each character once", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 1200 }), (text) => {
        const line = text.split("\n").join(" ").trim();
        expect([...linePieces(line)].map(({ ownStart, ownEnd }) => line.slice(ownStart, ownEnd)).join("")).toBe(line);
      }),
    );
  });
});
