import type { Message } from "@plimsoll/core";
import { createContextChanges } from "../metrics/context-changes.ts";
import type { NeedKind, Needs } from "./needs.ts";
import { NEED_KINDS } from "./needs.ts";

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

/** Asks at every call what of its needs the context holds. */
export interface NeedsProbe {
  /** The call whose reply is at this place; `null` for a context that could not be sent and so holds nothing. */
  atCall(ordinal: number, context: readonly Message[] | null, compactions: number): void;
  result(kind: NeedKind): HeldNeeds;
}

/** Steps of the curve over compactions: 0, 1, 2, 3, 4, 5 and more. */
const CURVE_STEPS = 6;

/** Needs over one replay. Work at a call follows what came, what went and what is needed. */
export function createNeedsProbe(needs: Needs): NeedsProbe {
  const changesOf = createContextChanges();
  const shown = new Int32Array(needs.needleCount);
  const counts = new Map(NEED_KINDS.map((kind) => [kind, createCounts()]));
  /** Place of the newest message that was there when each compaction was made. */
  const compactedAt: number[] = [];
  const step = (messages: readonly Message[], by: 1 | -1) => {
    for (const message of messages) for (const needle of needs.index.heldIn(message)) shown[needle] = (shown[needle] ?? 0) + by;
  };
  return {
    atCall(ordinal, context, compactions) {
      if (context !== null) {
        const { removed, added } = changesOf(context);
        step(removed, -1);
        step(added, 1);
      }
      for (let made = 0; made < compactions; made++) compactedAt.push(ordinal);
      for (const { kind, needle, statedAt, isFar } of needs.at(ordinal)) {
        const isHeld = context !== null && (shown[needle] ?? 0) > 0;
        const since = compactedAt.length - countUpTo(compactedAt, statedAt);
        counts.get(kind)?.add({ isHeld, isFar, since });
      }
    },
    result: (kind) => counts.get(kind)?.total() ?? createCounts().total(),
  };
}

/** How many of the ascending places are not behind this one. */
function countUpTo(ascending: readonly number[], place: number): number {
  return ascending.findLastIndex((each) => each <= place) + 1;
}

interface Counts {
  add(use: { readonly isHeld: boolean; readonly isFar: boolean; readonly since: number }): void;
  total(): HeldNeeds;
}

function createCounts(): Counts {
  const all = { uses: 0, held: 0 };
  const far = { uses: 0, held: 0 };
  const curve = Array.from({ length: CURVE_STEPS }, () => ({ uses: 0, held: 0 }));
  const count = (into: { uses: number; held: number } | undefined, isHeld: boolean) => {
    if (into === undefined) return;
    into.uses += 1;
    if (isHeld) into.held += 1;
  };
  return {
    add({ isHeld, isFar, since }) {
      count(all, isHeld);
      if (isFar) count(far, isHeld);
      count(curve[Math.min(since, CURVE_STEPS - 1)], isHeld);
    },
    total: () => ({ all: { ...all }, far: { ...far }, byCompactions: curve.map((counted) => ({ ...counted })) }),
  };
}
