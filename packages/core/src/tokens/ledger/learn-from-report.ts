import type { Account } from "./account.ts";
import { weighCounts } from "./load.ts";
import type { Model, ModelFit } from "./model-fit.ts";
import { loadTokens } from "./model-fit.ts";
import type { NextPrompt } from "./next-prompt.ts";
import { deviationOf, expectedOf, learn } from "./regression.ts";
import type { ReturnRule } from "./reply-return.ts";
import { everyRule, exceedsText, isUntrusted, nextLosses, returnedBy } from "./reply-return.ts";

/** A rule is judged against this many tokens and this share of what arrived beside the reply: the weights' own error. */
const TOLERANCE_TOKENS = 15;
const TOLERANCE_RATIO = 0.12;

/** Fewer tokens say nothing about what vanishes at a turn: the new message's own error is as large. */
const TELLING_TURN_TOKENS = 40;

/** Share of the turn losses that a new turn leaves; chosen, some three turns. */
const KEPT_TURN_RATIO = 0.7;

/** Weight of the newest reply in the shares of those that are odd; chosen, some five replies. */
const NEWEST_REPLY_RATIO = 0.2;

/** What the difference of two reports of one model teaches of its replies and turns; text is learned after it ({@link learnText}). */
export function learnRules(account: Account, model: Model, { prompt, differenceTokens }: Difference): ModelFit {
  const { fit, prior } = model;
  const { reply } = account;
  const toleranceTokens = TOLERANCE_TOKENS + TOLERANCE_RATIO * prompt.arrivedTokens;
  const regression = fit.regression;
  let next = fit;
  if (reply !== null && reply.messageId !== null) {
    const known = { prior, fit: regression };
    next = {
      ...next,
      untrustedRatio: withNewest(next.untrustedRatio, isUntrusted(reply, known)),
      hiddenRatio: withNewest(next.hiddenRatio, exceedsText(reply, known)),
    };
    if (!account.pendingHuman) {
      const errorOf = (rule: ReturnRule) => {
        const line = fit.lines[rule];
        const arrivedTokens = loadTokens(account.pending, { prior, fit: { ...fit, regression: line } });
        return differenceTokens - arrivedTokens - returnedBy(rule, reply, { prior, fit: line }).tokens;
      };
      next = { ...next, ruleLosses: nextLosses(next.ruleLosses, errorOf, toleranceTokens) };
    }
  }
  const { turnTokens } = prompt;
  if (turnTokens <= TELLING_TURN_TOKENS) return next;
  const stayedTokens = prompt.returnedTokens + prompt.arrivedTokens;
  const turnToleranceTokens = toleranceTokens + 0.1 * turnTokens;
  const loss = (expected: number) => Math.min(1, Math.abs(differenceTokens - expected) / turnToleranceTokens);
  const { stays, goes } = next.turnLosses;
  return {
    ...next,
    turnLosses: {
      stays: KEPT_TURN_RATIO * stays + loss(stayedTokens),
      goes: KEPT_TURN_RATIO * goes + loss(stayedTokens - turnTokens),
    },
  };
}

function withNewest(ratio: number, isSo: boolean): number {
  return ratio + NEWEST_REPLY_RATIO * ((isSo ? 1 : 0) - ratio);
}

/** What a difference teaches of text: what is left of it beside the reply and what vanished. A falling prompt never teaches. */
export function learnText(account: Account, model: Model, { prompt, differenceTokens }: Difference): ModelFit {
  if (differenceTokens <= 0) return model.fit;
  const { fit, prior } = model;
  const { reply, pending } = account;
  const weighed = weighCounts(pending.counts, prior.weights);
  const besideTokens = differenceTokens + prompt.vanishingTokens - pending.fixedTokens;
  const lines = everyRule((rule) => {
    const line = fit.lines[rule];
    const returnedTokens = reply === null ? 0 : returnedBy(rule, reply, { prior, fit: line }).tokens;
    return learn(line, { weighed, messages: pending.messages, tokens: besideTokens - returnedTokens });
  });
  return { ...fit, lines, regression: lines[prompt.rule ?? "output"] };
}

/** Two reports of one model: how far apart they are, and what was expected to stand between them. */
export interface Difference {
  readonly prompt: NextPrompt;
  readonly differenceTokens: number;
}

/** What the messages between two reports came to, by what the reports say; for writing it back to them. */
export function arrivedTokensBy({ prompt, differenceTokens }: Difference, account: Account, model: Model): number {
  const expected = expectedOf(
    model.fit.regression,
    weighCounts(account.pending.counts, model.prior.weights),
    account.pending.messages,
  );
  const measured = differenceTokens - prompt.returnedTokens + prompt.vanishingTokens;
  return account.pending.messages === 0 ? expected : measured;
}

/** A rise beyond what its messages explain is a surge from so many tokens and deviations on: server-side tools add 4,000 to 25,000. */
const LEAST_SURGE_TOKENS = 3000;
const LEAST_SURGE_DEVIATIONS = 8;

/** What of the turn's surges is in the prompt after this report: a fall takes them back, a human message ends the turn's. */
export function nextSurgeTokens(account: Account, model: Model, { prompt, differenceTokens }: Difference): number {
  const expectedTokens = prompt.returnedTokens + prompt.arrivedTokens - prompt.vanishingTokens;
  const surpriseTokens = differenceTokens - expectedTokens;
  const weighed = weighCounts(account.pending.counts, model.prior.weights);
  const deviation = deviationOf(model.fit.regression, weighed, account.pending.messages);
  const before = account.pendingHuman ? 0 : account.turnSurgeTokens;
  if (surpriseTokens > Math.max(LEAST_SURGE_TOKENS, LEAST_SURGE_DEVIATIONS * deviation)) return before + surpriseTokens;
  return surpriseTokens < 0 ? Math.max(0, before + surpriseTokens) : before;
}
