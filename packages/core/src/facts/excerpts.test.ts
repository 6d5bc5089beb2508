import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { assistant, calling, human, reply, result } from "../testing/builders.ts";
import type { Excerpt } from "./excerpts.ts";
import { chooseExcerpts } from "./excerpts.ts";

const NONE = () => [];

function linesOf(covered: readonly Message[], kept: readonly Message[] = [], maximumChars = 1000): readonly string[] {
  return chooseExcerpts({ covered, kept, excerptsIn: NONE, maximumChars }).flatMap(({ lines }) => lines);
}

const writing = (id: string, argumentsJson: string) =>
  assistant(id, [{ type: "tool-call", callId: `c-${id}`, toolName: "write", argumentsJson, paths: [] }]);

describe("excerpts", () => {
  test("are lines that state telling words, under the message that they come from", () => {
    const covered = [
      human("u", "Mend parseHeader.\nBe quick."),
      calling("a", ["c"]),
      result("r", "c", "1 ok\nsee src/head.ts\n"),
    ];
    expect(chooseExcerpts({ covered, kept: [], excerptsIn: NONE, maximumChars: 1000 })).toEqual([
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

  test("a word that one reply says twice is used once", () => {
    const covered = [result("r", "c", "one usedName\none sideName"), reply("a", "usedName usedName"), reply("b", "sideName")];
    expect(linesOf([...covered], [], 36)).toEqual(["one sideName"]);
  });

  test("those of an earlier compaction are chosen again, under their own messages; the rest of a summary is not looked at", () => {
    const summary: Message = { ...human("s", "it said otherName"), origin: "summary" };
    const earlier: Excerpt = { source: "read", handle: "r0", lines: ["the line of oldName"] };
    const excerptsIn = (message: Message) => (message === summary ? [earlier] : []);
    const chosen = (covered: readonly Message[], kept: readonly Message[]) =>
      chooseExcerpts({ covered, kept, excerptsIn, maximumChars: 1000 });
    expect(chosen([summary], [])).toEqual([earlier]);
    expect(chosen([summary, result("r", "c", "oldName again")], [])).toEqual([
      { source: "tool", handle: "r", lines: ["oldName again"] },
    ]);
    expect(chosen([result("r", "c", "oldName before")], [summary])).toEqual([]);
  });

  test("of a long line the piece around the word", () => {
    const line = `${"x ".repeat(300)}someName${" y".repeat(300)}`;
    const [piece = "", ...others] = linesOf([result("r", "c", line)]);
    expect(others).toEqual([]);
    expect(piece.length).toBeLessThanOrEqual(320);
    expect(line).toContain(piece);
    expect(piece).toContain("x someName y");
  });
});
