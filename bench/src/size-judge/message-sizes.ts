import type { Message, SessionView } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/extend";

/** A size of a message, and the call from which it holds. */
export interface SizeStep {
  readonly fromCall: number;
  readonly tokens: number;
}

/** Sizes of messages over the calls of a session: a size holds from the call at which it was set until the next one. */
export interface MessageSizes {
  set(message: Message, fromCall: number, tokens: number): void;
  /** Notes that the sent form of the message differs from the one sent before, so that a prompt cache ends there. */
  change(message: Message, call: number): void;
  /** Whether the sent form of the message changed at that call. */
  isChangedAt(message: Message, call: number): boolean;
  /** The size at a call; of a message that enters later its first size. `undefined` for a message that was never set. */
  at(message: Message, call: number): number | undefined;
  /** All sizes in the order in which they hold. */
  stepsOf(message: Message): readonly SizeStep[];
  first(message: Message): number | undefined;
  /** Whether a size that was set before holds no longer from one of the calls after the one, up to the other. */
  isResizedBetween(after: number, through: number): boolean;
  /** Whether anything was noted as changed at one of the calls after the one, up to the other. */
  isChangedBetween(after: number, through: number): boolean;
  latest(message: Message): number | undefined;
}

/** Sizes without any set yet. */
export function createMessageSizes(): MessageSizes {
  const steps = new Map<Message, SizeStep[]>();
  const changes = new Map<Message, Set<number>>();
  const [resizedAt, changedAt] = [new Set<number>(), new Set<number>()];
  return {
    isResizedBetween: (after, through) => hasBetween(resizedAt, after, through),
    isChangedBetween: (after, through) => hasBetween(changedAt, after, through),
    change: (message, call) => {
      changedAt.add(call);
      const known = changes.get(message);
      if (known === undefined) changes.set(message, new Set([call]));
      else known.add(call);
    },
    isChangedAt: (message, call) => changes.get(message)?.has(call) === true,
    set: (message, fromCall, tokens) => {
      const known = steps.get(message);
      if (known === undefined) steps.set(message, [{ fromCall, tokens }]);
      else {
        known.push({ fromCall, tokens });
        resizedAt.add(fromCall);
      }
    },
    at: (message, call) => {
      const known = steps.get(message);
      if (known === undefined) return undefined;
      for (let index = known.length - 1; index > 0; index--) {
        const step = known[index];
        if (step !== undefined && step.fromCall <= call) return step.tokens;
      }
      return known[0]?.tokens;
    },
    stepsOf: (message) => steps.get(message) ?? [],
    first: (message) => steps.get(message)?.[0]?.tokens,
    latest: (message) => steps.get(message)?.at(-1)?.tokens,
  };
}

function hasBetween(calls: ReadonlySet<number>, after: number, through: number): boolean {
  for (let call = after + 1; call <= through; call++) if (calls.has(call)) return true;
  return false;
}

/** Sizes requests that follow each other; each size equals `promptTokens` of the size model. */
export type FollowingSizes = (call: number, messages: SessionView["messages"]) => number;

/** Whose compactions shaped the history that is priced: the recorded agent's, or none of them. */
export type HistoryKind = "recorded" | "own";

/** Sizes requests. */
export interface RequestSizes {
  /** The size of one message at a call (from 0); messages that are not of the recording are priced by the fitted weights. */
  messageTokens(message: Message, call: number): number;
  /** Whether the size of any recorded message changes at one of the calls after the one, up to the other. */
  isResizedBetween(after: number, through: number): boolean;
  /**
   * Tokens in addition to the messages at a call: the epoch's overhead and the tokens carried with it (hidden events). It equals the reported prompt
   * less the recorded messages exactly for `recorded`. `own` keeps the overhead from before each recorded compaction.
   */
  nonMessageTokens(call: number, history: HistoryKind): number;
  /** The whole request: {@link nonMessageTokens} and all messages. */
  promptTokens(call: number, messages: Iterable<Message>, history: HistoryKind): number;
}

/**
 * Sizes of one replay's requests. The part shared with the request before is not added up again, unless the size of a message changed on the way; one
 * that was not made by appending to the request before it, as after an edit, is added up anew. Sizes that are no whole numbers always are, as their
 * sum depends on the order.
 */
export function followingSizes(sizeJudge: RequestSizes, history: HistoryKind): FollowingSizes {
  let before = NOTHING;
  return (call, messages) => {
    before = sizedAfter(before, { call, messages }, sizeJudge);
    const nonMessageTokens = sizeJudge.nonMessageTokens(call, history);
    if (before.isWhole && Number.isInteger(nonMessageTokens)) return nonMessageTokens + before.tokens;
    return sizeJudge.promptTokens(call, messages, history);
  };
}

/** A function of the module: compiled code of a closure is lost with its replay. */
function sizedAfter(
  before: Sized,
  { call, messages }: Pick<Sized, "call" | "messages">,
  sizeJudge: Pick<RequestSizes, "messageTokens" | "isResizedBetween">,
): Sized {
  const goesOn = messages.goesOnFrom(before.messages) && !sizeJudge.isResizedBetween(before.call, call);
  const known = goesOn ? before : NOTHING;
  let { tokens, isWhole } = known;
  for (const message of messages.slice(known.messages.size)) {
    const more = sizeJudge.messageTokens(message, call);
    isWhole &&= Number.isInteger(more);
    tokens += more;
  }
  return { call, messages, tokens, isWhole };
}

interface Sized {
  readonly call: number;
  readonly messages: SessionView["messages"];
  readonly tokens: number;
  /** True if each of them has a whole number of tokens. */
  readonly isWhole: boolean;
}

const NOTHING: Sized = { call: 0, messages: sequenceOf(), tokens: 0, isWhole: true };
