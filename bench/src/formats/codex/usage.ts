import { type ModelLimits, type Usage, usageOf } from "@plimsoll/core";
import { type Fields, jsonValueOf, numberAt, recordAt } from "../fields.ts";

/** One `token_count` event that tells something. */
export interface TokenReport {
  readonly usage: Usage;
  /** Equal for a report that repeats the one before it: the session's totals have not moved. */
  readonly key: string;
  readonly limits: ModelLimits | null;
}

/** The report of a `token_count` event; `null` where it has no counts. The prompt is inclusive of its cached part. */
export function tokenReportOf(payload: Fields): TokenReport | null {
  const info = recordAt(payload, "info");
  const last = recordAt(info, "last_token_usage");
  const totalInputTokens = numberAt(last, "input_tokens");
  if (info === null || totalInputTokens === null || totalInputTokens === 0) return null;
  const contextWindowTokens = numberAt(info, "model_context_window");
  return {
    usage: usageOf({
      totalInputTokens,
      cacheReadTokens: numberAt(last, "cached_input_tokens"),
      outputTokens: numberAt(last, "output_tokens"),
      reasoningTokens: numberAt(last, "reasoning_output_tokens"),
      raw: jsonValueOf(last),
    }),
    key: JSON.stringify(info.total_token_usage ?? last),
    limits: contextWindowTokens === null ? null : { contextWindowTokens, maxOutputTokens: null },
  };
}
