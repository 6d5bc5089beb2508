import type { UsageEntry } from "../../entry.ts";
import { type Sequence, sequenceOf } from "../../sequence.ts";
import { isRejectedUsage } from "../../usage.ts";
import type { OverheadCounts } from "../char-class.ts";
import type { ModelPriors } from "../measure.ts";
import { deviationOf, expectedOf, weighCounts } from "../measure.ts";
import type {
  FirstReport,
  Jump,
  MeasuredMessage,
  MeasuredState,
  Model,
  ModelFit,
  ReturnRule,
  RuleLosses,
} from "./model-fit.ts";
import { everyRule, learn, modelOf, NO_JUMP, NOTHING_UNREPORTED, TEXT_RULES } from "./model-fit.ts";
import type { NextPrompt, Returned } from "./next-prompt.ts";
import {
  exceedsText,
  firstReportAfter,
  hasWrongCounts,
  isUntrusted,
  nextPrompt,
  nextResiduals,
  returnedBy,
  rulesOf,
  situationOf,
} from "./next-prompt.ts";

/** Some hundred times the largest window: a report of more tokens is not believed. Chosen. */
const LARGEST_PROMPT_TOKENS = 1_000_000_000;

/** The ledger after a report. One without a size, or with one that cannot be, only names the model. */
export function withReport(
  before: MeasuredState,
  { modelId, requestId, usage }: UsageEntry,
  { priors, overhead }: { readonly priors: ModelPriors; readonly overhead: OverheadCounts },
): MeasuredState {
  const promptTokens = usage.input.totalTokens;
  if (promptTokens === null || promptTokens <= 0 || promptTokens > LARGEST_PROMPT_TOKENS)
    return { ...before, nextModelId: modelId };
  const model = modelOf(before, modelId, priors);
  const ledger = withLoadedTools({ ...before, nextModelId: modelId }, model, { modelId, promptTokens, overhead });
  const next = { ...ledger, nextModelId: modelId };
  const prompt = nextPrompt(next, model, overhead);
  const report = { modelId, promptTokens, prompt, overhead };
  const isNext = ledger.base.kind === "report" && ledger.reportedModelId === modelId;
  const jump = ledger.reportedModelId === modelId ? ledger.jump : NO_JUMP;
  const unlearned = { fit: model.fit, measured: ledger.measured, turnReasoningTokens: 0, jump };
  const { fit, ...learned } = isNext ? learnFrom(ledger, model, report) : unlearned;
  const { totalTokens: outputTokens, reasoningTokens } = usage.output;
  const { expectedTokens } = prompt;
  return {
    ...next,
    ...learned,
    ...NOTHING_UNREPORTED,
    reportedModelId: modelId,
    fits: { ...ledger.fits, [modelId]: fit },
    base: { kind: "report", promptTokens, overhead },
    reply: isRejectedUsage(usage)
      ? null
      : { requestId, messageId: null, outputTokens, reasoningTokens, content: null, loadedTokens: 0 },
    firstReport: firstReportAfter(ledger, model, report),
    residuals: nextResiduals(ledger.residuals, situationOf(ledger, modelId), { expectedTokens, promptTokens }),
  };
}

type Report = Pick<FirstReport, "modelId" | "promptTokens" | "overhead">;

/** Share of a loaded tool's price that a new search leaves, and of the room for it. Chosen. */
const KEPT_TOOL_RATIO = 0.5;

/** Once a report shows the cost of the tools that a search loads, it has all that the messages do not explain: their definitions are in no text. */
function withLoadedTools(ledger: MeasuredState, model: Model, report: Report): MeasuredState {
  const { unreportedTools: count, loadedTool, reply, unreported, unreportedMessages, view } = ledger;
  if (count === 0 || ledger.base.kind !== "report" || ledger.reportedModelId !== report.modelId) return ledger;
  const surprise = report.promptTokens - nextPrompt(ledger, model, report.overhead).expectedTokens;
  const change = Math.max(-loadedTool.tokens, surprise / count);
  const inReply = reply?.content?.loadedTools ?? 0;
  const messages = unreportedMessages.slice().map(({ id, content, fixedTokens }) => {
    return { id, content, fixedTokens: fixedTokens + content.loadedTools * change };
  });
  return {
    ...ledger,
    loadedTool: {
      tokens: loadedTool.tokens + (1 - KEPT_TOOL_RATIO) * change,
      roomTokens: Math.max(KEPT_TOOL_RATIO * loadedTool.roomTokens, Math.abs(change)),
    },
    reply: reply === null ? null : { ...reply, loadedTokens: reply.loadedTokens + inReply * change },
    unreported: { ...unreported, fixedTokens: unreported.fixedTokens + (count - inReply) * change },
    unreportedMessages: sequenceOf(messages),
    view: { ...view, fixedTokens: view.fixedTokens + count * change },
  };
}

/** Two reports of one model: how far apart they are, and how far apart they were expected to be. */
interface Difference {
  readonly prompt: NextPrompt;
  readonly differenceTokens: number;
}

type Learned = Pick<MeasuredState, "measured" | "turnReasoningTokens" | "jump"> & { readonly fit: ModelFit };

/** Learns from the difference of two reports of one model. Rules come first: the text's share depends on how much of the reply came back. */
function learnFrom(ledger: MeasuredState, model: Model, report: Report & { readonly prompt: NextPrompt }): Learned {
  const { prompt, promptTokens, modelId, overhead } = report;
  const addedTokens = prompt.returnedTokens + prompt.arrivedTokens - prompt.vanishingTokens;
  const differenceTokens = promptTokens - (prompt.expectedTokens - addedTokens);
  const byReply = learnReply(ledger, model, { prompt, differenceTokens });
  const turnLosses = nextTurnLosses(byReply.turnLosses, { prompt, differenceTokens });
  const byRules = { ...model, fit: { ...byReply, turnLosses } };
  const difference = { prompt: nextPrompt(ledger, byRules, overhead), differenceTokens };
  const fit = learnText(ledger, byRules, difference);
  const { returnedTokens: tokens, returnedReasoningTokens: reasoningTokens } = difference.prompt;
  // Of the messages between the two reports.
  const arrivedTokens = differenceTokens - tokens + difference.prompt.vanishingTokens;
  return {
    fit,
    measured: writeBack(ledger, { ...model, fit }, { modelId, returned: { tokens, reasoningTokens }, arrivedTokens }),
    turnReasoningTokens: ledger.hasUnreportedHuman ? 0 : ledger.turnReasoningTokens + reasoningTokens,
    jump: nextJump(ledger, byRules, difference),
  };
}

/** A rule is judged against this many tokens and this share of the other new messages: the weights' own error. */
const TOLERANCE_TOKENS = 15;
const TOLERANCE_RATIO = 0.12;

/** Weight of the newest reply in the shares of those that are odd; chosen, some five replies. */
const NEWEST_REPLY_RATIO = 0.2;

function learnReply(ledger: MeasuredState, { fit, prior }: Model, { prompt, differenceTokens }: Difference): ModelFit {
  const { reply } = ledger;
  if (reply === null || reply.messageId === null) return fit;
  const price = { prior, fit: fit.regression };
  const { unreported } = ledger;
  const weighed = weighCounts(unreported.counts, prior.weights);
  const errors = everyRule((rule) => {
    const line = fit.lines[rule];
    const arrivedTokens = expectedOf(line, weighed, unreported.messages) + unreported.fixedTokens;
    return differenceTokens - arrivedTokens - returnedBy(rule, reply, { prior, fit: line }).tokens;
  });
  return {
    ...fit,
    // At a turn reasoning that came back may vanish: that rules differ says something only if none is expected to.
    ruleLosses:
      ledger.hasUnreportedHuman && prompt.turnTokens > LARGEST_QUIET_TURN_TOKENS
        ? fit.ruleLosses
        : nextLosses(fit.ruleLosses, { rules: rulesOf(reply, { prior, fit }), errors, toleranceTokens: toleranceOf(prompt) }),
    untrustedRatio: withNewest(fit.untrustedRatio, isUntrusted(reply, price)),
    hiddenRatio: withNewest(fit.hiddenRatio, exceedsText(reply, price)),
  };
}

function withNewest(ratio: number, isSo: boolean): number {
  return ratio + NEWEST_REPLY_RATIO * ((isSo ? 1 : 0) - ratio);
}

function toleranceOf({ arrivedTokens }: NextPrompt): number {
  return TOLERANCE_TOKENS + TOLERANCE_RATIO * arrivedTokens;
}

/** So few tokens show nothing about the text that vanishes at a turn: the new message's own error is as large. */
const LARGEST_QUIET_TURN_TOKENS = 40;

/** Share of the turn's tokens that a wrong guess about it may be off by; chosen. */
const TURN_TOLERANCE_RATIO = 0.1;

/** Share of the turn losses that a new turn leaves; chosen, some three turns. */
const KEPT_TURN_RATIO = 0.7;

function nextTurnLosses(losses: ModelFit["turnLosses"], { prompt, differenceTokens }: Difference): ModelFit["turnLosses"] {
  const { turnTokens } = prompt;
  if (turnTokens <= LARGEST_QUIET_TURN_TOKENS) return losses;
  const stayedTokens = prompt.returnedTokens + prompt.arrivedTokens;
  const toleranceTokens = toleranceOf(prompt) + TURN_TOLERANCE_RATIO * turnTokens;
  const staysError = differenceTokens - stayedTokens;
  const goesError = differenceTokens - (stayedTokens - turnTokens);
  return {
    stays: KEPT_TURN_RATIO * losses.stays + lossOf(staysError, toleranceTokens),
    goes: KEPT_TURN_RATIO * losses.goes + lossOf(goesError, toleranceTokens),
  };
}

/**
 * Learns the price of text from a difference: the part of it that neither the reply nor vanished reasoning explains. A falling prompt never teaches. If
 * counts are wrong now and then, no line learns by a count that was not believed, nor by a text whose count was.
 */
function learnText(ledger: MeasuredState, { fit, prior }: Model, { prompt, differenceTokens }: Difference): ModelFit {
  if (differenceTokens <= 0) return fit;
  const { reply, unreported } = ledger;
  const weighed = weighCounts(unreported.counts, prior.weights);
  const tokens = differenceTokens + prompt.vanishingTokens - unreported.fixedTokens;
  const chosen = prompt.rule;
  const lines = everyRule((rule) => {
    const line = fit.lines[rule];
    const isOther = chosen !== null && TEXT_RULES.includes(rule) !== TEXT_RULES.includes(chosen);
    const learnedBy = isOther && hasWrongCounts(fit) ? chosen : rule;
    const returnedTokens = reply === null ? 0 : returnedBy(learnedBy, reply, { prior, fit: line }).tokens;
    return learn(line, { weighed, messages: unreported.messages, tokens: tokens - returnedTokens });
  });
  return { ...fit, regression: lines[chosen ?? "output"], lines };
}

/** A rise beyond its messages is unexplained from so many tokens and deviations on: server-side tools add 4,000 to 25,000. */
const LEAST_JUMP_TOKENS = 3000;
const LEAST_JUMP_DEVIATIONS = 8;
/** A fall takes a rise back if they differ by at most this share of it and a deviation. Chosen. */
const ALIKE_RATIO = 0.05;

/** The jumps after a report: an unexplained rise, and the room for it once it was taken back. An expected fall that did not come is no rise. */
function nextJump({ jump, unreported }: MeasuredState, model: Model, { prompt, differenceTokens }: Difference): Jump {
  const staysTokens = differenceTokens - prompt.returnedTokens - prompt.arrivedTokens;
  const goesTokens = staysTokens + prompt.vanishingTokens;
  const surpriseTokens = Math.abs(staysTokens) < Math.abs(goesTokens) ? staysTokens : goesTokens;
  const weighed = weighCounts(unreported.counts, model.prior.weights);
  const deviation = deviationOf(model.fit.regression, weighed, unreported.messages);
  if (Math.abs(surpriseTokens) <= Math.max(LEAST_JUMP_TOKENS, LEAST_JUMP_DEVIATIONS * deviation)) return jump;
  if (surpriseTokens > 0) return { risenTokens: surpriseTokens, roomTokens: jump.roomTokens };
  const isBack = Math.abs(jump.risenTokens + surpriseTokens) <= ALIKE_RATIO * jump.risenTokens + deviation;
  return { risenTokens: 0, roomTokens: isBack ? jump.risenTokens : jump.roomTokens };
}

function lossOf(errorTokens: number, toleranceTokens: number): number {
  return Math.min(1, Math.abs(errorTokens) / toleranceTokens);
}

/** Share of the losses that a new one leaves; chosen, some seven replies. */
const KEPT_RATIO = 0.85;

/** The losses after one more reply: each rule's error, in tolerances, compared with the best one's. Of other rules it says nothing. */
export function nextLosses(
  losses: RuleLosses,
  { rules, errors, toleranceTokens }: { rules: readonly ReturnRule[]; errors: RuleLosses; toleranceTokens: number },
): RuleLosses {
  const seen = everyRule((rule) => lossOf(errors[rule], toleranceTokens));
  const least = Math.min(...rules.map((rule) => seen[rule]));
  return everyRule((rule) => (rules.includes(rule) ? KEPT_RATIO * losses[rule] + (seen[rule] - least) / 2 : losses[rule]));
}

/** A difference outside these multiples of its messages' weight is not only theirs: they keep their weight. Chosen. */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 2;

/**
 * Writes the sizes of unreported messages back to them: the reply has the part of it that came back, the others share the rest of the difference in
 * proportion to their weights. If `arrivedTokens` is `null`, no report measured them, and they keep their weights.
 */
export function writeBack(
  ledger: MeasuredState,
  { fit, prior }: Model,
  { modelId, returned, arrivedTokens }: { modelId: string; returned: Returned; arrivedTokens: number | null },
): Sequence<MeasuredMessage> {
  let { measured } = ledger;
  const { reply, unreportedMessages } = ledger;
  if (reply !== null && reply.messageId !== null && reply.content !== null) {
    const { tokens, reasoningTokens } = returned;
    measured = measured.append({ id: reply.messageId, content: reply.content, modelId, tokens, reasoningTokens });
  }
  const arrived = unreportedMessages.slice();
  const weights: number[] = [];
  let weighedTokens = 0;
  for (const { content, fixedTokens } of arrived) {
    const tokens = expectedOf(fit.regression, weighCounts(content.counts, prior.weights), 1) + fixedTokens;
    weighedTokens += tokens;
    weights.push(tokens);
  }
  const ratio = (arrivedTokens ?? weighedTokens) / weighedTokens;
  const share = ratio >= LEAST_RATIO && ratio <= MOST_RATIO ? ratio : 1;
  for (const [at, { id, content }] of arrived.entries())
    measured = measured.append({ id, content, modelId, tokens: (weights[at] ?? 0) * share, reasoningTokens: 0 });
  return measured;
}
