import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { AssistantMessage, ImagePart, Message, TextPart, UserMessage } from "@plimsoll/core";
import { textOf, usageOf } from "@plimsoll/core";
import { isRecord, type MessageDraft, wellFormed } from "@plimsoll/core/extend";
import type { Fields } from "../fields.ts";
import {
  argumentsObject,
  callPart,
  jsonValueOf,
  numberAt,
  piecesAt,
  recordAt,
  recordsAt,
  stringAt,
  withoutKeys,
} from "../fields.ts";
import { imagePlaceholder, imageUrl, sendableImage } from "../wire/images.ts";
import { withMendedCalls } from "../wire/item-nodes.ts";
import type { TurnRules } from "../wire/turns.ts";
import { byPiece, partsNow } from "./array-items.ts";
import { contentParts, pieceParts } from "./media-parts.ts";
import type { WireArray } from "./wire-array.ts";
import {
  changedPieces,
  declaredBy,
  isAgentsRole,
  replyDraft,
  resultDraft,
  textParts,
  userDraft,
  WHOLE_ITEMS,
} from "./wire-array.ts";

function kindOf(message: BaseMessage): "system" | "reply" | "result" | "user" {
  const type = message.getType();
  // A message of any role says its role beside its type.
  if (isAgentsRole(type) || isAgentsRole(stringAt(message, "role"))) return "system";
  if (type === "ai") return "reply";
  return type === "tool" || type === "function" ? "result" : "user";
}

function draftOf(message: BaseMessage, toolNameOf: (callId: string) => string): MessageDraft {
  const kind = kindOf(message);
  if (kind === "reply") return replyDraft(replyParts(message).flat());
  if (kind !== "result") return userDraft(partsOf(message));
  const callId = stringAt(message, "tool_call_id") ?? "";
  const call = { callId, toolName: message.name ?? toolNameOf(callId), isError: stringAt(message, "status") === "error" };
  return resultDraft(call, partsOf(message));
}

function partsOf(message: BaseMessage): UserMessage["parts"] {
  return contentParts(message, "content");
}

/** Types of blocks that repeat `tool_calls`. */
const CALL_BLOCKS: readonly unknown[] = ["tool_use", "tool_call", "tool_call_chunk", "input_json_delta", "functionCall"];

/** A reply's blocks and its calls, each by itself: a block without text is the model's own, and counted by its JSON. */
function replyParts(message: BaseMessage): readonly AssistantMessage["parts"][] {
  const said = piecesAt(message, "content").map((block): AssistantMessage["parts"] => {
    if (CALL_BLOCKS.includes(block.type)) return [];
    if (block.type === "text") return textParts(stringAt(block, "text") ?? "");
    const text = stringAt(block, "thinking") ?? stringAt(block, "reasoning") ?? "";
    return [{ type: "reasoning", text, opaque: jsonValueOf(block) }];
  });
  const calls = recordsAt(message, "tool_calls").map((call): AssistantMessage["parts"] => {
    const names = { callId: stringAt(call, "id") ?? "", toolName: stringAt(call, "name") ?? "" };
    return [callPart(names, JSON.stringify(call.args ?? {}))];
  });
  return [...said, ...calls];
}

function messageOf(message: Message): BaseMessage {
  if (message.role === "assistant")
    return new AIMessage({ content: textOf(message), tool_calls: message.parts.flatMap(writtenCall) });
  const content = writtenParts(message.parts);
  if (message.role === "user") return new HumanMessage({ content });
  const { callId: tool_call_id, toolName: name, isError } = message;
  return new ToolMessage({ content, tool_call_id, name, ...(isError ? { status: "error" } : {}) });
}

/** Messages in turn, on any wire of their model. */
const MESSAGE_TURNS: TurnRules<BaseMessage> = {
  roleOf: (message) => TURN_ROLES[kindOf(message)],
  said: (role, text) => (role === "user" ? new HumanMessage(text) : new AIMessage(text)),
  join: (first, second) => {
    const id = first.id ?? second.id;
    const fields = { content: joinedContent(first.content, second.content), ...(id === undefined ? {} : { id }) };
    return kindOf(first) === "system" ? new SystemMessage(fields) : new HumanMessage(fields);
  },
  userAfterTool: "reject",
};

const TURN_ROLES = { system: "system", reply: "assistant", result: "tool", user: "user" } as const;

function joinedContent(first: BaseMessage["content"], second: BaseMessage["content"]): BaseMessage["content"] {
  if (typeof first === "string" && typeof second === "string") return `${first}\n${second}`;
  return [first, second].flatMap((content) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
}

function writtenParts(parts: readonly (TextPart | ImagePart)[]) {
  if (parts.every((part) => part.type === "text")) return parts.map(({ text }) => text).join("\n");
  return parts.map((part) => {
    const image = part.type === "text" ? null : sendableImage(part);
    if (part.type === "text") return { type: "text" as const, text: part.text };
    if (image === null) return { type: "text" as const, text: imagePlaceholder(part) };
    return { type: "image_url" as const, image_url: { url: imageUrl(image) } };
  });
}

function writtenCall(part: AssistantMessage["parts"][number]) {
  if (part.type !== "tool-call") return [];
  return [
    { type: "tool_call" as const, id: part.callId, name: part.toolName, args: { ...argumentsObject(part.argumentsJson) } },
  ];
}

type WrittenBlock = { readonly [key: string]: unknown; readonly type: string };

/**
 * A reply with changed texts or inputs of calls, and with all else that it came with: blocks of reasoning, ids, the vendor's additions. Raw copies of the
 * same calls are left out, since some clients send those in place of the calls. `null` if parts are gone.
 */
function changedReply(message: BaseMessage, viewed: AssistantMessage): BaseMessage | null {
  const own = replyParts(message);
  const parts = partsNow(own.flat(), viewed.parts);
  if (parts === null) return null;
  const hasLeft = parts.includes(null);
  const { content } = message;
  const blocks = piecesAt(message, "content");
  const calls = viewed.parts.flatMap(writtenCall);
  const pieces = byPiece(own, parts);
  const now = blocks.flatMap((block, index): readonly WrittenBlock[] => {
    const [part] = pieces[index] ?? [];
    if (part === null) return [];
    if (block.type === "text") return part?.type === "text" ? [{ ...block, type: "text", text: part.text }] : [];
    const call = CALL_BLOCKS.includes(block.type) ? calls.find(({ id }) => id === block.id) : undefined;
    return [{ ...block, type: String(block.type), ...(call === undefined ? {} : { input: call.args }) }];
  });
  return new AIMessage({
    content: typeof content === "string" ? (stringAt(now[0], "text") ?? "") : [...now],
    tool_calls: calls,
    additional_kwargs: withoutKeys(message.additional_kwargs, ["tool_calls", ...(hasLeft ? LINKED_FIELDS : [])]),
    response_metadata: withoutKeys(message.response_metadata, ["output"]),
    ...(message.id === undefined || (hasLeft && message.id.startsWith("msg_")) ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
  });
}

/** Where `@langchain/openai` keeps an answer's reasoning, and the ids by which the vendor would look for it: 1.1, `converters/responses`. */
const LINKED_FIELDS = ["reasoning", "__openai_function_call_ids__"] as const;

/** Keeps each block of a person's or a tool's message that was not changed as it came, with its id and artifact. */
function changedContent(message: BaseMessage, parts: readonly (TextPart | ImagePart)[]): BaseMessage {
  const isChanged = message instanceof ToolMessage || kindOf(message) === "user";
  return isChanged ? withFields(message, { content: contentNow(message, parts) }) : message;
}

/** The message with other fields; they are also in those that it is serialised by. */
function withFields(message: BaseMessage, fields: object): BaseMessage {
  const { lc_kwargs } = message;
  const copy: BaseMessage = Object.assign(Object.create(Object.getPrototypeOf(message)), message);
  return Object.assign(copy, fields, { lc_kwargs: { ...lc_kwargs, ...fields } });
}

function contentNow(message: BaseMessage, parts: readonly (TextPart | ImagePart)[]) {
  if (typeof message.content === "string") return writtenParts(parts);
  const made = (text: string): WrittenBlock => ({ type: "text", text });
  const form = { partsOf: pieceParts, made };
  const blocks = changedPieces<WrittenBlock | Fields>(recordsAt(message, "content"), parts, form);
  return blocks.map((block): WrittenBlock => ({ ...block, type: String(block.type) }));
}

function mendedMessage(message: BaseMessage): BaseMessage {
  const mended: unknown = wellFormed(message.content);
  if (mended === message.content) return message;
  const kind = kindOf(message);
  if (kind === "reply")
    return changedReply(message, { ...replyDraft(wellFormed(replyParts(message).flat())), id: "" }) ?? message;
  const parts = wellFormed(partsOf(message));
  return kind === "system" ? new SystemMessage({ content: contentNow(message, parts) }) : changedContent(message, parts);
}

/** The reply with an object for the arguments of each call, in blocks and raw copies too; the very message if nothing is wrong with it. */
function withCalls(message: BaseMessage): BaseMessage {
  const { content, additional_kwargs } = withMendedCalls({
    content: message.content,
    additional_kwargs: message.additional_kwargs,
  });
  const calls = recordsAt(message, "tool_calls");
  const tool_calls = calls.map((call) => (isRecord(call.args) ? call : { ...call, args: argumentsObject(call.args) }));
  const isSame = content === message.content && additional_kwargs === message.additional_kwargs;
  if (isSame && tool_calls.every((call, index) => call === calls[index])) return message;
  return withFields(message, { content, additional_kwargs, tool_calls });
}

/** LangChain's messages, and the usage of its answers. */
export const LANGCHAIN_MESSAGES: WireArray<BaseMessage, BaseMessage> = {
  ...WHOLE_ITEMS,
  declares: (message) => (kindOf(message) === "system" ? declaredBy(message, partsOf) : null),
  drafts: (items, { toolNameOf }) => items.map((item) => draftOf(item, toolNameOf)),
  encode: (messages) => messages.map(messageOf),
  changed: (items, viewed) =>
    viewed.flatMap((message, index) => {
      const item = items[index];
      if (item === undefined) return [messageOf(message)];
      return [
        message.role === "assistant"
          ? (changedReply(item, message) ?? messageOf(message))
          : changedContent(item, message.parts),
      ];
    }),
  turns: MESSAGE_TURNS,
  joined: (items) => items.map(mendedMessage),
  // As a block of its content, or among the items that `@langchain/openai` keeps of an answer.
  isVendorState: (message) =>
    [...recordsAt(message, "content"), ...recordsAt(message.response_metadata, "output")].some(
      (block) => block.type === "compaction" || recordAt(block, "value")?.type === "compaction",
    ),
  withCalls,
  observed: (answer) => {
    const usage = recordAt(answer, "usage_metadata");
    if (usage === null) return null;
    const input = recordAt(usage, "input_token_details");
    const { response_metadata: metadata } = answer;
    return {
      requestId: answer.id ?? stringAt(metadata, "id") ?? "",
      modelId: stringAt(metadata, "model_name") ?? stringAt(metadata, "model") ?? "",
      // The cached part of a prompt is counted with it: @langchain/core 1.4, UsageMetadata.
      usage: usageOf({
        totalInputTokens: numberAt(usage, "input_tokens"),
        cacheReadTokens: numberAt(input, "cache_read"),
        cacheWriteTokens: numberAt(input, "cache_creation"),
        outputTokens: numberAt(usage, "output_tokens"),
        reasoningTokens: numberAt(recordAt(usage, "output_token_details"), "reasoning"),
        raw: jsonValueOf(usage),
      }),
    };
  },
};
