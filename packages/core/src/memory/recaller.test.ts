import { expect, test } from "vitest";
import type { KeepRule } from "../keep/keep-rule.ts";
import type { Message } from "../message/message.ts";
import { human, result, toolCall } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { createRecallIndex } from "./recall-index.ts";
import { recaller } from "./recaller.ts";

const recent: KeepRule = { kind: "recent", keeps: "newest", amount: { messages: 2 } };
const recalling = (tokens: number): KeepRule => ({ kind: "recall", keeps: "units", atMost: { tokens }, worth: () => 1 });

test.each<[string, readonly KeepRule[], boolean, number, number]>([
  ["nothing without a rule that recalls", [recent], true, 1000, 0],
  ["nothing of a log that nobody has followed", [recalling(100)], false, 1000, 0],
  ["what the rule says", [recent, recalling(100)], true, 1000, 100],
  ["of two rules what the first says", [recalling(100), recalling(200)], true, 1000, 100],
  ["half of the room at most, rounded down", [recalling(600)], true, 1001, 500],
  ["nothing in a room that is overdrawn", [recalling(600)], true, -10, 0],
])("recalls %s", (_, rules, isFollowed, roomTokens, atMostTokens) => {
  const work = createWorkCounter();
  const budget = { windowTokens: 10_000, inputBudgetTokens: 10_000 };
  const log = isFollowed ? createRecallIndex(work).now() : null;
  const made = recaller(rules, { budget, roomTokens, inHandTokens: 0, charsPerToken: 1, log, work });
  expect(made.atMostTokens).toBe(atMostTokens);
});

test("files in hand are a part of what a rule may recall", () => {
  const budget = { windowTokens: 10_000, inputBudgetTokens: 10_000 };
  const work = createWorkCounter();
  const most = (inHandTokens: number) =>
    recaller([recalling(100)], {
      budget,
      roomTokens: 10_000,
      inHandTokens,
      charsPerToken: 1,
      log: createRecallIndex(work).now(),
      work,
    }).atMostTokens;
  expect([0, 30, 130].map(most)).toEqual([100, 70, 0]);
});

const ROOM = { budget: { windowTokens: 10_000, inputBudgetTokens: 10_000 }, roomTokens: 10_000, inHandTokens: 0 };
const said: readonly Message[] = [human("one", "The port is 4711."), human("two", "The host is alpha-beta.")];

function recalled(
  rule: KeepRule,
  { staying = [], leavingChars = 2000, beside }: { staying?: readonly Message[]; leavingChars?: number; beside?: string },
) {
  const index = createRecallIndex(createWorkCounter());
  for (const message of said) index.add(message);
  const work = createWorkCounter();
  const made = recaller([rule], { ...ROOM, charsPerToken: 2, log: index.now(), work });
  return {
    block: made.recall(staying, leavingChars, beside),
    failures: [...made.failures],
    read: work.total().charactersScanned,
  };
}

const BLOCK = "<recalled>\n[person; handle one]\nThe port is 4711.\n[person; handle two]\nThe host is alpha-beta.\n</recalled>";

test("what the view does not show comes back word for word, and is counted as read", () => {
  expect(recalled(recalling(100), {})).toEqual({ block: BLOCK, failures: [], read: BLOCK.length });
  expect(recalled(recalling(100), { staying: said.slice(0, 1) }).block).toBe(
    "<recalled>\n[person; handle two]\nThe host is alpha-beta.\n</recalled>",
  );
});

test.each([
  ["nothing that the text beside it quotes, on whatever lines", "- [answered] The host\n  is alpha-beta.", "one"],
  ["what the text beside it quotes a part of", "- The host is …\n- The port is 4711.", "two"],
])("a block recalls %s", (_, beside, left) => {
  const { block } = recalled(recalling(100), { beside });
  expect([...(block ?? "").matchAll(/handle (\w+)/g)].map(([, handle]) => handle)).toEqual([left]);
});

test("a block recalls no tool's output that the text beside it quotes", () => {
  const index = createRecallIndex(createWorkCounter());
  const log = [toolCall("k", "c", { name: "look", argumentsJson: "{}" }), result("r", "c", "The port is 4711.")];
  for (const message of log) index.add(message);
  const made = recaller([recalling(100)], { ...ROOM, charsPerToken: 2, log: index.now(), work: createWorkCounter() });
  expect(made.recall([], 2000)).toContain("The port is 4711.");
  expect(made.recall([], 2000, "- look: The port is 4711.")).toBeNull();
});

test.each<[string, number, number]>([
  ["the rule's tokens, at so many characters each", 50, 2000],
  ["half of what leaves", 1000, 200],
])("a block takes no more than %s", (_, tokens, leavingChars) => {
  expect(recalled(recalling(tokens), { leavingChars }).block).toBe(
    "<recalled>\n[person; handle one]\nThe port is 4711.\n</recalled>",
  );
});

test("if all stays, there is no block, and nothing is read", () => {
  expect(recalled(recalling(100), { staying: said })).toEqual({ block: null, failures: [], read: 0 });
});

test("a rule that throws recalls nothing, and is named", () => {
  const failure = new Error("not today");
  const failing: KeepRule = {
    kind: "failing",
    keeps: "units",
    atMost: { tokens: 100 },
    worth: () => {
      throw failure;
    },
  };
  expect(recalled(failing, {})).toEqual({ block: null, failures: [["failing", failure]], read: 0 });
});
