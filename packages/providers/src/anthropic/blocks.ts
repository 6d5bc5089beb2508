import type Anthropic from "@anthropic-ai/sdk";
import type { AssistantMessage, ImagePart, Message, ReasoningPart, ToolResultMessage, UserMessage } from "@plimsoll/core";
import type { WireRules } from "@plimsoll/core/extend";
import { argumentsObject, stringAt } from "../fields.ts";
import { wireCallId } from "../wire/identifiers.ts";
import { imagePlaceholder, type LoadedImages, sendableImage } from "../wire/images.ts";

/**
 * The rules of the Anthropic Messages API. Sources:
 *
 * - platform.claude.com/docs/en/api/messages: neighbours of one role are combined; at most 100,000 messages in a request; a request that
 *   ends with an assistant message is a prefill, which models from Claude 4.6 on reject ("The conversation must end with a user message")
 * - platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use: all results of a message's calls come first in the next
 *   message; a result may hold images
 * - its errors: "first message must use the "user" role", "text content blocks must be non-empty", "all messages must have non-empty
 *   content", "The final block in an assistant message cannot be `thinking`" (tailcallhq/forgecode#2107), "tool_use ids were found without
 *   tool_result blocks immediately after" (anthropics/claude-code#8210), "String should match pattern '^[a-zA-Z0-9_-]+$'" for call ids
 *   (maximhq/bifrost#5097)
 */
export const ANTHROPIC_WIRE_RULES: WireRules = {
  name: "anthropic",
  firstMessage: "user",
  lastMessage: "not-assistant",
  emptyContent: "reject",
  malformedText: "reject",
  resultPlacement: "right-after-call",
  trailingReasoning: "reject",
  resultImages: "accept",
  sameRole: "accept",
  callIds: "word-characters",
  maximumCallIdChars: null,
  maximumMessages: 100_000,
};

/** Longest name of a tool: platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools. */
export const MAXIMUM_TOOL_NAME_CHARS = 128;

/** A request's body on the Messages wire without what only streaming decides. */
export type AnthropicBody = Omit<Anthropic.MessageCreateParamsNonStreaming, "stream">;

/** A message as blocks of the wire. */
export function blocksOf(message: Message, images: LoadedImages): Anthropic.ContentBlockParam[] {
  switch (message.role) {
    case "user":
      return contentBlocks(message, images);
    case "assistant":
      return replyBlocks(message);
    case "tool-result":
      return [resultBlock(message, images)];
    default:
      return message satisfies never;
  }
}

/** Text without a visible character is left out: the wire rejects it. */
function contentBlocks(message: UserMessage | ToolResultMessage, images: LoadedImages) {
  return message.parts.flatMap((part) => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text } as const];
    return [imageBlock(part, images) ?? ({ type: "text", text: imagePlaceholder(part) } as const)];
  });
}

function resultBlock(message: ToolResultMessage, images: LoadedImages): Anthropic.ToolResultBlockParam {
  const content = contentBlocks(message, images);
  const [only] = content;
  return {
    type: "tool_result",
    tool_use_id: wireCallId(message.callId, ANTHROPIC_WIRE_RULES),
    ...(content.length === 0 ? {} : { content: content.length === 1 && only?.type === "text" ? only.text : content }),
    ...(message.isError ? { is_error: true } : {}),
  };
}

function replyBlocks(message: AssistantMessage): Anthropic.ContentBlockParam[] {
  return message.parts.flatMap((part): Anthropic.ContentBlockParam[] => {
    switch (part.type) {
      case "text":
        return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
      case "reasoning":
        return reasoningBlocks(part);
      case "tool-call":
        return [
          {
            type: "tool_use",
            id: wireCallId(part.callId, ANTHROPIC_WIRE_RULES),
            name: part.toolName,
            input: argumentsObject(part.argumentsJson),
          },
        ];
      default:
        return part satisfies never;
    }
  });
}

/** Media types of images that the wire takes inline: platform.claude.com/docs/en/build-with-claude/vision. */
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** The image or document as a block; `null` if its bytes were not kept or the wire does not take its kind. */
function imageBlock(part: ImagePart, images: LoadedImages): Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam | null {
  const image = sendableImage(part, images);
  if (image === null) return null;
  const isPdf = part.mediaType === "application/pdf";
  if (image.kind === "url") {
    const source = { type: "url", url: image.url } as const;
    if (isPdf) return { type: "document", source };
    return part.mediaType.startsWith("image/") ? { type: "image", source } : null;
  }
  if (isPdf) return { type: "document", source: { type: "base64", media_type: "application/pdf", data: image.data } };
  const mediaType = IMAGE_TYPES.find((type) => type === image.mediaType);
  return mediaType === undefined
    ? null
    : { type: "image", source: { type: "base64", media_type: mediaType, data: image.data } };
}

/**
 * The reasoning as the wire wants it back. `opaque` is the vendor's own block without its text, as decoding keeps it. Reasoning of other
 * wires, and reasoning whose signature was not kept, is left out: without its signature it is rejected.
 */
function reasoningBlocks(part: ReasoningPart): Anthropic.ContentBlockParam[] {
  const signature = stringAt(part.opaque, "signature");
  const data = stringAt(part.opaque, "data");
  switch (stringAt(part.opaque, "type")) {
    case "thinking":
      return signature === null ? [] : [{ type: "thinking", thinking: part.text, signature }];
    case "redacted_thinking":
      return data === null ? [] : [{ type: "redacted_thinking", data }];
    default:
      return [];
  }
}

/** True for a content with reasoning in it. */
export function hasReasoning(content: Anthropic.MessageParam["content"]): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "thinking" || type === "redacted_thinking");
}
