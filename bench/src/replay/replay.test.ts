import { NONE_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { type MadeSession, madeTranscript } from "../../testing/made-session.ts";
import { cellOf, type WindowRequest } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { replay } from "./replay.ts";

const MADE: MadeSession = { turns: 8, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000, boundaries: [5] };
const SESSION = prepareSession(madeTranscript(MADE));
const ROOMY = { kind: "working-room", tokens: 500_000 } as const;
const TIGHT = { kind: "working-room", tokens: 24_000 } as const;

async function callsOf(policy: Policy, window: WindowRequest): Promise<readonly ReplayedCall[]> {
  const calls: ReplayedCall[] = [];
  await drive(SESSION, cellOf(SESSION, { policy, window, catalog: MODEL_CATALOG }), (call) => calls.push(call));
  return calls;
}

describe("replay", () => {
  test("recorded folds the recorded compaction and sends what was reported", async () => {
    const calls = await callsOf(RECORDED_POLICY, TIGHT);
    expect(calls.map((call) => call.promptTokens)).toEqual(calls.map((call) => call.recorded.usage.input.totalTokens));
    expect(calls.flatMap((call) => call.compactions).map((compaction) => compaction.id)).toEqual(["boundary-5"]);
    expect(calls.some((call) => call.overflowed)).toBe(false);
  });

  test("none never edits: every request holds all that was said, and no recorded summary", async () => {
    const calls = await callsOf(NONE_POLICY, ROOMY);
    const messages = SESSION.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    expect(calls.at(-1)?.context.slice()).toEqual(messages.slice(0, -1));
    expect(calls.flatMap((call) => call.compactions)).toEqual([]);
  });

  test("none in a small window loses the calls that do not fit, which are charged as recorded", async () => {
    const calls = await callsOf(NONE_POLICY, TIGHT);
    const lost = calls.filter((call) => call.lost);
    expect(lost.length).toBeGreaterThan(10);
    expect(lost.map((call) => call.chargedTokens)).toEqual(lost.map((call) => call.recorded.usage.input.totalTokens));
    expect(lost.every((call) => call.overflowed && call.promptTokens > 26_000)).toBe(true);
  });

  test.each([
    ["fills the window is sent", 0, 0],
    ["is a token larger is lost", 1, 1],
  ])("a request that %s", async (_, less, lost) => {
    const sizes = (await callsOf(NONE_POLICY, ROOMY)).map(({ promptTokens }) => promptTokens);
    const { overheadTokens } = cellOf(SESSION, { policy: NONE_POLICY, window: ROOMY, catalog: MODEL_CATALOG });
    const window = { kind: "working-room", tokens: Math.max(...sizes) - overheadTokens - less } as const;
    expect((await callsOf(NONE_POLICY, window)).filter((call) => call.lost)).toHaveLength(lost);
  });

  test("sven compacts and stays inside the window with requests that can be sent", async () => {
    const calls = await callsOf(SVEN_POLICY, TIGHT);
    expect(calls.flatMap((call) => call.compactions).length).toBeGreaterThanOrEqual(2);
    expect(calls.filter((call) => call.lost || call.violations.length > 0)).toEqual([]);
    expect(Math.max(...calls.map((call) => call.promptTokens))).toBeLessThan(26_000);
  });

  test("a request above the window is recovered from by the on-overflow gate alone", async () => {
    const blind: Policy = { ...SVEN_POLICY, gates: { at: [], countPending: false }, estimator: SHORT_SIGHTED };
    const calls = await callsOf(blind, TIGHT);
    const overflowed = calls.filter((call) => call.overflowed);
    expect(overflowed.length).toBeGreaterThan(0);
    expect(overflowed.every((call) => call.compactions.some(({ record }) => record.gate === "on-overflow"))).toBe(true);
    expect(calls.filter((call) => call.lost)).toEqual([]);
  });

  test("a policy that may not recover loses what overflows", async () => {
    const blind: Policy = {
      ...SVEN_POLICY,
      gates: { at: [], countPending: false },
      estimator: SHORT_SIGHTED,
      overflow: { ...SVEN_POLICY.overflow, maxRecoveries: 0 },
    };
    const calls = await callsOf(blind, TIGHT);
    const overflowed = calls.filter((call) => call.overflowed);
    expect(overflowed.length).toBeGreaterThan(0);
    expect(overflowed.every((call) => call.lost)).toBe(true);
  });

  test("a cell whose overhead exceeds half the window says why and has no metrics; recorded always has", async () => {
    const session = prepareSession(madeTranscript({ ...MADE, overheadTokens: 30_000 }));
    const row = await replay(session, { policy: SVEN_POLICY, window: TIGHT });
    expect(row).toMatchObject({ metrics: null, series: [] });
    expect(row.why).toContain("exceeds half the window");
    expect((await replay(session, { policy: RECORDED_POLICY, window: TIGHT })).why).toBeNull();
  });

  test("two runs give the same bytes", async () => {
    const once = await replay(SESSION, { policy: SVEN_POLICY, window: TIGHT });
    const again = await replay(prepareSession(madeTranscript(MADE)), { policy: SVEN_POLICY, window: TIGHT });
    expect(JSON.stringify(again)).toBe(JSON.stringify(once));
  });

  test("metrics add up", async () => {
    const row = await replay(SESSION, { policy: SVEN_POLICY, window: TIGHT });
    const { metrics, series } = row;
    expect(metrics?.safety.calls).toBe(series.length);
    expect(metrics?.economy.promptTokens).toBe(series.reduce((sum, point) => sum + point.promptTokens, 0));
    expect(metrics?.economy.compactions).toBe(series.reduce((sum, point) => sum + point.compactions, 0));
    expect(metrics?.economy.peakPromptTokens).toBe(Math.max(...series.map((point) => point.promptTokens)));
  });
});

/** An estimator that sees a third of the tokens and never learns. */
const SHORT_SIGHTED = {
  kind: "chars-per-token",
  charsPerToken: 12,
  unit: "utf8-bytes",
  rounding: "floor",
  perMessageTokens: 0,
  minimumMessageTokens: 0,
  imageTokens: 0,
} as const;
