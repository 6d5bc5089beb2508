import type { AssistantMessage, ToolResultMessage, UserMessage } from "@plimsoll/core";
import { wellFormed } from "@plimsoll/core/internal";
import type OpenAI from "openai";
import type { Fields } from "../fields.ts";
import { jsonValueOf, recordAt, recordsAt, stringAt } from "../fields.ts";
import { responsesUsage } from "../openai-responses/decode.ts";
import { responseItems } from "../openai-responses/encode.ts";
import type { ArrayCompactor } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { CompactorOptions } from "./array-conversations.ts";
import type { ItemGroup, WireArray } from "./wire-array.ts";
import { imageAt, textParts, UNKNOWN_REPLY, userDraft } from "./wire-array.ts";

export type { ArrayCompactor, ArrayRequest, ConversationOf } from "./array-compactor.ts";
export type { CompactorOptions, ConversationContext, ConversationLog, RequestFacts } from "./array-conversations.ts";

type Item = OpenAI.Responses.ResponseInputItem;

/**
 * Compacts an array of Responses items that is resent whole at each call (`store: false`, without `previous_response_id`). Neighbouring items
 * of the model are one reply; leading system and developer messages stay as they are.
 */
export function createItemsCompactor(options: CompactorOptions): ArrayCompactor<Item, OpenAI.Responses.Response> {
  return createArrayCompactor(RESPONSES_ARRAY, options);
}

const RESPONSES_ARRAY: WireArray<Item, OpenAI.Responses.Response> = {
  groups,
  systemOf: (items) => {
    const end = items.findIndex((item) => !isSystem(item));
    const system = end < 0 ? items : items.slice(0, end);
    return { items: wellFormed(system), text: system.map((item) => textOf(item, "content")).join("\n") };
  },
  encode: (messages) => responseItems({ system: "", tools: [], messages, dynamicContext: null }, new Map()),
  joined: wellFormed,
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

function groups(items: readonly Item[]): readonly ItemGroup<Item>[] {
  const toolNames = new Map<string, string>();
  const list: ItemGroup<Item>[] = [];
  let reply: Item[] = [];
  const closeReply = () => {
    if (reply.length > 0) list.push({ items: reply, drafts: [{ ...UNKNOWN_REPLY, parts: reply.flatMap(replyParts) }] });
    reply = [];
  };
  for (const item of items) {
    if (isModels(item)) {
      reply.push(item);
      if (stringAt(item, "type") === "function_call")
        toolNames.set(stringAt(item, "call_id") ?? "", stringAt(item, "name") ?? "");
      continue;
    }
    closeReply();
    const isResult = stringAt(item, "type") === "function_call_output";
    list.push({ items: [item], drafts: [isResult ? resultDraft(item, toolNames) : userDraft(partsOf(item, "content"))] });
  }
  closeReply();
  return list;
}

function resultDraft(item: Item, toolNames: ReadonlyMap<string, string>): Omit<ToolResultMessage, "id"> {
  const callId = stringAt(item, "call_id") ?? "";
  return {
    role: "tool-result",
    callId,
    toolName: toolNames.get(callId) ?? "",
    isError: false,
    category: "generic",
    parts: partsOf(item, "output"),
    atMs: null,
  };
}

function replyParts(item: Item): AssistantMessage["parts"] {
  switch (stringAt(item, "type") ?? "message") {
    case "message":
      return textParts(textOf(item, "content"));
    case "function_call": {
      const names = { callId: stringAt(item, "call_id") ?? "", toolName: stringAt(item, "name") ?? "" };
      return [{ type: "tool-call", ...names, argumentsJson: stringAt(item, "arguments") ?? "", paths: [] }];
    }
    case "reasoning": {
      const text = recordsAt(item, "summary")
        .map((part) => stringAt(part, "text") ?? "")
        .join("\n");
      return [{ type: "reasoning", text, opaque: jsonValueOf(item) }];
    }
    default:
      return [{ type: "reasoning", text: "", opaque: jsonValueOf(item) }];
  }
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
