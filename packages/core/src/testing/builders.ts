import type { SessionEntry, SessionStartEntry, UsageEntry } from "../entry.ts";
import type { AssistantMessage, ToolCallPart, ToolResultMessage, UserMessage } from "../message/message.ts";
import { usageOf } from "../usage.ts";

/** A human's message. */
export function human(id: string, text: string): UserMessage {
  return { role: "user", id, origin: "human", parts: [{ type: "text", text }], atMs: null };
}

/** A model's text without calls. */
export function reply(id: string, text: string): AssistantMessage {
  return assistant(id, [{ type: "text", text }]);
}

/** A model's message that calls tools: one call for each id given, the tool's name being `tool`. */
export function calling(id: string, callIds: readonly string[], text = "calling"): AssistantMessage {
  const calls = callIds.map(
    (callId): ToolCallPart => ({ type: "tool-call", callId, toolName: "tool", argumentsJson: "{}", paths: [] }),
  );
  return assistant(id, [{ type: "text", text }, ...calls]);
}

/** A model's message with the parts given. */
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

/** The result of a call. */
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

/** The first entry of a log. */
export function sessionStart(system = ""): SessionStartEntry {
  return { type: "session", version: 1, id: "session-1", createdMs: null, system, tools: [], parent: null, agent: null };
}

/** A usage report of a prompt. */
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

/** A log of the messages given, after a session start. */
export function logOf(messages: readonly (UserMessage | AssistantMessage | ToolResultMessage)[]): readonly SessionEntry[] {
  return [sessionStart(), ...messages.map((message) => ({ type: "message", message }) as const)];
}
