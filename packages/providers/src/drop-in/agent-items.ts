import type { AgentInputItem } from "@openai/agents-core";
import type { AssistantMessage, ImagePart, Message, TextPart, ToolResultMessage, UserMessage } from "@plimsoll/core";
import { canonicalJson, type MessageDraft, shortHash } from "@plimsoll/core/extend";
import { argumentsText, callPart, recordAt, recordsAt, stringAt, textAt, withoutKeys } from "../fields.ts";
import { imagePlaceholder, imageUrl, sendableImage, textIn } from "../wire/images.ts";
import { joinedSystem, type TurnRules } from "../wire/turns.ts";
import { changedReply, hasMedia } from "./array-items.ts";
import { jsonText, pieceParts } from "./media-parts.ts";
import { changedPieces, isAgentsRole, replyDraft, resultDraft, textParts, userDraft } from "./wire-array.ts";

/**
 * The part that an item plays in a conversation, by its role, its type and its `callId`: `system` is everything that the agent declares, in any type,
 * and `model` anything of the model that no client answers, and unknown types.
 */
type AgentItemKind = "system" | "user" | "reply" | "reasoning" | "call" | "result" | "model";

/** The item, or the vendor's own if the SDK does not know it. */
export function rawItem(item: AgentInputItem): unknown {
  return item.type === "unknown" ? (recordAt(item, "providerData") ?? item) : item;
}

/** Finds an item's part. */
export function agentItemKind(item: AgentInputItem): AgentItemKind {
  const role = stringAt(rawItem(item), "role");
  if (isAgentsRole(role)) return "system";
  if (role === "user") return role;
  if (role === "assistant") return "reply";
  const type = stringAt(item, "type") ?? "";
  if (type === "reasoning") return type;
  if (stringAt(item, "callId") === null) return "model";
  return /_(result|output)$/.test(type) ? "result" : "call";
}

/** True for an item whose neighbours of the same kind are one reply. */
export function isModels(item: AgentInputItem): boolean {
  const kind = agentItemKind(item);
  return kind === "reply" || kind === "reasoning" || kind === "call" || kind === "model";
}

/** The messages of one item, or of the pieces of one reply. */
export function itemDrafts(items: readonly AgentInputItem[], toolNameOf: (callId: string) => string): readonly MessageDraft[] {
  if (items.some(isModels)) return [replyDraft(items.flatMap(modelParts))];
  return items.map((item) => {
    if (agentItemKind(item) !== "result") return userDraft(contentParts(item, "content"));
    const callId = stringAt(item, "callId") ?? "";
    return resultDraft({ callId, toolName: stringAt(item, "name") ?? toolNameOf(callId) }, contentParts(item, "output"));
  });
}

/** An item without a known text is a call, too: so it is counted by its JSON, and never cut. */
function modelParts(item: AgentInputItem): AssistantMessage["parts"] {
  const kind = agentItemKind(item);
  if (kind === "reply") return textParts(textAt(item, "content", "refusal", "transcript"));
  if (kind === "reasoning")
    return [{ type: "reasoning", text: textAt(item, "content", "refusal", "transcript"), opaque: null }];
  const callId = stringAt(item, "callId") ?? stringAt(item, "id") ?? `item_${shortHash(canonicalJson(item))}`;
  const toolName = stringAt(item, "name") ?? stringAt(item, "type") ?? "";
  return [callPart({ callId, toolName }, stringAt(item, "arguments") ?? jsonText(withoutKeys(item, NO_CONTENT)))];
}

/** Fields that identify an item and its progress, not its content. */
const NO_CONTENT: readonly string[] = ["type", "id", "callId", "name", "namespace", "status", "caller"];

/** Reads the content under a key: a text, one content or a list of them; anything else becomes its JSON. */
export function contentParts(item: unknown, key: "content" | "output"): UserMessage["parts"] {
  const text = stringAt(item, key);
  if (text !== null) return textParts(text);
  const one = recordAt(item, key);
  const contents = one === null ? recordsAt(item, key) : [one];
  return contents.length > 0 ? contents.flatMap(pieceParts) : textParts(jsonText(withoutKeys(item, NO_CONTENT)));
}

/** A message that compaction made or changed, as an item. */
export function itemOf(message: Message): readonly AgentInputItem[] {
  if (message.role === "user") return [{ role: "user", content: message.parts.map(writtenPart) }];
  if (message.role === "assistant") return message.parts.flatMap(writtenReply);
  const { callId, toolName: name } = message;
  return [{ type: "function_call_result", callId, name, status: "completed", output: textIn(message.parts) }];
}

/** Items in turn. */
export const ITEM_TURNS: TurnRules<AgentInputItem> = {
  roleOf: (item) => {
    const kind = agentItemKind(item);
    if (kind === "system" || kind === "user") return kind;
    return kind === "result" ? "tool" : "assistant";
  },
  said: (role, text) => (role === "user" ? { role, content: text } : replyItem(text)),
  join: (first, second) => {
    if (isPersons(first) && isPersons(second))
      return { ...first, ...second, content: [...writtenContents(first), ...writtenContents(second)] };
    return isAgents(first) && isAgents(second) ? joinedSystem(first, second) : null;
  },
  userAfterTool: "reject",
};

function isAgents(item: AgentInputItem): item is Extract<AgentInputItem, { readonly role: "system" }> {
  return "role" in item && item.role === "system";
}

function isPersons(item: AgentInputItem): item is Extract<AgentInputItem, { readonly role: "user" }> {
  return "role" in item && item.role === "user";
}

function writtenContents({ content }: Extract<AgentInputItem, { readonly role: "user" }>) {
  return typeof content === "string" ? [{ type: "input_text", text: content } as const] : content;
}

function writtenPart(part: TextPart | ImagePart) {
  if (part.type === "text") return { type: "input_text" as const, text: part.text };
  const image = sendableImage(part);
  if (image === null) return { type: "input_text" as const, text: imagePlaceholder(part) };
  return { type: "input_image" as const, image: imageUrl(image) };
}

function writtenReply(part: AssistantMessage["parts"][number]): readonly AgentInputItem[] {
  if (part.type === "text") return [replyItem(part.text)];
  if (part.type === "reasoning") return [];
  const { callId, toolName: name, argumentsJson } = part;
  return [{ type: "function_call", callId, name, arguments: argumentsText(argumentsJson), status: "completed" }];
}

function replyItem(text: string): AgentInputItem {
  return { role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}

/** Writes a reply with some changed texts. */
export function changedItems(items: readonly AgentInputItem[], viewed: AssistantMessage): readonly AgentInputItem[] {
  const said = (text: string, item: AgentInputItem) => (agentItemKind(item) === "reply" ? replyItem(text) : null);
  return changedReply(items, viewed, { partsOf: modelParts, said, withoutLink: withoutId }) ?? itemOf(viewed);
}

/** A copy of an item without its vendor's id; an item of the model keeps it. */
export function withoutId(item: AgentInputItem): AgentInputItem {
  if (!("id" in item) || agentItemKind(item) === "model") return item;
  const copy = Object.assign({}, item);
  Reflect.deleteProperty(copy, "id");
  return copy;
}

/** A changed result of a function: the same item with less in it. Others have no form with less, and go back whole. */
export function changedResult(item: AgentInputItem, { parts }: ToolResultMessage): AgentInputItem {
  if (item.type !== "function_call_result") return item;
  const { output } = item;
  const isMedia = Array.isArray(output) && hasMedia(contentParts(item, "output"));
  return { ...item, output: isMedia ? changedPieces<(typeof output)[number]>(output, parts, PIECES) : textIn(parts) };
}

/** Keeps each content of a person's message that was not changed as it came. */
export function changedSaid(item: AgentInputItem, { parts }: UserMessage): AgentInputItem {
  if (!isPersons(item)) return item;
  const contents = writtenContents(item);
  return { ...item, content: changedPieces<(typeof contents)[number]>(contents, parts, PIECES) };
}

const PIECES = { partsOf: pieceParts, made: (text: string) => ({ type: "input_text" as const, text }) };
