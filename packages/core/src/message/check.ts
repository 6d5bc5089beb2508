import type { Message, ToolCallPart } from "./message.ts";
import { toolCallsOf } from "./message.ts";

/** What a wire accepts, as data. Vendor values live in `@plimsoll/providers`; core owns the type and the strict union. */
export interface WireRules {
  readonly name: string;
  /** Whether the first message must be the user's, or encoding prepends a fixed notice. */
  readonly firstMessage: "any" | "user";
  /** Whether a message without any content, or a text part without a visible character, is accepted. */
  readonly emptyContent: "reject" | "accept";
  /** Whether every result must come before the next message that is not a result. */
  readonly resultPlacement: "right-after-call" | "anywhere-after-call";
  /** Whether the newest message may be the assistant's (a prefill). */
  readonly lastMessage: "any" | "not-assistant";
}

/** The strictest value of every rule: what passes it passes every wire. */
export const STRICT_WIRE_RULES: WireRules = {
  name: "strict",
  firstMessage: "any",
  emptyContent: "reject",
  resultPlacement: "right-after-call",
  lastMessage: "not-assistant",
};

/** What is wrong with a message list. */
export type WireViolationCode =
  | "duplicate-message-id"
  | "duplicate-call-id"
  | "result-without-call"
  | "duplicate-result"
  | "result-not-after-call"
  | "call-without-result"
  | "empty-content"
  | "first-not-user"
  | "last-is-assistant"
  | "no-messages";

/** One violation: its code, the index of the message, and the call or message id that it is about. */
export interface WireViolation {
  readonly code: WireViolationCode;
  readonly index: number;
  readonly subject: string;
}

/**
 * Everything that the wire would reject, in order of position; empty for a list that can be sent. One pass: each message
 * is visited once.
 */
export function checkMessages(messages: readonly Message[], rules: WireRules = STRICT_WIRE_RULES): WireViolation[] {
  const violations: WireViolation[] = [];
  const report = (code: WireViolationCode, index: number, subject: string) => violations.push({ code, index, subject });
  const messageIds = new Set<string>();
  const calls = new Map<string, OpenCall>();
  let openBatch: OpenCall[] = [];

  const closeBatch = () => {
    for (const call of openBatch) if (!call.answered) report("call-without-result", call.index, call.part.callId);
    openBatch = [];
  };

  for (const [index, message] of messages.entries()) {
    if (messageIds.has(message.id)) report("duplicate-message-id", index, message.id);
    messageIds.add(message.id);
    if (rules.emptyContent === "reject" && isEmpty(message)) report("empty-content", index, message.id);
    if (message.role === "tool-result") {
      const call = calls.get(message.callId);
      if (call === undefined) report("result-without-call", index, message.callId);
      else if (call.answered) report("duplicate-result", index, message.callId);
      else {
        call.answered = true;
        if (!openBatch.includes(call)) report("result-not-after-call", index, message.callId);
      }
      continue;
    }
    if (rules.resultPlacement === "right-after-call") closeBatch();
    for (const part of toolCallsOf(message)) {
      if (calls.has(part.callId)) report("duplicate-call-id", index, part.callId);
      const call = { part, index, answered: false };
      calls.set(part.callId, call);
      openBatch.push(call);
    }
  }
  closeBatch();
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined) report("no-messages", 0, "");
  else {
    if (rules.firstMessage === "user" && first.role !== "user") report("first-not-user", 0, first.id);
    if (rules.lastMessage === "not-assistant" && last.role === "assistant")
      report("last-is-assistant", messages.length - 1, last.id);
  }
  return violations.sort((a, b) => a.index - b.index);
}

interface OpenCall {
  readonly part: ToolCallPart;
  readonly index: number;
  answered: boolean;
}

/** True for a message with nothing to send, or with a text part that has no visible character. */
function isEmpty(message: Message): boolean {
  if (message.role === "tool-result") return false;
  if (message.parts.length === 0) return true;
  const visible = message.parts.filter((part) => part.type !== "reasoning");
  if (visible.length === 0) return true;
  return message.parts.some((part) => part.type === "text" && part.text.trim() === "");
}
