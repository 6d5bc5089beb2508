import type { Need, Needs } from "../grounding/needs.ts";
import type { SizedHistory } from "../replay/sized-history.ts";
import type { Control, FollowedCall, Quoted } from "./control.ts";
import { cutsOf, cuttingControl } from "./tail.ts";

/** The sources that an oracle follows. */
export interface OracleSources {
  readonly needs: Needs;
  readonly history: SizedHistory;
  /** Tokens of a needle's text. */
  readonly needleTokens: (needle: number) => number;
}

/**
 * The oracle: whenever the policy cuts, it keeps the open step and the last human message, and quotes what later calls need of all that is older, the
 * soonest need first, up to so many tokens. No policy can know that: it is a limit at the policy's size.
 */
export function oracleControl(calls: readonly FollowedCall[], { history, needleTokens, needs }: OracleSources): Control {
  const cuts = cutsOf(history.messages);
  // Where the history is cut, and what of it would be quoted first, do not depend on the amount.
  const far: FarNeeds = { needles: [], statedAt: [] };
  let from = 0;
  const cutBefore = calls.map(({ ordinal, compactions }, place) => {
    if (compactions > 0) from = Math.max(from, cuts.openStepAt(ordinal));
    const firstFar = far.needles.length;
    addFar(far, needs.at(ordinal), from);
    return { place, from, firstFar, isCut: compactions > 0 };
  });
  const sought = { far, seenAt: new Int32Array(needs.needleCount).fill(-1), needleTokens };
  const cut = cutBefore.map((before) => ({
    from: before.from,
    wanted: before.isCut ? wantedSoonest(before, sought) : NOTHING_WANTED,
  }));
  return cuttingControl({ calls, history, cuts }, (amountTokens) => (_, { place }) => {
    const { from = 0, wanted = NOTHING_WANTED } = cut[place] ?? {};
    return { from, quoted: quotedOf(wanted, amountTokens) };
  });
}

/** Needles of later calls that were stated before a cut, each once, the soonest first. */
interface Wanted {
  readonly needles: Int32Array;
  /** By place in that order: what it takes, and the least that one from there on takes. */
  readonly tokens: Float64Array;
  readonly leastTokens: Float64Array;
}

/** Needs of what was stated before the newest cut, in the order of the calls. No earlier cut wants any other, as each falls behind the one before. */
interface FarNeeds {
  readonly needles: number[];
  /** Of each the place where it was stated. */
  readonly statedAt: number[];
}

function addFar(far: FarNeeds, needs: readonly Need[], from: number): void {
  for (const { needle, statedAt } of needs) {
    if (statedAt >= from) continue;
    far.needles.push(needle);
    far.statedAt.push(statedAt);
  }
}

/** A cut at a place of the calls, before so many messages, and the first far need from there on. */
interface CutBefore {
  readonly place: number;
  readonly from: number;
  readonly firstFar: number;
}

/** The needles and sizes that cuts look through. Of each needle `seenAt` tells the last cut that came across it. */
interface Sought extends Pick<OracleSources, "needleTokens"> {
  readonly far: FarNeeds;
  readonly seenAt: Int32Array;
}

function wantedSoonest({ place: cutPlace, from, firstFar }: CutBefore, { far, seenAt, needleTokens }: Sought): Wanted {
  const soonest: number[] = [];
  for (let at = firstFar; at < far.needles.length; at++) {
    const needle = far.needles[at] ?? 0;
    if ((far.statedAt[at] ?? 0) >= from || seenAt[needle] === cutPlace) continue;
    seenAt[needle] = cutPlace;
    soonest.push(needle);
  }
  const needles = Int32Array.from(soonest);
  const tokens = Float64Array.from(needles, needleTokens);
  const leastTokens = tokens.slice();
  for (let place = tokens.length - 2; place >= 0; place--)
    leastTokens[place] = Math.min(leastTokens[place] ?? 0, leastTokens[place + 1] ?? 0);
  return { needles, tokens, leastTokens };
}

const NOTHING_WANTED: Wanted = { needles: new Int32Array(), tokens: new Float64Array(), leastTokens: new Float64Array() };

/** Of what is wanted, the soonest first, as far as the amount goes: what does not fit any more is passed over. */
function quotedOf(wanted: Wanted, amountTokens: number): Quoted {
  return {
    tokens: take(wanted, amountTokens, null),
    needles: () => {
      const taken = new Set<number>();
      take(wanted, amountTokens, taken);
      return taken;
    },
  };
}

function take({ needles, tokens, leastTokens }: Wanted, amountTokens: number, taken: Set<number> | null): number {
  let sum = 0;
  for (let place = 0; place < needles.length && sum + (leastTokens[place] ?? 0) <= amountTokens; place++) {
    const more = tokens[place] ?? 0;
    if (sum + more > amountTokens) continue;
    taken?.add(needles[place] ?? 0);
    sum += more;
  }
  return sum;
}
