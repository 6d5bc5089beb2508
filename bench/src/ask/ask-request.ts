import type { Message, ModelRequest } from "@plimsoll/core";
import { cassetteKey } from "../summaries/cassette.ts";
import { estimatedPromptTokens } from "../summaries/request-price.ts";
import type { CallContexts } from "./after-cuts.ts";
import type { AskedContext } from "./ask-report.ts";
import type { Setup } from "./offered-tools.ts";

/** The model that is asked: its host's name, as in `clientFor`, and its id there. */
export interface AskedModel {
  readonly host: string;
  readonly modelId: string;
}

/** A request with the key of its answer, and what it is likely to take. */
export interface PlannedRequest {
  readonly key: string;
  readonly request: ModelRequest;
  readonly promptTokens: number;
  readonly replyTokens: number;
}

/** Most tokens of a reply: room for a file that is written as a whole (chosen). */
export const MOST_REPLY_TOKENS = 8_192;

/** Marks the key of the second answer to one request. */
const AGAIN = "-again";

/** Tokens of a reply if the recorded one's size was not reported (chosen: a call with a few lines of text). */
const USUAL_REPLY_TOKENS = 400;

/**
 * Makes a session's requests. Each has the system text and tools that were in force at its call. Reasoning is left out of all contexts alike: it is
 * another model's, and providers refuse what they did not sign.
 */
export function createRequestMaker(
  { host, modelId }: AskedModel,
  setups: readonly Setup[],
): (contexts: CallContexts, which: AskedContext) => PlannedRequest {
  const made = new Map<string, PlannedRequest>();
  return ({ call, messages, replyTokens }, which) => {
    const { system = "", tools = [] } = setups[call] ?? {};
    const asked = spoken(messages[which === "again" ? "compacted" : which]);
    const context = { system, tools, messages: asked, dynamicContext: null };
    const request: ModelRequest = { context, modelId, maxOutputTokens: MOST_REPLY_TOKENS };
    const key = `${cassetteKey(host, request)}${which === "again" ? AGAIN : ""}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const planned = {
      key,
      request,
      promptTokens: estimatedPromptTokens(request),
      replyTokens: Math.min(MOST_REPLY_TOKENS, replyTokens ?? USUAL_REPLY_TOKENS),
    };
    made.set(key, planned);
    return planned;
  };
}

/** Leaves reasoning out; a reply of nothing else is left out as a whole. */
function spoken(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message): readonly Message[] => {
    if (message.role !== "assistant") return [message];
    const parts = message.parts.filter(({ type }) => type !== "reasoning");
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}
