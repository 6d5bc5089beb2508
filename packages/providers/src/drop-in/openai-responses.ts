import type { AssistantMessage, UserMessage } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/internal";
import type OpenAI from "openai";
import type { Fields } from "../fields.ts";
import { recordAt, recordsAt, stringAt } from "../fields.ts";
import { replyParts, responsesUsage } from "../openai-responses/decode.ts";
import { responseItems } from "../openai-responses/encode.ts";
import type { ArrayCompactor } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { CompactorOptions } from "./array-conversations.ts";
import type { WireArray } from "./wire-array.ts";
import { imageAt, leading, replyDraft, resultDraft, textParts, userDraft } from "./wire-array.ts";

export type { ArrayCompactor } from "./array-compactor.ts";
export type { CompactorOptions } from "./array-conversations.ts";

type Item = OpenAI.Responses.ResponseInputItem;

/**
 * Compacts an array of Responses items that is resent whole at each call (`store: false`, without `previous_response_id`). Neighbouring items
 * of the model are one reply; leading system and developer messages stay as they are.
 */
export function createItemsCompactor(options: CompactorOptions): ArrayCompactor<Item, OpenAI.Responses.Response> {
  return createArrayCompactor(RESPONSES_ARRAY, options);
}

const RESPONSES_ARRAY: WireArray<Item, OpenAI.Responses.Response> = {
  systemOf: (items) => leading(items, isSystem, (item) => textOf(item, "content")),
  isPiece: isModels,
  drafts: (items, toolNameOf) =>
    items.some(isModels) ? [replyDraft(items.flatMap(piecesOf))] : items.map((item) => draftOf(item, toolNameOf)),
  encode: (messages) => responseItems({ system: "", tools: [], messages, dynamicContext: null }, new Map()),
  joined: (items) => items,
  observed: ({ id, model, usage }) => ({ requestId: id, modelId: model, usage: responsesUsage(recordAt({ usage }, "usage")) }),
};

function isSystem(item: Item): boolean {
  const role = stringAt(item, "role");
  return role === "system" || role === "developer";
}

function isModels(item: Item): boolean {
  const type = stringAt(item, "type") ?? "message";
  return type === "message" ? stringAt(item, "role") === "assistant" : !type.endsWith("_output");
}

function draftOf(item: Item, toolNameOf: (callId: string) => string): MessageDraft {
  if (stringAt(item, "type") !== "function_call_output") return userDraft(partsOf(item, "content"));
  const callId = stringAt(item, "call_id") ?? "";
  return resultDraft({ callId, toolName: toolNameOf(callId) }, partsOf(item, "output"));
}

/** What the model said is one text, however many contents it came in. */
function piecesOf(item: Item): AssistantMessage["parts"] {
  const type = stringAt(item, "type") ?? "message";
  return type === "message" ? textParts(textOf(item, "content")) : replyParts({ ...item });
}

function textOf(item: Item, key: "content" | "output"): string {
  return (
    stringAt(item, key) ??
    recordsAt(item, key)
      .map((part) => stringAt(part, "text") ?? stringAt(part, "refusal") ?? "")
      .join("\n")
  );
}

function partsOf(item: Item, key: "content" | "output"): UserMessage["parts"] {
  const text = stringAt(item, key);
  return text === null ? recordsAt(item, key).flatMap(partOf) : textParts(text);
}

/** A part that is no text and no image is kept as its JSON: it is only read to be measured. */
function partOf(part: Fields): UserMessage["parts"] {
  const text = stringAt(part, "text");
  if (text !== null) return textParts(text);
  const url = stringAt(part, "image_url") ?? stringAt(part, "file_data");
  if (url !== null) return [imageAt(url)];
  const file = stringAt(part, "file_url");
  return file === null ? textParts(JSON.stringify(part)) : [imageAt(file, "application/pdf")];
}
