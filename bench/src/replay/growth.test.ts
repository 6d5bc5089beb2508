import { type Message, PLIMSOLL_POLICY, type SessionEntry, usageOf } from "@plimsoll/core";
import { calling, human, result, sessionStart, usageEntry } from "@plimsoll/core/testing";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import { sessionCache } from "../economics/recorded-cache.ts";
import { createRequestLedger } from "../economics/request-ledger.ts";
import { createHeldReplay } from "../needs/controls.ts";
import { createContextChanges } from "../needs/needles.ts";
import { prepareSession } from "../open/prepared-session.ts";

/** The most look-ups in maps that twice the calls may take, as a multiple. */
const MOST_RATIO = 2.2;
const REPLAY_MS = 60_000;
/** So many that a view is long for most of them. No policy cuts: scale.test.ts has the work of cuts. */
const CALLS = 3000;

/** The share of each prompt that the recorded cache held. */
const READ_SHARE = 0.2;

/** A session whose calls report what a rule says. A person speaks at every tenth. */
function sessionOf(calls: number, report: (call: number) => number | null) {
  const entries: SessionEntry[] = [sessionStart("You are a test.")];
  const say = (message: Message) => entries.push({ type: "message", message });
  for (let call = 0; call < calls; call++) {
    if (call % 10 === 0) say(human(`human-${call}`, `Please mend part ${call} of the house.`));
    const totalInputTokens = report(call);
    const cacheReadTokens = totalInputTokens === null ? null : Math.floor(totalInputTokens * READ_SHARE);
    entries.push({ ...usageEntry(`request-${call}`, null, 0), usage: usageOf({ totalInputTokens, cacheReadTokens }) });
    say(calling(`call-${call}`, [`id-${call}`], `Reading part ${call}.`));
    say(result(`result-${call}`, `id-${call}`, "as it was"));
  }
  return prepareSession({ name: "made", file: "made", format: "made", entries, parentName: null, hasUsage: true, notes: [] });
}

/** Counts the look-ups of a replay and of all that is prepared for it. */
async function lookUps(calls: number, report: (call: number) => number | null): Promise<number> {
  const { get } = Map.prototype;
  let count = 0;
  Map.prototype.get = function (key) {
    count += 1;
    return get.call(this, key);
  };
  try {
    const session = sessionOf(calls, report);
    const cell = cellOf(session, {
      policy: PLIMSOLL_POLICY,
      window: { kind: "working-room", tokens: 10_000_000 },
      catalog: MODEL_CATALOG,
    });
    const serve = createRequestLedger(session, cell, sessionCache(session.sizeJudge, MODEL_CATALOG));
    const held = createHeldReplay(session);
    const shown = createContextChanges();
    await drive(session, cell, (sent) => {
      serve(sent);
      const ordinal = sent.reply === null ? null : session.references.ordinalOf(sent.reply);
      if (ordinal !== null) held.add(sent, { ordinal, shown: shown(sent.context) });
    });
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
  expect((await lookUps(2 * CALLS, report)) / (await lookUps(CALLS, report))).toBeLessThanOrEqual(MOST_RATIO);
});
