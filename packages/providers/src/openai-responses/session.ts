import { PlimsollError } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import type OpenAI from "openai";
import { sentModelId } from "../catalog/model-limits.ts";
import type { Fields } from "../fields.ts";
import { createSdkSession } from "../session/create-session.ts";
import { type SdkSession, type SdkSessionOptions, SESSION_KEYS } from "../session/session.ts";
import { toolSpecsOf } from "../wire/tools.ts";
import { decodeCompacted, decodeOpenAiResponse } from "./decode.ts";
import {
  compactRequest,
  encodeOpenAiResponses,
  MAXIMUM_TOOL_NAME_CHARS,
  OPENAI_RESPONSES_WIRE_RULES,
  type ResponsesBody,
} from "./encode.ts";

/** Parameters that the session sets itself: nothing is stored at the vendor. */
const DECIDED = ["input", "instructions", "store", "include", "previous_response_id", "conversation"] as const;

/** Such parameters with the session's own values, as JSON: a caller may pass them. */
const OWN = ["store:false", 'include:["reasoning.encrypted_content"]', "previous_response_id:null", "conversation:null"];

/** Options of a session on OpenAI's Responses API. */
export interface ResponsesSessionOptions extends SdkSessionOptions {
  /** Parameters of each request in the vendor's own words: model, `max_output_tokens`, tools, reasoning; without system text and items. */
  readonly request: Omit<ResponsesBody, (typeof DECIDED)[number]> & { readonly model: string };
  /** Has the vendor compact, for a policy whose writer is `vendor`: `(request) => client.responses.compact(request)`. Without it a digest replaces the summary. */
  readonly compact?: (request: OpenAI.Responses.ResponseCompactParams) => PromiseLike<unknown>;
}

/** A request as `client.responses.create` and `.stream` take it, and the fields that a session reads from an answer. */
export type ResponsesSession = SdkSession<
  ResponsesBody,
  Pick<OpenAI.Responses.Response, "id" | "model" | "output" | "status" | "error" | "incomplete_details" | "usage">
>;

const OPTIONS = option.schema<ResponsesSessionOptions>({ ...SESSION_KEYS, compact: option.fn.optional() });

/**
 * Opens a session for a loop that calls the vendor's SDK itself. Reasoning goes back encrypted.
 *
 * @throws PlimsollError `bad-input` for malformed tools, naming the place, and for a history that the vendor keeps.
 */
export async function createResponsesSession(given: ResponsesSessionOptions): Promise<ResponsesSession> {
  option.check("a session", OPTIONS, given);
  const { request, compact, ...options } = given;
  const parameters: Fields = { ...request };
  const key = DECIDED.find((each) => each in request && !OWN.includes(`${each}:${JSON.stringify(parameters[each])}`));
  if (key !== undefined)
    throw new PlimsollError("bad-input", `request.${key}: the session sends the whole history, and sets this itself`, { key });
  const { model: modelId, tools = [] } = request;
  return await createSdkSession(
    {
      modelReference: `openai/${modelId}`,
      modelId,
      maxOutputTokens: request.max_output_tokens ?? null,
      tools: toolSpecsOf(tools),
      rules: OPENAI_RESPONSES_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      boundReasoning: "leaves",
      encode: (asked): ResponsesBody => {
        const context = { ...asked.context, tools: [] };
        const { max_output_tokens: most } = request;
        const reply = typeof most === "number" ? { max_output_tokens: Math.min(most, asked.maxOutputTokens) } : {};
        return {
          ...encodeOpenAiResponses({ ...asked, context }),
          ...request,
          ...reply,
          model: sentModelId(modelId),
        };
      },
      decode: decodeOpenAiResponse,
      compact: compact && (async (body) => decodeCompacted(await compact(compactRequest(body)))),
    },
    options,
  );
}
