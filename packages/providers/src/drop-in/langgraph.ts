import type { BaseMessage } from "@langchain/core/messages";
import { usageOf } from "@plimsoll/core";
import { refuseUnsupported } from "../client/supported.ts";
import { jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { ArrayCompactor } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { CompactorOptions } from "./compactor-options.ts";
import {
  changedReply,
  changedResult,
  declarationOf,
  draftOf,
  MESSAGE_TURNS,
  mendedMessage,
  messageOf,
} from "./langchain-messages.ts";
import type { WireArray } from "./wire-array.ts";
import { WHOLE_ITEMS } from "./wire-array.ts";

export type { ArrayCompactor } from "./array-compactor.ts";
export type { CompactorOptions } from "./compactor-options.ts";

/**
 * Compacts LangChain's messages in a node of a graph: `send(state.messages, (messages) => model.invoke(messages))`. The state, and what a checkpointer keeps of
 * it, stays whole. System messages stay as they are, wherever they stand.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in a version that is not supported.
 */
export function createLangChainCompactor(options: CompactorOptions): ArrayCompactor<BaseMessage, BaseMessage> {
  refuseUnsupported("@langchain/core");
  return createArrayCompactor(LANGCHAIN_ARRAY, options);
}

/** True for a message that holds what the vendor compacted: as a block of its content, or among the items that `@langchain/openai` keeps of an answer. */
function holdsCompaction(message: BaseMessage): boolean {
  const blocks = [...recordsAt(message, "content"), ...recordsAt(message.response_metadata, "output")];
  return blocks.some((block) => block.type === "compaction" || recordAt(block, "value")?.type === "compaction");
}

const LANGCHAIN_ARRAY: WireArray<BaseMessage, BaseMessage> = {
  ...WHOLE_ITEMS,
  declares: declarationOf,
  drafts: (items, { toolNameOf }) => items.map((item) => draftOf(item, toolNameOf)),
  encode: (messages) => messages.map(messageOf),
  changed: (items, viewed) =>
    viewed.flatMap((message, index) => {
      const item = items[index];
      if (item === undefined || message.role === "user") return [messageOf(message)];
      return [
        message.role === "assistant" ? (changedReply(item, message) ?? messageOf(message)) : changedResult(item, message.parts),
      ];
    }),
  turns: MESSAGE_TURNS,
  joined: (items) => items.map(mendedMessage),
  isVendorState: holdsCompaction,
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
