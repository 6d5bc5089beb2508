import { type CompactionEntry, OPAL_POLICY, PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { CONTEXT_EDITING_PEER } from "../peers/context-editing.ts";
import { summed } from "../statistics.ts";

/** The most that a session of twice the size may take, as a multiple: linear with some room for work that happens once. */
const MOST_RATIO = 2.2;
/** Replays take seconds, longer if other tests run at the same time. */
const REPLAY_MS = 60_000;

/** Person and model say so much that rules reach their amounts and summaries their size early: until then each cut reads a longer summary. */
const sessionOf = (turns: number) => {
  const chars = { resultChars: 4000, humanChars: 2000, replyChars: 500 };
  return prepareSession(madeTranscript({ turns, toolCallsPerTurn: 5, ...chars, overheadTokens: 2000 }));
};
/** Long enough that the part before the first compaction, which costs nothing, is small, and one cut more or less too: with 80, 160 and 320 turns at first, `plimsoll` took 2.33, 1.96 and 2.08 times as much on 29 November 2026. */
const [once, twice] = [sessionOf(160), sessionOf(320)];
const window = { kind: "working-room", tokens: 10_000 } as const;

test.each([SVEN_POLICY, OPAL_POLICY, PI_POLICY, PLIMSOLL_POLICY, CONTEXT_EDITING_PEER.policy])(
  "$name: compacting a session twice as long takes twice the work",
  { timeout: REPLAY_MS },
  async (policy) => {
    const workOf = async (session: typeof once) => {
      const done: CompactionEntry["record"]["work"][] = [];
      await drive(session, cellOf(session, { policy, window, catalog: MODEL_CATALOG }), ({ compactions }) => {
        done.push(...compactions.map(({ record }) => record.work));
      });
      return summed({ charactersScanned: 0, messagesVisited: 0, tokenizerCalls: 0 }, done);
    };
    const [single, double] = [await workOf(once), await workOf(twice)];
    expect(single.messagesVisited).toBeGreaterThan(0);
    for (const counter of ["charactersScanned", "messagesVisited"] as const)
      expect(double[counter] / single[counter], counter).toBeLessThanOrEqual(MOST_RATIO);
  },
);
