import type { ModelPrior } from "../model-prior.ts";
import type { Load } from "./load.ts";
import { weighCounts } from "./load.ts";
import type { Regression } from "./regression.ts";
import { expectedOf, regressionFrom, withPriorDoubt } from "./regression.ts";
import type { ReturnRule, RuleLosses } from "./reply-return.ts";
import { everyRule, NO_LOSSES } from "./reply-return.ts";

/** What a session has learned of one model: what text costs, which part of a reply returns, what vanishes at a turn. */
export interface ModelFit {
  readonly regression: Regression;
  /** The same line, had each rule been in force all along: a wrong rule must not hide in the price of text. */
  readonly lines: { readonly [rule in ReturnRule]: Regression };
  readonly ruleLosses: RuleLosses;
  /** How far "the turn's reasoning stays" and "goes" were off lately. */
  readonly turnLosses: { readonly stays: number; readonly goes: number };
  /** Share of late replies whose output count cannot be. */
  readonly untrustedRatio: number;
  /** Share of late replies with far more output than text and no reasoning to tell why; 1 until the model has shown otherwise. */
  readonly hiddenRatio: number;
}

/** A model as far as its prior and its own reports tell it. */
export interface KnownModel {
  readonly prior: ModelPrior;
  readonly fit: ModelFit;
}

/** The model of the next request, beside those that counted so far. */
export interface Model extends KnownModel {
  /** What the newest report is multiplied by to become this model's; 1 where it is its own. */
  readonly switchRatio: number;
  /** The model of the newest report, and that of the epoch's first; this one itself where it made them, or where there are none. */
  readonly reported: KnownModel;
  readonly epoch: KnownModel;
}

/** What turns the pooled measure's tokens into this model's: its slope, for texts that are not messages. */
export function slopeOf({ prior, fit }: KnownModel): number {
  return fit.regression.slopeRatio * prior.pooledRatio;
}

/** A wrong prior is overruled by the first turn that shows it: chosen, half of what one wrong guess costs. */
const PRIOR_TURN_LOSS = 0.5;

/** What is assumed of a model before its first report; `textRatio` is what the session's texts cost above the prior so far. */
export function fitFrom(prior: ModelPrior, textRatio: number): ModelFit {
  const regression = regressionFrom({ ...prior, slopeRatio: prior.slopeRatio * textRatio });
  return {
    regression,
    lines: everyRule(() => regression),
    ruleLosses: NO_LOSSES,
    turnLosses: {
      stays: prior.reasoningAtTurn === "goes" ? PRIOR_TURN_LOSS : 0,
      goes: prior.reasoningAtTurn === "stays" ? PRIOR_TURN_LOSS : 0,
    },
    untrustedRatio: 0,
    hiddenRatio: 1,
  };
}

/** What was learned of one model as what is assumed of another that measures alike: its own reports overrule it as soon as a prior. */
export function doubted(fit: ModelFit): ModelFit {
  return { ...fit, regression: withPriorDoubt(fit.regression), lines: everyRule((rule) => withPriorDoubt(fit.lines[rule])) };
}

/** Expected tokens of a load. */
export function loadTokens(load: Load, { prior, fit }: KnownModel): number {
  return expectedOf(fit.regression, weighCounts(load.counts, prior.weights), load.messages) + load.fixedTokens;
}
