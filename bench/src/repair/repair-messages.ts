import type { AssistantMessage, Message, ToolCallPart, ToolResultMessage } from "@plimsoll/core";
import { toolCallsOf, withId } from "@plimsoll/core";

/** What was mended, as counts. All zero: the list could be sent as it was. */
export interface RepairCount {
  /** Calls that got a synthetic error result, because none was recorded. */
  readonly unansweredCalls: number;
  /** Results that were put right after their call. */
  readonly movedResults: number;
  /** Results without a call, or beside another result of the same call, left out. */
  readonly droppedResults: number;
  /** Messages or text parts without anything to send, left out. */
  readonly droppedEmpty: number;
  /** Calls whose id an earlier call has, left out. */
  readonly droppedCalls: number;
}

/** A list of messages that every wire accepts as history, and what was done for it. */
export interface RepairedMessages {
  readonly messages: readonly Message[];
  readonly repairs: RepairCount;
}

/** A repaired message with its index in the list that was given; `null` where it did not stand there (moved, synthetic). */
export interface PlacedMessage {
  readonly message: Message;
  readonly sourceIndex: number | null;
}

/** A repaired list with places. */
export interface PlacedRepair {
  readonly placed: readonly PlacedMessage[];
  readonly repairs: RepairCount;
}

/** What stands for a result that was never recorded. */
export const MISSING_RESULT_TEXT = "[No result of this call was recorded: it was interrupted.]";

/**
 * Mends what recordings hold and providers reject: a call without a result gets a synthetic error result, a late result
 * is moved to its call, results without a call and empty messages are left out. Untouched messages keep their identity.
 * Linear in the messages.
 */
export function repairMessages(messages: readonly Message[]): RepairedMessages {
  const { placed, repairs } = createMessageRepair()(messages);
  return { messages: placed.map((each) => each.message), repairs };
}

/** A repair that gives the same mended object each time that it meets the same message, in whatever list. */
export function createMessageRepair(): (messages: readonly Message[]) => PlacedRepair {
  const mended = new Map<Message, Message | null>();
  const synthetic = new Map<string, ToolResultMessage>();
  const withoutBlanks = (message: Message): Message | null => {
    const known = mended.get(message);
    if (known !== undefined) return known;
    const made = withoutBlankText(message);
    mended.set(message, made);
    return made;
  };
  const missingResult = (call: ToolCallPart, caller: Message): ToolResultMessage => {
    const known = synthetic.get(call.callId);
    if (known !== undefined) return known;
    const made = syntheticResult(call, caller);
    synthetic.set(call.callId, made);
    return made;
  };
  return (messages) => repairList(messages, { withoutBlanks, missingResult });
}

interface Mending {
  readonly withoutBlanks: (message: Message) => Message | null;
  readonly missingResult: (call: ToolCallPart, caller: Message) => ToolResultMessage;
}

function repairList(messages: readonly Message[], mending: Mending): PlacedRepair {
  const placed: PlacedMessage[] = [];
  const results = firstResults(messages);
  const used = new Set<number>();
  const callIds = new Set<string>();
  const count = { unansweredCalls: 0, movedResults: 0, droppedResults: 0, droppedEmpty: 0, droppedCalls: 0 };

  const answer = (caller: Message, callerIndex: number) => {
    const open = new Map(toolCallsOf(caller).map((call) => [call.callId, call]));
    for (let index = callerIndex + 1; open.size > 0; index++) {
      const message = messages[index];
      if (message?.role !== "tool-result" || results.get(message.callId) !== index) break;
      if (!open.delete(message.callId)) break;
      placed.push({ message, sourceIndex: index });
      used.add(index);
    }
    for (const [callId, call] of open) {
      const index = results.get(callId) ?? -1;
      const late = index > callerIndex && !used.has(index) ? messages[index] : undefined;
      if (late === undefined) count.unansweredCalls += 1;
      else count.movedResults += 1;
      used.add(index);
      placed.push({ message: late ?? mending.missingResult(call, caller), sourceIndex: null });
    }
  };

  for (const [index, message] of messages.entries()) {
    if (message.role === "tool-result") {
      if (!used.has(index)) count.droppedResults += 1;
      continue;
    }
    const unique = message.role === "assistant" ? withoutKnownCalls(message, callIds) : message;
    const visible = mending.withoutBlanks(unique);
    if (unique !== message) count.droppedCalls += 1;
    if (visible !== unique) count.droppedEmpty += 1;
    if (visible === null) continue;
    placed.push({ message: visible, sourceIndex: index });
    answer(visible, index);
  }
  return { placed, repairs: count };
}

/** The index of the first result of each call. */
function firstResults(messages: readonly Message[]): ReadonlyMap<string, number> {
  const results = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool-result" && !results.has(message.callId)) results.set(message.callId, index);
  }
  return results;
}

function withoutKnownCalls(message: AssistantMessage, callIds: Set<string>): AssistantMessage {
  const parts = message.parts.filter((part) => {
    if (part.type !== "tool-call") return true;
    const isNew = !callIds.has(part.callId);
    callIds.add(part.callId);
    return isNew;
  });
  return parts.length === message.parts.length ? message : { ...message, parts };
}

/** The message without text parts that show nothing; `null` where nothing but reasoning is left. */
function withoutBlankText(message: Message): Message | null {
  switch (message.role) {
    case "tool-result":
      return message;
    case "user": {
      const parts = message.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
      if (parts.length === 0) return null;
      return parts.length === message.parts.length ? message : { ...message, parts };
    }
    case "assistant": {
      const parts = message.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
      if (parts.every((part) => part.type === "reasoning")) return null;
      return parts.length === message.parts.length ? message : { ...message, parts };
    }
    default:
      return message satisfies never;
  }
}

function syntheticResult(call: ToolCallPart, caller: Message): ToolResultMessage {
  const { callId, toolName } = call;
  const parts = [{ type: "text", text: MISSING_RESULT_TEXT }] as const;
  const draft = {
    role: "tool-result",
    callId,
    toolName,
    isError: true,
    category: "generic",
    parts,
    atMs: caller.atMs,
  } as const;
  return { ...draft, id: withId(draft, caller.id).id };
}
