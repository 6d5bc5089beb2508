import { describe, expect, test } from "vitest";
import { strategyInput } from "../../testing/strategy-input.ts";
import type { Message } from "../message/message.ts";
import { calling, human, reply, result, summaryMessage } from "../testing/builders.ts";
import type { StrategyInput } from "./strategy.ts";
import { SUMMARIZE, type SummarizeSpec } from "./summarize.ts";

const SPEC: SummarizeSpec = {
  kind: "summarize",
  writer: "model",
  boundary: "any-safe",
  promptId: "history",
  turnPrefixPromptId: "prefix",
};

/** The spans that are summarised, as `from..through prompt`. */
function summarized(
  messages: readonly Message[],
  spec: Partial<SummarizeSpec>,
  more: Partial<StrategyInput> = {},
): readonly string[] {
  const given: SummarizeSpec = { ...SPEC, ...spec };
  const answer = SUMMARIZE.bind(given).plan(strategyInput(messages, more));
  const edits = answer.kind === "edits" ? answer.edits : [];
  return edits.flatMap((edit) =>
    edit.kind === "replace-spans" ? edit.spans.map((span) => `${span.from}..${span.through} ${span.promptId}`) : [],
  );
}

const text = (count: number) => "x".repeat(count);
const turns = [human("u1", text(100)), reply("a1", text(100)), human("u2", text(100)), reply("a2", text(100))];
const loop = [
  ...turns.slice(0, 2),
  human("u", "do it"),
  calling("b1", ["c1"]),
  result("r1", "c1", text(100)),
  calling("b2", ["c2"]),
  result("r2", "c2", text(100)),
  reply("end", "done"),
];

describe("summarize", () => {
  test.each<[string, readonly Message[], Partial<SummarizeSpec>, StrategyInput["keep"], readonly string[]]>([
    ["everything before the newest messages", turns, {}, { messages: 2 }, ["u1..a1 history"]],
    ["everything before the newest tokens", turns, {}, { tokens: 150 }, ["u1..a1 history"]],
    ["an earlier summary with the rest", [summaryMessage("s", "so far"), ...turns], {}, { messages: 2 }, ["s..a1 history"]],
    ["a turn that is split on both sides of its human message", loop, {}, { messages: 3 }, ["u1..a1 history", "b1..r1 prefix"]],
    [
      "a split turn with the rest if there is no prompt for it",
      loop,
      { turnPrefixPromptId: null },
      { messages: 3 },
      ["u1..a1 history", "b1..r1 history"],
    ],
    [
      "an older turn that is split, with its human message, apart from what is older",
      [...loop, human("v", "more"), reply("w", "yes")],
      {},
      { messages: 4 },
      ["u1..a1 history", "u..r1 prefix"],
    ],
    [
      "what came after a summary of its turn's beginning as history",
      [...turns, summaryMessage("s", "so far"), ...loop.slice(3), human("v", "more")],
      {},
      { messages: 4 },
      ["u1..r1 history"],
    ],
    ["a split turn alone is history, as there is none before it", loop.slice(2), {}, { messages: 3 }, ["b1..r1 history"]],
    ["a short one with the rest", loop, { turnPrefixFromMessages: 4 }, { messages: 3 }, ["u1..a1 history", "b1..r1 history"]],
    ["never a call without its result", loop, {}, { messages: 2 }, ["u1..a1 history", "b1..r1 prefix"]],
    ["never the newest step", loop.slice(0, 7), {}, { messages: 0 }, ["u1..a1 history", "b1..r1 prefix"]],
    ["nothing if nothing lies before the cut", turns, {}, { messages: 4 }, []],
    ["nothing if only the last human message does", [human("u", "do"), reply("a", "done")], {}, { messages: 1 }, []],
    ["forward to the next turn, if that is the boundary", turns, { boundary: "turn" }, { messages: 3 }, ["u1..a1 history"]],
  ])("%s", (_, messages, spec, keep, spans) => {
    expect(summarized(messages, spec, { keep })).toEqual(spans);
  });

  test("a batch that reaches back to the beginning is not in the way for ever", () => {
    const batches = loop.slice(2, 7);
    expect(
      summarized([...batches, reply("end", "done")], { boundary: "not-in-tool-batch" }, { keep: { messages: 3 } }),
    ).toEqual(["b1..r1 history"]);
  });

  test.each<[string, SummarizeSpec["summaryAlone"], readonly Message[], readonly string[]]>([
    ["is written anew if nothing is said", undefined, [], ["s..s history"]],
    ["stays alone if the policy says so", "stays", [], []],
    ["is written anew with what lies behind it", "stays", [reply("n", "new")], ["s..n history"]],
  ])("an earlier summary before the cut %s", (_, summaryAlone, more, spans) => {
    const view = [summaryMessage("s", "so far"), ...more, human("u", "do"), reply("a", "done")];
    expect(summarized(view, { summaryAlone }, { keep: { messages: 2 } })).toEqual(spans);
  });

  test("a turn that was split before is history", () => {
    const view = [summaryMessage("s", "so far"), ...loop.slice(2)];
    const isLeftOver = (message: Message) => message.id === "u";
    expect(summarized(view, {}, { keep: { messages: 3 } })).toEqual(["s..s history", "b1..r1 prefix"]);
    expect(summarized(view, {}, { keep: { messages: 3 }, isLeftOver })).toEqual(["s..s history", "b1..r1 history"]);
  });

  test("names who writes", () => {
    const given: SummarizeSpec = { ...SPEC, writer: "digest" };
    const answer = SUMMARIZE.bind(given).plan(strategyInput(turns));
    expect(answer).toMatchObject({ kind: "edits", edits: [{ kind: "replace-spans", by: "digest" }] });
  });
});
