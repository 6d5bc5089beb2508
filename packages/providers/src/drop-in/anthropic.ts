import type Anthropic from "@anthropic-ai/sdk";
import type { AssistantMessage, ToolResultMessage, UserMessage } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/internal";
import { wellFormed } from "@plimsoll/core/internal";
import { hasReasoning } from "../anthropic/blocks.ts";
import { anthropicUsage } from "../anthropic/decode.ts";
import { firstMessageNotice, messageParams } from "../anthropic/encode.ts";
import type { Fields } from "../fields.ts";
import { jsonValueOf, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { ArrayCompactor } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { CompactorOptions } from "./array-conversations.ts";
import type { ItemGroup, WireArray } from "./wire-array.ts";
import { imageAt, textParts, UNKNOWN_REPLY, userDraft } from "./wire-array.ts";

export type { ArrayCompactor, ArrayRequest, ConversationOf } from "./array-compactor.ts";
export type { CompactorOptions, ConversationContext, ConversationLog, RequestFacts } from "./array-conversations.ts";

/** Compacts an array of Anthropic messages that is resent whole at each call. System text and tools go in as overhead. */
export function createMessagesCompactor(options: CompactorOptions): ArrayCompactor<Anthropic.MessageParam, Anthropic.Message> {
  return createArrayCompactor(ANTHROPIC_ARRAY, options);
}

const ANTHROPIC_ARRAY: WireArray<Anthropic.MessageParam, Anthropic.Message> = {
  groups,
  systemOf: () => ({ items: [], text: "" }),
  encode: (messages) => (messages.length === 0 ? [] : encoded({ system: "", tools: [], messages, dynamicContext: null })),
  joined,
  observed: (answer) => ({
    requestId: answer.id,
    modelId: answer.model,
    usage: anthropicUsage(recordAt(answer, "usage")),
  }),
};

/** The notice for a list that begins with a reply is put before the whole array, not before a part of it. */
function encoded(context: Parameters<typeof messageParams>[0]): readonly Anthropic.MessageParam[] {
  const params = messageParams(context, new Map());
  const [first] = context.messages;
  return first?.role === "assistant" ? params.slice(1) : params;
}

function joined(items: readonly Anthropic.MessageParam[]): readonly Anthropic.MessageParam[] {
  const list = wellFormed(items);
  const needsNotice = ({ role, content }: Anthropic.MessageParam, index: number) =>
    role === "assistant" && (index === 0 || (list[index - 1]?.role === role && hasReasoning(content)));
  return list.some(needsNotice)
    ? list.flatMap((item, index) => (needsNotice(item, index) ? [firstMessageNotice(), item] : [item]))
    : list;
}

function groups(items: readonly Anthropic.MessageParam[]): readonly ItemGroup<Anthropic.MessageParam>[] {
  const toolNames = new Map<string, string>();
  return items.map((item) => {
    const blocks = typeof item.content === "string" ? [{ type: "text", text: item.content }] : recordsAt(item, "content");
    for (const block of blocks)
      if (block.type === "tool_use") toolNames.set(stringAt(block, "id") ?? "", stringAt(block, "name") ?? "");
    return { items: [item], drafts: item.role === "assistant" ? [replyDraft(blocks)] : userDrafts(blocks, toolNames) };
  });
}

function replyDraft(blocks: readonly Fields[]): Omit<AssistantMessage, "id"> {
  const parts = blocks.flatMap((block): AssistantMessage["parts"] => {
    switch (block.type) {
      case "text":
        return textParts(stringAt(block, "text") ?? "");
      case "thinking": {
        const { thinking, ...opaque } = block;
        return [{ type: "reasoning", text: typeof thinking === "string" ? thinking : "", opaque: jsonValueOf(opaque) }];
      }
      case "tool_use": {
        const names = { callId: stringAt(block, "id") ?? "", toolName: stringAt(block, "name") ?? "" };
        return [{ type: "tool-call", ...names, argumentsJson: JSON.stringify(recordAt(block, "input") ?? {}), paths: [] }];
      }
      default:
        return [{ type: "reasoning", text: "", opaque: jsonValueOf(block) }];
    }
  });
  return { ...UNKNOWN_REPLY, parts };
}

/** Results first, then what the person says beside them. */
function userDrafts(blocks: readonly Fields[], toolNames: ReadonlyMap<string, string>): readonly MessageDraft[] {
  const results = blocks.flatMap((block): Omit<ToolResultMessage, "id">[] => {
    if (block.type !== "tool_result") return [];
    const callId = stringAt(block, "tool_use_id") ?? "";
    return [
      {
        role: "tool-result",
        callId,
        toolName: toolNames.get(callId) ?? "",
        isError: block.is_error === true,
        category: "generic",
        parts: typeof block.content === "string" ? textParts(block.content) : recordsAt(block, "content").flatMap(partsOf),
        atMs: null,
      },
    ];
  });
  const said = blocks.flatMap((block) => (block.type === "tool_result" ? [] : partsOf(block)));
  return said.length === 0 && results.length > 0 ? results : [...results, userDraft(said)];
}

/** A block that is no text and no image is kept as its JSON: it is only read to be measured. */
function partsOf(block: Fields): UserMessage["parts"] {
  if (block.type === "text") return textParts(stringAt(block, "text") ?? "");
  if (block.type !== "image" && block.type !== "document") return textParts(JSON.stringify(block));
  const source = recordAt(block, "source");
  const data = stringAt(source, "data");
  if (source?.type === "text") return textParts(data ?? "");
  if (source?.type === "content") return recordsAt(source, "content").flatMap(partsOf);
  const mediaType = stringAt(source, "media_type") ?? (block.type === "document" ? "application/pdf" : "image/png");
  return [imageAt(data === null ? (stringAt(source, "url") ?? "") : `data:${mediaType};base64,${data}`, mediaType)];
}
