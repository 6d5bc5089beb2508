import type { MeasureSpec } from "./measure-spec.ts";

/**
 * The last reported size, plus an estimate of what came after it. Before the first report everything is estimated; after a cut everything
 * is, by the scale that the reports before it taught.
 */
export interface UsageAnchoredSpec {
  readonly kind: "usage-anchored";
  /** What prices messages that no report covers. */
  readonly of: MeasureSpec;
  /** Whether the report stands for the prompt alone, or for the prompt and the reply that followed it. */
  readonly anchor: "prompt" | "prompt-and-reply";
}

/** A reported size, and the ledger's own estimate of what it covers. */
export interface UsageAnchor {
  readonly reportedTokens: number;
  readonly estimatedTokens: number;
  /** The request whose reply the report covers too, until that reply is appended. */
  readonly coversReplyOf: string | null;
}

/** What reports taught of sizes. It outlives the anchor: what a cut leaves is expected to measure what it was planned with. */
export interface LearnedScale {
  /** Reported tokens of one estimated token, by how the newest reports differ. */
  readonly ratio: number;
  /** Estimated tokens that the ratio rests on. */
  readonly weightTokens: number;
  /** The newest reported prompt, and the estimate of it: messages and what is sent beside them. */
  readonly promptTokens: number;
  readonly estimatedTokens: number;
  /** What the newest report had beside the messages by that ratio. */
  readonly overheadTokens: number;
  /** Tokens of one estimated token in a view that was edited since the newest report; `null` while the anchor stands. */
  readonly viewRatio: number | null;
}
