import { expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { human, reply } from "../testing/builders.ts";
import { spansBefore } from "./recent.ts";

const turn = [human("u", "do"), reply("a", "one"), reply("b", "two")];
const turns = [human("t", "first"), reply("z", "done"), ...turn];
const replies = [reply("a", "one"), reply("b", "two")];

test.each<[string, readonly Message[], number, readonly string[]]>([
  ["nothing before the first message", turns, 0, []],
  ["all of it before the last human message", turns, 2, ["t..z"]],
  ["an earlier human message with the rest", turns, 1, ["t..t"]],
  ["not the last human message itself", turns, 3, ["t..z"]],
  ["both sides of the last human message", turns, 5, ["t..z", "a..b"]],
  ["what follows it, if it is the first message", turn, 2, ["a..a"]],
  ["nothing, if it is alone before the cut", turn, 1, []],
  ["all of it without a human message", replies, 2, ["a..b"]],
])("spansBefore: %s", (_, messages, cut, spans) => {
  expect(spansBefore(messages, cut).map(({ from, through }) => `${from}..${through}`)).toEqual(spans);
});
