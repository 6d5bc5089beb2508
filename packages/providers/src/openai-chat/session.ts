import { option } from "@plimsoll/core/extend";
import type OpenAI from "openai";
import { sentModelId } from "../catalog/model-limits.ts";
import { createSdkSession } from "../session/create-session.ts";
import { type SdkSession, type SdkSessionOptions, SESSION_KEYS } from "../session/session.ts";
import { namedReply } from "../shorter-reply.ts";
import { toolSpecsOf } from "../wire/tools.ts";
import { decodeOpenAiChat } from "./decode.ts";
import { type ChatBody, encodeOpenAiChat, MAXIMUM_TOOL_NAME_CHARS, OPENAI_CHAT_WIRE_RULES } from "./encode.ts";
import { type ChatHost, OPENAI_HOST } from "./hosts.ts";

/** Options of a session on a Chat Completions API. */
export interface ChatSessionOptions extends SdkSessionOptions {
  /** Parameters of each request in the vendor's own words: model, the reply's limit, tools; without messages. */
  readonly request: Omit<ChatBody, "messages">;
  /** The server: one of `CHAT_HOSTS` or one described like them; the vendor's own by default. */
  readonly host?: ChatHost;
}

/** A request as `client.chat.completions.create` and `.stream` take it, and the fields that a session reads from an answer: the first choice. */
export type ChatSession = SdkSession<ChatBody, Pick<OpenAI.ChatCompletion, "id" | "model" | "choices" | "usage">>;

const OPTIONS = option.schema<ChatSessionOptions>({ ...SESSION_KEYS, host: option.object.optional() });

/**
 * Opens a session for a loop that calls the vendor's SDK itself.
 *
 * @throws PlimsollError `bad-input` for malformed tools, naming the place.
 */
export async function createChatSession(given: ChatSessionOptions): Promise<ChatSession> {
  option.check("a session", OPTIONS, given);
  const { request, host = OPENAI_HOST, ...options } = given;
  const { model: modelId, tools = [] } = request;
  const { quirks } = host;
  const isNamed = namedReply(options) !== undefined;
  return await createSdkSession(
    {
      modelReference: `${host.name}/${modelId}`,
      modelId,
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
      tools: toolSpecsOf(tools),
      rules: OPENAI_CHAT_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      boundReasoning: "leaves",
      encode: (asked): ChatBody => {
        const context = { ...asked.context, tools: [] };
        const { messages } = encodeOpenAiChat({ ...asked, context }, quirks);
        const [max_tokens, max_completion_tokens] = [request.max_tokens, request.max_completion_tokens].map((wanted) =>
          typeof wanted === "number" ? Math.min(wanted, asked.maxOutputTokens) : wanted,
        );
        const reply = {
          ...(isNamed && !max_tokens && !max_completion_tokens && { [quirks.outputLimit]: asked.maxOutputTokens }),
          ...(max_tokens === undefined ? {} : { max_tokens }),
          ...(max_completion_tokens === undefined ? {} : { max_completion_tokens }),
        };
        return { ...request, ...reply, model: sentModelId(modelId), messages };
      },
      decode: decodeOpenAiChat,
    },
    options,
  );
}
