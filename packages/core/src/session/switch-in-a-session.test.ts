import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { createDigest } from "../memory/digest.ts";
import type { Context, Message } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { Summarizer } from "../ports.ts";
import { calling, human, never, result, sessionStart, usageEntry } from "../testing/builders.ts";
import { createEstimator } from "../tokens/built-in-estimators.ts";
import { createWorkCounter, type ModelPriors, POOLED_PRIOR } from "../tokens/measure.ts";
import { usageOf } from "../usage.ts";
import { createSession } from "./open-session.ts";
import type { Session } from "./session.ts";

const WIDE = { contextWindowTokens: 200_000, maxOutputTokens: 4000 };
const POLICY: Policy = { ...PLIMSOLL_POLICY, estimator: { kind: "ledger" } };

/** The cost of text with each model, over the pooled weights: a prior that is nearly right, as measured ones are. */
const TRUE_RATIOS = { plain: 1.08, dense: 1.45 } as const;
const priors: ModelPriors = (modelId) => ({ ...POOLED_PRIOR, name: modelId, slopeRatio: modelId === "dense" ? 1.35 : 1 });

const measure = createEstimator({ kind: "char-class" }, createWorkCounter()).measure;

/** A provider that counts its requests, and tools that the log does not show: 3,000 pooled tokens of them. */
function promptTokens({ messages }: Context, modelId: keyof typeof TRUE_RATIOS): number {
  const counted = messages.reduce((sum, message) => sum + measure.messageTokens(message), 0);
  return Math.round(TRUE_RATIOS[modelId] * (counted + 3000));
}

const LINE = "const value = compute(first, second) // and a word on why it is so\n";

/** A session on the shipped manager: steps of a call, its report and its result. */
function session() {
  const manager = createSession({ policy: POLICY, summarizer: createDigest(), modelPriors: priors });
  const message = (each: Message): SessionEntry => ({ type: "message", message: each });
  manager.append(sessionStart("You are a coding agent."));
  manager.append(message(human("h", "Please fix the failing test.")));
  const steps = (count: number, modelId: keyof typeof TRUE_RATIOS, name: string) => {
    for (let step = 0; step < count; step++) {
      const id = `${name}${step}`;
      const reply = calling(id, [`c-${id}`], "Looking at the next file.");
      const tokens = promptTokens(manager.context(), modelId);
      const usage = usageOf({
        totalInputTokens: tokens,
        outputTokens: Math.round(TRUE_RATIOS[modelId] * measure.messageTokens(reply)),
      });
      manager.append({ ...usageEntry(`request-${id}`, null, tokens), modelId, usage });
      manager.append(message(reply));
      manager.append(message(result(`r-${id}`, `c-${id}`, LINE.repeat(5 + ((step * 7) % 40)))));
    }
  };
  const switchTo = (modelId: string, contextWindowTokens = WIDE.contextWindowTokens) =>
    manager.switchModel(
      { modelId, limits: { ...WIDE, contextWindowTokens } },
      { gate: "before-step", pending: [], model: WIDE, nowMs: null },
      never,
    );
  const cut = () =>
    manager.fit(
      { gate: "before-step", pending: [], model: WIDE, nowMs: null, now: { reason: "manual", keep: { tokens: 4000 } } },
      never,
    );
  return { manager, steps, switchTo, cut };
}

/** Percent by which the manager is off from the model's own count. */
function percentOff(manager: Session, modelId: keyof typeof TRUE_RATIOS): number {
  const tokens = promptTokens(manager.context(), modelId);
  return (100 * Math.abs(manager.predict().expectedTokens - tokens)) / tokens;
}

describe("a switch of model in a session", () => {
  test("asks the model before it for no more than its own window holds", async () => {
    const asked: number[] = [];
    const summarizer: Summarizer = ({ parts }) => {
      asked.push(parts.flatMap(({ messages }) => messages).reduce((sum, each) => sum + measure.messageTokens(each), 0));
      return Promise.resolve({ text: "What was done.", usage: null, stopReason: "end" });
    };
    const policy: Policy = { ...SVEN_POLICY, unknownWindow: { tokens: 40_000 } };
    const manager = createSession({ policy, summarizer, modelPriors: priors });
    const small = { contextWindowTokens: 16_000, maxOutputTokens: 4000 };
    manager.append(sessionStart("You are a coding agent."));
    manager.append({ type: "model-change", id: "m", modelId: "plain", limits: small, atMs: null });
    manager.append({ type: "message", message: human("h", "Please fix the failing test.") });
    for (let step = 0; step < 40; step++) {
      manager.append({ type: "message", message: calling(`a${step}`, [`c${step}`]) });
      manager.append({ type: "message", message: result(`r${step}`, `c${step}`, LINE.repeat(80)) });
    }
    const unknown = { contextWindowTokens: null, maxOutputTokens: null };
    const input = { gate: "before-step", pending: [], model: small, nowMs: null } as const;
    expect(await manager.switchModel({ modelId: "dense", limits: unknown }, input, never)).toMatchObject({ kind: "compacted" });
    expect(asked.length).toBeGreaterThan(1);
    expect(Math.max(...asked)).toBeLessThanOrEqual(12_000);
  });

  test("without a cut the last report is rescaled, within what priors are off, and the next report is right again", async () => {
    const { manager, steps, switchTo } = session();
    steps(20, "plain", "p");
    await switchTo("dense");
    expect(percentOff(manager, "dense")).toBeLessThan(5);
    expect(manager.predict().upperTokens).toBeGreaterThanOrEqual(promptTokens(manager.context(), "dense"));
    steps(2, "dense", "d");
    expect(percentOff(manager, "dense")).toBeLessThan(1);
  });

  test("a downshift ends where the new model's measure says that it does, record and prediction alike", async () => {
    const { manager, steps, switchTo } = session();
    steps(30, "plain", "p");
    const outcome = await switchTo("dense", 16_000);
    expect(outcome).toMatchObject({ kind: "compacted", entry: { record: { reason: "downshift" } } });
    const { expectedTokens, upperTokens } = manager.predict();
    const record = outcome.kind === "compacted" ? outcome.entry.record : null;
    expect(Math.abs((record?.tokensAfter ?? 0) - expectedTokens)).toBeLessThanOrEqual(2);
    expect(upperTokens).toBeLessThanOrEqual(12_000);
    expect(promptTokens(manager.context(), "dense")).toBeLessThanOrEqual(12_000);
    expect(percentOff(manager, "dense")).toBeLessThan(5);
  });

  test("after a cut, what the old model measured says nothing of the new one, and all of the old one when it comes back", async () => {
    const { manager, steps, switchTo, cut } = session();
    steps(20, "plain", "p");
    await cut();
    expect(percentOff(manager, "plain")).toBeLessThan(1);
    await switchTo("dense");
    expect(percentOff(manager, "dense")).toBeLessThan(5);
    expect(manager.predict().reportedTokens).toBe(0);
    await switchTo("plain");
    expect(percentOff(manager, "plain")).toBeLessThan(1);
  });

  test("a cut well after the switch is based on what the new model measured", async () => {
    const { manager, steps, switchTo, cut } = session();
    steps(20, "plain", "p");
    await switchTo("dense");
    steps(20, "dense", "d");
    await cut();
    expect(percentOff(manager, "dense")).toBeLessThan(3);
  });

  test("an undo after the switch weighs what comes back as the new model counts", async () => {
    const { manager, steps, switchTo, cut } = session();
    steps(20, "plain", "p");
    await cut();
    await switchTo("dense");
    await manager.undo();
    expect(percentOff(manager, "dense")).toBeLessThan(5);
  });

  test("a report of a model that nothing announced is a switch, too", () => {
    const { manager, steps } = session();
    steps(20, "plain", "p");
    steps(3, "dense", "d");
    expect(percentOff(manager, "dense")).toBeLessThan(1);
  });

  test("a log that is read again predicts the same", async () => {
    const { manager, steps, switchTo, cut } = session();
    steps(20, "plain", "p");
    await switchTo("dense", 16_000);
    steps(4, "dense", "d");
    await cut();
    await switchTo("plain");
    const again = createSession({
      policy: POLICY,
      summarizer: createDigest(),
      modelPriors: priors,
      entries: manager.entries(),
    });
    expect(again.predict()).toEqual(manager.predict());
  });
});
