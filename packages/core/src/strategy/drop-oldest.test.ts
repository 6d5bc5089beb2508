import { describe, expect, test } from "vitest";
import { strategyInput } from "../../testing/strategy-input.ts";
import type { Message } from "../message/message.ts";
import { calling, human, reply, result } from "../testing/builders.ts";
import { DROP_OLDEST, type DropOldestSpec } from "./drop-oldest.ts";
import type { StrategyInput } from "./strategy.ts";

const text = (count: number) => "x".repeat(count);

/** The spans that are dropped, as `from..through`. */
function dropped(
  messages: readonly Message[],
  spec: Partial<DropOldestSpec>,
  more: Partial<StrategyInput> = {},
): readonly string[] {
  const given: DropOldestSpec = { kind: "drop-oldest", amount: "until-it-fits", notice: "count", ...spec };
  const answer = DROP_OLDEST.bind(given).plan(strategyInput(messages, more));
  return answer.kind === "edits"
    ? answer.edits.flatMap((edit) =>
        edit.kind === "replace-spans"
          ? edit.spans.map(({ from, through }) => `${from}..${through} ${edit.noticeForm ?? edit.by}`)
          : [],
      )
    : [];
}

const turns = [human("u1", text(100)), reply("a1", text(100)), human("u2", text(100)), reply("a2", text(100))];
const loop = [
  human("u", text(100)),
  calling("a1", ["c1"], text(96)),
  result("r1", "c1", text(100)),
  calling("a2", ["c2"], text(96)),
  result("r2", "c2", text(100)),
  reply("end", text(100)),
];

describe("drop-oldest until it fits", () => {
  test.each<[string, readonly Message[], number, readonly string[]]>([
    ["nothing if everything fits together with a notice", turns, 450, []],
    ["no more than it takes", turns, 449, ["u1..u1 count"]],
    ["at the very room", turns, 350, ["u1..u1 count"]],
    ["one token less takes one message more", turns, 349, ["u1..a1 count"]],
    ["never the last human message", turns, 260, ["u1..a1 count"]],
    ["on both sides of the last human message", loop, 260, ["a1..r2 count"]],
    ["a call goes with its result", loop, 452, ["a1..r1 count"]],
    ["the last human message is counted although it is older", loop, 352, ["a1..r2 count"]],
    ["what there is, if nothing fits", turns, 10, ["u1..a1 count", "a2..a2 count"]],
  ])("%s", (_, messages, roomTokens, spans) => {
    expect(dropped(messages, {}, { roomTokens })).toEqual(spans);
  });

  test("the newest step stays, whatever the room", () => {
    expect(dropped(loop.slice(0, 5), {}, { roomTokens: 10 })).toEqual(["a1..r1 count"]);
  });

  test("a step that was answered before goes as any other, if earlier edits took what came after it", () => {
    const room = { roomTokens: 10, lastStep: "answered" } as const;
    expect(dropped(loop.slice(0, 5), {}, room)).toEqual(["a1..r2 count"]);
    expect(dropped(loop.slice(0, 5), { amount: "all-but-keep" }, { ...room, keep: { messages: 0 } })).toEqual(["a1..r2 count"]);
  });

  test("without a notice there is room for more", () => {
    expect(dropped(turns, { notice: "none" }, { roomTokens: 300 })).toEqual(["u1..u1 nothing"]);
    expect(dropped(turns, { notice: "count" }, { roomTokens: 300 })).toEqual(["u1..a1 count"]);
  });
});

describe("drop-oldest of all but what is kept", () => {
  test.each<[string, readonly Message[], StrategyInput["keep"], readonly string[]]>([
    ["a number of messages", turns, { messages: 2 }, ["u1..a1 count"]],
    ["an amount of tokens; the message that reaches it stays", turns, { tokens: 150 }, ["u1..a1 count"]],
    ["back to before a call whose result would be kept alone", loop, { messages: 2 }, ["a1..r1 count"]],
    ["nothing to keep: all but the last human message", turns, { messages: 0 }, ["u1..a1 count", "a2..a2 count"]],
    ["more than there is: nothing", turns, { messages: 9 }, []],
  ])("%s", (_, messages, keep, spans) => {
    expect(dropped(messages, { amount: "all-but-keep" }, { keep })).toEqual(spans);
  });
});
