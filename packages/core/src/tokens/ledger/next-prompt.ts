import type { FirstReport, Ledger } from "../ledger.ts";
import { addSums, type OverheadCounts, weighCounts } from "./content.ts";
import { contentTokens, type KnownModel, type Model, type ReturnRule, slopeOf } from "./model-fit.ts";
import { exceedsText, rescaled, returnedBy, ruleFor, rulesOf } from "./reply-return.ts";

/** The next prompt as far as it is expected, in the parts that a report is compared with. */
export interface NextPrompt extends Arrival {
  readonly expectedTokens: number;
  readonly reportedTokens: number;
  readonly overheadTokens: number;
}

/** The arrivals after the base: the reply by its rule, everything else by weight. */
export interface Arrival {
  /** `null` without a reply. */
  readonly rule: ReturnRule | null;
  readonly returnedTokens: number;
  readonly returnedReasoningTokens: number;
  /** Tokens that were reported for the reply, but were most likely thrown away: only the bound leaves room for them. */
  readonly thrownAwayTokens: number;
  readonly arrivedTokens: number;
  /** Tokens of the turn's reasoning, which would vanish now: 0 if no new message is a person's. */
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
    case "nothing":
      return promptOf(arrival, {
        expectedTokens: overheadTokens + contentTokens(ledger.view, model),
        reportedTokens: 0,
        overheadTokens,
      });
    case "cut": {
      const isOwn = ledger.nextModelId === null || ledger.nextModelId === ledger.reportedModelId;
      const reportedTokens = isOwn ? base.measuredTokens : 0;
      const measuredTokens = isOwn ? base.measuredTokens : contentTokens(base.measuredContent, model);
      const keptTokens = measuredTokens + contentTokens(base.unmeasuredContent, model);
      return promptOf(arrival, { expectedTokens: overheadTokens + keptTokens + addedTokens, reportedTokens, overheadTokens });
    }
    case "report": {
      const changedTokens = overheadChange(base.overhead, overhead, model);
      const reportedTokens = base.promptTokens * model.switchRatio;
      return promptOf(arrival, {
        expectedTokens: reportedTokens + changedTokens + addedTokens,
        reportedTokens,
        overheadTokens,
      });
    }
    default:
      return base satisfies never;
  }
}

/** Written out, as every report of a log makes two: a spread takes ten times as long. */
function promptOf(
  { rule, returnedTokens, returnedReasoningTokens, thrownAwayTokens, arrivedTokens, turnTokens, vanishingTokens }: Arrival,
  { expectedTokens, reportedTokens, overheadTokens }: Omit<NextPrompt, keyof Arrival>,
): NextPrompt {
  return {
    rule,
    returnedTokens,
    returnedReasoningTokens,
    thrownAwayTokens,
    arrivedTokens,
    turnTokens,
    vanishingTokens,
    expectedTokens,
    reportedTokens,
    overheadTokens,
  };
}

/**
 * Tokens of the overhead: what the first report had above its messages, by their price as it is known now, and what has changed since. What
 * another model counted is rescaled by the price of text. Without a report it is known by weight alone.
 */
export function overheadTokensOf(first: FirstReport | null, model: Model, overhead: OverheadCounts): number {
  if (first === null) return weighOverhead(overhead, model);
  const changedTokens = overheadChange(first.overhead, overhead, model);
  const unmeasuredTokens = contentTokens(first.unmeasuredContent, model.firstReported);
  const firstTokens = Math.max(0, first.promptTokens - first.measuredTokens - unmeasuredTokens);
  return firstTokens * (slopeOf(model) / slopeOf(model.firstReported)) + changedTokens;
}

/** By how much an overhead weighs more than the one before it. */
function overheadChange(before: OverheadCounts, after: OverheadCounts, model: KnownModel): number {
  return after === before ? 0 : weighOverhead(after, model) - weighOverhead(before, model);
}

function weighOverhead({ counts, toolCounts, hiddenTokens }: OverheadCounts, { prior, fit }: KnownModel): number {
  const weighed = weighCounts(counts, prior.weights) + prior.toolsRatio * weighCounts(toolCounts, prior.weights);
  return fit.regression.slopeRatio * weighed + hiddenTokens;
}

/**
 * After a switch of model its first report tells the overhead only if at most this share of the prompt is messages. Beyond it the error of
 * their weight is larger than that of a rescaled overhead. Chosen.
 */
const LARGEST_VIEW_RATIO = 0.5;

/**
 * A later report refutes an overhead that leaves less than this share of their weight to the messages, by more than so many tokens: what the first report had
 * above them (pages of a web search) was not sent again. Chosen: weights are right within a third, and small falls say nothing.
 */
const LEAST_TEXT_RATIO = 0.5;
const REFUTING_TOKENS = 3000;

/** The first report is the very first one, the one after a cut, or the one after a switch early on. Any other report leaves it, unless it refutes it. */
export function firstReportAfter(
  { base, view, unreported, reportedModelId, firstReport }: Ledger,
  model: Model,
  {
    modelId,
    promptTokens,
    overhead,
  }: { readonly modelId: string; readonly promptTokens: number; readonly overhead: OverheadCounts },
): FirstReport | null {
  const isSwitch = modelId !== reportedModelId;
  const ofView: FirstReport = { modelId, promptTokens, measuredTokens: 0, unmeasuredContent: view, overhead, laterReports: 0 };
  if (base.kind === "nothing") return ofView;
  if (base.kind === "report") {
    if (isSwitch) return contentTokens(view, model) <= LARGEST_VIEW_RATIO * promptTokens ? ofView : oneLater(firstReport);
    const mostTokens = promptTokens - LEAST_TEXT_RATIO * contentTokens(view, model) + REFUTING_TOKENS;
    return firstReport !== null && overheadTokensOf(firstReport, model, overhead) > mostTokens ? ofView : oneLater(firstReport);
  }
  if (isSwitch) return ofView;
  const { measuredTokens } = base;
  const unmeasuredContent = addSums(base.unmeasuredContent, unreported);
  return { modelId, promptTokens, measuredTokens, unmeasuredContent, overhead, laterReports: 0 };
}

function oneLater(first: FirstReport | null): FirstReport | null {
  if (first === null) return null;
  const { modelId, promptTokens, measuredTokens, unmeasuredContent, overhead, laterReports } = first;
  return { modelId, promptTokens, measuredTokens, unmeasuredContent, overhead, laterReports: laterReports + 1 };
}

/** If fewer of a model's late replies had output that their text does not show, it has no hidden reasoning: such output was thrown away. Chosen, after eight replies. */
const RARE_RATIO = 0.2;

/** Counts the arrivals after the base as they are expected to count. */
export function arrivalOf(ledger: Ledger, model: Model): Arrival {
  const { fit, prior } = model;
  const countedRatio = slopeOf(model) / slopeOf(model.reported);
  const reply = ledger.reply === null ? null : rescaled(ledger.reply, countedRatio);
  const price = { prior, fit: fit.regression };
  const isThrownAway = reply !== null && fit.hiddenRatio < RARE_RATIO && exceedsText(reply, price);
  const rule = reply === null ? null : isThrownAway ? "text" : ruleFor(fit.ruleLosses, reply, rulesOf(reply, model));
  const returned = reply === null || rule === null ? { tokens: 0, reasoningTokens: 0 } : returnedBy(rule, reply, price);
  const turnTokens = ledger.hasUnreportedHuman ? countedRatio * ledger.turnReasoningTokens + returned.reasoningTokens : 0;
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
