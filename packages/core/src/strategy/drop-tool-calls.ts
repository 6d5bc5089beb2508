import { z } from "zod";
import { openStepStart } from "../cut-point.ts";
import type { Edit, ReplacePartEdit } from "../edit/apply-edits.ts";
import type { PromptedSpan } from "../entry.ts";
import { createWaitingCalls } from "../message/check.ts";
import { partHandle } from "../message/handle.ts";
import { type AssistantMessage, type Message, toolCallsOf } from "../message/message.ts";
import { partChars } from "../message/size.ts";
import { defineStrategy, type StrategyAnswer, type StrategyKind } from "./strategy.ts";

/** Takes old calls out of the context with their results and the reasoning next to them; what was said stays. Needs no model. */
export interface DropToolCallsSpec {
  readonly kind: "drop-tool-calls";
  /** Calls of so many of the newest messages stay, those of the open step in any case. The results of one reply are one message. */
  readonly keepMessages: number;
}

/**
 * Removes calls and their results from all but the newest messages. A reply that says nothing else goes whole; one that speaks keeps its words,
 * and a word stands where a call or reasoning was. The record counts what went.
 */
export const DROP_TOOL_CALLS: StrategyKind = defineStrategy<DropToolCallsSpec>({
  kind: "drop-tool-calls",
  schema: z.strictObject({
    kind: z.literal("drop-tool-calls"),
    keepMessages: z
      .int()
      .nonnegative()
      .describe("Calls of so many of the newest messages stay; the results of one reply count as one."),
  }),
  needsModel: () => false,
  plan: ({ keepMessages }, { messages }) => dropToolCalls(messages, keepMessages),
});

function dropToolCalls(messages: readonly Message[], keepMessages: number): StrategyAnswer {
  const oldEnd = Math.min(openStepStart(messages), startOfNewest(messages, keepMessages));
  const old = messages.slice(0, oldEnd);
  const callerOf = callersOf(messages);
  const kept = new Set(messages.slice(oldEnd).flatMap((message) => callerOf.get(message) ?? []));
  const isKept = (message: AssistantMessage) => kept.has(message);
  const goes = (message: Message): boolean => {
    if (message.role === "tool-result") return !kept.has(callerOf.get(message) ?? message);
    return message.role === "assistant" && message.origin === "model" && !isKept(message) && !speaks(message);
  };
  const spans = spansOf(old, goes);
  const words = old.flatMap((message) =>
    message.role === "assistant" && message.origin === "model" && speaks(message) && !isKept(message) ? wordsFor(message) : [],
  );
  const [first, ...rest]: readonly Edit[] = [
    ...words,
    ...(spans.length === 0 ? [] : [{ kind: "replace-spans", spans, by: "nothing" } as const]),
  ];
  if (first === undefined)
    return { kind: "not-applicable", reason: `no call is older than the newest ${keepMessages} messages` };
  return { kind: "edits", edits: [first, ...rest] };
}

/** The message whose call each result answers. */
function callersOf(messages: readonly Message[]): ReadonlyMap<Message, Message> {
  const calls = createWaitingCalls<Message>();
  const callers = new Map<Message, Message>();
  for (const message of messages) {
    const caller = message.role === "tool-result" ? (calls.answered(message.callId) ?? calls.newest(message.callId)) : null;
    if (caller !== null) callers.set(message, caller);
    calls.met(toolCallsOf(message).map(({ callId }) => [callId, message] as const));
  }
  return callers;
}

/** Where the newest so many messages begin; results that follow each other are one. */
function startOfNewest(messages: readonly Message[], count: number): number {
  const starts = messages.flatMap(({ role }, at) => (role === "tool-result" && messages[at - 1]?.role === role ? [] : [at]));
  return count === 0 ? messages.length : (starts.at(-count) ?? 0);
}

function speaks({ parts }: AssistantMessage): boolean {
  return parts.some((part) => part.type === "text");
}

/** Each run of messages that go, as one span. */
function spansOf(messages: readonly Message[], goes: (message: Message) => boolean): readonly PromptedSpan[] {
  const spans: PromptedSpan[] = [];
  let isOpen = false;
  for (const message of messages) {
    const last = spans.at(-1);
    if (!goes(message)) isOpen = false;
    else if (isOpen && last !== undefined) spans[spans.length - 1] = { ...last, through: message.id };
    else {
      spans.push({ from: message.id, through: message.id, promptId: null });
      isOpen = true;
    }
  }
  return spans;
}

/** A word in the place of each call; in that of reasoning if it is shorter. */
function wordsFor(message: AssistantMessage): readonly ReplacePartEdit[] {
  return message.parts.flatMap((part, partIndex): readonly ReplacePartEdit[] => {
    if (part.type === "text") return [];
    const text = part.type === "tool-call" ? `[${part.toolName}]` : "[reasoning]";
    if (part.type === "reasoning" && partChars(part) <= text.length) return [];
    return [{ kind: "replace-part", messageId: message.id, partIndex, text, handle: partHandle(message.id, partIndex) }];
  });
}
