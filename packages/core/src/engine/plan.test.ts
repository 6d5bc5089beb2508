import { describe, expect, test } from "vitest";
import type { CompactionReason } from "../entry.ts";
import type { Message } from "../message/message.ts";
import { SVEN_LENGTH_ESTIMATE, SVEN_POLICY } from "../policy/presets/sven.ts";
import { strategyName } from "../strategy/registry.ts";
import { calling, human, reply, result } from "../testing/builders.ts";
import { charsPerToken } from "../tokens/chars-per-token.ts";
import { createWorkCounter } from "../tokens/work.ts";
import type { PlanInput } from "./plan.ts";
import { ladderOf, plan } from "./plan.ts";

const engineRungs = ladderOf({ ...SVEN_POLICY, strategies: [] }, "threshold", true).map(({ spec }) => strategyName(spec));
const namesFor = (reason: CompactionReason, useModel: boolean) =>
  ladderOf(SVEN_POLICY, reason, useModel).map(({ spec }) => strategyName(spec));

describe("ladderOf", () => {
  test.each<[string, CompactionReason, boolean, readonly string[]]>([
    ["the policy's own steps in its own order, then the engine's", "threshold", true, ["summarize", "drop-oldest"]],
    ["an emergency leaves out what needs a model", "emergency", true, ["drop-oldest"]],
    ["so does an open breaker", "threshold", false, ["drop-oldest"]],
  ])("%s", (_, reason, useModel, own) => {
    expect(namesFor(reason, useModel)).toEqual([...own, ...engineRungs]);
  });

  test("the engine's rungs are the same for every reason, and need no model", () => {
    expect(namesFor("overflow", false).slice(1)).toEqual(engineRungs);
    expect(
      ladderOf(SVEN_POLICY, "threshold", true).filter(
        ({ isOwn, spec }) => !isOwn && spec.kind === "summarize" && spec.writer === "model",
      ),
    ).toEqual([]);
  });
});

const measure = charsPerToken(SVEN_LENGTH_ESTIMATE, createWorkCounter());

/** The preset, keeping the newest messages of short histories too. */
const KEEPING = {
  ...SVEN_POLICY,
  strategies: SVEN_POLICY.strategies.map((spec) =>
    spec.kind === "summarize" ? { ...spec, keepNothingUpToMessages: 0 } : spec,
  ),
};

function inputFor(messages: readonly Message[], more: Partial<PlanInput> = {}): PlanInput {
  return {
    messages,
    budget: { windowTokens: 1000, inputBudgetTokens: 1000 },
    roomTokens: 1000,
    lineTokens: 750,
    cause: "size",
    keep: { messages: 2 },
    messageTokens: measure.messageTokens,
    keptMessageTokens: measure.messageTokens,
    measure,
    scaleRatio: 1,
    noticeTokens: 50,
    ladder: ladderOf(KEEPING, "threshold", true),
    rung: 0,
    ...more,
  };
}

const turns = [
  human("u1", "x".repeat(400)),
  reply("a1", "y".repeat(400)),
  human("u2", "x".repeat(400)),
  reply("a2", "y".repeat(400)),
];

describe("plan", () => {
  test("gives the first rung's edits, by message ids", () => {
    expect(plan(inputFor(turns))).toEqual({
      kind: "edits",
      rung: 0,
      strategy: "summarize",
      edits: [{ kind: "replace-spans", by: "summary", spans: [{ from: "u1", through: "a1", promptId: "structured" }] }],
      skipped: [],
    });
  });

  test("goes on from the rung that it is told", () => {
    expect(plan(inputFor(turns, { rung: 1 }))).toMatchObject({ kind: "edits", rung: 1, strategy: "drop-oldest" });
  });

  test("says which rungs had nothing to do, and why", () => {
    const answer = plan(inputFor(turns, { keep: { messages: 9 }, roomTokens: 100 }));
    expect(answer.skipped[0]).toEqual({ strategy: "summarize", reason: expect.any(String) });
  });

  test("is exhausted where there is nothing but the last human message", () => {
    const answer = plan(inputFor([human("u", "x".repeat(8000))], { roomTokens: 100 }));
    expect(answer.kind).toBe("exhausted");
    expect(answer.skipped.map(({ strategy }) => strategy)).toEqual(
      ladderOf(SVEN_POLICY, "threshold", true).map(({ spec }) => strategyName(spec)),
    );
  });

  test("keeps the human message of a turn that it splits", () => {
    const messages = [
      human("u", "do"),
      reply("a", "y".repeat(400)),
      calling("b", ["c"]),
      result("r", "c", "z".repeat(400)),
      reply("d", "done"),
    ];
    expect(plan(inputFor(messages, { keep: { messages: 1 } }))).toMatchObject({
      edits: [{ kind: "replace-spans", spans: [{ from: "a", through: "r" }] }],
    });
  });

  test("is the same for the same input", () => {
    expect(plan(inputFor(turns))).toEqual(plan(inputFor(structuredClone(turns))));
  });
});
