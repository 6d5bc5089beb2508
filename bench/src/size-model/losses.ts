import type { Message } from "@plimsoll/core";
import { distribute } from "./distribute.ts";
import type { MessageSizes } from "./message-sizes.ts";

/** Tokens that a report misses, and who may have lost them. */
export interface Loss {
  readonly tokens: number;
  /** Index of the call whose report misses them. */
  readonly call: number;
  /** The whole view with what has just arrived. */
  readonly view: readonly Message[];
  /** How many of the view's messages were there before. */
  readonly oldCount: number;
  /** Messages that the recorded agent had compacted away before: in a history of another policy they may still stand. */
  readonly away: readonly Message[];
  /** Whether a human message has arrived: the place where agents drop the reasoning of the turn that ended. */
  readonly isTurnEnd: boolean;
  /** The part of a message that is reasoning not on file, by weight. */
  readonly reasoningTokens: (message: Message) => number;
}

/** Messages that lose tokens for an unknown reason keep at least a tenth of them; the rest of a fall has another cause. Chosen. */
const LARGEST_LOSS_RATIO = 0.9;

/**
 * Takes lost tokens from the messages of the view: first the reasoning that replies carried, at the end of a turn, then from all old
 * ones alike. Returns how many the view lost; what is left has another cause. Reasoning of messages that are away goes alike.
 */
export function takeLoss(loss: Loss, sizes: MessageSizes): number {
  const wholeReasoning = (message: Message) => {
    const size = sizes.latest(message) ?? 0;
    return size === sizes.first(message) ? Math.min(size, loss.reasoningTokens(message)) : 0;
  };
  const target = { sizes, call: loss.call };
  let lost = 0;
  if (loss.isTurnEnd) {
    const given = givers(loss.view, wholeReasoning);
    lost = take(given, loss.tokens, target);
    const away = givers(loss.away, wholeReasoning);
    if (given.total > 0) take(away, Math.round((away.total * lost) / given.total), target);
  }
  const old = loss.view.slice(0, loss.oldCount);
  return (
    lost +
    take(
      givers(old, (message) => LARGEST_LOSS_RATIO * (sizes.latest(message) ?? 0)),
      loss.tokens - lost,
      target,
    )
  );
}

interface Givers {
  readonly messages: readonly Message[];
  readonly limits: readonly number[];
  readonly total: number;
}

function givers(messages: readonly Message[], limitOf: (message: Message) => number): Givers {
  const limits = messages.map((message) => Math.floor(limitOf(message)));
  return { messages, limits, total: limits.reduce((sum, limit) => sum + limit, 0) };
}

/** Takes up to `tokens` in proportion to what each can give. */
function take(from: Givers, tokens: number, target: { readonly sizes: MessageSizes; readonly call: number }): number {
  const wanted = Math.min(tokens, from.total);
  if (wanted <= 0) return 0;
  let taken = 0;
  for (const [position, share] of distribute(wanted, from.limits).entries()) {
    const message = from.messages[position];
    const loss = Math.min(share, from.limits[position] ?? 0);
    if (message === undefined || loss <= 0) continue;
    target.sizes.set(message, target.call, (target.sizes.latest(message) ?? 0) - loss);
    taken += loss;
  }
  return taken;
}
