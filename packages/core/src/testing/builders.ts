import {
  type AppliedEdit,
  type AppliedReplaceHistory,
  type AppliedReplacePart,
  type AppliedReplaceSpans,
  type CompactionEntry,
  type CompactionRecord,
  NO_WORK,
  type RevertEntry,
  type SessionEntry,
  type SessionStartEntry,
  type UsageEntry,
} from "../entry.ts";
import type {
  AssistantMessage,
  ImagePart,
  Message,
  Part,
  ToolCallPart,
  ToolResultMessage,
  UserMessage,
} from "../message/message.ts";
import { createMessageIndex, type MessageIndex } from "../session/recall.ts";
import { usageOf } from "../usage.ts";

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** Makes a message of one text that a person wrote. */
export function human(id: string, text: string): UserMessage {
  return { role: "user", id, origin: "human", parts: [{ type: "text", text }], atMs: null };
}

/** Makes a message of system text that the agent declares in the middle of a conversation (`origin` is `declared`). */
export function declared(id: string, text: string): UserMessage {
  return { role: "user", id, origin: "declared", parts: [{ type: "text", text }], atMs: null };
}

/** Makes a model's reply of one text, without tool calls. */
export function reply(id: string, text: string): AssistantMessage {
  return assistant(id, [{ type: "text", text }]);
}

/** Makes a model's reply of a text and one call of the tool `tool`, without arguments, for each given id. */
export function calling(id: string, callIds: readonly string[], text = "calling"): AssistantMessage {
  return assistant(id, [{ type: "text", text }, ...callIds.map((callId) => callPart(callId, "tool"))]);
}

/** Makes a reply of the model `test/model` with the given parts; its request id is made from `id`. */
export function assistant(id: string, parts: AssistantMessage["parts"]): AssistantMessage {
  return {
    role: "assistant",
    id,
    origin: "model",
    parts,
    modelId: "test/model",
    requestId: `request-${id}`,
    stopReason: "end",
    atMs: null,
  };
}

/** Makes a tool result of one text for a call of the tool `tool`: no error, category `generic`. */
export function result(id: string, callId: string, text: string): ToolResultMessage {
  return {
    role: "tool-result",
    id,
    callId,
    toolName: "tool",
    isError: false,
    category: "generic",
    parts: [{ type: "text", text }],
    atMs: null,
  };
}

/** A question with its answer, and one whose call has its result. */
export const OPEN_STEP: readonly Message[] = [
  human("u1", "first"),
  reply("a1", "answer"),
  human("u2", "second"),
  calling("a2", ["c"]),
  result("r", "c", "long"),
];

/** Makes the first entry of a log with the id `session-1` and no tools. */
export function sessionStart(system = ""): SessionStartEntry {
  return { type: "session", version: 1, id: "session-1", createdMs: null, system, tools: [], parent: null, agent: null };
}

/** Makes a usage report of `test/model` for a prompt of so many tokens and a reply of none. */
export function usageEntry(requestId: string, throughMessageId: string | null, promptTokens: number): UsageEntry {
  return {
    type: "usage",
    requestId,
    modelId: "test/model",
    throughMessageId,
    overheadHash: null,
    viewHash: null,
    usage: usageOf({ totalInputTokens: promptTokens, outputTokens: 0 }),
    atMs: null,
  };
}

/** Makes a log of the given messages, after a session start. */
export function logOf(messages: readonly Message[]): readonly SessionEntry[] {
  return [sessionStart(), ...messages.map((message) => ({ type: "message", message }) as const)];
}

/** Makes the index of a log's messages. */
export function indexOf(entries: readonly SessionEntry[]): MessageIndex {
  const index = createMessageIndex(async (at) => entries[at]);
  for (const [place, entry] of entries.entries()) index.add(entry, place);
  return index;
}

/** Makes a model's reply without text that calls one tool by name with the arguments given. */
export function toolCall(
  id: string,
  callId: string,
  call: { readonly name: string; readonly argumentsJson: string },
): AssistantMessage {
  return assistant(id, [callPart(callId, call.name, call)]);
}

/** Makes a call of a tool by name, as a part of a reply; without arguments and paths by default. */
export function callPart(
  callId: string,
  toolName: string,
  { argumentsJson = "{}", paths = [] }: Partial<Pick<ToolCallPart, "argumentsJson" | "paths">> = {},
): ToolCallPart {
  return { type: "tool-call", callId, toolName, argumentsJson, paths };
}

/** An image whose bytes were not kept. */
export function absentImage(): ImagePart {
  return { type: "image", mediaType: "image/png", widthPx: null, heightPx: null, sizeBytes: null, source: { kind: "absent" } };
}

/** A human's message that holds one image and no text. */
export function humanImage(id: string): UserMessage {
  return { role: "user", id, origin: "human", parts: [absentImage()], atMs: null };
}

/** Makes a summary of one text, as a message in the user's role. */
export function summaryMessage(id: string, text: string): UserMessage {
  return { role: "user", id, origin: "summary", parts: [{ type: "text", text }], atMs: null };
}

/** A compaction that was tried and failed. */
export const FAILED_ATTEMPT: SessionEntry = {
  type: "attempt",
  id: "attempt",
  reason: "threshold",
  outcome: "failed",
  steps: [],
  estimatedTokens: 7,
  atMs: null,
};

/** The record of a compaction about which nothing is known. */
export const NO_RECORD: CompactionRecord = {
  policy: "test",
  reason: "manual",
  gate: null,
  steps: [],
  estimator: "none",
  cutEstimator: null,
  modelId: null,
  budgetTokens: null,
  tokensBefore: null,
  tokensAfter: null,
  messagesBefore: 0,
  messagesAfter: 0,
  work: NO_WORK,
};

/** Makes a compaction entry of the given edits, with an empty record. */
export function compaction(id: string, edits: readonly AppliedEdit[], throughEntryId: string | null = null): CompactionEntry {
  return { type: "compaction", id, throughEntryId, edits, record: NO_RECORD, atMs: null };
}

/** Makes an edit that replaces spans, each `[from, through]` by message id, by one summary message. */
export function summarized(message: Message, ...spans: readonly (readonly [string, string])[]): AppliedReplaceSpans {
  return {
    kind: "replace-spans",
    by: "summary",
    spans: spans.map(([from, through]) => ({ from, through, promptId: "test" })),
    message,
    covered: NOTHING_COVERED,
    usage: null,
  };
}

/** A span replaced by `notice`. */
export function dropped(from: string, through: string, notice: Message | null = null): AppliedReplaceSpans {
  const spans = [{ from, through, promptId: null }];
  const by = notice === null ? "nothing" : "notice";
  return { kind: "replace-spans", spans, by, message: notice, covered: NOTHING_COVERED, usage: null };
}

/** One part of a message replaced; its handle is the message's id. */
export function replacedPart(messageId: string, partIndex: number, part: Part): AppliedReplacePart {
  return { kind: "replace-part", messageId, partIndex, part, handle: messageId, removedChars: 0 };
}

/** Makes an edit that replaces the whole context by the given messages. */
export function replacedHistory(messages: readonly Message[]): AppliedReplaceHistory {
  return { kind: "replace-history", through: null, messages, covered: NOTHING_COVERED };
}

/** Makes the entry that undoes a compaction. */
export function revertOf(compactionId: string, id = `revert-${compactionId}`): RevertEntry {
  return { type: "revert", id, compactionId, atMs: null };
}

const NOTHING_COVERED = { messages: 0, parts: 0, chars: 0 } as const;
