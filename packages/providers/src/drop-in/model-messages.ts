import type { AssistantMessage, ImagePart, Message, ToolResultMessage, UserMessage } from "@plimsoll/core";
import { textOf } from "@plimsoll/core";
import { canonicalJson, isRecord, type MessageDraft } from "@plimsoll/core/extend";
import type { ModelMessage } from "ai";
import { argumentsObject, callPart, type Fields, jsonValueOf, piecesAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { imagePlaceholder, sendableImage } from "../wire/images.ts";
import type { TurnRules } from "../wire/turns.ts";
import { changedTurn, hasMedia, leftPieces, piecesLeft } from "./array-items.ts";
import { jsonParts, pieceParts } from "./media-parts.ts";
import { changedPieces, declaredByRole, replyDraft, resultDraft, textParts, userDraft, type WireArray } from "./wire-array.ts";

/** How the SDK's messages are read. */
export const MODEL_MESSAGES: Required<Pick<WireArray<ModelMessage, unknown>, "declares" | "drafts" | "isVendorState">> = {
  declares: (item) => declaredByRole(item, ({ content }) => textParts(typeof content === "string" ? content : "")),
  drafts: (items) => items.flatMap(draftsOf),
  isVendorState: (item) => recordsAt(item, "content").some(isCompaction),
};

/** A part that holds a vendor's compaction: the SDK's providers say so in the part's options (`@ai-sdk/anthropic` 3 and 4, `@ai-sdk/openai` 3 and 4). */
function isCompaction({ providerOptions }: Fields): boolean {
  return Object.values(isRecord(providerOptions) ? providerOptions : {}).some(
    (options) => stringAt(options, "type") === "compaction",
  );
}

function draftsOf(item: ModelMessage): readonly MessageDraft[] {
  const parts = piecesAt(item, "content");
  if (item.role === "assistant") return [replyDraft(parts.flatMap(replyParts))];
  return item.role === "tool" ? parts.flatMap(resultDrafts) : [userDraft(parts.flatMap(pieceParts))];
}

/** Results of tools that the provider ran, and questions of approval, are opaque: kept with the reply, never read. */
function replyParts(part: Fields): AssistantMessage["parts"] {
  if (part.type === "text") return textParts(stringAt(part, "text") ?? "");
  if (part.type === "reasoning")
    return [{ type: "reasoning", text: stringAt(part, "text") ?? "", opaque: jsonValueOf(part.providerOptions) }];
  if (part.type !== "tool-call" || part.providerExecuted === true)
    return [{ type: "reasoning", text: "", opaque: jsonValueOf(part) }];
  const names = { callId: stringAt(part, "toolCallId") ?? "", toolName: stringAt(part, "toolName") ?? "" };
  return [callPart(names, JSON.stringify(part.input ?? {}))];
}

function resultDrafts(part: Fields): readonly MessageDraft[] {
  if (part.type !== "tool-result") return [];
  const output = recordAt(part, "output");
  const type = stringAt(output, "type") ?? "";
  const call = { callId: stringAt(part, "toolCallId") ?? "", toolName: stringAt(part, "toolName") ?? "" };
  const isError = type.startsWith("error-") || type === "execution-denied";
  return [resultDraft({ ...call, isError }, outputParts(output))];
}

function outputParts(output: Fields | null): UserMessage["parts"] {
  const text = stringAt(output, "value") ?? stringAt(output, "reason");
  if (text !== null) return textParts(text);
  if (output?.type === "execution-denied") return textParts(DENIED_TEXT);
  return output?.type === "content" ? recordsAt(output, "value").flatMap(pieceParts) : jsonParts(output?.value);
}

/** The SDK's providers send this for a call that was denied without a reason (`@ai-sdk/anthropic` 3, `@ai-sdk/openai-compatible` 2). */
const DENIED_TEXT = "Tool call execution denied.";

/**
 * Whether a provider's wire takes the user right after results; `null` for OpenAI's own wires, which take roles in any order. Anthropic's provider
 * joins results and the user's words.
 */
export function turnsOf(provider: string): Pick<TurnRules<unknown>, "userAfterTool"> | null {
  if (/^(openai|azure|azure-openai)\./.test(provider)) return null;
  return { userAfterTool: /anthropic|bedrock/.test(provider) ? "accept" : "reject" };
}

/**
 * The items of a reply that lost reasoning and nothing else: its other parts unchanged, without ids by which the vendor would look for it; and of results beside
 * answers to approvals, which stay. `null` for any other change.
 */
export function changedMessages<Item extends { readonly role: string; readonly content: unknown }>(
  items: readonly Item[],
  viewed: readonly Message[],
): readonly Item[] | null {
  const [item, reply] = [items[0], viewed[0]];
  if (item?.role === "tool") return changedResults(item, viewed);
  if (item?.role === "user" && reply?.role === "user" && Array.isArray(item.content))
    return [{ ...item, content: changedPieces(recordsAt(item, "content"), reply.parts, USER_PIECES) }];
  if (item === undefined || reply?.role !== "assistant" || !Array.isArray(item.content)) return null;
  const pieces = recordsAt(item, "content");
  const isLeft = piecesLeft(pieces.map(replyParts), reply.parts);
  return isLeft === null ? null : [{ ...item, content: pieces.filter((_, index) => isLeft[index]).map(withoutItemId) }];
}

function changedResults<Item extends { readonly role: string; readonly content: unknown }>(
  item: Item,
  viewed: readonly Message[],
): readonly Item[] | null {
  const isResult = ({ type }: Fields) => type === "tool-result";
  const content = changedTurn(recordsAt(item, "content"), viewed, { ...USER_PIECES, isResult, changedResult });
  return [{ ...item, content }];
}

function changedResult(part: Fields, now: ToolResultMessage): Fields {
  const [{ parts } = { parts: [] }] = resultDrafts(part);
  if (canonicalJson(parts) === canonicalJson(now.parts)) return part;
  const output = recordAt(part, "output");
  if (output?.type !== "content" || !hasMedia(parts)) return { ...part, output: writtenOutput(now) };
  return { ...part, output: { ...output, value: changedPieces(recordsAt(output, "value"), now.parts, USER_PIECES) } };
}

/** Results, some of which left, with everything beside them unchanged. */
export function leftMessages<Item extends { readonly role: string; readonly content: unknown }>(
  [item]: readonly Item[],
  isThere: readonly boolean[],
): readonly Item[] | null {
  if (item?.role !== "tool") return null;
  const content = leftPieces(recordsAt(item, "content"), [...isThere, true], ({ type }) => type === "tool-result");
  return [{ ...item, content }];
}

const USER_PIECES = { partsOf: pieceParts, made: (text: string): Fields => ({ type: "text", text }) };

function withoutItemId(part: Fields): Fields {
  const { providerOptions } = part;
  if (!isRecord(providerOptions)) return part;
  const options = Object.entries(providerOptions).map(([provider, own]) => {
    if (!isRecord(own) || own.itemId === undefined) return [provider, own] as const;
    const { itemId: _, ...rest } = own;
    return [provider, rest] as const;
  });
  return { ...part, providerOptions: Object.fromEntries(options) };
}

/** A message that compaction made or changed, as an item. Of a changed result only the text goes back, images without their bytes as a text. */
export function encoded(message: Message): ModelMessage {
  if (message.role === "user")
    return { role: "user", content: message.parts.map((part) => (part.type === "text" ? { ...part } : fileOf(part))) };
  if (message.role === "assistant") return { role: "assistant", content: message.parts.flatMap(writtenReply) };
  const { callId: toolCallId, toolName } = message;
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: writtenOutput(message) }] };
}

function writtenOutput(message: ToolResultMessage) {
  return { type: message.isError ? ("error-text" as const) : ("text" as const), value: textOf(message) };
}

type WrittenReply = Exclude<Extract<ModelMessage, { readonly role: "assistant" }>["content"], string>;

function writtenReply(part: AssistantMessage["parts"][number]): WrittenReply {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type === "reasoning") return [];
  const { callId: toolCallId, toolName } = part;
  return [{ type: "tool-call", toolCallId, toolName, input: argumentsObject(part.argumentsJson) }];
}

function fileOf(part: ImagePart) {
  const image = sendableImage(part);
  if (image === null) return { type: "text" as const, text: imagePlaceholder(part) };
  return { type: "file" as const, data: image.kind === "url" ? new URL(image.url) : image.data, mediaType: part.mediaType };
}
