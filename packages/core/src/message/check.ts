import type { Message } from "./message.ts";
import { toolCallsOf } from "./message.ts";
import { wellFormedMessage } from "./well-formed.ts";

/**
 * What a wire accepts, as data. Vendor values live in `@plimsoll/providers`; core owns the type and the strict union. A few of
 * these facts encoding puts right by itself, without a change to the messages (see {@link STRICT_WIRE_RULES}).
 */
export interface WireRules {
  readonly name: string;
  /** Whether the first message must be the user's, or encoding prepends a fixed notice. */
  readonly firstMessage: "any" | "user";
  /** Whether the newest message may be the assistant's (a prefill). */
  readonly lastMessage: "any" | "not-assistant";
  /** Whether a message without any content, or a text part without a visible character, is accepted. */
  readonly emptyContent: "reject" | "accept";
  /** Whether half a surrogate pair may stand in a text, a name or a call's arguments, bare or escaped. */
  readonly malformedText: "reject" | "accept";
  /** Whether every result must come before the next message that is not a result. */
  readonly resultPlacement: "right-after-call" | "anywhere-after-call";
  /** Whether an assistant message may end with reasoning: without the text or call that it led to, it is alone. */
  readonly trailingReasoning: "reject" | "accept";
  /** Whether a tool result may hold images. */
  readonly resultImages: "reject" | "accept";
  /** Whether a user message may follow a user message, and an assistant message an assistant message. */
  readonly sameRole: "reject" | "accept";
  /** What call ids are made of; word characters are ASCII letters, digits, `_` and `-`. */
  readonly callIds: "any" | "word-characters";
  /** Longest call id, in UTF-16 code units; `null` for no limit. */
  readonly maximumCallIdChars: number | null;
  /** Most messages in one request; `null` for no limit that is known. */
  readonly maximumMessages: number | null;
}

/**
 * The strictest value of every rule that only the messages themselves can keep: what passes it passes every wire, once it is
 * encoded. The other rules are for encoding to keep: it prepends a notice if the user must begin, joins neighbours of one role,
 * sends images of results as the user's, and maps call ids.
 */
export const STRICT_WIRE_RULES: WireRules = {
  name: "strict",
  firstMessage: "any",
  lastMessage: "not-assistant",
  emptyContent: "reject",
  malformedText: "reject",
  resultPlacement: "right-after-call",
  trailingReasoning: "reject",
  resultImages: "accept",
  sameRole: "accept",
  callIds: "any",
  maximumCallIdChars: null,
  maximumMessages: null,
};

/** What is wrong with a message list. */
export type WireViolationCode =
  | "duplicate-message-id"
  | "duplicate-call-id"
  | "unusable-call-id"
  | "result-without-call"
  | "duplicate-result"
  | "result-not-after-call"
  | "call-without-result"
  | "empty-content"
  | "malformed-text"
  | "reasoning-at-end"
  | "image-in-result"
  | "same-role-in-a-row"
  | "first-not-user"
  | "last-is-assistant"
  | "too-many-messages"
  | "no-messages";

/** One violation: its code, the index of the message, and the call or message id that it is about. */
export interface WireViolation {
  readonly code: WireViolationCode;
  readonly index: number;
  readonly subject: string;
}

type Report = (code: WireViolationCode, index: number, subject: string) => void;

/**
 * Everything that the wire would reject, in order of position; empty for a list that can be sent. One pass: each message
 * is visited once.
 */
export function checkMessages(messages: readonly Message[], rules: WireRules = STRICT_WIRE_RULES): WireViolation[] {
  const violations: WireViolation[] = [];
  const report: Report = (code, index, subject) => violations.push({ code, index, subject });
  const messageIds = new Set<string>();
  const pairing = checkPairing(rules, report);
  for (const [index, message] of messages.entries()) {
    if (messageIds.has(message.id)) report("duplicate-message-id", index, message.id);
    messageIds.add(message.id);
    checkContent(message, rules, (code) => report(code, index, message.id));
    pairing.visit(message, index);
    if (rules.sameRole === "reject" && message.role !== "tool-result" && message.role === messages[index - 1]?.role)
      report("same-role-in-a-row", index, message.id);
  }
  pairing.end();
  checkEnds(messages, rules, report);
  return violations.sort((a, b) => a.index - b.index);
}

function checkContent(message: Message, rules: WireRules, report: (code: WireViolationCode) => void): void {
  if (rules.emptyContent === "reject" && isEmpty(message)) report("empty-content");
  if (rules.malformedText === "reject" && wellFormedMessage(message) !== message) report("malformed-text");
  if (rules.trailingReasoning === "reject" && message.parts.at(-1)?.type === "reasoning") report("reasoning-at-end");
  if (rules.resultImages === "reject" && message.role === "tool-result" && message.parts.some((part) => part.type === "image"))
    report("image-in-result");
}

/** True for a message with nothing to send, or with a text part that has no visible character. A result may be empty. */
function isEmpty(message: Message): boolean {
  if (message.role === "tool-result") return false;
  return message.parts.every((part) => part.type === "reasoning") || message.parts.some(isBlankText);
}

/** True for a text part without a visible character. */
export function isBlankText(part: Message["parts"][number]): boolean {
  return part.type === "text" && part.text.trim() === "";
}

/** True for a call id that the wire takes. */
export function isUsableCallId(callId: string, rules: WireRules): boolean {
  const fits = rules.maximumCallIdChars === null || callId.length <= rules.maximumCallIdChars;
  return fits && (rules.callIds === "any" || /^[A-Za-z0-9_-]+$/.test(callId));
}

/** A call that was met; `batch` counts the places after which results may come. */
interface MetCall {
  readonly callId: string;
  readonly index: number;
  readonly batch: number;
  answered: boolean;
}

/** Follows calls and their results through the list. */
function checkPairing(rules: WireRules, report: Report) {
  const calls = new Map<string, MetCall>();
  let batch = 0;
  let open: MetCall[] = [];
  const close = () => {
    for (const call of open) if (!call.answered) report("call-without-result", call.index, call.callId);
    open = [];
  };
  const visitResult = (callId: string, index: number) => {
    const call = calls.get(callId);
    if (call === undefined) report("result-without-call", index, callId);
    else if (call.answered) report("duplicate-result", index, callId);
    else {
      call.answered = true;
      if (call.batch !== batch) report("result-not-after-call", index, callId);
    }
  };
  const visitCall = (callId: string, index: number) => {
    if (calls.has(callId)) report("duplicate-call-id", index, callId);
    if (!isUsableCallId(callId, rules)) report("unusable-call-id", index, callId);
    const call: MetCall = { callId, index, batch, answered: false };
    calls.set(callId, call);
    open.push(call);
  };
  return {
    visit: (message: Message, index: number): void => {
      if (message.role === "tool-result") {
        visitResult(message.callId, index);
        return;
      }
      if (rules.resultPlacement === "right-after-call") {
        close();
        batch += 1;
      }
      for (const call of toolCallsOf(message)) visitCall(call.callId, index);
    },
    end: close,
  };
}

function checkEnds(messages: readonly Message[], rules: WireRules, report: Report): void {
  const [first] = messages;
  const last = messages.at(-1);
  const lastIndex = messages.length - 1;
  const surplus = rules.maximumMessages === null ? undefined : messages[rules.maximumMessages];
  if (first === undefined || last === undefined) report("no-messages", 0, "");
  else if (rules.firstMessage === "user" && first.role !== "user") report("first-not-user", 0, first.id);
  if (rules.lastMessage === "not-assistant" && last?.role === "assistant") report("last-is-assistant", lastIndex, last.id);
  if (surplus !== undefined) report("too-many-messages", rules.maximumMessages ?? 0, surplus.id);
}
