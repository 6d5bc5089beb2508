import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { calling, human, reply, result } from "../testing/builders.ts";
import { safeCutAtOrAfter, safeCutAtOrBefore, safeCuts } from "./safe-cuts.ts";

const u = (id: string) => human(id, "question");
const a = (id: string) => reply(id, "answer");

/** The cut points at which no call is parted from its result, and nothing is taken of the open step. */
function safeIndexes(messages: readonly Message[]): readonly number[] {
  return [...safeCuts(messages).entries()].filter(([, safe]) => safe).map(([index]) => index);
}

describe("safeCuts", () => {
  test.each<[string, readonly Message[], readonly number[]]>([
    ["an empty list", [], [0]],
    ["text only: everywhere", [u("u"), a("a"), u("v")], [0, 1, 2, 3]],
    ["one call: not before its result", [u("u"), calling("a", ["c"]), result("r", "c", "done"), a("b")], [0, 1, 3, 4]],
    [
      "a parallel batch: not inside it",
      [u("u"), calling("a", ["c", "d"]), result("r", "c", "done"), result("s", "d", "done"), a("b")],
      [0, 1, 4, 5],
    ],
    [
      "results in another order than their calls",
      [calling("a", ["c", "d"]), result("s", "d", "done"), result("r", "c", "done"), a("b")],
      [0, 3, 4],
    ],
    [
      "batch after batch: between them, not behind the one that the model has not answered to",
      [calling("a", ["c"]), result("r", "c", "done"), calling("b", ["d"]), result("s", "d", "done")],
      [0, 2],
    ],
    ["an open batch at the end: before it", [u("u"), calling("a", ["c"])], [0, 1]],
    [
      "K-k3: a call binds what comes before its late result",
      [u("u"), calling("a", ["c"]), u("v"), result("r", "c", "done"), u("w")],
      [0, 1, 4, 5],
    ],
    [
      "results still missing from the newest batch may come: not inside it",
      [u("u"), calling("a", ["c", "d"]), result("r", "c", "done")],
      [0, 1],
    ],
    [
      "one id in every step: between them",
      [u("u"), ...["1", "2", "3"].flatMap((step) => [calling(`a${step}`, ["c"]), result(`r${step}`, "c", "done")]), a("b")],
      [0, 1, 3, 5, 7, 8],
    ],
    [
      "ids of a batch used again by the next, out of order, one twice",
      [
        calling("a", ["c", "d", "c"]),
        result("r", "d", "x"),
        result("s", "c", "x"),
        result("t", "c", "x"),
        calling("b", ["c"]),
        result("v", "c", "x"),
        a("e"),
      ],
      [0, 4, 6, 7],
    ],
    ["a result before its call binds nothing", [result("r", "c", "done"), calling("a", ["c"]), u("v")], [0, 1, 2, 3]],
    ["a result without a call binds nothing", [u("u"), result("r", "c", "done"), u("v")], [0, 1, 2, 3]],
    ["a call that was never answered binds nothing", [u("u"), calling("a", ["c"]), u("v"), a("b")], [0, 1, 2, 3, 4]],
    ["nor does one at the beginning", [calling("a", ["c"]), u("v"), a("b")], [0, 1, 2, 3]],
  ])("%s", (_, messages, indexes) => {
    expect(safeIndexes(messages)).toEqual(indexes);
  });
});

const safe = [true, true, false, false, true, false];

test.each([
  ["at it", 1, 1],
  ["before it", 3, 1],
  ["the beginning is always safe", 0, 0],
  ["past the end", 99, 4],
  ["before the beginning", -1, 0],
])("safeCutAtOrBefore: %s", (_, index, cut) => {
  expect(safeCutAtOrBefore(safe, index)).toBe(cut);
});

test("safeCutAtOrBefore: back to the beginning from right behind it", () => {
  expect(safeCutAtOrBefore([true, false], 1)).toBe(0);
});

test.each([
  ["at it", 1, 1],
  ["after it", 2, 4],
  ["none there is", 5, null],
  ["before the beginning", -1, 0],
])("safeCutAtOrAfter: %s", (_, index, cut) => {
  expect(safeCutAtOrAfter(safe, index)).toBe(cut);
});
