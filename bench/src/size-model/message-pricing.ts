import type { Message, SessionEntry } from "@plimsoll/core";
import type { MessageWeights } from "./measure-epoch.ts";
import type { MessageSizes } from "./message-sizes.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** The sources of messages' prices. */
export interface PricingInput {
  readonly fitted: { readonly calls: readonly RecordedCall[] };
  readonly entries: readonly SessionEntry[];
  readonly sizes: Pick<MessageSizes, "at">;
  readonly weights: MessageWeights;
}

/**
 * Prices a message at a call: its measured size; for an edited message of the recording the measured size times the ratio of
 * the weights after and before the edit; for one that an engine wrote the weight alone.
 */
export function createMessagePricing(input: PricingInput): (message: Message, call: number) => number {
  const { fitted, entries, sizes, weights } = input;
  let originals: ReadonlyMap<string, Message> | null = null;
  const originalOf = (message: Message) => {
    originals ??= messagesById(entries);
    return originals.get(message.id);
  };
  const weighed = new WeakMap<Message, number>();
  const weightOf = (message: Message, modelId: string) => {
    const known = weighed.get(message);
    if (known !== undefined) return known;
    const tokens = Math.max(0, weights.tokens(message, modelId));
    weighed.set(message, tokens);
    return tokens;
  };
  return (message, call) => {
    const measured = sizes.at(message, call);
    if (measured !== undefined) return measured;
    const modelId = fitted.calls[call]?.modelId ?? "";
    const original = originalOf(message);
    const originalTokens = original === undefined ? undefined : sizes.at(original, call);
    if (original === undefined || originalTokens === undefined) return Math.round(weightOf(message, modelId));
    const before = weightOf(original, modelId);
    return before > 0
      ? Math.round((originalTokens * weightOf(message, modelId)) / before)
      : Math.round(weightOf(message, modelId));
  };
}

function messagesById(entries: readonly SessionEntry[]): ReadonlyMap<string, Message> {
  const messages = new Map<string, Message>();
  for (const entry of entries) if (entry.type === "message") messages.set(entry.message.id, entry.message);
  return messages;
}
