import type { Message } from "@plimsoll/core";
import type { PreparedSession } from "../replay/prepared-session.ts";
import { type InSession, unitOf } from "../statistics.ts";
import type { CallDeeds } from "./calls.ts";

/** Sums of what calls did. */
export type Deeds = Readonly<
  Record<"calls" | "rereadings" | "edits" | "failedEdits" | "commands" | "repeatedCommands", number>
>;

/** The calls before and after one place of a session: a real compaction, or a place at which nothing happened. */
export interface Experiment extends InSession {
  readonly agent: string;
  readonly kind: "compaction" | "control";
  /** Place of the first reply after it, among the replies. */
  readonly reply: number;
  readonly before: Deeds;
  readonly after: Deeds;
}

/** Calls that are looked at before and after (docs/evidence.md). */
export const EXPERIMENT_CALLS = 30;

/** Fewer calls on a side say nothing; chosen. */
const FEWEST_CALLS = 5;

/**
 * The natural experiments of a recorded session: its compactions, and all places whose windows share no call with theirs or with each other's. A window
 * ends at the next compaction and at the session's ends.
 */
export function experimentsOf(
  { transcript: { name, format }, copiedReplies }: Pick<PreparedSession, "transcript" | "copiedReplies">,
  { deeds, compactions }: { readonly deeds: readonly CallDeeds[]; readonly compactions: readonly number[] },
): readonly Experiment[] {
  const edges = [0, ...compactions, deeds.length];
  const around = (kind: Experiment["kind"], reply: number, { from, through }: { from: number; through: number }) => {
    const before = summed(deeds.slice(Math.max(reply - EXPERIMENT_CALLS, from), reply));
    const after = summed(deeds.slice(reply, Math.min(reply + EXPERIMENT_CALLS, through)));
    const [own] = deeds.slice(reply);
    const isCopied = own !== undefined && copiedReplies?.has(own.reply) === true;
    const isLongEnough = Math.min(before.calls, after.calls) >= FEWEST_CALLS;
    return isLongEnough && !isCopied ? [{ session: name, agent: format, kind, reply, before, after }] : [];
  };
  return edges.slice(1).flatMap((edge, place) => {
    const from = edges[place] ?? 0;
    const controls = controlPlaces({ from, through: edge }, deeds.length);
    const found = controls.flatMap((reply) => around("control", reply, { from, through: edge }));
    const next = edges[place + 2];
    return next === undefined ? found : [...found, ...around("compaction", edge, { from, through: next })];
  });
}

/** The replies right after the recorded agent's compactions, each once. */
export function compactionPlaces({ entries }: PreparedSession, deeds: readonly CallDeeds[]): readonly number[] {
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

/** Places of a stretch without a compaction. Beside a compaction there is room for its window, too. */
function controlPlaces({ from, through }: { from: number; through: number }, calls: number): readonly number[] {
  const first = from + (from === 0 ? 1 : 2) * EXPERIMENT_CALLS;
  const last = through - (through === calls ? 1 : 2) * EXPERIMENT_CALLS;
  const count = Math.max(0, Math.floor((last - first) / (2 * EXPERIMENT_CALLS)) + 1);
  return Array.from({ length: count }, (_, index) => first + 2 * index * EXPERIMENT_CALLS);
}

const NO_DEEDS: Deeds = { calls: 0, rereadings: 0, edits: 0, failedEdits: 0, commands: 0, repeatedCommands: 0 };

function summed(deeds: readonly CallDeeds[]): Deeds {
  return deeds.reduce(
    (sum, each) => ({
      calls: sum.calls + 1,
      rereadings: sum.rereadings + each.rereadPaths.length,
      edits: sum.edits + each.edits,
      failedEdits: sum.failedEdits + each.failedEdits,
      commands: sum.commands + each.commands,
      repeatedCommands: sum.repeatedCommands + each.repeatedCommands,
    }),
    NO_DEEDS,
  );
}

/** A compaction, whose unit it is of, and a control place of the same agent, about as many calls into its session. */
export interface MatchedPair extends InSession {
  readonly compaction: Experiment;
  readonly control: Experiment;
}

/**
 * Joins each compaction with a control place: of the same agent, and with as many calls before it to a factor of two, as more has been read
 * later in a session. A control stands for several compactions if there are too few; a compaction without one is left out.
 */
export function matchedPairs(experiments: readonly Experiment[]): readonly MatchedPair[] {
  const strata = new Map<string, { compactions: Experiment[]; controls: Experiment[] }>();
  for (const experiment of experiments.toSorted((a, b) => a.reply - b.reply)) {
    const key = `${Math.floor(Math.log2(experiment.reply))} ${experiment.agent}`;
    const stratum = strata.get(key) ?? { compactions: [], controls: [] };
    strata.set(key, stratum);
    (experiment.kind === "compaction" ? stratum.compactions : stratum.controls).push(experiment);
  }
  return [...strata.values()].flatMap(({ compactions, controls }) =>
    compactions.flatMap((compaction, place) => {
      // Those that lie at the same share of the stratum.
      const control = controls[Math.floor(((place + 0.5) * controls.length) / compactions.length)];
      return control === undefined ? [] : [{ ...unitOf(compaction), compaction, control }];
    }),
  );
}
