import { countUpTo } from "../statistics.ts";
import type { ContextChanges } from "./context-changes.ts";
import type { NeedleIndex } from "./needle-index.ts";
import type { Need, Needs } from "./needs.ts";
import type { NeedKind } from "./wanted.ts";

/** Things that calls needed, and those of them that the context held. */
export interface HeldCount {
  readonly uses: number;
  readonly held: number;
}

/** The needs that were held over one replay. */
export interface HeldNeeds {
  readonly all: HeldCount;
  readonly far: HeldCount;
  /** By the number of compactions since what was needed had been stated; the last stands for so many and more. */
  readonly byCompactions: readonly HeldCount[];
}

/** Counts at every call what of its needs is there. */
export interface NeedCounts {
  /** The call whose reply is at this place; `null` for a context that could not be sent and so holds nothing. */
  add(ordinal: number, holds: ((needle: number) => boolean) | null, compactions: number): void;
  result(kind: NeedKind): HeldNeeds;
}

/** Steps of the curve over compactions: 0, 1, 2, 3, 4, 5 and more. */
const CURVE_STEPS = 6;

/** Counts of a session's needs over one replay. Work at a call follows what is needed there. */
export function createNeedCounts(needs: Needs): NeedCounts {
  const counts: Readonly<Record<NeedKind, Counts>> = {
    edits: noCounts(),
    passages: noCounts(),
    fileInHand: noCounts(),
    instructions: noCounts(),
    plan: noCounts(),
    nextStep: noCounts(),
    decisions: noCounts(),
    filesNamed: noCounts(),
  };
  /** Place of the call at which each compaction was made. */
  const compactedAt: number[] = [];
  return {
    add(ordinal, holds, compactions) {
      for (let made = 0; made < compactions; made++) compactedAt.push(ordinal);
      addNeeds(needs.at(ordinal), holds, { counts, compactedAt });
    },
    result: (kind) => copyOf(counts[kind]),
  };
}

/** A function of the module, as the one that follows messages: what is compiled of a closure is lost with its replay. */
function addNeeds(
  needed: readonly Need[],
  holds: ((needle: number) => boolean) | null,
  { counts, compactedAt }: { readonly counts: Readonly<Record<NeedKind, Counts>>; readonly compactedAt: readonly number[] },
): void {
  for (const { kind, needle, statedAt, isFar } of needed) {
    const isHeld = holds?.(needle) ?? false;
    const since = compactedAt.length - countUpTo(compactedAt, statedAt);
    const counted = counts[kind];
    count(counted.all, isHeld);
    if (isFar) count(counted.far, isHeld);
    count(counted.byCompactions[Math.min(since, CURVE_STEPS - 1)], isHeld);
  }
}

/** Finds needles in a context that is followed. */
export interface HeldContext {
  /** Work follows what came and what went. */
  follow(changes: ContextChanges): void;
  holds(needle: number): boolean;
}

/** A context without messages. */
export function createHeldContext(index: NeedleIndex, needleCount: number): HeldContext {
  const holders = new Int32Array(needleCount);
  return {
    follow({ removed, added }) {
      for (const message of removed) step(holders, index.heldIn(message), -1);
      for (const message of added) step(holders, index.heldIn(message), 1);
    },
    holds: (needle) => (holders[needle] ?? 0) > 0,
  };
}

function step(holders: Int32Array, needles: readonly number[], by: 1 | -1): void {
  for (const needle of needles) holders[needle] = (holders[needle] ?? 0) + by;
}

/** The counts of one kind so far. */
interface Counts {
  readonly all: Tally;
  readonly far: Tally;
  readonly byCompactions: readonly Tally[];
}

type Tally = { -readonly [Key in keyof HeldCount]: HeldCount[Key] };

function noCounts(): Counts {
  return { all: nothing(), far: nothing(), byCompactions: Array.from({ length: CURVE_STEPS }, nothing) };
}

function nothing(): Tally {
  return { uses: 0, held: 0 };
}

function count(into: Tally | undefined, isHeld: boolean): void {
  if (into === undefined) return;
  into.uses += 1;
  if (isHeld) into.held += 1;
}

function copyOf({ all, far, byCompactions }: Counts): HeldNeeds {
  return { all: { ...all }, far: { ...far }, byCompactions: byCompactions.map((counted) => ({ ...counted })) };
}
