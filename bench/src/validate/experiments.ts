import type { Message } from "@plimsoll/core";
import type { PreparedSession } from "../replay/prepared-session.ts";
import { type CallDeeds, type DeedsAt, deedsOf } from "./calls.ts";

/** Sums of what calls did. */
export type Deeds = Readonly<
  Record<"calls" | "readings" | "rereadings" | "edits" | "failedEdits" | "commands" | "repeatedCommands", number>
>;

/** The calls before and after one place of a session: a real compaction, or a place at which nothing happened. */
export interface Experiment {
  readonly session: string;
  readonly agent: string;
  readonly kind: "compaction" | "control";
  /** Place of the first reply after it, among the replies. */
  readonly reply: number;
  readonly before: Deeds;
  readonly after: Deeds;
}

/** Calls that are looked at before and after (docs/protocol.md). */
export const EXPERIMENT_CALLS = 30;

/** Fewer calls on a side say nothing; chosen. */
const FEWEST_CALLS = 5;

/**
 * The natural experiments of a recorded session: its compactions, and as many places that lie at least two windows from each of them and from each
 * other. A window ends at the next compaction and at the session's ends.
 */
export function experimentsOf(session: PreparedSession): readonly Experiment[] {
  const deeds = deedsOf(session.entries);
  const compactions = compactionPlaces(session, deeds);
  const edges = [0, ...compactions, deeds.length];
  const around = (reply: number, kind: Experiment["kind"]): readonly Experiment[] => {
    const from = Math.max(reply - EXPERIMENT_CALLS, edges.findLast((edge) => edge < reply) ?? 0);
    const through = Math.min(reply + EXPERIMENT_CALLS, edges.find((edge) => edge > reply) ?? deeds.length);
    const before = summed(deeds.slice(from, reply));
    const after = summed(deeds.slice(reply, through));
    const { name, format } = session.transcript;
    const isLongEnough = Math.min(before.calls, after.calls) >= FEWEST_CALLS;
    return isLongEnough ? [{ session: name, agent: format, kind, reply, before, after }] : [];
  };
  return [
    ...compactions.flatMap((reply) => around(reply, "compaction")),
    ...controlPlaces(edges).flatMap((reply) => around(reply, "control")),
  ];
}

/** The replies right after the recorded agent's compactions, each once. */
export function compactionPlaces({ entries }: PreparedSession, deeds: readonly DeedsAt[]): readonly number[] {
  const places = new Map<Message, number>(deeds.map(({ reply }, place) => [reply, place]));
  const found = new Set<number>();
  let waits = false;
  for (const entry of entries) {
    if (entry.type === "compaction" && entry.record.reason === "recorded") waits = true;
    const place = entry.type === "message" ? places.get(entry.message) : undefined;
    if (!waits || place === undefined) continue;
    waits = false;
    if (place > 0) found.add(place);
  }
  return [...found];
}

/** Places in the middle of stretches without a compaction, each with room for both of its windows. */
function controlPlaces(edges: readonly number[]): readonly number[] {
  return edges.slice(1).flatMap((edge, place) => {
    const start = edges[place] ?? 0;
    const count = Math.floor((edge - start) / (4 * EXPERIMENT_CALLS));
    return Array.from({ length: count }, (_, index) => start + (4 * index + 2) * EXPERIMENT_CALLS);
  });
}

const NO_DEEDS: Deeds = {
  calls: 0,
  readings: 0,
  rereadings: 0,
  edits: 0,
  failedEdits: 0,
  commands: 0,
  repeatedCommands: 0,
};

function summed(deeds: readonly DeedsAt[]): Deeds {
  return deeds.reduce((sum, each) => added(sum, each.deeds), NO_DEEDS);
}

function added(sum: Deeds, deeds: CallDeeds): Deeds {
  return {
    calls: sum.calls + 1,
    readings: sum.readings + deeds.readings,
    rereadings: sum.rereadings + deeds.rereadings,
    edits: sum.edits + deeds.edits,
    failedEdits: sum.failedEdits + deeds.failedEdits,
    commands: sum.commands + deeds.commands,
    repeatedCommands: sum.repeatedCommands + deeds.repeatedCommands,
  };
}
