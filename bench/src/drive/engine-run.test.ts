import { definePolicy, type Policy, type SessionEntry, SVEN_POLICY } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { METRICS } from "../metrics/registry.ts";
import { createRowMetrics } from "../metrics/row-metrics.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { cellOf } from "./cell.ts";
import { drive } from "./drive.ts";
import type { ReplayedCall } from "./replayed-call.ts";

const STEP_MS = 40_000;
const PAUSE_MS = 1_200_000;

/** A session in which the person is away for twenty minutes before each message. */
function timed(turns: number) {
  const transcript = madeTranscript({ turns, toolCallsPerTurn: 8, resultChars: 6_000, overheadTokens: 2_000 });
  let nowMs = 0;
  const entries = transcript.entries.map((entry): SessionEntry => {
    if (entry.type === "usage") return { ...entry, atMs: nowMs + STEP_MS };
    if (entry.type !== "message") return entry;
    nowMs += entry.message.role === "user" ? PAUSE_MS : entry.message.role === "assistant" ? STEP_MS : 0;
    return { ...entry, message: { ...entry.message, atMs: nowMs } };
  });
  return prepareSession({ ...transcript, entries });
}

/** Counts the compactions of a replay, and the summaries that it asked for and was charged. */
async function replayed(policy: Policy) {
  const session = timed(8);
  const cell = cellOf(session, { policy, window: { kind: "working-room", tokens: 32_000 }, catalog: MODEL_CATALOG });
  const row = createRowMetrics(session, cell, { catalog: MODEL_CATALOG, metrics: METRICS });
  const calls: ReplayedCall[] = [];
  await drive(session, cell, (call) => {
    calls.push(call);
    row.add(call);
  });
  const records = calls.flatMap(({ compactions }) => compactions.map(({ record }) => record));
  const charged = calls.flatMap(({ summaries }) =>
    summaries.map(({ ahead }) => (ahead === undefined ? "waited for" : "prepared")),
  );
  return {
    compactions: records.length,
    prepared: records.filter(({ steps }) => steps.some((step) => step.strategy === "prepared" && step.outcome === "applied"))
      .length,
    charged,
    summaryRequests: row.result().metrics.cost.summaryRequests,
  };
}

const PREPARING = definePolicy({ extends: "sven", prepareAt: "60%" });

test("a summary that is prepared is used where the policy acts, as often as it acts without one, and is charged", async () => {
  const [without, withOne] = [await replayed(SVEN_POLICY), await replayed(PREPARING)];
  expect(withOne.prepared).toBeGreaterThan(0);
  expect(withOne.compactions).toBeGreaterThanOrEqual(without.compactions);
  expect(withOne.charged).toContain("prepared");
  expect(new Set(without.charged)).toEqual(new Set(["waited for"]));
  expect(withOne.summaryRequests).toBe(withOne.charged.length);
});
