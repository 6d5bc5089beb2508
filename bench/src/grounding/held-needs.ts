import type { ContextChanges } from "./context-changes.ts";
import type { NeedleIndex } from "./needle-index.ts";
import type { Needs } from "./needs.ts";
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
}

/** Counts at every call what of its needs is there. */
export interface NeedCounts {
  /** The call whose reply is at this place; `null` for a context that could not be sent and so holds nothing. */
  add(ordinal: number, holds: ((needle: number) => boolean) | null): void;
  result(kind: NeedKind): HeldNeeds;
}

/** Counts of a session's needs over one replay. Work at a call follows what is needed there. */
export function createNeedCounts(needs: Needs): NeedCounts {
  const counts: Readonly<Record<NeedKind, Counts>> = {
    edits: noCounts(),
    passages: noCounts(),
    fileInHand: noCounts(),
    instructions: noCounts(),
    plan: noCounts(),
  };
  return {
    add(ordinal, holds) {
      for (const { kind, needle, isFar } of needs.at(ordinal)) {
        const isHeld = holds?.(needle) ?? false;
        count(counts[kind].all, isHeld);
        if (isFar) count(counts[kind].far, isHeld);
      }
    },
    result: (kind) => copyOf(counts[kind]),
  };
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
}

type Tally = { -readonly [Key in keyof HeldCount]: HeldCount[Key] };

function noCounts(): Counts {
  return { all: nothing(), far: nothing() };
}

function nothing(): Tally {
  return { uses: 0, held: 0 };
}

function count(into: Tally, isHeld: boolean): void {
  into.uses += 1;
  if (isHeld) into.held += 1;
}

function copyOf({ all, far }: Counts): HeldNeeds {
  return { all: { ...all }, far: { ...far } };
}
