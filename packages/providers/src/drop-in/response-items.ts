import type { AssistantMessage, ToolResultMessage, UserMessage } from "@plimsoll/core";
import { canonicalJson, shortHash } from "@plimsoll/core/extend";
import type OpenAI from "openai";
import { callPart, type Fields, recordAt, recordsAt, stringAt, textAt, withoutKeys } from "../fields.ts";
import { replyParts } from "../openai-responses/decode.ts";
import { contentParts, jsonParts, jsonText, pieceParts } from "./media-parts.ts";
import { changedPieces, imageAt, isAgentsRole, textParts } from "./wire-array.ts";

/** An item of an array on the Responses wire. */
export type ResponseItem = OpenAI.Responses.ResponseInputItem;

/**
 * The part that an item plays in a conversation.
 * - `declared`: a declaration of the agent: text or tools of the system's or developer's role, in any type
 * - `said`: a message, a person's or the model's
 * - `reasoning`: the model's
 * - `call`: a call of the model that the client answers, of any type
 * - `output`: an answer to a call
 * - `model`: anything else of the model: calls that the server ran by itself, and unknown types
 * - `client`: anything else of the client
 */
export type ItemKind = "declared" | "said" | "reasoning" | "call" | "output" | "model" | "client";

/** Types of items that clients put in, and that are neither a message nor an answer to a call: openai 6.49.0, ResponseInputItem. */
const CLIENT_TYPES: readonly string[] = ["mcp_approval_response", "compaction_trigger"];

/** Types that declare something even without a role: openai/codex, protocol. */
const DECLARING_TYPES: readonly string[] = ["additional_tools", "configuration_update"];

/**
 * Finds an item's kind by its role, its type and its `call_id`, which joins calls and outputs of all types: an unknown type with one is read like the known
 * ones, any other unknown type is the model's.
 */
export function itemKind(item: ResponseItem): ItemKind {
  const type = stringAt(item, "type") ?? "message";
  if (isAgentsRole(stringAt(item, "role")) || DECLARING_TYPES.includes(type)) return "declared";
  if (type === "message" || type === "reasoning") return type === "message" ? "said" : type;
  if (CLIENT_TYPES.includes(type)) return "client";
  if (itemCallId(item) === null) return "model";
  return type.endsWith("_output") ? "output" : "call";
}

/**
 * The id by which a call and its output are joined; `null` for items without one. Of a local shell's output the SDK's type has the id under another name, the server under
 * the common one (openai/openai-agents-python#1855): either is read.
 */
export function itemCallId(item: ResponseItem): string | null {
  return stringAt(item, "call_id") ?? (item.type === "local_shell_call_output" ? stringAt(item, "id") : null);
}

/** True for an item of the model, whose neighbours of the same kind are one reply. */
export function isModels(item: ResponseItem): boolean {
  const kind = itemKind(item);
  return kind === "said" ? stringAt(item, "role") === "assistant" : kind === "reasoning" || kind === "call" || kind === "model";
}

/**
 * Reads an item of the model as parts: its words, its reasoning or its call. An item without a known text is a call, too: so it is counted by its
 * JSON, and never cut.
 */
export function modelParts(item: ResponseItem): AssistantMessage["parts"] {
  const kind = itemKind(item);
  if (kind === "said") return textParts(textAt(item, "content", "refusal"));
  if (kind === "reasoning") return replyParts({ ...item });
  const callId = itemCallId(item) ?? stringAt(item, "id") ?? `item_${shortHash(canonicalJson(item))}`;
  return [callPart({ callId, toolName: toolNameOf(item) }, argumentsOf(item))];
}

/** The name of the called tool: in a namespace both names, of a tool of the vendor's its item's type. */
function toolNameOf(item: ResponseItem): string {
  const name = stringAt(item, "name") ?? (stringAt(item, "type") ?? "").replace(/_call$/, "");
  const space = stringAt(item, "namespace");
  return space === null ? name : `${space}.${name}`;
}

/** Fields that identify an item and its progress, not its content. */
const NO_ARGUMENTS: readonly string[] = ["type", "id", "call_id", "name", "namespace", "status", "caller"];

function argumentsOf(item: ResponseItem): string {
  const own = item.type === "custom_tool_call" ? stringAt(item, "input") : null;
  if (item.type !== "function_call") return own ?? jsonText(withoutKeys(item, NO_ARGUMENTS));
  return stringAt(item, "arguments") ?? jsonText(item.arguments);
}

/** Reads the content of a message or a declaration. */
export function saidParts(item: ResponseItem): UserMessage["parts"] {
  return contentParts(item, "content", partOf);
}

/** The keys of an output's content. */
const ANSWER_KEYS = ["output", "result"] as const;

/** Reads an output: its text, or its pieces, each by itself; an output with neither becomes its JSON. */
export function outputParts(item: ResponseItem): ToolResultMessage["parts"] {
  const key = ANSWER_KEYS.find((each) => stringAt(item, each) !== null);
  if (key !== undefined) return textParts(stringAt(item, key) ?? "");
  const pieces = recordsAt(item, "output");
  if (pieces.length > 0) return pieces.flatMap(partOf);
  const screenshot = stringAt(recordAt(item, "output"), "image_url");
  return screenshot === null ? jsonParts(withoutKeys(item, NO_ARGUMENTS)) : [imageAt(screenshot)];
}

function partOf(part: unknown): UserMessage["parts"] {
  const stdout = stringAt(part, "stdout");
  if (stdout === null) return pieceParts(part);
  return textParts([stdout, stringAt(part, "stderr") ?? ""].filter((each) => each !== "").join("\n"));
}

/** Two messages of a person or of the agent as one, or the tools that two items add; `null` for any others. */
export function joinedMessages(first: ResponseItem, second: ResponseItem): ResponseItem | null {
  if (isAdding(first) && isAdding(second)) return { ...first, ...second, tools: [...first.tools, ...second.tools] };
  if (!isMessage(first) || !isMessage(second) || first.role !== second.role) return null;
  return { ...first, ...second, content: [...contentsOf(first), ...contentsOf(second)] };
}

function isAdding(item: ResponseItem): item is OpenAI.Responses.ResponseInputItem.AdditionalTools {
  return stringAt(item, "type") === "additional_tools";
}

function isMessage(item: ResponseItem): item is OpenAI.Responses.EasyInputMessage {
  return (stringAt(item, "type") ?? "message") === "message" && "content" in item && "role" in item;
}

function contentsOf({ content }: OpenAI.Responses.EasyInputMessage): OpenAI.Responses.ResponseInputMessageContentList {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : content;
}

/** The item without its own id, if it has a `call_id` or says something: by that it is known, too. */
export function withoutOwnId(item: ResponseItem): ResponseItem {
  const type = stringAt(item, "type") ?? "message";
  if (!("id" in item) || !["message", "function_call", "custom_tool_call"].includes(type)) return item;
  const copy = Object.assign({}, item);
  Reflect.deleteProperty(copy, "id");
  return copy;
}

/**
 * An output with a changed text: the same item with less text in it. Screenshots and lists of tools have no form with less, so that they go back whole;
 * the measurement of the next request includes them.
 */
export function changedOutput(item: ResponseItem, { parts }: ToolResultMessage): ResponseItem {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const pieces = recordsAt(item, "output");
  const stdoutForm = { partsOf: partOf, made: (stdout: string, piece: Fields) => ({ ...piece, stdout, stderr: "" }) };
  switch (stringAt(item, "type")) {
    case "function_call_output":
    case "custom_tool_call_output":
      return Object.assign({}, item, {
        output: stringAt(item, "output") === null ? changedPieces(pieces, parts, PIECES) : text,
      });
    case "local_shell_call_output":
    case "apply_patch_call_output":
      return Object.assign({}, item, { output: text });
    case "program_output":
      return Object.assign({}, item, { result: text });
    case "shell_call_output":
      return Object.assign({}, item, { output: changedPieces(pieces, parts, stdoutForm) });
    default:
      return item;
  }
}

/** Writes a person's message with some changed parts anew; any other item unchanged. */
export function changedSaid(item: ResponseItem, { parts }: UserMessage): ResponseItem {
  return isMessage(item) ? { ...item, content: changedPieces(contentsOf(item), parts, PIECES) } : item;
}

const PIECES = { partsOf: partOf, made: (text: string) => ({ type: "input_text" as const, text }) };
