import type { ModelLimits } from "../entry.ts";
import type { AgentModel } from "./agent-options.ts";

/** Output that is asked for where a model's limit is not known; chosen: every current model gives as much. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 8192;

/** No more of a known window than this goes to a reply whose limit is not known; chosen, so that small windows have room for a prompt. */
const REPLY_RATIO = 1 / 4;

/** The model with the output that it is asked for: what a request asks for has to be what the budget keeps free, or the provider rejects it. */
export function withOutputReserve(model: AgentModel): AgentModel {
  return { ...model, limits: reserved(model.limits) };
}

function reserved({ contextWindowTokens, maxOutputTokens }: ModelLimits): ModelLimits {
  const roomTokens = contextWindowTokens === null ? DEFAULT_MAX_OUTPUT_TOKENS : Math.floor(contextWindowTokens * REPLY_RATIO);
  return { contextWindowTokens, maxOutputTokens: maxOutputTokens ?? Math.min(DEFAULT_MAX_OUTPUT_TOKENS, roomTokens) };
}
