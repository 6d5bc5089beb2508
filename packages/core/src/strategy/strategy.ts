import type { Budget } from "../budget.ts";
import type { Edit } from "../edit/edit.ts";
import type { Message } from "../message/message.ts";

/** A strategy and its settings, as policy data. */
export type StrategySpec = SummarizeSpec | DropOldestSpec;

/** Replaces the oldest part by a summary, up to a cut that leaves the kept part whole. */
export interface SummarizeSpec {
  readonly kind: "summarize";
  /**
   * Where a cut may fall: at any place that splits no call from its result; only where neither side is inside a batch of
   * tool calls; or only before a human message where there is one.
   */
  readonly boundary: "any-safe" | "not-in-tool-batch" | "turn";
  readonly promptId: string;
  /** Prompt for the older part of a turn that the cut splits; `null` summarises it with the rest. */
  readonly turnPrefixPromptId: string | null;
}

/** Removes the oldest part and leaves a notice that counts it. Needs no model. */
export interface DropOldestSpec {
  readonly kind: "drop-oldest";
  /** All but what the policy keeps, or no more than it takes to fit. */
  readonly amount: "all-but-keep" | "until-it-fits";
}

/** What a strategy looks at. Pure data and pure functions: no clock, no model, no store. */
export interface StrategyInput {
  /** The view as it is at this rung, with the edits of earlier rungs applied. */
  readonly messages: readonly Message[];
  readonly budget: Budget;
  /** Tokens that the messages may take at most, after the overhead and what is pending are counted. */
  readonly roomTokens: number;
  /** The newest history to keep, in messages or tokens. */
  readonly keep: { readonly messages: number } | { readonly tokens: number };
  /** Expected tokens of a message by the policy's measure (its cut estimator where it has one). */
  readonly messageTokens: (message: Message) => number;
  /** Tokens that a summary or notice is planned with. */
  readonly summaryTokens: number;
}

/**
 * Looks at the context and answers with edits, or with why it has none. It never edits the last human message and never
 * separates a call from its result.
 */
export type Strategy = (input: StrategyInput) => StrategyAnswer;

/** Edits to make, or the reason that there are none, for the record. */
export type StrategyAnswer =
  | { readonly kind: "edits"; readonly edits: readonly [Edit, ...Edit[]] }
  | { readonly kind: "not-applicable"; readonly reason: string };
