import type { Account, Beside, Epoch } from "./account.ts";
import { weighCounts } from "./load.ts";
import type { KnownModel, Model } from "./model-fit.ts";
import { loadTokens, slopeOf } from "./model-fit.ts";
import type { ReturnRule } from "./reply-return.ts";
import { exceedsText, isUntrusted, rescaled, returnedBy, ruleFor } from "./reply-return.ts";

/** The next prompt as far as it is expected, in the parts that a report is compared with. */
export interface NextPrompt {
  readonly expectedTokens: number;
  readonly reportedTokens: number;
  readonly overheadTokens: number;
  /** What came after the base: the reply by its rule, everything else by weight. */
  readonly rule: ReturnRule | null;
  readonly returnedTokens: number;
  readonly returnedReasoningTokens: number;
  /** What was reported of the reply and is expected to have been thrown away: only the bound leaves room for it. */
  readonly thrownAwayTokens: number;
  readonly arrivedTokens: number;
  /** Reasoning and surges of the turn that would vanish now: 0 where no human message is pending. */
  readonly turnTokens: number;
  /** What of it is expected to vanish. */
  readonly vanishingTokens: number;
}

/** What the next request of this model is expected to measure. */
export function nextPrompt(account: Account, model: Model, beside: Beside): NextPrompt {
  const { base } = account;
  const overheadTokens = overheadOf(account.epoch, model, beside);
  const arrival = arrivalOf(account, model);
  const addedTokens = arrival.returnedTokens + arrival.arrivedTokens - arrival.vanishingTokens;
  switch (base.kind) {
    case "nothing": {
      const expectedTokens = overheadTokens + loadTokens(account.view, model);
      return { ...arrival, expectedTokens, reportedTokens: 0, overheadTokens };
    }
    case "cut": {
      const isOwn = account.nextModelId === null || account.nextModelId === account.reportedModelId;
      const reportedTokens = isOwn ? base.measuredTokens : 0;
      const measuredTokens = isOwn ? base.measuredTokens : loadTokens(base.measuredLoad, model);
      const keptTokens = measuredTokens + loadTokens(base.load, model);
      return { ...arrival, expectedTokens: overheadTokens + keptTokens + addedTokens, reportedTokens, overheadTokens };
    }
    case "report": {
      const besideTokens = weighBeside(beside, model) - weighBeside(base.beside, model);
      const reportedTokens = base.promptTokens * model.switchRatio;
      return { ...arrival, expectedTokens: reportedTokens + besideTokens + addedTokens, reportedTokens, overheadTokens };
    }
    default:
      return base satisfies never;
  }
}

/**
 * Tokens beside the messages: what the epoch's first report had above its messages, priced as they are known now, and what
 * has changed beside them since; what another model counted is rescaled by what text costs; by weight alone where nothing was reported.
 */
export function overheadOf(epoch: Epoch | null, model: Model, beside: Beside): number {
  if (epoch === null) return weighBeside(beside, model);
  const changedTokens = weighBeside(beside, model) - weighBeside(epoch.beside, model);
  const firstTokens = Math.max(0, epoch.promptTokens - epoch.measuredTokens - loadTokens(epoch.load, model.epoch));
  return firstTokens * (slopeOf(model) / slopeOf(model.epoch)) + changedTokens;
}

function weighBeside({ counts, toolCounts, hiddenTokens }: Beside, { prior, fit }: KnownModel): number {
  const weighed = weighCounts(counts, prior.weights) + prior.toolsRatio * weighCounts(toolCounts, prior.weights);
  return fit.regression.slopeRatio * weighed + hiddenTokens;
}

/** What came after the base. */
export type Arrival = Omit<NextPrompt, "expectedTokens" | "reportedTokens" | "overheadTokens">;

/** A model of which more than this share of late replies cannot be: then one that cannot be is not believed. Chosen, half a reply in five. */
const DISTRUSTED_RATIO = 0.1;

/** A model of which fewer late replies had output that their text does not show has no hidden reasoning: then it was thrown away. Chosen, after eight replies. */
const RARE_RATIO = 0.2;

/** What came after the base, as it is expected to count. */
export function arrivalOf(account: Account, model: Model): Arrival {
  const { pending, pendingHuman } = account;
  const { fit, prior } = model;
  const countedRatio = slopeOf(model) / slopeOf(model.reported);
  const reply = account.reply === null ? null : rescaled(account.reply, countedRatio);
  const known = { prior, fit: fit.regression };
  const isDistrusted = reply !== null && fit.untrustedRatio > DISTRUSTED_RATIO && isUntrusted(reply, known);
  const untrustedRatio = isDistrusted ? 1 : fit.untrustedRatio;
  const isThrownAway = reply !== null && fit.hiddenRatio < RARE_RATIO && exceedsText(reply, known);
  const rule = reply === null ? null : isThrownAway ? "text" : ruleFor(fit.ruleLosses, reply, untrustedRatio);
  const returned = reply === null || rule === null ? { tokens: 0, reasoningTokens: 0 } : returnedBy(rule, reply, known);
  const turnTokens = pendingHuman
    ? countedRatio * (account.turnReasoningTokens + account.turnSurgeTokens) + returned.reasoningTokens
    : 0;
  const goes = fit.turnLosses.goes < fit.turnLosses.stays;
  return {
    rule,
    returnedTokens: returned.tokens,
    returnedReasoningTokens: returned.reasoningTokens,
    thrownAwayTokens: isThrownAway ? Math.max(0, (reply.outputTokens ?? 0) - returned.tokens) : 0,
    arrivedTokens: loadTokens(pending, model),
    turnTokens,
    vanishingTokens: goes ? turnTokens : 0,
  };
}
