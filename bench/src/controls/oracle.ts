import type { Needs } from "../grounding/needs.ts";
import type { Control, ControlContext, FollowedCall } from "./control.ts";
import type { SizedHistory } from "./sized-history.ts";
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
  return (amountTokens) => {
    const sizes = history.sizes();
    let from = 0;
    let quoted: ReadonlySet<number> = new Set();
    let quotedTokens = 0;
    return calls.map(({ call, ordinal, compactions, nonMessageTokens }, place): ControlContext => {
      sizes.reach(call);
      if (compactions > 0) {
        from = Math.max(from, cuts.openStepAt(ordinal));
        const chosen = chosenAt(place, { from, amountTokens, wantedAt, needleTokens });
        quoted = chosen.needles;
        quotedTokens = chosen.tokens;
      }
      const { messages, tokens } = keptFrom({ from, ordinal, history, cuts, sizes });
      return { messages, quoted, promptTokens: nonMessageTokens + quotedTokens + tokens };
    });
  };
}

interface Choice {
  /** What is older than this message is quoted or gone. */
  readonly from: number;
  readonly amountTokens: number;
  readonly wantedAt: readonly ReturnType<Needs["at"]>[];
  readonly needleTokens: OracleSources["needleTokens"];
}

/** Of what was stated before the cut, what the calls from this one on need, as far as the amount goes. */
function chosenAt(
  place: number,
  { from, amountTokens, wantedAt, needleTokens }: Choice,
): { needles: Set<number>; tokens: number } {
  const needles = new Set<number>();
  let tokens = 0;
  for (let later = place; later < wantedAt.length && tokens < amountTokens; later++) {
    for (const { needle, statedAt } of wantedAt[later] ?? []) {
      if (statedAt >= from || needles.has(needle)) continue;
      const more = needleTokens(needle);
      if (tokens + more > amountTokens) continue;
      needles.add(needle);
      tokens += more;
    }
  }
  return { needles, tokens };
}
