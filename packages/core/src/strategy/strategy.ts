import type { Budget } from "../budget.ts";
import type { Boundary } from "../cut-point/boundary.ts";
import type { Edit } from "../edit/edit.ts";
import type { Message } from "../message/message.ts";
import type { MessageMeasure } from "../tokens/measure.ts";

/** A strategy and its settings, as policy data. */
export type StrategySpec = SummarizeSpec | ClearToolResultsSpec | DropOldestSpec | CutOversizedSpec | DropNoticesSpec;

/** Replaces the oldest part by a summary, up to a cut that leaves the kept part whole. */
export interface SummarizeSpec {
  readonly kind: "summarize";
  /** Who writes: the model, or the deterministic digest. */
  readonly writer: "model" | "digest";
  /**
   * Where a cut may fall: at any place that splits no call from its result, keeping more (`any-safe`) or, where something is left
   * to keep, less (`next-safe`) than asked; only where neither side is inside a batch of tool calls; or only before a human
   * message where there is one.
   */
  readonly boundary: Boundary;
  readonly promptId: string;
  /** Prompt for the older part of a turn that the cut splits; `null` summarises it with the rest. */
  readonly turnPrefixPromptId: string | null;
  /** A turn's older part of fewer messages, its human one counted, is summarised with the rest; 0 where nothing is said. */
  readonly turnPrefixFromMessages?: number | undefined;
  /** Histories of at most so many messages are summarised whole, whatever is to be kept; not where someone asked for it. */
  readonly keepNothingUpToMessages?: number | undefined;
  /** Where there is no cut although a provider rejected the context, all but so many messages are summarised. */
  readonly forcedKeepMessages?: number | undefined;
}

/** Replaces old tool results by stubs with handles, in one batch. Needs no model. */
export interface ClearToolResultsSpec {
  readonly kind: "clear-tool-results";
  /** The newest results that stay. */
  readonly keepResults: number;
  /** A batch that saves less is not worth the broken prompt cache. */
  readonly clearAtLeastTokens: number;
}

/** Removes the oldest part and leaves a notice that counts it. Needs no model. */
export interface DropOldestSpec {
  readonly kind: "drop-oldest";
  /** All but what the policy keeps, or no more than it takes to fit. */
  readonly amount: "all-but-keep" | "until-it-fits";
  /** Whether a notice counts what went, in all or by role; without one the record alone does. */
  readonly notice: "count" | "roles" | "none";
}

/** Cuts the largest tool results and assistant texts to head and tail until the view fits. Needs no model. */
export interface CutOversizedSpec {
  readonly kind: "cut-oversized";
  /** To one cap at which the view fits, or all of them to their stubs. */
  readonly to: "fit" | "stubs";
}

/** Removes summaries and notices: what is left when even they do not fit beside the newest step. Needs no model. */
export interface DropNoticesSpec {
  readonly kind: "drop-notices";
}

/** What a strategy looks at. Pure data and pure functions: no clock, no model, no store. */
export interface StrategyInput {
  /** The view as it is at this rung, with the edits of earlier rungs applied. */
  readonly messages: readonly Message[];
  readonly budget: Budget;
  /** Tokens that the messages may take at most, after the overhead and what is pending are counted. */
  readonly roomTokens: number;
  /** Tokens of messages at which the trigger would fire again at once; a cut that keeps so much is not worth its boundary. */
  readonly lineTokens: number;
  /** The newest history to keep, in messages or tokens. */
  readonly keep: { readonly messages: number } | { readonly tokens: number };
  /** Why it is looked at: the context is too large by its measure, a provider has just said so, or someone asked for it. */
  readonly cause: "size" | "overflow" | "demand";
  /** Expected tokens of a message by the policy's measure: what room and line are in. */
  readonly messageTokens: (message: Message) => number;
  /** What a message counts of the history to keep: by the policy's cut estimator if it has one. */
  readonly keptMessageTokens: (message: Message) => number;
  /** The measure itself, for texts that are not messages yet; `scaleRatio` turns its tokens into expected ones. */
  readonly measure: MessageMeasure;
  readonly scaleRatio: number;
  /** Tokens that a notice with its facts is planned with. */
  readonly noticeTokens: number;
}

/**
 * Looks at the context and answers with edits, or with why it has none. Edits that touch the last human message or the open step's pairs, or
 * that part a call from its result, are refused as a whole: the step fails and the next strategy runs.
 */
export type Strategy = (input: StrategyInput) => StrategyAnswer;

/** Edits to make, or the reason that there are none, for the record. */
export type StrategyAnswer =
  | { readonly kind: "edits"; readonly edits: readonly [Edit, ...Edit[]] }
  | { readonly kind: "not-applicable"; readonly reason: string };
