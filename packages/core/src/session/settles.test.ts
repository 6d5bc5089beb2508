import { describe, expect, test } from "vitest";
import { recordOf, SMALL_POLICY, SMALL_WINDOW, smallSession, stepsOf, turns } from "../../testing/small-session.ts";
import { PLIMSOLL_VENDOR_POLICY } from "../policy/presets/plimsoll.ts";
import type { Summary, Wait } from "../ports.ts";
import { never, rejected } from "../testing/unusable-answers.ts";
import type { SessionOptions } from "./session.ts";

/** A deadline that is over at once, and one that never is. */
const over: Wait = () => Promise.resolve();
const endless: Wait = () => never();
/** Answers after its caller has gone on. */
const later = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};
const summary: Summary = { text: "what happened", usage: null, stopReason: "end" };
const go = { kind: "go" } as const;

const opened = (options: Partial<SessionOptions>) => smallSession(turns(8), options);

describe("a fit whose caller gives up settles", () => {
  test.each<[string, "summarizer" | "beforeCompaction" | "prepared", () => Promise<unknown>]>([
    ["although the summariser is deaf", "summarizer", never],
    ["and a late summary changes nothing", "summarizer", () => later().then(() => summary)],
    ["nor does a late failure", "summarizer", () => later().then(rejected)],
    ["although the hook is deaf", "beforeCompaction", never],
    ["although a prepared summary never comes", "prepared", never],
    [
      "and a hook's late answer changes nothing",
      "beforeCompaction",
      () => later().then(() => ({ kind: "summary", text: "mine" })),
    ],
    ["nor does its late failure", "beforeCompaction", () => later().then(rejected)],
  ])("%s", async (_, port, answer) => {
    const controller = new AbortController();
    const given = new Error("given up");
    const asked = () => {
      controller.abort(given);
      return answer();
    };
    const { manager, events } = opened({ wait: endless, [port]: asked });
    const before = [...manager.entries()];
    const run = manager.fit({ gate: "before-step", pending: [], model: SMALL_WINDOW, nowMs: null }, controller.signal);
    await expect(run).rejects.toBe(given);
    const told = events.map(({ type }) => type);
    await later();
    await later();
    expect([manager.entries(), events.map(({ type }) => type)]).toEqual([before, told]);
    expect(told).toEqual(["compaction-start", "compaction-failed"]);
  });
});

describe("a fit settles by its deadline", () => {
  test.each<[string, SessionOptions["summarizer"]]>([
    ["a deaf summariser", () => never()],
    ["a late one", () => later().then(() => summary)],
  ])("%s has failed, and the next strategy runs", async (_, summarizer) => {
    const { fit, manager } = opened({ wait: over, answerDeadlineMs: 1000, summarizer });
    const outcome = await fit();
    expect(stepsOf(outcome)).toEqual(["summarize failed", "digest applied"]);
    expect(recordOf(outcome)?.steps[0]?.detail).toBe("there was no summary within 1000 ms");
    const after = [...manager.entries()];
    await later();
    await later();
    expect(manager.entries()).toEqual(after);
  });

  test("a deaf vendor has failed, and the digest is written", async () => {
    const policy = { ...SMALL_POLICY, strategies: PLIMSOLL_VENDOR_POLICY.strategies };
    const { fit } = opened({ policy, wait: over, answerDeadlineMs: 1000, compact: () => never() });
    expect(stepsOf(await fit())).toEqual(["vendor failed", "digest applied"]);
  });

  test("a history that is summarised in chunks has one deadline for all of them", async () => {
    const timers: AbortSignal[] = [];
    const wait: Wait = (_, signal) => {
      timers.push(signal);
      return never();
    };
    const { fit, asked } = smallSession(turns(40), { wait });
    expect(stepsOf(await fit())).toEqual(["summarize applied"]);
    expect(asked.length).toBeGreaterThan(1);
    expect(timers).toHaveLength(1);
  });

  test("a deaf hook is passed over", async () => {
    const { fit } = opened({ wait: over, beforeCompaction: () => never(), summarizer: () => never() });
    const steps = recordOf(await fit())?.steps ?? [];
    expect(steps.map(({ strategy, outcome }) => `${strategy} ${outcome}`)).toEqual([
      "before-compaction failed",
      "summarize failed",
      "digest applied",
    ]);
    expect(steps[0]?.detail).toBe("the hook gave no answer within 300000 ms");
  });

  test("whoever is late is told", async () => {
    const reasons: unknown[] = [];
    const { fit } = opened({
      wait: over,
      summarizer: (_, signal) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason), { once: true });
        return never();
      },
    });
    await fit();
    expect(reasons).toMatchObject([{ code: "summary-failed" }]);
  });

  test("each answer in time ends its timer, and nobody is told to stop", async () => {
    const timers: AbortSignal[] = [];
    const asked: AbortSignal[] = [];
    const noting =
      <Answer>(signals: AbortSignal[], answer: () => Promise<Answer>) =>
      (_: unknown, signal: AbortSignal) => {
        signals.push(signal);
        return answer();
      };
    const { fit } = opened({
      wait: noting(timers, never),
      beforeCompaction: noting(asked, async () => go),
      summarizer: noting(asked, async () => summary),
    });
    expect(stepsOf(await fit())).toEqual(["summarize applied"]);
    expect([timers.map(({ aborted }) => aborted), asked.map(({ aborted }) => aborted)]).toEqual([
      [true, true],
      [false, false],
    ]);
  });
});
