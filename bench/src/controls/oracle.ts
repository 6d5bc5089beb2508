import type { Needs } from "../grounding/needs.ts";
import type { SizedHistory } from "../replay/sized-history.ts";
import type { Control, ControlContext, FollowedCall } from "./control.ts";
import { cutsOf, keptFrom } from "./tail.ts";

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
export function oracleControl(calls: readonly FollowedCall[], sources: OracleSources): Control {
  const { history, needleTokens, needs } = sources;
  const cuts = cutsOf(history.messages);
  const wantedAt = calls.map(({ ordinal }) => needs.at(ordinal));
  const opensAt = calls.map(({ ordinal }) => cuts.openStepAt(ordinal));
  const cutsAt = calls.map(({ compactions }) => compactions > 0);
  // Where the history is cut, and what of it would be quoted first, do not depend on the amount.
  let from = 0;
  const cut = calls.map((_, place) => {
    if (cutsAt[place] === true) from = Math.max(from, opensAt[place] ?? 0);
    return { from, wanted: cutsAt[place] === true ? wantedSoonest(wantedAt, { place, from }) : null };
  });
  return (amountTokens) => {
    const sizes = history.sizes();
    let quoted: Quoted = NOTHING_QUOTED;
    return calls.map(({ call, ordinal, nonMessageTokens }, place): ControlContext => {
      sizes.reach(call);
      const { from = 0, wanted = null } = cut[place] ?? {};
      if (wanted !== null) quoted = quotedOf(wanted, { amountTokens, needleTokens });
      const { needles } = quoted;
      const { kept, tokens } = keptFrom({ from, ordinal, cuts, sizes });
      return { kept, quoted: needles, promptTokens: nonMessageTokens + quoted.tokens + tokens };
    });
  };
}

/** What is quoted, and its size. */
interface Quoted {
  readonly needles: () => ReadonlySet<number>;
  readonly tokens: number;
}

const NOTHING_QUOTED: Quoted = { needles: () => new Set(), tokens: 0 };

/** What the calls from a place on need of what was stated before a message: of each call, in order, what no call before it needs. `null` behind the last. */
type WantedSoonest = (later: number) => readonly number[] | null;

/** Looked up as far as it is asked for, and once. */
function wantedSoonest(
  wantedAt: readonly ReturnType<Needs["at"]>[],
  { place, from }: { readonly place: number; readonly from: number },
): WantedSoonest {
  const seen = new Set<number>();
  const found: (readonly number[])[] = [];
  return (later) => {
    if (place + later >= wantedAt.length) return null;
    while (found.length <= later) {
      const needles: number[] = [];
      for (const { needle, statedAt } of wantedAt[place + found.length] ?? []) {
        if (statedAt >= from || seen.has(needle)) continue;
        seen.add(needle);
        needles.push(needle);
      }
      found.push(needles);
    }
    return found[later] ?? null;
  };
}

/** Of what is wanted, the soonest first, as far as the amount goes. */
function quotedOf(
  wanted: WantedSoonest,
  { amountTokens, needleTokens }: { readonly amountTokens: number; readonly needleTokens: OracleSources["needleTokens"] },
): Quoted {
  const chosen: number[] = [];
  let tokens = 0;
  for (let later = 0; tokens < amountTokens; later++) {
    const needles = wanted(later);
    if (needles === null) break;
    for (const needle of needles) {
      const more = needleTokens(needle);
      if (tokens + more > amountTokens) continue;
      chosen.push(needle);
      tokens += more;
    }
  }
  return { needles: () => new Set(chosen), tokens };
}
