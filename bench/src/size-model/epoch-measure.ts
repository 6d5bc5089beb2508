import type { Message } from "@plimsoll/core";
import { isHuman } from "@plimsoll/core";
import { distribute } from "./distribute.ts";
import type { MeasureInput } from "./measure-calls.ts";
import type { MessageSizes } from "./message-sizes.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** What one epoch's reports say besides the sizes of its messages. */
export interface MeasuredEpoch {
  /** `null` where no call of the epoch was reported. */
  readonly overheadTokens: number | null;
  /** One a call: tokens beside overhead and messages, carried from the calls before it. Zero at the first report. */
  readonly carriedTokens: readonly number[];
}

/** What an epoch is measured with. */
export interface EpochInput extends Pick<MeasureInput, "weights" | "reportOf"> {
  readonly calls: readonly RecordedCall[];
  readonly sizes: MessageSizes;
}

/**
 * A difference below this share of what the new messages weigh says that something else went (chosen on the recorded
 * sessions' differences: 0.2; 0.6 where a human message is among them, the place where agents drop a turn's reasoning).
 */
const SMALLEST_RATIO = 0.2;
const SMALLEST_RATIO_AT_TURN = 0.6;
/** What exceeds this many times their weight plus this many tokens is not the new messages' (server-side tools). Chosen. */
const LARGEST_RATIO = 4;
const LARGEST_EXTRA_TOKENS = 8000;
/** Messages that lose tokens keep at least a tenth of them; the rest of a fall is carried beside the messages. Chosen. */
const LARGEST_LOSS_RATIO = 0.9;

/**
 * Measures one epoch: each difference between reports becomes the size of the messages that came between them.
 *
 * - A fall, or a rise too small for its messages, takes what is missing from the messages that were there: first the
 *   reasoning that replies carried, where a human message arrived, then all alike. No size falls below zero.
 * - A rise too large for its messages, or without any, is carried beside them from there on.
 */
export function createEpochMeasure(input: EpochInput): MeasuredEpoch {
  const { calls, sizes, weights, reportOf } = input;
  const carriedTokens: number[] = [];
  const view: Message[] = [];
  let viewTokens = 0;
  let pending: Message[] = [];
  let overheadTokens: number | null = null;
  let carried = 0;

  const settle = (messages: readonly Message[], tokens: readonly number[], call: RecordedCall) => {
    for (const [index, message] of messages.entries()) {
      const known = sizes.latest(message);
      const size = known ?? tokens[index] ?? 0;
      if (known === undefined) sizes.set(message, call.index, size);
      viewTokens += size;
      view.push(message);
    }
  };
  const weigh = (messages: readonly Message[], call: RecordedCall) =>
    messages.map((message) => sizes.latest(message) ?? Math.max(0, Math.round(weights.tokens(message, call.modelId))));

  for (const call of calls) {
    pending.push(...call.newMessages);
    const report = reportOf(call);
    if (report !== null) {
      const weighed = weigh(pending, call);
      const expected = sum(weighed);
      if (overheadTokens === null) {
        const isTooHeavy = expected > report && pending.every((message) => sizes.latest(message) === undefined);
        settle(pending, isTooHeavy ? distribute(report, weighed) : weighed, call);
        overheadTokens = report - viewTokens;
      } else {
        const difference = report - overheadTokens - carried - viewTokens;
        const hasHuman = pending.some(isHuman);
        const least = (hasHuman ? SMALLEST_RATIO_AT_TURN : SMALLEST_RATIO) * expected;
        const most = LARGEST_RATIO * expected + LARGEST_EXTRA_TOKENS;
        const isShared = difference >= least && pending.length > 0;
        const before = view.length;
        settle(pending, isShared ? distribute(Math.min(difference, most), weighed) : weighed, call);
        if (!isShared && difference < expected) {
          const loss = { tokens: expected - difference, call, old: view.slice(0, before), all: view };
          viewTokens -= takeLoss(loss, hasHuman, input);
        }
        carried = report - overheadTokens - viewTokens;
      }
      pending = [];
    }
    carriedTokens.push(carried);
  }
  const last = calls.at(-1);
  if (last !== undefined) settle(pending, weigh(pending, last), last);
  return { overheadTokens, carriedTokens };
}

interface Loss {
  readonly tokens: number;
  readonly call: RecordedCall;
  readonly old: readonly Message[];
  readonly all: readonly Message[];
}

/** Takes lost tokens from the messages of the view; returns how many they had. */
function takeLoss(loss: Loss, hasHuman: boolean, input: EpochInput): number {
  const { modelId, index } = loss.call;
  const reasoningOf = (message: Message) => {
    const size = input.sizes.latest(message) ?? 0;
    const isWhole = input.sizes.at(message, 0) === size;
    return isWhole ? Math.min(size, input.weights.hiddenTokens(message, modelId)) : 0;
  };
  const fromReasoning = hasHuman ? take(loss.all, reasoningOf, loss.tokens, { sizes: input.sizes, index }) : 0;
  const sizeOf = (message: Message) => LARGEST_LOSS_RATIO * (input.sizes.latest(message) ?? 0);
  return fromReasoning + take(loss.old, sizeOf, loss.tokens - fromReasoning, { sizes: input.sizes, index });
}

/** Takes up to `tokens` from the messages in proportion to what each can give. */
function take(
  messages: readonly Message[],
  giveable: (message: Message) => number,
  tokens: number,
  target: { readonly sizes: MessageSizes; readonly index: number },
): number {
  const limits = messages.map((message) => Math.floor(giveable(message)));
  const total = Math.min(tokens, sum(limits));
  if (total <= 0) return 0;
  let taken = 0;
  for (const [position, share] of distribute(total, limits).entries()) {
    const message = messages[position];
    const loss = Math.min(share, limits[position] ?? 0);
    if (message === undefined || loss <= 0) continue;
    target.sizes.set(message, target.index, (target.sizes.latest(message) ?? 0) - loss);
    taken += loss;
  }
  return taken;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
