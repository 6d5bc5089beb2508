import type { MeasureSpec } from "./measure-spec.ts";

/**
 * The last reported size, plus an estimate of what came after it. Where nothing is reported yet, or a compaction came after the
 * report, everything is estimated.
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
