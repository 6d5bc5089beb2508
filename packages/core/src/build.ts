// For people who build strategies, keep rules, estimators, prompts and truncations.

export type { MessageSpan, PromptedSpan, SpanAnswer } from "./applied-edit.ts";
export type { Budget } from "./budget.ts";
export { amountSchema, budgetOf, resolveAmount } from "./budget.ts";
export type { Boundary } from "./cut-point/boundary.ts";
export { cutAtBoundary } from "./cut-point/boundary.ts";
export { cutExceedingTokens, cutKeepingMessages, cutKeepingTokens } from "./cut-point/recent.ts";
export { safeCutAtOrAfter, safeCutAtOrBefore, safeCuts } from "./cut-point/safe-cuts.ts";
export { applyEdits } from "./edit/apply-edits.ts";
export type { Edit, ReplacePartEdit, ReplaceSpansEdit } from "./edit/edit.ts";
export type { StepOutcome, WorkCount } from "./entry.ts";
export type { KeepRuleSpec } from "./keep/built-in-keep-rules.ts";
export type {
  KeepChoice,
  KeepRule,
  KeepRuleKind,
  KeepView,
  MessageRange,
  MessagesRule,
  NewestAmount,
  NewestRule,
  Passage,
  PassagesRule,
  ReadableText,
} from "./keep/keep-rule.ts";
export { defineKeepRule } from "./keep/keep-rule.ts";
export type { KindSpec } from "./kind.ts";
export { coverageOf, messageChars, partChars } from "./message/size.ts";
export type { Kinds } from "./policy/kinds.ts";
export { BUILT_IN_KINDS, withKinds } from "./policy/kinds.ts";
export { policyInNewestForm } from "./policy/older-policies.ts";
export type { EnginePolicy, FallbackPolicy } from "./policy/policy.ts";
export { asksModel, requireFallback } from "./policy/policy.ts";
export { policySchema, triggerSchema } from "./policy/policy-schema.ts";
export type { Prompt } from "./ports.ts";
export { outline } from "./prompts/parts.ts";
export { foldLedger } from "./session/session-state.ts";
export type { StrategySpec } from "./strategy/built-in-strategies.ts";
export type { DropOldestSpec } from "./strategy/drop-oldest.ts";
export type { Strategy, StrategyAnswer, StrategyInput, StrategyKind } from "./strategy/strategy.ts";
export { defineStrategy } from "./strategy/strategy.ts";
export type { SummarizeSpec } from "./strategy/summarize.ts";
export { characterBoundaryAtOrAfter, characterBoundaryAtOrBefore, lineCount, utf8Bytes } from "./text.ts";
export type { BpeSpec } from "./tokens/bpe.ts";
export type { EstimatorOptions, EstimatorSpec, Tokenizers } from "./tokens/built-in-estimators.ts";
export { BUILT_IN_ESTIMATORS, createEstimator } from "./tokens/built-in-estimators.ts";
export type { CalibratedEmaSpec } from "./tokens/calibrated-ema.ts";
export type { CharClassSpec } from "./tokens/char-class.ts";
export { charClass } from "./tokens/char-class.ts";
export type { CharsPerTokenSpec } from "./tokens/chars-per-token.ts";
export { charsPerToken } from "./tokens/chars-per-token.ts";
export type {
  CountTokens,
  Estimator,
  EstimatorKind,
  EstimatorParts,
  EstimatorSources,
  Overhead,
  Prediction,
} from "./tokens/estimator.ts";
export { defineEstimator, defineMeasure } from "./tokens/estimator.ts";
export { EMPTY_LEDGER } from "./tokens/ledger.ts";
export type { MessageMeasure } from "./tokens/measure.ts";
export type { ModelPrior, ModelPriors } from "./tokens/model-prior.ts";
export type { WorkCounter } from "./tokens/work.ts";
export { createWorkCounter } from "./tokens/work.ts";
export type { Trigger } from "./trigger.ts";
export { triggerTokens } from "./trigger.ts";
export { BUILT_IN_TRUNCATIONS } from "./truncation/built-in-truncations.ts";
export type { Cutter, CutterInput, Span, Truncation } from "./truncation/span.ts";
