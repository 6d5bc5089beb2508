import { type Sequence, sequenceOf } from "../sequence.ts";
import { type Message, oncePerMessage, toolCallsOf, wellFormedMessage } from "./message.ts";

/**
 * The rules that a provider's API sets for messages, as data. The vendors' rules are in `@plimsoll/providers`. Encoding mends some violations by
 * itself, without a change to the messages (see {@link STRICT_WIRE_RULES}).
 */
export interface WireRules {
  readonly name: string;
  /** Whether the first message must be the user's, or encoding prepends a fixed notice. */
  readonly firstMessage: "any" | "user";
  /** Whether the newest message may be the assistant's (a prefill). */
  readonly lastMessage: "any" | "not-assistant";
  /** Whether a message without any content, or a text part without a visible character, is accepted. */
  readonly emptyContent: "reject" | "accept";
  /** Whether half a surrogate pair may be in a text, a name or a call's arguments, bare or escaped. */
  readonly malformedText: "reject" | "accept";
  /** Whether every result must come before the next message that is not a result. */
  readonly resultPlacement: "right-after-call" | "anywhere-after-call";
  /** Whether an assistant message may end with reasoning: without its text or call, it is incomplete. */
  readonly trailingReasoning: "reject" | "accept";
  /** Whether a tool result may hold images. */
  readonly resultImages: "reject" | "accept";
  /** Whether a user message may follow a user message, and an assistant message an assistant message. */
  readonly sameRole: "reject" | "accept";
  /** Characters of call ids; word characters are ASCII letters, digits, `_` and `-`. */
  readonly callIds: "any" | "word-characters";
  /** Longest call id, in UTF-16 code units; `null` for no limit. */
  readonly maximumCallIdChars: number | null;
  /** Most messages in one request; `null` for no known limit. */
  readonly maximumMessages: number | null;
}

/**
 * The strictest value of every rule that only the messages themselves can keep: a list that passes it passes every wire, once it is encoded. The
 * other rules are for encoding to keep: it prepends a notice if the user must begin, joins neighbours of one role, sends images of results as the
 * user's, and maps call ids.
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

/** The code of a fault in a message list. */
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

/** Lists everything that these rules reject, in order of position; empty for a list that can be sent. One pass: each message is visited once. */
export function checkMessages(messages: readonly Message[], rules: WireRules = STRICT_WIRE_RULES): WireViolation[] {
  return violationsOf(messages, rules, (message) => contentViolations(message, rules));
}

function violationsOf(messages: readonly Message[], ...by: Parameters<typeof createCheckPass>): WireViolation[] {
  const pass = createCheckPass(...by);
  for (const message of messages) pass.visit(message);
  return pass.end();
}

/** Of a history the last message may be the model's own. */
const HISTORY_RULES: WireRules = { ...STRICT_WIRE_RULES, lastMessage: "any" };

/**
 * As {@link checkMessages} by the strictest rules, for a history. Every message is looked at each time: remembering a finding takes twice as long as
 * finding it, looking it up as long, and each growth of so large a table holds all others up. The content of messages that are `read` is not looked
 * at.
 */
export function historyViolations(
  messages: readonly Message[],
  read: ReadonlySet<Message> = new Set(),
): readonly WireViolation[] {
  return violationsOf(messages, HISTORY_RULES, (message) =>
    read.has(message) ? [] : contentViolations(message, HISTORY_RULES),
  );
}

/** A walk that begins; it can be asked for all violations so far, in order of position, and go on. `contentOf` gives the result of {@link contentViolations}. */
function createCheckPass(rules: WireRules, contentOf: (message: Message) => readonly WireViolationCode[]) {
  const violations: WireViolation[] = [];
  const report: Report = (code, index, subject) => violations.push({ code, index, subject });
  const messageIds = new Set<string>();
  const pairing = checkPairing(rules, report);
  let index = 0;
  let first: Message | null = null;
  let previous: Message | null = null;
  let surplus: WireViolation | null = null;
  return {
    visit: (message: Message): void => {
      if (messageIds.has(message.id)) report("duplicate-message-id", index, message.id);
      messageIds.add(message.id);
      for (const code of contentOf(message)) report(code, index, message.id);
      pairing.visit(message, index);
      if (rules.sameRole === "reject" && message.role !== "tool-result" && message.role === previous?.role)
        report("same-role-in-a-row", index, message.id);
      first ??= message;
      previous = message;
      if (index === rules.maximumMessages) surplus = { code: "too-many-messages", index, subject: message.id };
      index += 1;
    },
    end: (): WireViolation[] => {
      const all = [...violations, ...pairing.end()];
      if (first === null) all.push({ code: "no-messages", index: 0, subject: "" });
      else if (rules.firstMessage === "user" && first.role !== "user")
        all.push({ code: "first-not-user", index: 0, subject: first.id });
      if (rules.lastMessage === "not-assistant" && previous?.role === "assistant")
        all.push({ code: "last-is-assistant", index: index - 1, subject: previous.id });
      if (surplus !== null) all.push(surplus);
      return all.sort((a, b) => a.index - b.index);
    },
  };
}

function contentViolations(message: Message, rules: WireRules): readonly WireViolationCode[] {
  const codes: WireViolationCode[] = [];
  // Nothing to send, or a text part without a visible character. A result may be empty.
  const isEmpty = message.parts.every((part) => part.type === "reasoning") || message.parts.some(isBlankText);
  if (rules.emptyContent === "reject" && message.role !== "tool-result" && isEmpty) codes.push("empty-content");
  if (rules.malformedText === "reject" && wellFormedMessage(message) !== message) codes.push("malformed-text");
  if (rules.trailingReasoning === "reject" && message.parts.at(-1)?.type === "reasoning") codes.push("reasoning-at-end");
  if (rules.resultImages === "reject" && message.role === "tool-result" && message.parts.some((part) => part.type === "image"))
    codes.push("image-in-result");
  return codes;
}

/** True for a text part without a visible character. */
export function isBlankText(part: Message["parts"][number]): boolean {
  return part.type === "text" && part.text.trim() === "";
}

/** True for a call id whose characters and length these rules allow. */
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

function checkPairing(rules: WireRules, report: Report) {
  const calls = createWaitingCalls<MetCall>();
  let batch = 0;
  let open: MetCall[] = [];
  const unanswered = () =>
    open
      .filter((call) => !call.answered)
      .map(({ index, callId }): WireViolation => ({ code: "call-without-result", index, subject: callId }));
  const close = () => {
    if (open.length === 0) return;
    for (const { code, index, subject } of unanswered()) report(code, index, subject);
    open = [];
  };
  const visitResult = (callId: string, index: number) => {
    const call = calls.answered(callId);
    if (call === null) report(calls.newest(callId) === null ? "result-without-call" : "duplicate-result", index, callId);
    else {
      call.answered = true;
      if (call.batch !== batch) report("result-not-after-call", index, callId);
    }
  };
  const visitCalls = (message: Message, index: number) => {
    for (const { callId } of toolCallsOf(message)) {
      if (calls.newest(callId) !== null) report("duplicate-call-id", index, callId);
      if (!isUsableCallId(callId, rules)) report("unusable-call-id", index, callId);
      const call = { callId, index, batch, answered: false };
      calls.met(callId, call, index);
      open.push(call);
    }
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
      visitCalls(message, index);
    },
    end: unanswered,
  };
}

/** Checks one of several lists that follow each other, and returns the violations that `checkMessages` would find in it. */
export type FollowingCheck = (messages: Sequence<Message>) => WireViolation[];

/**
 * Makes checks of lists that follow each other. The part shared with the list before is not checked again; a list that was not made by appending to
 * the one before it, as after an edit, is walked anew. The content of a message value is read once for all checks that are made here.
 */
export function followingChecks(rules: WireRules = STRICT_WIRE_RULES): () => FollowingCheck {
  const contentOf = oncePerMessage((message) => contentViolations(message, rules));
  return () => {
    let before = sequenceOf<Message>();
    let pass = createCheckPass(rules, contentOf);
    return (messages) => {
      const goesOn = messages.goesOnFrom(before);
      if (!goesOn) pass = createCheckPass(rules, contentOf);
      for (const message of messages.slice(goesOn ? before.size : 0)) pass.visit(message);
      before = messages;
      return pass.end();
    };
  };
}

/** Calls that wait for results, in a walk over a list. Servers use ids again, so a result belongs to a call by place first, by id second. */
export interface WaitingCalls<Call> {
  /** A call of the message at a place of the list. */
  met(callId: string, call: Call, at: number): void;
  /** The call that a result answers: of the newest message that has one of this id waiting, the first; `null` if none waits. */
  answered(callId: string): Call | null;
  /** The newest call of this id, whether or not it waits; `null` if none was met. */
  newest(callId: string): Call | null;
  /** Calls of this id that wait, the oldest first. */
  left(callId: string): readonly Call[];
}

/** No call was met yet. */
export function createWaitingCalls<Call>(): WaitingCalls<Call> {
  const waiting = new Map<string, { readonly at: number; readonly calls: Call[] }[]>();
  const newest = new Map<string, Call>();
  return {
    met: (callId, call, at) => {
      newest.set(callId, call);
      const batches = waiting.get(callId) ?? [];
      waiting.set(callId, batches);
      const last = batches.at(-1);
      if (last?.at === at) last.calls.push(call);
      else batches.push({ at, calls: [call] });
    },
    answered: (callId) => {
      const batches = waiting.get(callId);
      const call = batches?.at(-1)?.calls.shift() ?? null;
      if (batches?.at(-1)?.calls.length === 0) batches.pop();
      return call;
    },
    newest: (callId) => newest.get(callId) ?? null,
    left: (callId) => waiting.get(callId)?.flatMap(({ calls }) => calls) ?? [],
  };
}
