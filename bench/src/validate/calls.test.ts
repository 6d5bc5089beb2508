import type { Message } from "@plimsoll/core";
import { assistant, logOf, result } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { editing, reading, running } from "../../testing/made-deeds.ts";
import { type CallDeeds, deedsOf } from "./calls.ts";

/** `reread/read failed/edits repeated/commands`. */
function sumsOf(messages: readonly Message[]): string {
  const deeds = deedsOf(logOf(messages));
  const of = (count: (each: CallDeeds) => number) => deeds.reduce((total, each) => total + count(each), 0);
  const readings = `${of(({ rereadPaths }) => rereadPaths.length)}/${of((each) => each.readings.length)}`;
  const edits = `${of(({ failedEdits }) => failedEdits)}/${of((each) => each.edits)}`;
  return `${readings} ${edits} ${of(({ repeatedCommands }) => repeatedCommands)}/${of(({ commands }) => commands)}`;
}

const refused = (text: string): readonly Message[] =>
  editing("1", text).map((message) => (message.role === "tool-result" ? { ...message, isError: true } : message));

describe("deedsOf", () => {
  test.each<[string, readonly Message[], string]>([
    ["a first reading is none again", reading("1", "a"), "0/1 0/0 0/0"],
    ["a second one is", [...reading("1", "a"), ...reading("2", "a"), ...reading("3", "b")], "1/3 0/0 0/0"],
    [
      "another range of the file is not",
      [...reading("1", "a", "one\ntwo"), ...reading("2", "a", "three\nfour")],
      "0/2 0/0 0/0",
    ],
    ["a range that is mostly known is", [...reading("1", "a", "one\ntwo"), ...reading("2", "a", "two\nthree")], "1/2 0/0 0/0"],
    [
      "after a change it is not",
      [...reading("1", "src/a.ts"), ...editing("2", "ok"), ...reading("3", "src/a.ts")],
      "0/2 0/1 0/0",
    ],
    [
      "after a change that failed it is",
      [...reading("1", "src/a.ts"), ...editing("2", "Error: no match"), ...reading("3", "src/a.ts")],
      "1/2 1/1 0/0",
    ],
    ["a reading that came to nothing is none", [...reading("1", "a", ""), ...reading("2", "a", "")], "0/2 0/0 0/0"],
    [
      "a shell that shows a file reads it, and is no command",
      [...running("1", "cat src/a.ts"), ...running("2", "sed -n '1,20p' src/a.ts")],
      "1/2 0/0 0/0",
    ],
    [
      "an edit that is refused by its tool has failed",
      [...editing("1", "ok"), ...editing("2", "Error: no match")],
      "0/0 1/2 0/0",
    ],
    ["one that a person refused is none", refused("The user doesn't want to proceed with this tool use."), "0/0 0/0 0/0"],
    ["one that never ended is none", editing("1", "ok").slice(0, 1), "0/0 0/0 0/0"],
    ["a patch that was not verified has failed", editing("1", "apply_patch verification failed: no such lines"), "0/0 1/1 0/0"],
    ["a result that tells of errors has not", editing("1", "updated; 0 errors found"), "0/0 0/1 0/0"],
    [
      "the same command is repeated",
      [...running("1", "make"), ...running("2", "make"), ...running("3", "make x")],
      "0/0 0/0 1/3",
    ],
  ])("%s", (_, messages, expected) => {
    expect(sumsOf(messages)).toBe(expected);
  });

  test("all files of a reading call are read", () => {
    const paths = ["a", "b"].map((path) => ({ path, access: "read" }) as const);
    const both = assistant("a1", [{ type: "tool-call", callId: "1", toolName: "tool", argumentsJson: "{}", paths }]);
    const deeds = deedsOf(logOf([both, result("r1", "1", "text"), ...reading("2", "b", "text")]));
    expect(deeds.map(({ rereadPaths }) => rereadPaths)).toEqual([[], ["b"]]);
  });
});
