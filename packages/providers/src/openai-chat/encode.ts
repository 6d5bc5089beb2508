import type { AssistantMessage, Context, ImagePart, Message, ModelRequest, ToolSpec } from "@plimsoll/core";
import { type WireRules, wellFormedContext } from "@plimsoll/core/extend";
import type OpenAI from "openai";
import { reasoningOf } from "../catalog/model-limits.ts";
import { argumentsText, parseRecord } from "../fields.ts";
import { documentName, imagePlaceholder, imageUrl, sendableImage } from "../wire/images.ts";
import { callIdHash, wireCallId } from "../wire/tools.ts";
import { inTurn, type TurnRules } from "../wire/turns.ts";
import type { ChatQuirks } from "./hosts.ts";

/** The request's body without the fields that only streaming decides. */
export type ChatBody = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream">;

type ChatMessage = OpenAI.ChatCompletionMessageParam;
type ContentPart = OpenAI.ChatCompletionContentPart;

/**
 * The request on the Chat Completions wire. Media of results follow as the user's message behind the batch; neighbours of one role become
 * one message; the dynamic context comes last.
 */
export function encodeOpenAiChat(request: ModelRequest, quirks: ChatQuirks): ChatBody {
  const { modelId, maxOutputTokens } = request;
  const reasoning = reasoningOf(request);
  const context = wellFormedContext(request.context);
  const { systemRole, outputLimit, reasoningEffort, roles } = quirks;
  const system: ChatMessage[] = context.system === "" ? [] : [{ role: systemRole, content: context.system }];
  const messages = chatMessages(context, quirks);
  return {
    model: modelId,
    [outputLimit]: maxOutputTokens,
    ...(reasoning === undefined || reasoningEffort === "leave-out" ? {} : { reasoning_effort: reasoning }),
    ...(context.tools.length === 0 ? {} : { tools: context.tools.map(toolParam) }),
    messages: [...system, ...(roles === "alternate" ? inTurn(messages, CHAT_TURNS) : messages)],
  };
}

function toolParam(tool: ToolSpec): OpenAI.ChatCompletionTool {
  const parameters = { type: "object", ...parseRecord(tool.parametersJson) };
  return { type: "function", function: { name: tool.name, description: tool.description, parameters } };
}

/** The messages behind the system text. */
export function chatMessages(context: Context, quirks: ChatQuirks): ChatMessage[] {
  const list: ChatMessage[] = [];
  let mediaOfResults: ContentPart[] = [];
  const userParts = (parts: readonly ContentPart[]) => {
    const last = list.at(-1);
    const joined = last?.role === "user" ? [...contentParts(last.content), ...parts] : [...parts];
    if (joined.length === 0) return;
    if (last?.role === "user") list.pop();
    list.push({ role: "user", content: contentOf(joined) });
  };
  for (const message of context.messages) {
    if (message.role === "tool-result") {
      const parts = partsOf(message, quirks);
      list.push({ role: "tool", tool_call_id: callIdFor(message.callId, quirks), content: textsOf(parts).join("\n") });
      mediaOfResults.push(...parts.filter((part) => part.type !== "text"));
      continue;
    }
    userParts(mediaOfResults);
    mediaOfResults = [];
    if (message.role === "assistant") {
      const reply = replyMessage(message, quirks);
      const last = list.at(-1);
      // A reply that another follows has no calls, only words.
      if (last?.role === "assistant") list.pop();
      const words = last?.role === "assistant" ? [last.content, reply.content].filter(Boolean).join("\n") : "";
      list.push(words === "" ? reply : { ...reply, content: words });
    } else if (message.origin === "declared" && quirks.roles === "any")
      // Where turns are wanted no other system message is taken than the first.
      list.push({ role: quirks.systemRole, content: textsOf(partsOf(message, quirks)).join("\n") });
    else userParts(partsOf(message, quirks));
  }
  userParts(mediaOfResults);
  if (context.dynamicContext !== null && context.dynamicContext.trim() !== "")
    list.push({ role: "user", content: context.dynamicContext });
  return list;
}

/** Messages of this wire in turn, for servers that want them so. */
export const CHAT_TURNS: TurnRules<ChatMessage> = {
  roleOf: ({ role }) =>
    role === "user" || role === "assistant" ? role : role === "system" || role === "developer" ? "system" : "tool",
  said: (role, content) => ({ role, content }),
  join: (first, second) => {
    if (first.role === "user" && second.role === "user")
      return { ...first, ...second, content: contentOf([...contentParts(first.content), ...contentParts(second.content)]) };
    if (!isDeclaring(first) || !isDeclaring(second) || first.role !== second.role) return null;
    const texts = [first, second].flatMap(({ content }) =>
      typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
    );
    return { ...first, ...second, content: texts };
  },
  userAfterTool: "reject",
};

function isDeclaring(
  message: ChatMessage,
): message is OpenAI.ChatCompletionDeveloperMessageParam | OpenAI.ChatCompletionSystemMessageParam {
  return message.role === "developer" || message.role === "system";
}

function textsOf(parts: readonly ContentPart[]): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Bare text is sent as text: every server takes it. */
function contentOf(parts: readonly ContentPart[]): string | ContentPart[] {
  const texts = textsOf(parts);
  return texts.length === parts.length ? texts.join("\n") : [...parts];
}

function contentParts(content: string | ContentPart[]): ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function partsOf(message: Exclude<Message, AssistantMessage>, quirks: ChatQuirks): ContentPart[] {
  return message.parts.map((part) => (part.type === "text" ? { type: "text", text: part.text } : mediaPart(part, quirks)));
}

/** Media types of the sound that the wire takes, and their names on it: openai 6.49.0, ChatCompletionContentPartInputAudio. */
const AUDIO_FORMATS: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/** The part as the wire takes it: images, sound of two kinds and documents, the last two only by their bytes; of anything else a text. */
function mediaPart(part: ImagePart, quirks: ChatQuirks): ContentPart {
  const media = sendableImage(part);
  const [kind] = part.mediaType.split("/");
  if (media !== null && kind === "image" && quirks.images === "accept")
    return { type: "image_url", image_url: { url: imageUrl(media) } };
  const format = AUDIO_FORMATS[part.mediaType];
  if (media?.kind === "base64" && quirks.files === "accept") {
    if (format !== undefined) return { type: "input_audio", input_audio: { data: media.data, format } };
    if (kind !== "image" && kind !== "audio" && kind !== "video")
      return { type: "file", file: { filename: documentName(part.mediaType), file_data: imageUrl(media) } };
  }
  return { type: "text", text: imagePlaceholder(part) };
}

/** A reply with the extra field that some servers want their reasoning back in. */
type ReplyMessage = OpenAI.ChatCompletionAssistantMessageParam & { reasoning_content?: string; reasoning?: string };

function replyMessage(message: AssistantMessage, quirks: ChatQuirks): ReplyMessage {
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const reasoning = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n");
  const calls = message.parts.flatMap((part): OpenAI.ChatCompletionMessageFunctionToolCall[] =>
    part.type === "tool-call"
      ? [
          {
            id: callIdFor(part.callId, quirks),
            type: "function",
            function: { name: part.toolName, arguments: argumentsText(part.argumentsJson) },
          },
        ]
      : [],
  );
  if (calls.length === 0) return { role: "assistant", content: text };
  const sendsReasoning = quirks.reasoningSentBack === "with-calls" && quirks.reasoningField !== null && reasoning !== "";
  return {
    role: "assistant",
    content: text === "" && quirks.callContent === "null" ? null : text,
    tool_calls: calls,
    ...(sendsReasoning ? { [quirks.reasoningField]: reasoning } : {}),
  };
}

/** The call id as the server takes it. A server that takes shorter ids than a hash has gets the beginning of the hash. */
function callIdFor(callId: string, quirks: ChatQuirks): string {
  const limit = quirks.maximumCallIdChars;
  const rules: WireRules = { ...OPENAI_CHAT_WIRE_RULES, maximumCallIdChars: limit };
  const id = wireCallId(callId, rules);
  return limit === null || id.length <= limit ? id : callIdHash(callId).slice(0, limit);
}

/**
 * The rules of the OpenAI Chat Completions API. Sources:
 *
 * - platform.openai.com/docs/api-reference/chat/create: content of tool messages is only text (openai/openai-openapi#523); empty text is accepted; a
 *   conversation may begin and end with any role; reasoning is not sent back, so it cannot be in the way
 * - its errors: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", "messages
 *   with role 'tool' must be a response to a preceeding message with 'tool_calls'" (simonw/llm#937), "Invalid
 *   'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40" (microsoft/autogen#6377; some models take 64)
 */
export const OPENAI_CHAT_WIRE_RULES: WireRules = {
  name: "openai-chat",
  firstMessage: "any",
  lastMessage: "any",
  emptyContent: "accept",
  malformedText: "reject",
  resultPlacement: "right-after-call",
  trailingReasoning: "accept",
  resultImages: "reject",
  sameRole: "accept",
  callIds: "any",
  maximumCallIdChars: 40,
  maximumMessages: null,
};

/** Longest name of a tool: platform.openai.com/docs/api-reference/chat/create. */
export const MAXIMUM_TOOL_NAME_CHARS = 64;
