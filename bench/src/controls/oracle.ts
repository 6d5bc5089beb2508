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
    return { from, wanted: cutsAt[place] === true ? wantedSoonest(wantedAt.slice(place), { from, needleTokens }) : null };
  });
  return (amountTokens) => {
    const sizes = history.sizes();
    let quoted: Quoted = NOTHING_QUOTED;
    return calls.map(({ call, ordinal, nonMessageTokens }, place): ControlContext => {
      sizes.reach(call);
      const { from = 0, wanted = null } = cut[place] ?? {};
      if (wanted !== null) quoted = quotedOf(wanted, amountTokens);
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

/** What later calls need of what was stated before a cut, each needle once, the soonest first. */
interface Wanted {
  readonly needles: Int32Array;
  /** By place in that order: what it takes, and the least that one from there on takes. */
  readonly tokens: Float64Array;
  readonly leastTokens: Float64Array;
}

function wantedSoonest(
  wantedAt: readonly ReturnType<Needs["at"]>[],
  { from, needleTokens }: { readonly from: number } & Pick<OracleSources, "needleTokens">,
): Wanted {
  const seen = new Set<number>();
  for (const wanted of wantedAt) for (const { needle, statedAt } of wanted) if (statedAt < from) seen.add(needle);
  const needles = Int32Array.from(seen);
  const tokens = Float64Array.from(needles, needleTokens);
  const leastTokens = tokens.slice();
  for (let place = tokens.length - 2; place >= 0; place--)
    leastTokens[place] = Math.min(leastTokens[place] ?? 0, leastTokens[place + 1] ?? 0);
  return { needles, tokens, leastTokens };
}

/** Of what is wanted, the soonest first, as far as the amount goes: what does not fit any more is passed over. */
function quotedOf({ needles, tokens, leastTokens }: Wanted, amountTokens: number): Quoted {
  const chosen: number[] = [];
  let sum = 0;
  for (let place = 0; place < needles.length && sum + (leastTokens[place] ?? 0) <= amountTokens; place++) {
    const more = tokens[place] ?? 0;
    if (sum + more > amountTokens) continue;
    chosen.push(needles[place] ?? 0);
    sum += more;
  }
  return { needles: () => new Set(chosen), tokens: sum };
}
