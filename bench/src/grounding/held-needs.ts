import type { Message } from "@plimsoll/core";
import { countUpTo } from "../statistics.ts";
import type { ContextChanges } from "./context-changes.ts";
import type { NeedleIndex } from "./needle-index.ts";
import type { Needs } from "./needs.ts";
import type { NeedKind } from "./wanted.ts";

/** Things that calls needed, and those of them that the context held. */
export interface HeldCount {
  readonly uses: number;
  readonly held: number;
}

/** What was held over one replay. */
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
      for (const { kind, needle, statedAt, isFar } of needs.at(ordinal)) {
        const isHeld = holds?.(needle) ?? false;
        const since = compactedAt.length - countUpTo(compactedAt, statedAt);
        const counted = counts[kind];
        count(counted.all, isHeld);
        if (isFar) count(counted.far, isHeld);
        count(counted.byCompactions[Math.min(since, CURVE_STEPS - 1)], isHeld);
      }
    },
    result: (kind) => copyOf(counts[kind]),
  };
}

/** What of the needles can be found in a context that is followed. */
export interface HeldContext {
  /** Work follows what came and what went. */
  follow(changes: ContextChanges): void;
  holds(needle: number): boolean;
}

/** A context without messages. */
export function createHeldContext(index: NeedleIndex, needleCount: number): HeldContext {
  const holders = new Int32Array(needleCount);
  const step = (messages: readonly Message[], by: 1 | -1) => {
    for (const message of messages) for (const needle of index.heldIn(message)) holders[needle] = (holders[needle] ?? 0) + by;
  };
  return {
    follow({ removed, added }) {
      step(removed, -1);
      step(added, 1);
    },
    holds: (needle) => (holders[needle] ?? 0) > 0,
  };
}

/** What was counted of one kind so far. */
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
