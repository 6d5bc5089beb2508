import type { Message } from "@plimsoll/core";
import { type Sequence, sequenceOf } from "@plimsoll/core/extend";

/** Sizes requests that follow each other; gives of each what `promptTokens` of the size model gives. */
export type FollowingSizes = (call: number, messages: Sequence<Message>) => number;

/** Whose compactions shaped the history that is priced: the recorded agent's, or none of them. */
export type HistoryKind = "recorded" | "own";

/** Sizes requests. */
export interface RequestSizes {
  /** The size of one message at a call (from 0); messages that are not of the recording are priced by the fitted weights. */
  messageTokens(message: Message, call: number): number;
  /** Whether the size of any recorded message changes at one of the calls after the one, up to the other. */
  isResizedBetween(after: number, through: number): boolean;
  /**
   * Tokens in addition to the messages at a call: the epoch's overhead and what is carried with it (hidden events). It equals the
   * reported prompt less the recorded messages exactly for `recorded`. `own` keeps the overhead from before each recorded compaction.
   */
  nonMessageTokens(call: number, history: HistoryKind): number;
  /** The whole request: {@link nonMessageTokens} and all messages. */
  promptTokens(call: number, messages: Iterable<Message>, history: HistoryKind): number;
}

/**
 * Sizes of one replay's requests. What a request goes on from is not added up again, unless the size of a message changed on the way; one that
 * was not made by appending to the request before it, as after an edit, is added up anew. Sizes that are no whole numbers always are, as their
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

/** A function of the module: what is compiled of a closure is lost with its replay. */
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

/** Messages at a call, added up. */
interface Sized {
  readonly call: number;
  readonly messages: Sequence<Message>;
  readonly tokens: number;
  /** True if each of them has a whole number of tokens. */
  readonly isWhole: boolean;
}

const NOTHING: Sized = { call: 0, messages: sequenceOf(), tokens: 0, isWhole: true };
