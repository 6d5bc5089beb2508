import { REPLY_RATIO } from "../budget.ts";
import type { Rejection } from "../conversation/outcome.ts";
import type { ModelLimits } from "../entry.ts";
import { DEFAULT_MAX_OUTPUT_TOKENS } from "./agent-options.ts";

/**
 * The limits of a model after a rejection that a shorter reply mends: the prompt fits, but not next to the reply that was asked for. A provider that
 * names its limit gives a quarter of it to the reply from then on; of one that names none a usual reply is asked for. `null` if a shorter reply
 * cannot help, so that the history has to be compacted.
 */
export function withLoweredOutput(
  limits: ModelLimits,
  rejection: Pick<Rejection, "limitTokens" | "promptTokens">,
  expectedTokens: number,
): ModelLimits | null {
  const { limitTokens } = rejection;
  const { contextWindowTokens } = limits;
  const askedTokens = limits.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
  const promptTokens = rejection.promptTokens ?? expectedTokens;
  const windowTokens = limitTokens ?? contextWindowTokens;
  const maxOutputTokens =
    limitTokens === null
      ? DEFAULT_MAX_OUTPUT_TOKENS
      : Math.min(DEFAULT_MAX_OUTPUT_TOKENS, Math.floor(limitTokens * REPLY_RATIO));
  if (maxOutputTokens >= askedTokens) return null;
  if (windowTokens !== null && promptTokens + maxOutputTokens > windowTokens) return null;
  const isSmaller = limitTokens !== null && (contextWindowTokens === null || limitTokens < contextWindowTokens);
  return { ...limits, contextWindowTokens: isSmaller ? limitTokens : contextWindowTokens, maxOutputTokens };
}
