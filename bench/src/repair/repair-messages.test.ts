import { checkMessages, type Message, STRICT_WIRE_RULES } from "@plimsoll/core";
import { assistant, calling, human, reply, result } from "@plimsoll/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MISSING_RESULT_TEXT, repairMessages } from "./repair-messages.ts";

const HISTORY_RULES = { ...STRICT_WIRE_RULES, lastMessage: "any" } as const;
const NONE = { unansweredCalls: 0, movedResults: 0, droppedResults: 0, droppedEmpty: 0, droppedCalls: 0 };
const hello = human("h", "hello");
const call = calling("c", ["1"]);
const answer = result("r", "1", "out");
const bye = reply("b", "bye");

describe("repairMessages", () => {
  test.each<[rule: string, given: readonly Message[], ids: readonly string[], repairs: Partial<typeof NONE>]>([
    ["leaves a sound list as it is", [hello, call, answer, bye], ["h", "c", "r", "b"], {}],
    ["moves a late result to its call", [hello, call, bye, answer], ["h", "c", "r", "b"], { movedResults: 1 }],
    ["drops a result without a call", [hello, answer], ["h"], { droppedResults: 1 }],
    [
      "drops a result before its call",
      [hello, answer, call, result("s", "1", "x")],
      ["h", "c"],
      { droppedResults: 2, unansweredCalls: 1 },
    ],
    ["drops the second result of a call", [hello, call, answer, result("s", "1", "x")], ["h", "c", "r"], { droppedResults: 1 }],
    ["drops a message without visible content", [hello, human("e", " "), bye], ["h", "b"], { droppedEmpty: 1 }],
    [
      "drops a reply that is reasoning alone",
      [hello, assistant("e", [{ type: "reasoning", text: "hm", opaque: null }])],
      ["h"],
      { droppedEmpty: 1 },
    ],
    ["drops a call whose id is taken", [hello, call, answer, calling("d", ["1"])], ["h", "c", "r", "d"], { droppedCalls: 1 }],
  ])("%s", (_rule, given, ids, repairs) => {
    const repaired = repairMessages(given);
    expect(repaired.messages.map((message) => message.id).filter((id) => given.some((message) => message.id === id))).toEqual(
      ids,
    );
    expect(repaired.repairs).toEqual({ ...NONE, ...repairs });
  });

  test("answers a call that has no result with an error", () => {
    const { messages, repairs } = repairMessages([hello, calling("c", ["1", "2"]), answer, bye]);
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool-result", "tool-result", "assistant"]);
    expect(messages[3]).toMatchObject({ callId: "2", isError: true, parts: [{ type: "text", text: MISSING_RESULT_TEXT }] });
    expect(repairs).toEqual({ ...NONE, unansweredCalls: 1 });
  });

  test("leaves out a blank text beside a call and keeps the call", () => {
    const { messages } = repairMessages([hello, calling("c", ["1"], "  "), answer]);
    expect(messages[1]?.parts.map((part) => part.type)).toEqual(["tool-call"]);
  });

  const message = fc.oneof(
    fc.integer({ min: 0, max: 6 }).map((n) => (id: string) => result(id, `k${n}`, "x")),
    fc.subarray(["k0", "k1", "k2", "k3", "k4", "k5"], { minLength: 1 }).map((ids) => (id: string) => calling(id, ids)),
    fc.constantFrom("", " ", "text").map((text) => (id: string) => human(id, text)),
    fc.constantFrom("", "text").map((text) => (id: string) => reply(id, text)),
  );
  const lists = fc.array(message, { maxLength: 30 }).map((makers) => makers.map((make, index) => make(`m${index}`)));

  test("gives a history that the strictest wire accepts, and mends nothing the second time", () => {
    fc.assert(
      fc.property(lists, (given) => {
        const once = repairMessages(given);
        expect(checkMessages(once.messages, HISTORY_RULES).filter((violation) => violation.code !== "no-messages")).toEqual([]);
        const twice = repairMessages(once.messages);
        expect(twice.repairs).toEqual(NONE);
        expect(twice.messages.every((each, index) => each === once.messages[index])).toBe(true);
      }),
    );
  });
});
