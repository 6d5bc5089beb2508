import { expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { calling, declared, human, reply, result } from "../testing/builders.ts";
import { openStepStart } from "./safe-cuts.ts";

const call = calling("a", ["c", "d"]);
const [first, second] = [result("r", "c", "done"), result("s", "d", "done")];

test.each<[string, readonly Message[], number]>([
  ["nothing: no loop is open", [], 0],
  ["a call without results yet", [human("u", "go"), call], 1],
  ["a call with some of its results", [human("u", "go"), call, first], 1],
  ["a call with all its results, which the model has not seen", [human("u", "go"), call, first, second], 1],
  ["the model has answered to them", [human("u", "go"), call, first, second, reply("b", "done")], 5],
  ["a person has spoken since", [call, first, second, human("u", "stop")], 4],
  ["the agent has declared something since", [human("u", "go"), call, first, second, declared("d", "Be brief.")], 1],
  ["only the newest of two steps", [calling("a", ["x"]), result("q", "x", "done"), call, first, second], 2],
  ["results without a call", [human("u", "go"), first], 2],
])("openStepStart: %s", (_, messages, index) => {
  expect(openStepStart(messages)).toBe(index);
});
