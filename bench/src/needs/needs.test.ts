import type { Message, PathAccess } from "@plimsoll/core";
import { assistant, human, logOf, reply, result, summaryMessage } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { createHeldContext, createNeedCounts, type NeedKind } from "./needles.ts";
import { prepareNeeds } from "./needs.ts";
import { prepareReferences } from "./recorded-references.ts";

/** A message with one call. */
const calling = (id: string, callId: string, args: object, paths: readonly PathAccess[] = []) =>
  assistant(id, [{ type: "tool-call", callId, toolName: "tool", argumentsJson: JSON.stringify(args), paths }]);

const FILE = ["one of the lines", "two of the lines", "three of the lines", "four of the lines", "five of the lines"];
const READ = calling("a1", "c1", { path: "src/a.ts" }, [{ path: "src/a.ts", access: "read" }]);
const SHOWN = result("r1", "c1", FILE.map((line, place) => `${place + 1}→${line}`).join("\n"));
const editOf = (path: string) =>
  calling("a2", "c2", { old_string: `${FILE[1]}\n${FILE[2]}`, new_string: "x" }, [{ path, access: "modify" }]);
const EDIT = editOf("src/a.ts");
const range = (id: string, callId: string, first: number, last: number) =>
  calling(id, callId, { path: "src/a.ts", start_line: first, end_line: last, new_text: "x" }, [
    { path: "src/a.ts", access: "modify" },
  ]);
const ECHO = result("r2", "c3", "1:a line that was put in\n2:one of the lines\n3:two of the lines\n4:three of the lines");
const FAR = result("far", "c0", "word ".repeat(20_000));

function needsOf(history: readonly Message[]) {
  const entries = logOf(history);
  const references = prepareReferences(entries);
  return prepareNeeds(entries, { references, messageTokens: (message) => (message.id === "far" ? 20_000 : 10) });
}

/** `held/uses far-uses` of a kind at the last message of a history, under the context that was sent before it. */
function at(kind: NeedKind, history: readonly Message[], context: readonly Message[] | null): string {
  const needs = needsOf(history);
  const counts = createNeedCounts(needs);
  const shown = createHeldContext(needs.index, needs.needles.length);
  shown.follow({ removed: [], added: context ?? [] });
  counts.add(history.length - 1, context === null ? null : shown.holds);
  const { all, far } = counts.result(kind);
  return `${all.held}/${all.uses} ${far.uses} left out ${needs.leftOut[kind]}`;
}

const HEADER = "Exit code: 0\nWall time: 1 second\nOutput:\n";

/** A file as a tool shows it, with tags around it and a notice under it. */
const framed = (text: string) =>
  `<path>/w/line_0_x.ts</path>\n<type>file</type>\n<content>\n${text}\n\n(End of file - total 9 lines)\n</content>\n`;

const excerpt = (...lines: readonly string[]) => summaryMessage("s", lines.join("\n"));

describe("prepareNeeds", () => {
  test.each<[string, NeedKind, readonly Message[], readonly Message[] | null, string]>([
    ["the text of an edit is held if it was read", "edits", [READ, SHOWN, EDIT], [READ, SHOWN], "1/1 0 left out 0"],
    ["not its lines apart", "edits", [READ, SHOWN, EDIT], [excerpt(FILE[1] ?? "", "…", FILE[2] ?? "")], "0/1 0 left out 0"],
    ["together in a summary they are", "edits", [READ, SHOWN, EDIT], [excerpt(...FILE.slice(1, 3))], "1/1 0 left out 0"],
    ["a call that was lost holds nothing", "edits", [READ, SHOWN, EDIT], null, "0/1 0 left out 0"],
    ["what no earlier message held is left out", "edits", [human("u", "go"), EDIT], [], "0/0 0 left out 1"],
    [
      "a range is told by what its file showed last, after a change too",
      "edits",
      [READ, SHOWN, range("a3", "c3", 1, 1), ECHO, range("a4", "c4", 2, 3)],
      [excerpt("one of the lines", "two of the lines")],
      "1/1 0 left out 0",
    ],
    ["far is 20,000 tokens of messages between", "edits", [READ, SHOWN, FAR, EDIT], [], "0/1 1 left out 0"],
    [
      "a file is in hand with four of five lines",
      "fileInHand",
      [READ, SHOWN, EDIT],
      [excerpt(...FILE.slice(1))],
      "1/1 0 left out 0",
    ],
    ["a file is told by the end of its path", "fileInHand", [READ, SHOWN, editOf("/w/src/a.ts")], [SHOWN], "1/1 0 left out 0"],
    ["and not by its name", "fileInHand", [READ, SHOWN, editOf("/w/a.ts")], [SHOWN], "0/0 0 left out 1"],
    ["nor if both are from a folder", "fileInHand", [READ, SHOWN, editOf("w/src/a.ts")], [SHOWN], "0/0 0 left out 1"],
    ["and not with three", "fileInHand", [READ, SHOWN, EDIT], [excerpt(...FILE.slice(2))], "0/1 0 left out 0"],
    ["nor by its name", "fileInHand", [READ, SHOWN, EDIT], [excerpt("src/a.ts")], "0/1 0 left out 0"],
    [
      "a passage is the line with three on each side",
      "passages",
      [result("r", "c", lines(9)), reply("a", "as line_5_x says")],
      [excerpt(...lines(9).split("\n").slice(1, 8))],
      "1/1 0 left out 0",
    ],
    [
      "a header above a command's output is no neighbour",
      "passages",
      [result("r", "c", `${HEADER}${lines(9)}`), reply("a", "as line_2_x says")],
      [excerpt(...lines(9).split("\n").slice(0, 5))],
      "1/1 0 left out 0",
    ],
    [
      "nor is a tag or a notice around it, at either end",
      "passages",
      [result("r", "c", framed(lines(2))), reply("a", "as line_1_x and line_2_x say")],
      [excerpt(lines(2))],
      "2/2 0 left out 0",
    ],
    ["nor states any", "passages", [result("r", "c", framed(lines(2))), reply("a", "/w/line_0_x.ts")], [], "0/0 0 left out 0"],
    [
      "words in brackets under a result are one",
      "passages",
      [result("r", "c", `${lines(2)}\n\n[516 more lines in file. Use offset=3 to continue.]`), reply("a", "as line_2_x says")],
      [excerpt(lines(2))],
      "1/1 0 left out 0",
    ],
    ...["[line_9_x]", '["one of", "line_9_x"]', "  <li>line_9_x</li>", "[line_9_x is on] and on", "<View>", "1: <content>"].map(
      (line): [string, NeedKind, readonly Message[], readonly Message[], string] => [
        `but ${line} is a line of the text`,
        "passages",
        [result("r", "c", `${lines(2)}\n${line}`), reply("a", "as line_2_x says")],
        [excerpt(lines(2))],
        "0/1 0 left out 0",
      ],
    ),
    [
      "a result that is all in a tag states what it says",
      "passages",
      [result("r", "c", "<error>line_2_x is not there</error>"), reply("a", "as line_2_x says")],
      [],
      "0/1 0 left out 0",
    ],
    [
      "a person's words in brackets are words",
      "passages",
      [human("u", `${lines(2)}\n(see line_2_x)`), reply("a", "as line_1_x says")],
      [excerpt(lines(2))],
      "0/1 0 left out 0",
    ],
    [
      "a frame is no part of a file in hand",
      "fileInHand",
      [READ, result("r1", "c1", framed(FILE.join("\n"))), EDIT],
      [excerpt(...FILE)],
      "1/1 0 left out 0",
    ],
    [
      "nor are there too few numbers for it",
      "fileInHand",
      [READ, result("r1", "c1", framed("1: one of the lines\n2: two of the lines")), EDIT],
      [excerpt(...FILE.slice(0, 2))],
      "1/1 0 left out 0",
    ],
    [
      "a header is no part of it either",
      "fileInHand",
      [READ, result("r1", "c1", `${HEADER}${FILE.join("\n")}`), EDIT],
      [excerpt(...FILE)],
      "1/1 0 left out 0",
    ],
    [
      "less than that is none",
      "passages",
      [result("r", "c", lines(9)), reply("a", "as line_5_x says")],
      [excerpt(...lines(9).split("\n").slice(2, 8))],
      "0/1 0 left out 0",
    ],
    [
      "the agent's own words are no passage",
      "passages",
      [reply("a", "line_5_x"), reply("b", "line_5_x")],
      [],
      "0/0 0 left out 0",
    ],
    [
      "nor what a result says that only repeats its call",
      "passages",
      [range("a2", "c2", 1, 1), result("r2", "c2", "The file src/a.ts has been updated successfully."), reply("b", "src/a.ts")],
      [],
      "0/0 0 left out 0",
    ],
    [
      "but what it names beyond the call is one",
      "passages",
      [range("a2", "c2", 1, 1), result("r2", "c2", "Updated src/a.ts, see src/b.ts"), reply("b", "src/a.ts")],
      [],
      "0/1 0 left out 0",
    ],
    [
      "and what went wrong",
      "passages",
      [range("a2", "c2", 1, 1), result("r2", "c2", "src/a.ts: unexpected end"), reply("b", "src/a.ts")],
      [],
      "0/1 0 left out 0",
    ],
    [
      "and the result of a call that changes nothing",
      "passages",
      [READ, result("r1", "c1", "Read src/a.ts."), reply("b", "src/a.ts")],
      [],
      "0/1 0 left out 0",
    ],
    [
      "a list of tasks that is said again is none",
      "passages",
      [plan("p1", "mend src/a.ts"), result("r1", "call-p1", '[{"content":"mend src/a.ts"}]'), reply("b", "src/a.ts")],
      [],
      "0/0 0 left out 0",
    ],
    [
      "each message of the person is due",
      "instructions",
      [human("u1", "first wish"), human("u2", "second"), reply("a", "ok")],
      [human("u2", "second")],
      "1/2 0 left out 0",
    ],
    [
      "the newest plan is due, item by item",
      "plan",
      [plan("p1", "old item"), plan("p2", "item one", "item two"), reply("a", "ok")],
      [excerpt("- item one")],
      "1/2 0 left out 0",
    ],
  ])("%s", (_, kind, history, context, expected) => {
    expect(at(kind, history, context)).toBe(expected);
  });
});

function lines(count: number): string {
  return Array.from({ length: count }, (_, place) => `line_${place + 1}_x of ${count}`).join("\n");
}

function plan(id: string, ...items: readonly string[]): Message {
  const todos = items.map((content) => ({ content, status: "pending" }));
  return calling(id, `call-${id}`, { todos });
}
