import type { Ledger } from "./ledger.ts";
import type { LearnedScale } from "./usage-anchored.ts";

/** Before any difference is known an estimate is believed as far as this many tokens go; chosen. */
const BELIEVED_TOKENS = 500;

/** A ratio rests on about so many tokens, so that a session whose text changes is followed; chosen. */
const MOST_WEIGHT_TOKENS = 20_000;

/** No text measures a larger multiple of a common estimate, or a smaller one: what is beyond is beside the messages. Chosen. */
const RATIO_BOUNDS = [0.25, 4] as const;

/** The scale after one more reported prompt, which was estimated at so many tokens of messages and of overhead. */
export function learnScale(
  scale: LearnedScale | null,
  { promptTokens, messageTokens, overheadTokens }: Record<"promptTokens" | "messageTokens" | "overheadTokens", number>,
): LearnedScale {
  const estimatedTokens = messageTokens + overheadTokens;
  const { ratio, weightTokens } =
    scale === null
      ? weighed({ ratio: 1, weightTokens: BELIEVED_TOKENS }, { tokens: promptTokens, estimatedTokens })
      : byDifference(scale, {
          tokens: promptTokens - scale.promptTokens,
          estimatedTokens: estimatedTokens - scale.estimatedTokens,
        });
  const fittingRatio = estimatedTokens > 0 ? Math.min(ratio, promptTokens / estimatedTokens) : ratio;
  return {
    ratio,
    weightTokens,
    promptTokens,
    estimatedTokens,
    overheadTokens: promptTokens - Math.floor(fittingRatio * messageTokens),
    viewRatio: null,
  };
}

interface Rate {
  readonly ratio: number;
  readonly weightTokens: number;
}

/** What lies between two reports: a rise or a fall that no text explains is not text, and teaches nothing. */
function byDifference(rate: Rate, seen: { readonly tokens: number; readonly estimatedTokens: number }): Rate {
  const ratio = seen.tokens / seen.estimatedTokens;
  const isText = ratio >= RATIO_BOUNDS[0] && ratio <= RATIO_BOUNDS[1];
  return isText ? weighed(rate, { tokens: Math.abs(seen.tokens), estimatedTokens: Math.abs(seen.estimatedTokens) }) : rate;
}

function weighed(rate: Rate, { tokens, estimatedTokens }: { readonly tokens: number; readonly estimatedTokens: number }): Rate {
  const [least, most] = RATIO_BOUNDS;
  const textTokens = Math.min(most * estimatedTokens, Math.max(least * estimatedTokens, tokens));
  const weightTokens = rate.weightTokens + estimatedTokens;
  return {
    ratio: (rate.ratio * rate.weightTokens + textTokens) / weightTokens,
    weightTokens: Math.min(MOST_WEIGHT_TOKENS, weightTokens),
  };
}

/** Ratios of views are multiples of this, so that message sizes add up to the same sum in any order. */
const RATIO_STEP = 2 ** -16;

/** Tokens of one estimated token in the view, and what is beside it: together they are exactly what is expected. */
export interface ViewScale {
  readonly expectedTokens: number;
  readonly overheadTokens: number;
  readonly ratio: number;
}

/**
 * How the expected size divides into messages and overhead. What the anchor reports above the learned overhead, and what was estimated
 * since, belongs to the messages in proportion to their estimates. `null` before the first report.
 */
export function viewScale({ anchor, scale, estimatedTokens }: Ledger): ViewScale | null {
  if (anchor === null) {
    if (scale === null || scale.viewRatio === null) return null;
    const { overheadTokens, viewRatio } = scale;
    return { expectedTokens: overheadTokens + Math.floor(viewRatio * estimatedTokens), overheadTokens, ratio: viewRatio };
  }
  const expectedTokens = anchor.reportedTokens + estimatedTokens - anchor.estimatedTokens;
  const messageTokens = Math.max(0, expectedTokens - (scale?.overheadTokens ?? 0));
  const ratio = estimatedTokens > 0 ? Math.floor(messageTokens / estimatedTokens / RATIO_STEP) * RATIO_STEP : 1;
  return { expectedTokens, overheadTokens: expectedTokens - Math.floor(ratio * estimatedTokens), ratio };
}

/** The scale that an edit of the view leaves: the one that its plan was made by. */
export function scaleAfterEdit(ledger: Ledger): LearnedScale | null {
  const view = viewScale(ledger);
  if (ledger.scale === null || view === null) return ledger.scale;
  return { ...ledger.scale, overheadTokens: view.overheadTokens, viewRatio: view.ratio };
}
