import type { FirstReport, Ledger, Residuals, Situation } from "../ledger.ts";
import { ASSUMED_RESIDUALS } from "../ledger.ts";
import type { OverheadCounts } from "./content.ts";
import { weighCounts } from "./content.ts";
import type { KnownModel, Model } from "./model-fit.ts";
import { contentTokens, deviationOf, slopeOf } from "./model-fit.ts";
import type { ReturnRule } from "./reply.ts";
import { exceedsText, isUntrusted, rescaled, returnedBy, ruleFor } from "./reply.ts";

/** The next prompt as far as it is expected, in the parts that a report is compared with. */
export interface NextPrompt extends Arrival {
  readonly expectedTokens: number;
  readonly reportedTokens: number;
  readonly overheadTokens: number;
}

/** What came after the base: the reply by its rule, everything else by weight. */
export interface Arrival {
  /** `null` without a reply. */
  readonly rule: ReturnRule | null;
  readonly returnedTokens: number;
  readonly returnedReasoningTokens: number;
  /** Tokens that were reported for the reply, but were most likely thrown away: only the bound leaves room for them. */
  readonly thrownAwayTokens: number;
  readonly arrivedTokens: number;
  /** Tokens of the turn that would vanish now, reasoning and unexplained rises: 0 if no new message is a person's. */
  readonly turnTokens: number;
  /** How many of them are expected to vanish. */
  readonly vanishingTokens: number;
}

/** The expected size of the next request to this model. */
export function nextPrompt(ledger: Ledger, model: Model, overhead: OverheadCounts): NextPrompt {
  const { base } = ledger;
  const overheadTokens = overheadTokensOf(ledger.firstReport, model, overhead);
  const arrival = arrivalOf(ledger, model);
  const addedTokens = arrival.returnedTokens + arrival.arrivedTokens - arrival.vanishingTokens;
  switch (base.kind) {
    case "nothing": {
      const expectedTokens = overheadTokens + contentTokens(ledger.view, model);
      return { ...arrival, expectedTokens, reportedTokens: 0, overheadTokens };
    }
    case "cut": {
      const isOwn = ledger.nextModelId === null || ledger.nextModelId === ledger.reportedModelId;
      const reportedTokens = isOwn ? base.measuredTokens : 0;
      const measuredTokens = isOwn ? base.measuredTokens : contentTokens(base.measuredContent, model);
      const keptTokens = measuredTokens + contentTokens(base.unmeasuredContent, model);
      return { ...arrival, expectedTokens: overheadTokens + keptTokens + addedTokens, reportedTokens, overheadTokens };
    }
    case "report": {
      const changedTokens = weighOverhead(overhead, model) - weighOverhead(base.overhead, model);
      const reportedTokens = base.promptTokens * model.switchRatio;
      return { ...arrival, expectedTokens: reportedTokens + changedTokens + addedTokens, reportedTokens, overheadTokens };
    }
    default:
      return base satisfies never;
  }
}

/**
 * Tokens of the overhead: what the first report had above its messages, by their price as it is known now, and what has changed since. What
 * another model counted is rescaled by the price of text. Without a report it is known by weight alone.
 */
export function overheadTokensOf(first: FirstReport | null, model: Model, overhead: OverheadCounts): number {
  if (first === null) return weighOverhead(overhead, model);
  const changedTokens = weighOverhead(overhead, model) - weighOverhead(first.overhead, model);
  const unmeasuredTokens = contentTokens(first.unmeasuredContent, model.firstReported);
  const firstTokens = Math.max(0, first.promptTokens - first.measuredTokens - unmeasuredTokens);
  return firstTokens * (slopeOf(model) / slopeOf(model.firstReported)) + changedTokens;
}

function weighOverhead({ counts, toolCounts, hiddenTokens }: OverheadCounts, { prior, fit }: KnownModel): number {
  const weighed = weighCounts(counts, prior.weights) + prior.toolsRatio * weighCounts(toolCounts, prior.weights);
  return fit.regression.slopeRatio * weighed + hiddenTokens;
}

/** If more than this share of a model's late replies cannot be, one that cannot be is not believed. Chosen, half a reply in five. */
const DISTRUSTED_RATIO = 0.1;

/** If fewer of a model's late replies had output that their text does not show, it has no hidden reasoning: such output was thrown away. Chosen, after eight replies. */
const RARE_RATIO = 0.2;

/** What came after the base, as it is expected to count. */
export function arrivalOf(ledger: Ledger, model: Model): Arrival {
  const { fit, prior } = model;
  const countedRatio = slopeOf(model) / slopeOf(model.reported);
  const reply = ledger.reply === null ? null : rescaled(ledger.reply, countedRatio);
  const price = { prior, fit: fit.regression };
  const isDistrusted = reply !== null && fit.untrustedRatio > DISTRUSTED_RATIO && isUntrusted(reply, price);
  const untrustedRatio = isDistrusted ? 1 : fit.untrustedRatio;
  const isThrownAway = reply !== null && fit.hiddenRatio < RARE_RATIO && exceedsText(reply, price);
  const rule = reply === null ? null : isThrownAway ? "text" : ruleFor(fit.ruleLosses, reply, untrustedRatio);
  const returned = reply === null || rule === null ? { tokens: 0, reasoningTokens: 0 } : returnedBy(rule, reply, price);
  const turnTokens = ledger.hasUnreportedHuman
    ? countedRatio * (ledger.turnReasoningTokens + ledger.turnUnexplainedTokens) + returned.reasoningTokens
    : 0;
  return {
    rule,
    returnedTokens: returned.tokens,
    returnedReasoningTokens: returned.reasoningTokens,
    thrownAwayTokens: isThrownAway ? Math.max(0, (reply.outputTokens ?? 0) - returned.tokens) : 0,
    arrivedTokens: contentTokens(ledger.unreported, model),
    turnTokens,
    vanishingTokens: vanishesAtTurn(model) ? turnTokens : 0,
  };
}

/** True if the reasoning of a turn has lately been gone after the next human message. */
export function vanishesAtTurn({ fit }: KnownModel): boolean {
  return fit.turnLosses.goes < fit.turnLosses.stays;
}

/** Added to every bound: what client and server add to a prompt unasked (0.3 % holds for 98 % of the recorded calls by itself). */
const FLOOR_RATIO = 0.003;

/** Deviations of the unmeasured part's weight, and multiples of the situation's late peak, that the bound leaves room for; chosen. */
const DEVIATIONS = 2;
const PEAK_FACTOR = 1.2;

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
  const untrustedTokens = UNTRUSTED_RATIO * fit.untrustedRatio * prompt.returnedTokens;
  const ratio = upperRatioIn(ledger, situationOf(ledger, ledger.nextModelId));
  return prompt.expectedTokens * ratio + DEVIATIONS * deviation + untrustedTokens + prompt.thrownAwayTokens;
}

/** The bound of a view right after a cut, as a multiple of what is expected of it: a cut must leave room for it. */
export function upperRatioAfterCut(ledger: Ledger): number {
  const situation = situationOf(ledger, ledger.nextModelId);
  return upperRatioIn(ledger, situation === "anchored" ? "after-cut" : situation);
}

function upperRatioIn({ residuals }: Ledger, situation: Situation): number {
  return 1 + FLOOR_RATIO + PEAK_FACTOR * residuals[situation];
}

/** What the prediction of the next request to a model stands on. */
export function situationOf({ base, reportedModelId }: Ledger, modelId: string | null): Situation {
  if (base.kind === "nothing") return "first-call";
  if (modelId !== null && modelId !== reportedModelId) return "after-switch";
  return base.kind === "cut" ? "after-cut" : "anchored";
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
  return { ...residuals, [situation]: Math.max(faded, underRatio) };
}
