import type {
  AssistantMessage,
  Context,
  ModelRequest,
  ReasoningPart,
  ToolResultMessage,
  ToolSpec,
  UserMessage,
} from "@plimsoll/core";
import { type WireRules, wellFormedContext } from "@plimsoll/core/extend";
import type OpenAI from "openai";
import { reasoningOf } from "../catalog/model-limits.ts";
import { argumentsText, parseRecord, recordsAt, stringAt, vendorBlockOf } from "../fields.ts";
import { OPENAI_CHAT_WIRE_RULES } from "../openai-chat/encode.ts";
import { documentName, imagePlaceholder, imageUrl, sendableImage } from "../wire/images.ts";
import { wireCallId } from "../wire/tools.ts";

/** The request's body without the fields that only streaming decides. */
export type ResponsesBody = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream"> & {
  input: OpenAI.Responses.ResponseInputItem[];
};

type Item = OpenAI.Responses.ResponseInputItem;

/** Smallest limit of a reply that the wire takes: platform.openai.com/docs/api-reference/responses/create. */
const MINIMUM_OUTPUT_TOKENS = 16;

/**
 * The request on the Responses wire. Nothing is stored at the vendor: reasoning goes back encrypted, right before its call or text. The dynamic
 * context comes last.
 */
export function encodeOpenAiResponses(request: ModelRequest): ResponsesBody {
  const { modelId, maxOutputTokens } = request;
  const reasoning = reasoningOf(request);
  const context = wellFormedContext(request.context);
  return {
    model: modelId,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: Math.max(maxOutputTokens, MINIMUM_OUTPUT_TOKENS),
    ...(reasoning === undefined ? {} : { reasoning: { effort: reasoning } }),
    ...(context.system === "" ? {} : { instructions: context.system }),
    ...(context.tools.length === 0 ? {} : { tools: context.tools.map(toolParam) }),
    input: [...responseItems(context), ...dynamicItems(context)],
  };
}

function toolParam(tool: ToolSpec): OpenAI.Responses.FunctionTool {
  const parameters = { type: "object", ...parseRecord(tool.parametersJson) };
  return { type: "function", name: tool.name, description: tool.description, parameters, strict: false };
}

/** The items of the messages, without the dynamic context. Neighbours of the user's role become one message. */
export function responseItems(context: Context): Item[] {
  const items: Item[] = [];
  let said: ReturnType<typeof contentOf> | null = null;
  for (const message of context.messages) {
    if (message.role === "user" && message.origin !== "declared") {
      const content = contentOf(message);
      if (said === null) items.push({ type: "message", role: "user", content });
      else said.push(...content);
      said ??= content;
      continue;
    }
    said = null;
    const block = vendorBlockOf(message);
    // The window that `/responses/compact` answered with: developers.openai.com/api/docs/guides/compaction.
    if (Array.isArray(block) && block.some((item) => stringAt(item, "type") === "compaction")) items.push(...block);
    else if (message.role === "assistant") items.push(...replyItems(message));
    else if (message.role === "tool-result") items.push(outputItem(message));
    else items.push({ type: "message", role: "developer", content: contentOf(message) });
  }
  return items;
}

/** The request with which the vendor compacts the items of another one. */
export function compactRequest({ model, input, instructions }: ResponsesBody): OpenAI.Responses.ResponseCompactParams {
  return { model: model ?? null, input, ...(instructions === undefined ? {} : { instructions }) };
}

function contentOf(message: UserMessage | ToolResultMessage) {
  return message.parts.map((part) => {
    if (part.type === "text") return { type: "input_text", text: part.text } as const;
    const media = sendableImage(part);
    const [kind] = part.mediaType.split("/");
    // The wire takes neither sound nor films: openai 6.49.0, ResponseInputContent.
    if (media === null || kind === "audio" || kind === "video")
      return { type: "input_text", text: imagePlaceholder(part) } as const;
    if (kind === "image") return { type: "input_image", image_url: imageUrl(media), detail: "auto" } as const;
    if (media.kind === "url") return { type: "input_file", file_url: media.url } as const;
    return { type: "input_file", filename: documentName(part.mediaType), file_data: imageUrl(media) } as const;
  });
}

function outputItem(message: ToolResultMessage): Item {
  const content = contentOf(message);
  const text = content.map((part) => (part.type === "input_text" ? part.text : "")).join("\n");
  const hasMedia = content.some((part) => part.type !== "input_text");
  return {
    type: "function_call_output",
    call_id: wireCallId(message.callId, OPENAI_RESPONSES_WIRE_RULES),
    output: hasMedia ? content : text,
  };
}

/** Reasoning goes before the next item of the same reply; if there is none, it is left out. */
function replyItems(message: AssistantMessage): Item[] {
  const items: Item[] = [];
  let waiting: Item[] = [];
  for (const part of message.parts) {
    if (part.type === "reasoning") {
      waiting.push(...reasoningItem(part));
      continue;
    }
    const item = part.type === "text" ? textItem(part.text) : callItem(part);
    if (item === null) continue;
    items.push(...waiting, item);
    waiting = [];
  }
  return items;
}

function textItem(text: string): Item | null {
  return text.trim() === "" ? null : { type: "message", role: "assistant", content: text };
}

function callItem(part: Extract<AssistantMessage["parts"][number], { type: "tool-call" }>): Item {
  return {
    type: "function_call",
    call_id: wireCallId(part.callId, OPENAI_RESPONSES_WIRE_RULES),
    name: part.toolName,
    arguments: argumentsText(part.argumentsJson),
  };
}

function dynamicItems({ dynamicContext }: Context): Item[] {
  if (dynamicContext === null || dynamicContext.trim() === "") return [];
  return [{ type: "message", role: "developer", content: dynamicContext }];
}

/**
 * The reasoning as the wire wants it back: `opaque` is the vendor's own item, as decoding keeps it. Reasoning of other wires, and reasoning
 * whose encrypted content was not kept, is left out: nothing is stored at the vendor that its id could name.
 */
function reasoningItem(part: ReasoningPart): OpenAI.Responses.ResponseReasoningItem[] {
  const id = stringAt(part.opaque, "id");
  const encrypted = stringAt(part.opaque, "encrypted_content");
  if (stringAt(part.opaque, "type") !== "reasoning" || id === null || encrypted === null) return [];
  const summary = recordsAt(part.opaque, "summary").map((each) => ({
    type: "summary_text" as const,
    text: stringAt(each, "text") ?? "",
  }));
  return [{ type: "reasoning", id, summary, encrypted_content: encrypted }];
}

/**
 * The rules of the OpenAI Responses API. Sources:
 *
 * - platform.openai.com/docs/api-reference/responses/create: calls and their outputs are items of their own, joined by `call_id`; an
 *   output may hold images; a call id has at most 64 characters
 * - its errors: "Item 'rs_…' of type 'reasoning' was provided without its required following item" (vercel/ai#7099), "No tool output
 *   found for function call", "No tool call found for function call output with call_id" (leookun/cursor-byok#307)
 */
export const OPENAI_RESPONSES_WIRE_RULES: WireRules = {
  ...OPENAI_CHAT_WIRE_RULES,
  name: "openai-responses",
  resultPlacement: "anywhere-after-call",
  trailingReasoning: "reject",
  resultImages: "accept",
  maximumCallIdChars: 64,
};

/** Longest name of a tool: platform.openai.com/docs/api-reference/responses/create. */
export const MAXIMUM_TOOL_NAME_CHARS = 128;
