import { describe, expect, test } from "vitest";
import { recordOf, SMALL_POLICY, SMALL_WINDOW, smallSession, turns, words } from "../../testing/small-session.ts";
import type { Policy } from "../policy/policy.ts";
import { human, logOf, never, reply, usageEntry } from "../testing/builders.ts";
import { type ModelPriors, POOLED_PRIOR } from "../tokens/measure.ts";
import type { Session } from "./session.ts";

const input = { gate: "before-step", pending: [], model: SMALL_WINDOW, nowMs: null } as const;

describe("acting at once", () => {
  test("a switch to a smaller window asks the summariser that is there, before the switch is on the log", async () => {
    const log: (string | undefined)[] = [];
    const open: { manager?: Session } = {};
    const { manager } = smallSession([...turns(6), reply("last", "done")], {
      answer: () => {
        log.push(open.manager?.entries().at(-1)?.type);
        return Promise.resolve("by the old model");
      },
    });
    open.manager = manager;
    const limits = { contextWindowTokens: 5000, maxOutputTokens: 500 };
    const outcome = await manager.switchModel({ modelId: "small", limits }, { ...input, nowMs: 7 }, never);
    expect(recordOf(outcome)).toMatchObject({ reason: "downshift", budgetTokens: 4500, modelId: null });
    expect([...new Set(log)]).toEqual(["message"]);
    expect(manager.predict().upperTokens).toBeLessThanOrEqual(4500);
    expect(manager.entries().slice(-2)).toMatchObject([
      { type: "compaction", atMs: 7 },
      { type: "model-change", limits, atMs: 7 },
    ]);
  });

  test("a switch is measured as the new model counts, not as the old one does", async () => {
    const policy: Policy = { ...SMALL_POLICY, estimator: { kind: "ledger" } };
    const modelPriors: ModelPriors = (modelId) => ({ ...POOLED_PRIOR, slopeRatio: modelId === "dense" ? 2 : 1 });
    const entries = logOf(turns(5));
    const { manager } = smallSession([], { policy, modelPriors, entries });
    const limits = { contextWindowTokens: 2000, maxOutputTokens: null };
    const outcome = await manager.switchModel({ modelId: "dense", limits }, input, never);
    const { expectedTokens, upperTokens } = manager.predict();
    expect(Math.abs((recordOf(outcome)?.tokensAfter ?? 0) - expectedTokens)).toBeLessThan(5);
    expect(upperTokens).toBeLessThanOrEqual(2000);
  });

  test.each([
    ["a pause as long as the policy's", 301_000, "compacted"],
    ["a shorter one", 300_999, "unchanged"],
  ] as const)("after %s since the newest report the lower line holds", async (_, nowMs, kind) => {
    const policy: Policy = { ...SMALL_POLICY, afterPause: { after: 300_000, atLeast: { tokens: 5000 } } };
    const { manager, fit } = smallSession(turns(6), { policy });
    manager.append({ ...usageEntry("r", "a5", 6000), atMs: 1000 });
    manager.append({ type: "message", message: human("next", "go on") });
    expect((await fit({ nowMs })).kind).toBe(kind);
  });

  test("a switch to a window that is no smaller needs nothing first: what is too large for the old model waits for the new one", async () => {
    const { manager, asked } = smallSession(turns(8));
    const from = { type: "model-change", id: "from", modelId: "small", limits: SMALL_WINDOW, atMs: null } as const;
    manager.append(from);
    const limits = { contextWindowTokens: 10_500, maxOutputTokens: 500 };
    expect(await manager.switchModel({ modelId: "large", limits }, input, never)).toEqual({ kind: "unchanged", off: null });
    expect([asked, manager.view()]).toMatchObject([[], { modelId: "large", limits }]);
  });

  test("a switch whose window nothing fits is said, and still made: the caller decides", async () => {
    const { manager } = smallSession([human("u", words(3000))]);
    const limits = { contextWindowTokens: 1000, maxOutputTokens: null };
    expect((await manager.switchModel({ modelId: "small", limits }, input, never)).kind).toBe("irreducible");
    expect(manager.entries().at(-1)).toMatchObject({ type: "model-change", modelId: "small" });
  });

  test("a hand-off that the model asks for compacts below the trigger and says why", async () => {
    const { fit, ids, events } = smallSession(turns(3));
    const outcome = await fit({ now: { reason: "hand-off", keep: { messages: 2 } }, focus: "the open bug" });
    expect(recordOf(outcome)).toMatchObject({ reason: "hand-off", gate: null });
    expect(ids().slice(1)).toEqual(["u2", "a2"]);
    expect(events[0]).toMatchObject({ type: "compaction-start", reason: "hand-off" });
  });

  test("redo compacts the context from before, with another policy and focus", async () => {
    const { manager, fit, asked, ids } = smallSession(turns(8));
    await fit({ focus: "the tests" });
    const policy: Policy = { ...SMALL_POLICY, name: "other", keep: [{ kind: "recent", messages: 4 }] };
    const outcome = await manager.redo({ ...input, policy, focus: "the docs" }, never);
    expect(recordOf(outcome)).toMatchObject({ policy: "other", reason: "manual", messagesBefore: 16 });
    expect(asked.map((request) => [request.focus, request.parts.flatMap((part) => part.messages).length])).toEqual([
      ["the tests", 10],
      ["the docs", 12],
    ]);
    expect([ids().length, manager.entries().filter((entry) => entry.type === "revert").length]).toEqual([5, 1]);
  });

  test("redo without anything to undo rejects", async () => {
    const { manager } = smallSession(turns(1));
    await expect(manager.redo(input, never)).rejects.toMatchObject({ code: "bad-input" });
  });
});

describe("while a slow summary is written", () => {
  test("what arrives ends up after the cut in order, and is not summarised", async () => {
    const gate: { open?: (text: string) => void } = {};
    const answer = () =>
      new Promise<string>((resolve) => {
        gate.open = resolve;
      });
    const made = smallSession(turns(8), { answer });
    const running = made.fit();
    await expect.poll(() => gate.open).toBeDefined();
    made.append(human("steer", "stop"), { ...human("note", "a reminder"), origin: "injected" }, human("queued", "then this"));
    gate.open?.("what happened");
    const outcome = await running;
    expect(made.ids().slice(-3)).toEqual(["steer", "note", "queued"]);
    expect(outcome.kind === "compacted" && outcome.entry.throughEntryId).toBe("a7");
    expect(made.asked.flatMap((request) => request.parts.flatMap((part) => part.messages.map(({ id }) => id)))).not.toContain(
      "steer",
    );
  });
});
