import { expect, test } from "vitest";
import type { Message } from "../src/message/message.ts";
import { calling, human, reply, result, summaryMessage } from "../src/testing/builders.ts";
import { type SplitTurn, splitTurnAt } from "./split-turn.ts";

const turn = [human("u", "go"), calling("a", ["c"]), result("r", "c", "done"), reply("b", "done")];
const two = [...turn, human("v", "on"), reply("d", "done")];

test.each<[string, readonly Message[], number, SplitTurn | null]>([
  ["the human message and its call are before the cut", turn, 2, { startIndex: 0, prefixMessages: 2 }],
  ["only the human message is", turn, 1, { startIndex: 0, prefixMessages: 1 }],
  ["the newest of two turns is split", two, 5, { startIndex: 4, prefixMessages: 1 }],
  ["a turn begins with what is kept", two, 4, null],
  ["nothing is kept", turn, 4, null],
  ["everything is kept", turn, 0, null],
  ["no turn has begun: a summary starts none", [summaryMessage("s", "so far"), ...turn.slice(1)], 2, null],
  ["a turn behind a summary", [summaryMessage("s", "so far"), ...turn], 3, { startIndex: 1, prefixMessages: 2 }],
])("splitTurnAt: %s", (_, messages, cut, split) => {
  expect(splitTurnAt(messages, cut)).toEqual(split);
});
