import type { Needs } from "../grounding/needs.ts";
import type { SizedHistory } from "../replay/sized-history.ts";
import type { Control, FollowedCall, Quoted } from "./control.ts";
import { cutsOf, cuttingControl } from "./tail.ts";

/** What an oracle follows. */
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
  const far: FarNeed[] = [];
  let from = 0;
  const cutBefore = calls.map(({ ordinal, compactions }, place) => {
    if (compactions > 0) from = Math.max(from, cuts.openStepAt(ordinal));
    const firstFar = far.length;
    for (const { needle, statedAt } of needs.at(ordinal)) if (statedAt < from) far.push({ needle, statedAt });
    return { place, from, firstFar, isCut: compactions > 0 };
  });
  const found = { far, seenAt: new Int32Array(needs.needleCount).fill(-1), needleTokens };
  const cut = cutBefore.map((before) => ({
    from: before.from,
    wanted: before.isCut ? wantedSoonest(before, found) : NOTHING_WANTED,
  }));
  return cuttingControl({ calls, history, cuts }, (amountTokens) => (_, { place }) => {
    const { from = 0, wanted = NOTHING_WANTED } = cut[place] ?? {};
    return { from, quoted: quotedOf(wanted, amountTokens) };
  });
}

/** What later calls need of what was stated before a cut, each needle once, the soonest first. */
interface Wanted {
  readonly needles: Int32Array;
  /** By place in that order: what it takes, and the least that one from there on takes. */
  readonly tokens: Float64Array;
  readonly leastTokens: Float64Array;
}

/** A need of what was stated before the newest cut. No earlier cut wants any other, as each falls behind the one before. */
interface FarNeed {
  readonly needle: number;
  readonly statedAt: number;
}

/** A cut at a place of the calls, before so many messages, and the first far need from there on. */
interface CutBefore {
  readonly place: number;
  readonly from: number;
  readonly firstFar: number;
}

/** The far needs of all calls. Of each needle `seenAt` tells the last cut that came across it. */
interface FarNeeds extends Pick<OracleSources, "needleTokens"> {
  readonly far: readonly FarNeed[];
  readonly seenAt: Int32Array;
}

function wantedSoonest({ place: cutPlace, from, firstFar }: CutBefore, { far, seenAt, needleTokens }: FarNeeds): Wanted {
  const soonest: number[] = [];
  for (let at = firstFar; at < far.length; at++) {
    const need = far[at];
    if (need === undefined || need.statedAt >= from || seenAt[need.needle] === cutPlace) continue;
    seenAt[need.needle] = cutPlace;
    soonest.push(need.needle);
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
