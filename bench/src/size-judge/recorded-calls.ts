import type { AssistantMessage, Message, SessionEntry, UsageEntry } from "@plimsoll/core";
import { wellFormedMessage } from "@plimsoll/core/extend";
import { type BoundaryViews, boundaryViews } from "../boundary-views.ts";

/** One call as the recorded agent made it, under its own compactions. */
export interface RecordedCall {
  readonly index: number;
  readonly modelId: string;
  readonly usage: UsageEntry;
  /** The whole prompt as it was reported; `null` if it was not. */
  readonly reportedTokens: number | null;
  /** When the request went out: the time of the newest message before it; `null` if the recording has no times. */
  readonly requestMs: number | null;
  /** Messages that entered since the call before; for the first call of an epoch the whole view. */
  readonly newMessages: readonly Message[];
  /** Why an epoch begins at this call; `null` if none does. */
  readonly epochStart: "session" | "boundary" | "model" | null;
  readonly reply: AssistantMessage | null;
}

/**
 * The calls of a recorded log in order. An epoch begins at the start, at each recorded compaction, and when the model changes. After a compaction the
 * view is its result and the messages since.
 */
export function recordedCalls(
  entries: readonly SessionEntry[],
  boundaries: BoundaryViews = boundaryViews(entries),
): readonly RecordedCall[] {
  const calls: RecordedCall[] = [];
  let messages: Message[] = [];
  let sentCount = 0;
  let epochStart: RecordedCall["epochStart"] = "session";
  let modelId: string | null = null;
  let arrivalMs: number | null = null;
  for (const [position, entry] of entries.entries()) {
    if (entry.type === "message") {
      messages.push(wellFormedMessage(entry.message));
      arrivalMs = entry.message.atMs ?? arrivalMs;
    }
    const view = boundaries.get(entry);
    if (view !== undefined) {
      messages = [...view];
      epochStart = "boundary";
    }
    if (entry.type !== "usage") continue;
    if (epochStart === null && modelId !== null && modelId !== entry.modelId) epochStart = "model";
    calls.push({
      index: calls.length,
      modelId: entry.modelId,
      usage: entry,
      // Recordings write zero for calls that were aborted before anything was counted.
      reportedTokens:
        entry.usage.input.totalTokens === null || entry.usage.input.totalTokens <= 0 ? null : entry.usage.input.totalTokens,
      requestMs: arrivalMs ?? entry.atMs,
      newMessages: messages.slice(epochStart === null ? sentCount : 0),
      epochStart,
      reply: replyAfter(entries, position),
    });
    sentCount = messages.length;
    modelId = entry.modelId;
    epochStart = null;
  }
  return calls;
}

/** The message that the call at `position` produced: the entry right after its usage entry, if that is a reply. */
export function replyAfter(entries: readonly SessionEntry[], position: number): AssistantMessage | null {
  const next = entries[position + 1];
  return next?.type === "message" && next.message.role === "assistant" ? next.message : null;
}
