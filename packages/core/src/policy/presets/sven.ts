import { z } from "zod";
import * as option from "../../option.ts";
import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";
import { FALLBACK, PLAIN_LABELS } from "./common-parts.ts";

/** sven's estimate: UTF-8 bytes / 4, floor, at least 1 a message, 765 an image (its document, "Layer 1"; its tests T-1 to T-5). */
export const SVEN_LENGTH_ESTIMATE: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf8-bytes",
  rounding: "floor",
  perMessageTokens: 0,
  minimumMessageTokens: 1,
  imageTokens: 765,
};

/** The keys of sven's configuration, under the names of its reference. */
export interface SvenSettings {
  /** Share of the input budget at which it compacts, before the reserve is taken off. */
  readonly compaction_threshold: number;
  /** Newest messages kept verbatim. */
  readonly compaction_keep_recent: number;
  readonly compaction_strategy: "structured" | "narrative";
  /** Cap of one tool result in tokens of four bytes; 0 switches it off. */
  readonly tool_result_token_cap: number;
  /** Share taken off the threshold, so that the request for the summary fits too. */
  readonly compaction_overhead_reserve: number;
}

/** The defaults of sven's configuration reference. */
const SVEN_DEFAULTS: SvenSettings = {
  compaction_threshold: 0.85,
  compaction_keep_recent: 6,
  compaction_strategy: "structured",
  tool_result_token_cap: 4000,
  compaction_overhead_reserve: 0.1,
};

/** The keys of sven's configuration reference: strict, each with its documented default. */
export const SVEN_SETTINGS: z.ZodType<SvenSettings> = z.strictObject({
  compaction_threshold: z.number().min(0).max(1).default(SVEN_DEFAULTS.compaction_threshold),
  compaction_keep_recent: z.int().nonnegative().default(SVEN_DEFAULTS.compaction_keep_recent),
  compaction_strategy: z.enum(["structured", "narrative"]).default(SVEN_DEFAULTS.compaction_strategy),
  tool_result_token_cap: z.int().nonnegative().default(SVEN_DEFAULTS.tool_result_token_cap),
  compaction_overhead_reserve: z.number().min(0).max(1).default(SVEN_DEFAULTS.compaction_overhead_reserve),
});

/** Sections of the structured summary, in order (its document, "Structured"). */
const STRUCTURED_SECTIONS = [
  "Active Task",
  "Key Decisions & Rationale",
  "Files & Artifacts",
  "Constraints & Requirements",
  "Pending Items",
  "Session Narrative",
] as const;

/** The share of the input budget never gone below, in single precision. */
const LOWEST_THRESHOLD_RATIO = Math.fround(0.1);

/** The share of the input budget at which sven compacts: threshold − reserve, never below 0.1, computed in single precision as it does. */
export function svenThresholdRatio(thresholdRatio: number, reserveRatio: number): number {
  const difference = Math.fround(Math.fround(thresholdRatio) - Math.fround(reserveRatio));
  return Math.max(difference, LOWEST_THRESHOLD_RATIO);
}

/**
 * Imitates the compaction of the agent sven, with sven's own keys. It keeps the newest messages and writes one summary as an assistant message; from 0.95 on, or if the
 * summary fails, it only drops messages, with a notice.
 *
 * @throws PlimsollError `bad-input` for an unknown key or a value of another kind.
 */
export function svenPolicy(settings: Partial<SvenSettings> = {}, name = "sven"): Policy {
  option.check("sven", SVEN_SETTINGS, settings);
  const set: SvenSettings = { ...SVEN_DEFAULTS, ...settings };
  const keep = [{ kind: "recent", messages: set.compaction_keep_recent }];
  const ratio = svenThresholdRatio(set.compaction_threshold, set.compaction_overhead_reserve);
  const promptId = set.compaction_strategy;
  return {
    name,
    enabled: true,
    estimator: { kind: "calibrated-ema", of: SVEN_LENGTH_ESTIMATE, alphaRatio: 0.2, minimumFactor: 0.5, maximumFactor: 3 },
    cutEstimator: null,
    gates: { at: ["before-submit", "after-tool-batch"], countPending: false },
    trigger: { atLeast: { ratio, of: "input-budget" } },
    afterPause: null,
    emergency: { atLeast: { ratio: 0.95, of: "input-budget" } },
    keep,
    manualKeep: null,
    strategies: [
      {
        kind: "summarize",
        writer: "model",
        boundary: "not-in-tool-batch",
        promptId,
        turnPrefixPromptId: null,
        keepNothingUpToMessages: 2 * set.compaction_keep_recent,
      },
      { kind: "drop-oldest", amount: "all-but-keep", notice: "count" },
    ],
    fallback: FALLBACK,
    truncation: { capTokens: set.tool_result_token_cap },
    overflow: { keep, maxRecoveries: 2 },
    unknownWindow: "off",
    subAgents: "own",
    summary: {
      role: "assistant",
      sections: promptId === "structured" ? STRUCTURED_SECTIONS : [],
      maxTokens: 4096,
      turnPrefixMaxTokens: 4096,
      request: "serialised",
      resultCapChars: null,
      labels: PLAIN_LABELS,
    },
    progress: { minimumNewTokens: 0, maximumFailures: 3 },
    facts: { maxTokens: 0 },
  };
}

/** Imitates the compaction of the agent sven with sven's default settings; see {@link svenPolicy}. */
export const SVEN_POLICY: Policy = svenPolicy();

/** sven as its document tunes it for CI and long workflows. */
export const SVEN_CI_POLICY: Policy = svenPolicy(
  {
    compaction_threshold: 0.65,
    compaction_keep_recent: 15,
    compaction_strategy: "structured",
    tool_result_token_cap: 2000,
    compaction_overhead_reserve: 0.12,
  },
  "sven-ci",
);

/** sven as its document tunes it for interactive sessions. */
export const SVEN_INTERACTIVE_POLICY: Policy = svenPolicy(
  { compaction_threshold: 0.8, compaction_keep_recent: 5, compaction_strategy: "narrative", tool_result_token_cap: 8000 },
  "sven-interactive",
);
