import { PLIMSOLL_POLICY, usageOf } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import { sessionCache } from "../economics/recorded-cache.ts";
import { createRequestLedger } from "../economics/request-ledger.ts";
import { prepareSession } from "../open/prepared-session.ts";

/** The most look-ups in maps that twice the calls may take, as a multiple. */
const MOST_RATIO = 2.2;
const REPLAY_MS = 60_000;
const CALLS = 1500;

/** A session of one turn whose calls report what a rule says, and read so much of it from the cache. */
function sessionOf(calls: number, report: (call: number) => number | null, readShare: number) {
  const made = madeTranscript({ turns: 1, toolCallsPerTurn: 1, resultChars: 10, overheadTokens: 2000 });
  const [start, human, , step, result] = made.entries;
  const entries = Array.from({ length: calls }, (_, call) => {
    const totalInputTokens = report(call);
    const cacheReadTokens = totalInputTokens === null ? null : Math.floor(totalInputTokens * readShare);
    const id = (name: string) => `${name}-${call}`;
    const usage = { ...made.entries[2], requestId: id("request"), usage: usageOf({ totalInputTokens, cacheReadTokens }) };
    const parts = step?.type === "message" ? step.message.parts.map((part) => ({ ...part, ...("callId" in part && { callId: id("id") }) })) : [];
    const called = { ...step, message: { ...(step?.type === "message" && step.message), id: id("call"), parts } };
    const answered = { ...result, message: { ...(result?.type === "message" && result.message), id: id("result"), callId: id("id") } };
    return [usage, called, answered];
  }).flat();
  return prepareSession({ ...made, entries: [start, human, ...entries] as typeof made.entries });
}

/** Counts the look-ups of a replay and of all that is prepared for it. */
async function lookUps(calls: number, report: (call: number) => number | null, readShare: number): Promise<number> {
  const { get } = Map.prototype;
  let count = 0;
  Map.prototype.get = function (key) {
    count += 1;
    return get.call(this, key);
  };
  try {
    const session = sessionOf(calls, report, readShare);
    const cell = cellOf(session, { policy: PLIMSOLL_POLICY, window: { kind: "real" }, catalog: MODEL_CATALOG });
    const serve = createRequestLedger(session, cell, sessionCache(session.sizeJudge, MODEL_CATALOG));
    await drive(session, cell, serve);
    return count;
  } finally {
    Map.prototype.get = get;
  }
}

test.each([
  ["the same prompt each time", () => 5000],
  ["a prompt that falls without a compaction", (call: number) => 19_000 - 2 * call],
  ["a prompt that rises and falls at each call", (call: number) => 5000 + 300 * (call % 2)],
  ["a prompt that rises, and falls far now and then", (call: number) => 2000 + 30 * (call % 500)],
  ["no prompt at all", () => null],
  ["a prompt of nothing", () => 0],
  ["a prompt at every second call", (call: number) => (call % 2 === 0 ? null : 5000)],
] as const)("twice as many calls that report %s take twice the look-ups", { timeout: REPLAY_MS }, async (_, report) => {
  for (const readShare of [0.97, 0.2]) {
    const once = await lookUps(CALLS, report, readShare);
    expect((await lookUps(2 * CALLS, report, readShare)) / once).toBeLessThanOrEqual(MOST_RATIO);
  }
});
