import { definePolicy, type Policy, type SessionEntry, SVEN_POLICY } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { SUMMARY_REPLY_TOKENS } from "../economics/summary-charge.ts";
import { cellOf } from "../replay/cell.ts";
import { drive } from "../replay/drive.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import { METRICS } from "./registry.ts";
import { createRowMetrics } from "./row-metrics.ts";
import { outputTokensPerSecond } from "./waiting.ts";

const STEP_MS = 40_000;
const PAUSE_MS = 1_200_000;

/** A session whose requests take as long as given, and in which the person is away for twenty minutes before each message. */
function timed(stepMs: number, turns: number) {
  const transcript = madeTranscript({ turns, toolCallsPerTurn: 8, resultChars: 6_000, overheadTokens: 2_000 });
  let nowMs = 0;
  const entries = transcript.entries.map((entry): SessionEntry => {
    if (entry.type === "usage") return { ...entry, atMs: nowMs + stepMs };
    if (entry.type !== "message") return entry;
    nowMs += entry.message.role === "user" ? PAUSE_MS : entry.message.role === "assistant" ? stepMs : 0;
    return { ...entry, message: { ...entry.message, atMs: nowMs } };
  });
  return prepareSession({ ...transcript, entries });
}

async function replayed(policy: Policy, stepMs = STEP_MS, turns = 8) {
  const session = timed(stepMs, turns);
  const cell = cellOf(session, { policy, window: { kind: "working-room", tokens: 32_000 }, catalog: MODEL_CATALOG });
  const row = createRowMetrics(session, cell, { catalog: MODEL_CATALOG, metrics: METRICS });
  const calls: ReplayedCall[] = [];
  await drive(session, cell, (call) => {
    calls.push(call);
    row.add(call);
  });
  return { calls, ...row.result().metrics };
}

const MODEL = definePolicy({ extends: "sven", name: "model" });
const PREPARING = definePolicy({ extends: "sven", prepareAt: "60%" });
const IDLING: Policy = { ...MODEL, idle: { afterMs: 60_000, atLeast: { ratio: 0.45, of: "input-budget" } } };

describe("who waits for a compaction", () => {
  test("waits for the model's whole summary", async () => {
    const { waiting, cost, economy } = await replayed(MODEL);
    const writingMs = (1000 * SUMMARY_REPLY_TOKENS) / 70;
    expect(waiting.waits).toBe(economy.compactions);
    expect([waiting.prepared, waiting.preparedInVain]).toEqual([0, 0]);
    expect(waiting.waitedMs).toBeGreaterThanOrEqual(cost.summaryRequests * Math.floor(writingMs));
    expect(waiting.waitedMs).toBeLessThan(cost.summaryRequests * writingMs + economy.compactions * 50);
  });

  test("waits for the engine alone if a digest is quoted", async () => {
    const { waiting, economy, work } = await replayed(definePolicy({ extends: "sven", writer: "none" }));
    expect(waiting.waits).toBe(economy.compactions);
    expect(Math.abs(waiting.waitedMs - work.charactersScanned * 0.0013)).toBeLessThanOrEqual(economy.compactions);
  });

  test("waits for what is left of a summary that is being written", async () => {
    const [slow, quick] = [await replayed(PREPARING), await replayed(PREPARING, 1_000)];
    expect(slow.waiting.waitedMs).toBeLessThan(100 * slow.economy.compactions);
    expect(quick.waiting.waitedMs).toBeGreaterThan(20_000);
    expect(quick.waiting.waitedMs).toBeLessThan((await replayed(MODEL, 1_000)).waiting.waitedMs);
  });
});

describe("a summary that is prepared", () => {
  test("is used where the policy acts, as often as it acts without one", async () => {
    const [without, withOne] = [await replayed(MODEL), await replayed(PREPARING)];
    expect(withOne.waiting.prepared).toBeGreaterThan(0);
    expect(withOne.economy.compactions).toBeGreaterThanOrEqual(without.economy.compactions);
  });

  test("is charged whether or not it is used", async () => {
    const { calls, cost, waiting } = await replayed(PREPARING);
    const asked = calls.flatMap(({ summaries }) => summaries);
    expect(cost.summaryRequests).toBe(asked.length);
    expect(asked.filter(({ ahead }) => ahead !== undefined)).toHaveLength(waiting.prepared + waiting.preparedInVain);
  });
});

describe("a session that waits for a person", () => {
  test("is compacted meanwhile, and nobody waits for that", async () => {
    const { waiting, calls } = await replayed(IDLING);
    const idle = calls.flatMap(({ compactions }) => compactions).filter(({ record }) => record.gate === null);
    expect(idle.length).toBeGreaterThan(0);
    expect(waiting.prepared).toBe(idle.length);
  });

  test("is compacted in vain if nobody comes back, and is charged", async () => {
    const { waiting, calls, cost } = await replayed(IDLING, STEP_MS, 1);
    expect(waiting.preparedInVain).toBe(1);
    expect(calls.at(-1)?.summaries.map(({ ahead }) => ahead?.charged)).toEqual(["after-call"]);
    expect(cost.summaryRequests).toBe(calls.flatMap(({ summaries }) => summaries).length);
  });

  test("is left alone by a policy that does not say so", async () => {
    const { calls } = await replayed(SVEN_POLICY);
    expect(calls.flatMap(({ summaries }) => summaries).filter(({ ahead }) => ahead !== undefined)).toEqual([]);
  });
});

test("output speed is that of the longer replies, and unknown without times", () => {
  const [call] = timed(STEP_MS, 1).sizeJudge.calls;
  if (call === undefined) throw new Error("there are calls");
  const answered = (tokens: number, endMs: number | null) => ({
    ...call,
    requestMs: 1_000,
    reply: null,
    usage: {
      ...call.usage,
      atMs: endMs,
      usage: { ...call.usage.usage, output: { ...call.usage.usage.output, totalTokens: tokens } },
    },
  });
  expect(outputTokensPerSecond([answered(500, 11_000), answered(1_500, 31_000), answered(10, 2_000)])).toBe(50);
  expect(outputTokensPerSecond([answered(500, null), answered(5_000, 1_010)])).toBeNull();
});
