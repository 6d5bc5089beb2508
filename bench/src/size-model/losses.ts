import { isHuman, type Message } from "@plimsoll/core";
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
  /** The messages that arrived with the report before. */
  readonly newest: readonly Message[];
  /** Returns the tokens that a message is expected to measure. */
  readonly weightTokens: (message: Message) => number;
  /** The part of a message that is reasoning not on file, by weight. */
  readonly reasoningTokens: (message: Message) => number;
}

/** Messages that lose tokens for an unknown reason keep at least a tenth of them; the rest of a fall has another cause. Chosen. */
const LARGEST_LOSS_RATIO = 0.9;
/** The newest messages' surplus explains a loss from this share on: what made them large (a search's results) is gone. Chosen. */
const LEAST_SURPLUS_RATIO = 0.5;
/**
 * Smaller losses than this share of the view are taken for slack of the weights: they resize the messages but do not say that
 * what is sent of them changed. Chosen.
 */
const LEAST_CHANGE_RATIO = 0.05;

/**
 * Takes lost tokens from the messages of the view, and returns how many they had; what is left has another cause. First what the
 * newest messages had above their weight, if that explains the loss; then, at the end of a turn, the reasoning of its
 * replies, and of a large loss all reasoning; then from all old messages alike.
 */
export function takeLoss(loss: Loss, sizes: MessageSizes): number {
  const { call, view, oldCount } = loss;
  const surplus = givers(loss.newest, (message) => (sizes.latest(message) ?? 0) - loss.weightTokens(message));
  const changed = { sizes, call, isChange: true };
  let lost = surplus.total >= LEAST_SURPLUS_RATIO * loss.tokens ? take(surplus, loss.tokens, changed) : 0;
  if (loss.isTurnEnd) lost += takeReasoning(loss, loss.tokens - lost, changed);
  const viewTokens = view.reduce((tokens, message) => tokens + (sizes.latest(message) ?? 0), 0);
  const isChange = loss.tokens - lost >= LEAST_CHANGE_RATIO * viewTokens;
  if (loss.isTurnEnd && isChange) lost += take(givers(view, wholeReasoning(loss, sizes)), loss.tokens - lost, changed);
  const old = givers(view.slice(0, oldCount), (message) => LARGEST_LOSS_RATIO * (sizes.latest(message) ?? 0));
  return lost + take(old, loss.tokens - lost, { sizes, call, isChange });
}

/** Takes the reasoning of the turn that ended. What is away loses its own alike, but gives nothing: it is not in the view. */
function takeReasoning(loss: Loss, tokens: number, target: Target): number {
  const reasoning = wholeReasoning(loss, target.sizes);
  const turn = givers(loss.view.slice(turnStart(loss)), reasoning);
  const lost = take(turn, tokens, target);
  if (turn.total === 0) return lost;
  const away = givers(loss.away, reasoning);
  take(away, Math.round((away.total * lost) / turn.total), target);
  return lost;
}

/** The reasoning of messages that have not lost anything yet. */
function wholeReasoning(loss: Loss, sizes: MessageSizes): (message: Message) => number {
  return (message) => {
    const size = sizes.latest(message) ?? 0;
    return size === sizes.first(message) ? Math.min(size, loss.reasoningTokens(message)) : 0;
  };
}

/** Where the turn that ended began: the newest human message among the old ones. */
function turnStart({ view, oldCount }: Loss): number {
  for (let index = oldCount - 1; index > 0; index--) {
    const message = view[index];
    if (message !== undefined && isHuman(message)) return index;
  }
  return 0;
}

interface Givers {
  readonly messages: readonly Message[];
  readonly limits: readonly number[];
  readonly total: number;
}

function givers(messages: readonly Message[], limitOf: (message: Message) => number): Givers {
  const limits = messages.map((message) => Math.max(0, Math.floor(limitOf(message))));
  return { messages, limits, total: limits.reduce((sum, limit) => sum + limit, 0) };
}

interface Target {
  readonly sizes: MessageSizes;
  readonly call: number;
  /** Whether what is sent of the messages changed, or only what is known of their size. */
  readonly isChange: boolean;
}

/** Takes up to `tokens` in proportion to what each can give. */
function take(from: Givers, tokens: number, target: Target): number {
  const wanted = Math.min(tokens, from.total);
  if (wanted <= 0) return 0;
  let taken = 0;
  for (const [position, share] of distribute(wanted, from.limits).entries()) {
    const message = from.messages[position];
    const loss = Math.min(share, from.limits[position] ?? 0);
    if (message === undefined || loss <= 0) continue;
    if (target.isChange) target.sizes.change(message, target.call);
    target.sizes.set(message, target.call, (target.sizes.latest(message) ?? 0) - loss);
    taken += loss;
  }
  return taken;
}
