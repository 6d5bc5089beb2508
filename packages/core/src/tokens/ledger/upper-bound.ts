import { CHAR_CLASSES } from "../char-classes.ts";
import { ASSUMED_RESIDUALS, type Ledger, type Residuals, type Situation } from "../ledger.ts";
import { weighCounts } from "./content.ts";
import { deviationOf, isTurnShown, type Model } from "./model-fit.ts";
import type { NextPrompt } from "./next-prompt.ts";

/** Added to every bound: what client and server add to a prompt unasked (0.3 % holds for 98 % of the recorded calls by itself). */
const FLOOR_RATIO = 0.003;

/** Deviations of the unmeasured part's weight, and multiples of the situation's late peak, that the bound leaves room for; chosen. */
const DEVIATIONS = 2;
const PEAK_FACTOR = 1.2;

/**
 * Share that letters of no word may cost more than they are expected to: random ones and proteins come to 1.3 times as much (four vendors' tokenizers,
 * docs/evidence.md). A text of anything else has few of them.
 */
const STRANGE_RATIO = 1 / 3;
const STRANGE_CLASS = CHAR_CLASSES.indexOf("letter-after-digit");

/** Share of a reply that the text rules may miss if output counts cannot be trusted. */
const UNTRUSTED_RATIO = 0.5;

/**
 * A size that the next request is not expected to exceed. It follows from the situation's own errors, from how sure the weight of the
 * unreported messages is, and from what untrusted counts may hide.
 */
export function upperTokensOf(ledger: Ledger, model: Model, prompt: NextPrompt): number {
  const { fit, prior } = model;
  const { counts, messages } = ledger.unreported;
  const isAllEstimated = ledger.base.kind === "nothing" || messages === 0;
  const deviation = isAllEstimated ? 0 : deviationOf(fit.regression, weighCounts(counts, prior.weights), messages);
  const strangeTokens = isAllEstimated
    ? 0
    : (counts[STRANGE_CLASS] ?? 0) * (prior.weights[STRANGE_CLASS] ?? 0) * fit.regression.slopeRatio;
  const untrustedTokens = UNTRUSTED_RATIO * fit.untrustedRatio * prompt.returnedTokens;
  const ratio = upperRatioIn(ledger, situationOf(ledger, ledger.nextModelId));
  const surelyTokens = DEVIATIONS * deviation + STRANGE_RATIO * strangeTokens + untrustedTokens + prompt.thrownAwayTokens;
  // Until this session has shown that it goes, what is expected to vanish may stay.
  const jumpTokens = ledger.jump.risenTokens > 0 ? 0 : ledger.jump.roomTokens;
  return prompt.expectedTokens * ratio + surelyTokens + jumpTokens + (isTurnShown(fit) ? 0 : prompt.vanishingTokens);
}

/** The bound of a view right after a cut, as a multiple of what is expected of it: a cut must leave room for it. */
export function upperRatioAfterCut(ledger: Ledger): number {
  const situation = situationOf(ledger, ledger.nextModelId);
  return upperRatioIn(ledger, situation === "anchored" || situation === "after-others-cut" ? "after-cut" : situation);
}

/**
 * Added until a session, or what a cut left of it, has shown its own errors, and the share of it that each report leaves: the calls that follow a first
 * report are off by several times as much as later ones. Chosen.
 */
const YOUNG_RATIO = 0.035;
const STILL_YOUNG_RATIO = 0.85;

function upperRatioIn({ residuals, firstReport }: Ledger, situation: Situation): number {
  const isYoung = situation === "anchored" && firstReport !== null;
  const youngRatio = isYoung ? YOUNG_RATIO * STILL_YOUNG_RATIO ** firstReport.laterReports : 0;
  return 1 + FLOOR_RATIO + youngRatio + PEAK_FACTOR * residuals[situation];
}

/** Tells the situation of the prediction of the next request to a model. */
export function situationOf({ base, reportedModelId }: Ledger, modelId: string | null): Situation {
  if (base.kind === "nothing") return "first-call";
  if (modelId !== null && modelId !== reportedModelId) return "after-switch";
  if (base.kind === "report") return "anchored";
  return base.by === "others" ? "after-others-cut" : "after-cut";
}

/** Share of a peak that the next report leaves: half of it is gone after some thirty calls; chosen. */
const KEPT_RATIO = 0.977;

/** An under-estimate beyond this share is an event that nothing announced, not a size of the error; chosen. */
const LARGEST_RATIO = 0.05;

/** The residuals after one more report. */
export function nextResiduals(
  residuals: Residuals,
  situation: Situation,
  { expectedTokens, promptTokens }: { readonly expectedTokens: number; readonly promptTokens: number },
): Residuals {
  if (expectedTokens <= 0) return residuals;
  const assumed = ASSUMED_RESIDUALS[situation];
  const largestRatio = Math.max(LARGEST_RATIO, assumed);
  const underRatio = Math.min(largestRatio, Math.max(0, promptTokens / expectedTokens - 1));
  const faded = assumed + KEPT_RATIO * (residuals[situation] - assumed);
  const next: { -readonly [Each in Situation]: number } = {
    anchored: residuals.anchored,
    "after-cut": residuals["after-cut"],
    "after-others-cut": residuals["after-others-cut"],
    "after-switch": residuals["after-switch"],
    "first-call": residuals["first-call"],
  };
  next[situation] = Math.max(faded, underRatio);
  return next;
}
