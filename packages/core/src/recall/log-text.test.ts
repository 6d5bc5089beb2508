import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, ToolCallPart } from "../message/message.ts";
import { arbitraryMessageSoup } from "../testing/arbitrary-transcript.ts";
import { assistant, human, humanImage, reply, result, summaryMessage } from "../testing/builders.ts";
import type { PathAccess } from "../tool.ts";
import { type LogText, logTextChars, logTexts, toldByCall } from "./log-text.ts";

const READ_A: PathAccess = { path: "src/a.ts", access: "read" };
const READ_B: PathAccess = { path: "src/b.ts", access: "read" };
const MODIFY_A: PathAccess = { path: "src/a.ts", access: "modify" };

function call(callId: string, given: unknown, paths: readonly PathAccess[] = []): ToolCallPart {
  return { type: "tool-call", callId, toolName: "tool", argumentsJson: JSON.stringify(given), paths };
}

/** The texts of a call alone, as `kind path text`. */
function ofCall(part: ToolCallPart): readonly string[] {
  return logTexts(assistant("m", [part])).map(({ kind, path, text }) => `${kind} ${path} ${text}`);
}

describe("texts of a message", () => {
  test.each<[string, Message]>([
    ["a summary that stands as the model's", { ...reply("m", "All is well."), origin: "summary" }],
    ["a summary that stands as a person's", summaryMessage("m", "All is well.")],
    ["an empty text", human("m", "")],
    ["an image", humanImage("m")],
  ])("%s has none", (_, message) => {
    expect(logTexts(message)).toEqual([]);
  });

  test("what the model said says who said it, and where it is found again", () => {
    const message = assistant("m", [
      { type: "text", text: "First this." },
      { type: "text", text: "Then that." },
    ]);
    expect(logTexts(message)).toEqual([
      { kind: "said", source: "assistant", path: null, call: null, text: "First this.", handle: "m" },
      { kind: "said", source: "assistant", path: null, call: null, text: "Then that.", handle: "m#1" },
    ]);
  });
});

describe("texts of a result", () => {
  const calls = [call("c1", {}, [READ_A]), call("c2", {}, [READ_B])];

  test.each<[string, readonly ToolCallPart[], string]>([
    ["of several calls it answers its own", calls, "read src/b.ts"],
    ["without its call it is an output of no file", [call("c1", {}, [READ_A])], "output null"],
    ["of a call that changes a file it is no reading", [call("c2", {}, [MODIFY_A])], "output src/a.ts"],
    ["of a call that reads two files it is of none", [call("c2", {}, [READ_A, READ_B])], "output null"],
  ])("%s", (_, openCalls, expected) => {
    const message = result("m", "c2", "text");
    const told: readonly LogText[] = logTexts(message).map((text) => {
      const { kind, path } = toldByCall(message, openCalls);
      return { ...text, kind: kind ?? text.kind, path: path ?? text.path };
    });
    expect(told.map(({ kind, path }) => `${kind} ${path}`)).toEqual([expected]);
  });
});

describe("texts of a call", () => {
  test.each<[string, ToolCallPart, readonly string[]]>([
    ["what it writes into a file", call("c", { text: "one" }, [MODIFY_A]), ["written src/a.ts one"]],
    ["what it looks for in a file", call("c", { pattern: "one" }, [READ_A]), ["said src/a.ts one"]],
    ["what it runs", call("c", { command: "make" }), ["said null make"]],
    ["what it does to two files is of none", call("c", { text: "one" }, [MODIFY_A, READ_B]), ["said null one"]],
    [
      "no path that it names",
      call("c", { from: "src/a.ts", to: "src/b.ts", text: "one" }, [READ_A, READ_B]),
      ["said null one"],
    ],
    [
      "strings in lists and records",
      call("c", { edits: [{ new: "one" }, { new: "two" }] }),
      ["said null one", "said null two"],
    ],
    ["no empty string, number or null", call("c", { a: "", b: 7, c: null, d: "one" }), ["said null one"]],
    ["four levels of lists", call("c", [[[["one"]]]]), ["said null one"]],
    ["no fifth level of lists", call("c", [[[[["one"]]]], "two"]), ["said null two"]],
    ["no fifth level of records", call("c", { a: { b: { c: { d: { e: "one" }, f: "two" } } } }), ["said null two"]],
    ["arguments that are no JSON, as they stand", { ...call("c", {}), argumentsJson: "make all" }, ["said null make all"]],
  ])("%s", (_, part, expected) => {
    expect(ofCall(part)).toEqual(expected);
    expect(logTextChars(assistant("m", [part]))).toBe(
      logTexts(assistant("m", [part])).reduce((sum, { text }) => sum + text.length, 0),
    );
  });
});

test("characters are counted without the texts being made", () => {
  let counted = 0;
  fc.assert(
    fc.property(arbitraryMessageSoup, (messages) => {
      for (const message of messages) {
        const chars = logTexts(message).reduce((sum, { text }) => sum + text.length, 0);
        expect(logTextChars(message)).toBe(chars);
        counted += chars;
      }
    }),
    { seed: 20_261_123, numRuns: 200 },
  );
  expect(counted).toBeGreaterThan(1000);
});
