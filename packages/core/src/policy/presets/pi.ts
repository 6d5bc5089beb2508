import { z } from "zod";
import type { Amount } from "../../budget.ts";
import { PlimsollError } from "../../error.ts";
import * as option from "../../option.ts";
import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";
import { FALLBACK } from "./common-parts.ts";

/** pi's estimate: UTF-16 units / 4, ceiling (its document, "Token Estimation"). An image counts 1,200: chosen, as its size is not given. */
export const PI_LENGTH_ESTIMATE: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf16-units",
  rounding: "ceil",
  perMessageTokens: 0,
  minimumMessageTokens: 0,
  imageTokens: 1200,
};

/** The `compaction:` keys of the Go agent, under the names of its document. */
export interface PiSettings {
  readonly enabled: boolean;
  /** The window that compaction reckons with; 0 takes the model's. */
  readonly context_window: number;
  readonly reserve_tokens: number;
  readonly keep_recent_tokens: number;
}

/** The defaults of the Go agent's document. */
const PI_DEFAULTS: PiSettings = { enabled: true, context_window: 0, reserve_tokens: 16_384, keep_recent_tokens: 20_000 };

/** The keys of the Go agent's `compaction:` section: strict, each with its documented default. */
export const PI_SETTINGS: z.ZodType<PiSettings> = z.strictObject({
  enabled: z.boolean().default(PI_DEFAULTS.enabled),
  context_window: z.int().nonnegative().default(PI_DEFAULTS.context_window),
  reserve_tokens: z.int().nonnegative().default(PI_DEFAULTS.reserve_tokens),
  keep_recent_tokens: z.int().nonnegative().default(PI_DEFAULTS.keep_recent_tokens),
});

/** Most tokens of a summary, and of the one of a split turn's older part: 0.8 and 0.5 × the reserve (its code; P-27). */
export function piSummaryBudgets(reserveTokens: number): { readonly maxTokens: number; readonly turnPrefixMaxTokens: number } {
  return {
    maxTokens: Math.max(1, Math.floor(0.8 * reserveTokens)),
    turnPrefixMaxTokens: Math.max(1, Math.floor(0.5 * reserveTokens)),
  };
}

/**
 * Imitates the compaction of the agent pi. Before every model call it compacts if the context exceeds the window less a reserve; it keeps the newest tokens, summarises a
 * split turn's older part separately, and sends the summary as a user message. If the reserve would fill a model's window, half is reserved; pi itself compacts there at
 * every step (P-6).
 *
 * @throws PlimsollError `bad-input` for an unknown key or a value of another kind, `bad-policy` if the window given is not larger than the reserve, naming both.
 */
export function piPolicy(settings: Partial<PiSettings> = {}): Policy {
  option.check("pi", PI_SETTINGS, settings);
  const set: PiSettings = { ...PI_DEFAULTS, ...settings };
  const windowTokens = set.context_window;
  if (windowTokens > 0 && windowTokens <= set.reserve_tokens) {
    throw new PlimsollError(
      "bad-policy",
      `context_window (${windowTokens} tokens) is not larger than reserve_tokens (${set.reserve_tokens} tokens)`,
      { windowTokens, reserveTokens: set.reserve_tokens },
    );
  }
  const line: Amount =
    windowTokens > 0
      ? { tokens: windowTokens - set.reserve_tokens }
      : { minus: [{ ratio: 1, of: "window" }, { min: [{ tokens: set.reserve_tokens }, { ratio: 0.5, of: "window" }] }] };
  const keep = [{ kind: "recent", amount: { tokens: set.keep_recent_tokens } }];
  return {
    name: "pi",
    enabled: set.enabled,
    estimator: { kind: "usage-anchored", of: PI_LENGTH_ESTIMATE, anchor: "prompt-and-reply" },
    cutEstimator: PI_LENGTH_ESTIMATE,
    gates: { at: ["before-step"], countPending: false },
    trigger: { above: line },
    afterPause: null,
    emergency: null,
    keep,
    manualKeep: null,
    strategies: [
      {
        kind: "summarize",
        writer: "model",
        boundary: "next-safe",
        promptId: "checkpoint",
        turnPrefixPromptId: "turn-prefix",
        summaryAlone: "stays",
      },
    ],
    fallback: FALLBACK,
    truncation: null,
    overflow: { keep, maxRecoveries: 1 },
    unknownWindow: windowTokens > 0 ? { tokens: windowTokens } : "off",
    subAgents: "own",
    summary: {
      role: "user",
      sections: ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"],
      ...piSummaryBudgets(set.reserve_tokens),
      request: "serialised",
      resultCapChars: 2000,
      labels: {
        human: { before: "[User]: ", after: "" },
        command: { before: "[User]: ", after: "" },
        injected: { before: "[User]: ", after: "" },
        summary: { before: "[User]: ", after: "" },
        assistant: { before: "[Assistant]: ", after: "" },
        call: { before: "[Assistant tool calls]: ", after: "" },
        result: { before: "[Tool result]: ", after: "" },
        failedResult: { before: "[Tool result]: ", after: "" },
      },
      calls: "joined",
      textless: "left-out",
      joints: "none",
    },
    progress: { minimumNewTokens: 0, maximumFailures: 3 },
    facts: { maxTokens: 0, files: "covered" },
  };
}

/** Imitates the compaction of the agent pi with pi's default settings; see {@link piPolicy}. */
export const PI_POLICY: Policy = piPolicy();
