import { describe, expect, test } from "vitest";
import { checkMessages, STRICT_WIRE_RULES } from "../message/check.ts";
import type { Message } from "../message/message.ts";
import { calling, human, logOf, reply, result } from "../testing/builders.ts";
import { repairsOf } from "./replace-history.ts";
import { EMPTY_VIEW, foldEntry } from "./view.ts";

const question = human("u", "go");
const call = calling("a", ["c", "d"]);
const [first, second] = [result("r", "c", "done"), result("s", "d", "done")];

const repaired = (messages: readonly Message[]) => {
  const log = logOf(messages);
  const entries = repairsOf(log.reduce(foldEntry, EMPTY_VIEW));
  return { entries, view: [...log, ...entries].reduce(foldEntry, EMPTY_VIEW) };
};

describe("repairsOf", () => {
  test.each<[string, readonly Message[]]>([
    ["an empty session", []],
    ["a session that ends well", [question, call, first, second, reply("b", "done")]],
    ["a session that ends with results", [question, call, first, second]],
    ["a session that ends with a reply", [question, reply("b", "done")]],
  ])("nothing for %s", (_, messages) => {
    expect(repaired(messages).entries).toEqual([]);
  });

  test.each<[string, readonly Message[], readonly string[]]>([
    ["the process ended before any result", [question, call], ["message", "message"]],
    ["the process ended between two results", [question, call, first], ["message"]],
    ["a person spoke before the results came", [question, call, human("v", "stop"), first, second], ["compaction"]],
    ["the reply with its calls was lost", [question, first, second], ["compaction"]],
    ["a result is there twice", [question, call, first, { ...first, id: "again" }, second], ["compaction"]],
    ["two messages share an id", [question, { ...question, parts: [{ type: "text", text: "again" }] }], ["compaction"]],
    ["a blank reply", [question, reply("b", " ")], ["compaction"]],
  ])("%s: sendable again, with every step on record", (_, messages, types) => {
    const { entries, view } = repaired(messages);
    expect(entries.map((entry) => entry.type)).toEqual(types);
    expect(checkMessages(view.messages.slice(), { ...STRICT_WIRE_RULES, lastMessage: "any" })).toEqual([]);
    const steps = entries.flatMap((entry) => (entry.type === "compaction" ? entry.record.steps : []));
    expect(steps.every((step) => step.outcome === "applied")).toBe(true);
    expect(steps.length > 0).toBe(types.includes("compaction"));
  });

  test("results that were never written are errors, each under its call", () => {
    const { view } = repaired([question, call]);
    expect(view.messages.slice(2)).toMatchObject([
      { role: "tool-result", callId: "c", isError: true },
      { role: "tool-result", callId: "d", isError: true },
    ]);
  });

  test("what was right keeps its identity", () => {
    const { view } = repaired([question, call, human("v", "stop"), first, second]);
    expect(view.messages.slice().map((message) => message.id)).toEqual(["u", "a", "r", "s", "v"]);
    expect(view.messages.at(0)).toBe(question);
  });

  test("the same damage is repaired in the same way", () => {
    const damaged = [question, first, human("v", "go on")];
    expect(repaired(damaged).entries).toEqual(repaired(structuredClone(damaged)).entries);
  });

  test("a repaired session needs no repair", () => {
    expect(repairsOf(repaired([question, call, human("v", "stop"), second]).view)).toEqual([]);
  });
});
