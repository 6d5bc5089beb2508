import { asPublished } from "@plimsoll/bench";
import { cellOf, drive, type PreparedSession, prepareSession, type ReplayedCall } from "@plimsoll/bench/extend";
import { isHuman, type SessionEntry } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import type { FollowedAgent } from "./agents.ts";
import type { Stretch } from "./stretches.ts";

/** Where our likeness of an agent compacts first, and what its policy leaves. */
export interface Prediction {
  /** Calls before its compaction. */
  readonly callsBefore: number;
  /** The newest prompt before it. */
  readonly beforeTokens: number;
  /** The first prompt after it. */
  readonly afterTokens: number;
}

/** Replays the history under the likeness as published, which acts where its own trigger says and nowhere else. `null` if it never acts. */
export async function predictionOf(stretch: Stretch, agent: FollowedAgent): Promise<Prediction | null> {
  const session = prepareSession(asCounted(stretch, agent));
  const calls: ReplayedCall[] = [];
  await drive(session, cellIn(session, agent), (call) => calls.push(call));
  const place = calls.findIndex(({ compactions }) => compactions.length > 0);
  const [before, after] = [calls[place - 1], calls[place]];
  if (before === undefined || after === undefined) return null;
  return { callsBefore: place, beforeTokens: before.promptTokens, afterTokens: after.promptTokens };
}

function cellIn(session: PreparedSession, { peer, limits }: FollowedAgent) {
  const window = { kind: "working-room", tokens: 0 } as const;
  // A recorded result is as its agent had cut it: what it arrived as must not be cut a second time.
  const policy = { ...asPublished(peer.policy), truncation: null };
  const cell = cellOf(session, { policy, window, catalog: MODEL_CATALOG });
  const { contextWindowTokens, maxOutputTokens } = limits;
  return { ...cell, contextWindowTokens, maxOutputTokens, inputBudgetTokens: contextWindowTokens - maxOutputTokens, why: null };
}

/** The history with what the agent counts on top of the reports added to each reply, as its count takes prompt and reply. */
function asCounted({ transcript }: Stretch, { peer }: FollowedAgent): Stretch["transcript"] {
  return peer.countsAlso === undefined ? transcript : { ...transcript, entries: withEarlierReasoning(transcript.entries) };
}

/** Adds the reasoning of all turns but the newest to the output of each call. */
export function withEarlierReasoning(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  let earlierTokens = 0;
  let turnTokens = 0;
  return entries.map((entry): SessionEntry => {
    if (entry.type === "message" && isHuman(entry.message)) {
      earlierTokens += turnTokens;
      turnTokens = 0;
    }
    if (entry.type !== "usage") return entry;
    const { output } = entry.usage;
    turnTokens += output.reasoningTokens ?? 0;
    const totalTokens = (output.totalTokens ?? 0) + earlierTokens;
    return { ...entry, usage: { ...entry.usage, output: { ...output, totalTokens } } };
  });
}
