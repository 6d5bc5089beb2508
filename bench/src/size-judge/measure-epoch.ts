import { isHuman, type Message } from "@plimsoll/core";
import { createMessageSizes, type MessageSizes } from "./message-sizes.ts";
import type { RecordedCall } from "./recorded-calls.ts";

interface MeasuredEpoch {
  /** `null` if no call of the epoch was reported. */
  readonly overheadTokens: number | null;
  /** One a call: tokens in addition to overhead and messages, carried from the calls before it. Zero at the first report. */
  readonly carriedTokens: readonly number[];
}

interface EpochInput {
  readonly weights: MessageWeights;
  /** The prompt of a call as it was reported; `null` if it was not, or is held out. */
  readonly reportOf: (call: RecordedCall) => number | null;
  readonly calls: readonly RecordedCall[];
  readonly sizes: MessageSizes;
  /** The messages of earlier epochs that are not in this one's view and still have their reasoning. */
  readonly away: (modelId: string) => readonly Message[];
}

/**
 * A difference below this share of the new messages' weight means that something else went (chosen on the recorded sessions' differences: 0.2; 0.6 if
 * a human message is among them, the place where agents drop a turn's reasoning).
 */
const SMALLEST_RATIO = 0.2;
const SMALLEST_RATIO_AT_TURN = 0.6;
/** The factor of the weight above which, with so many tokens more, a rise is not the new messages' (server-side tools). Chosen. */
const LARGEST_RATIO = 4;
const LARGEST_EXTRA_TOKENS = 8000;

/**
 * Measures one epoch: each difference between reports becomes the size of the messages that came between them.
 *
 * - A fall, or a rise too small for its messages, takes the missing tokens from the carried ones, then from the messages that were there ({@link
 *   takeLoss}).
 * - A rise too large for its messages, or without any, is carried with the overhead from there on, and so is the rest of a fall.
 */
function measureEpoch(input: EpochInput): MeasuredEpoch {
  const carriedTokens: number[] = [];
  const view: MeasuredView = { messages: [], tokens: 0, turnStart: 0, owedTokens: 0, leanCount: 0 };
  let pending: Message[] = [];
  let newest: readonly Message[] = [];
  let overheadTokens: number | null = null;
  let carried = 0;
  for (const call of input.calls) {
    pending.push(...call.newMessages);
    const reportTokens = input.reportOf(call);
    if (reportTokens !== null) {
      const arrival: Arrival = { call, newest, messages: pending, weighed: weighed(pending, call, input) };
      if (overheadTokens === null) {
        // The first report of an epoch: the messages have their weights, the overhead is the rest, if there is any.
        const isTooHeavy = sum(arrival.weighed) > reportTokens;
        const isAllNew = arrival.messages.every((message) => input.sizes.latest(message) === undefined);
        settle(view, arrival, isTooHeavy && isAllNew ? distribute(reportTokens, arrival.weighed) : arrival.weighed, input);
        overheadTokens = reportTokens - view.tokens;
      } else {
        settleNext(view, { ...arrival, carried }, reportTokens - overheadTokens - carried - view.tokens, input);
        carried = reportTokens - overheadTokens - view.tokens;
      }
      const human = pending.findLastIndex(isHuman);
      if (human >= 0) view.turnStart = view.messages.length - pending.length + human;
      leaveOutSpent(view, input.sizes);
      newest = pending;
      pending = [];
    }
    carriedTokens.push(carried);
  }
  const last = input.calls.at(-1);
  if (last !== undefined) settle(view, { call: last, messages: pending }, weighed(pending, last, input), input);
  return { overheadTokens, carriedTokens };
}

interface MeasuredView {
  messages: Message[];
  tokens: number;
  /** Where the newest turn began. */
  turnStart: number;
  /** Lost tokens that no message has given yet. */
  owedTokens: number;
  /** How many messages there were when those that have nothing to lose were left out last. */
  leanCount: number;
}

/** From so many messages on a view gives a loss together with those before it, at {@link LEAST_LOSS_RATIO} of its tokens: a walk then pays. Chosen. */
const LONG_VIEW_MESSAGES = 1024;
const LEAST_LOSS_RATIO = 0.04;

/** Leaves out messages that have nothing more to lose, as often as a long view doubles, so that a walk over it follows its tokens. */
function leaveOutSpent(view: MeasuredView, sizes: MessageSizes): void {
  if (view.messages.length < LONG_VIEW_MESSAGES + 2 * view.leanCount) return;
  const mayLose = (message: Message) => (sizes.latest(message) ?? 0) > 1;
  const isBefore = view.messages.slice(0, view.turnStart).filter(mayLose);
  view.messages = [...isBefore, ...view.messages.slice(view.turnStart).filter(mayLose)];
  view.turnStart = isBefore.length;
  view.leanCount = view.messages.length;
}

interface Arrival {
  readonly call: RecordedCall;
  /** Messages that arrived with the report before. */
  readonly newest: readonly Message[];
  readonly messages: readonly Message[];
  /** Expected tokens of each of them: its known size, else its weight. */
  readonly weighed: readonly number[];
}

function settleNext(
  view: MeasuredView,
  arrival: Arrival & { readonly carried: number },
  differenceTokens: number,
  input: EpochInput,
): void {
  const { call, messages, weighed: weights, carried } = arrival;
  const expectedTokens = sum(weights);
  const isTurnEnd = messages.some(isHuman);
  const leastTokens = (isTurnEnd ? SMALLEST_RATIO_AT_TURN : SMALLEST_RATIO) * expectedTokens;
  const mostTokens = LARGEST_RATIO * expectedTokens + LARGEST_EXTRA_TOKENS;
  const oldCount = view.messages.length;
  if (messages.length > 0 && differenceTokens >= leastTokens) {
    settle(view, arrival, distribute(Math.min(differenceTokens, mostTokens), weights), input);
    return;
  }
  settle(view, arrival, weights, input);
  // Tokens that rose with no message may go again with none: a web search's pages are no lasting overhead.
  const tokens = expectedTokens - differenceTokens - Math.max(0, carried) + view.owedTokens;
  if (tokens <= 0) return;
  const reasoningTokens = (message: Message) => input.weights.hiddenTokens(message, call.modelId);
  const weightTokens = (message: Message) => input.weights.tokens(message, call.modelId);
  const { sizes } = input;
  const away = () => input.away(call.modelId);
  const at = { call: call.index, view, oldCount, newest: arrival.newest, away, isTurnEnd };
  view.tokens -= takeLoss({ tokens, ...at, reasoningTokens, weightTokens }, sizes);
}

/** Gives new messages their size; those known from an earlier epoch keep theirs. */
function settle(
  view: MeasuredView,
  { call, messages }: Pick<Arrival, "call" | "messages">,
  tokens: readonly number[],
  { sizes }: EpochInput,
): void {
  for (const [index, message] of messages.entries()) {
    const known = sizes.latest(message);
    const size = known ?? tokens[index] ?? 0;
    if (known === undefined) sizes.set(message, call.index, size);
    view.tokens += size;
    view.messages.push(message);
  }
}

function weighed(messages: readonly Message[], call: RecordedCall, { sizes, weights }: EpochInput): readonly number[] {
  return messages.map((message) => sizes.latest(message) ?? Math.max(0, Math.round(weights.tokens(message, call.modelId))));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** How a message is weighed before it is measured; `hiddenTokens` is the part of it that is reasoning not on file. */
export interface MessageWeights {
  readonly tokens: (message: Message, modelId: string) => number;
  readonly hiddenTokens: (message: Message, modelId: string) => number;
}

interface Loss {
  readonly tokens: number;
  readonly call: number;
  /** The view with the newest messages. */
  readonly view: MeasuredView;
  /** How many of the view's messages were there before. */
  readonly oldCount: number;
  /** Messages that the recorded agent had compacted away before: a history of another policy may still have them. */
  readonly away: () => readonly Message[];
  /** Whether a human message has arrived: the place where agents drop the reasoning of the turn that ended. */
  readonly isTurnEnd: boolean;
  readonly newest: readonly Message[];
  /** Returns the tokens that a message is expected to measure. */
  readonly weightTokens: (message: Message) => number;
  /** The part of a message that is reasoning not on file, by weight. */
  readonly reasoningTokens: (message: Message) => number;
}

/** Messages that lose tokens for an unknown reason keep at least a tenth of them; the rest of a fall has another cause. Chosen. */
const LARGEST_LOSS_RATIO = 0.9;
/** The newest messages' surplus explains a loss from this share on: the part that made them large (a search's results) is gone. Chosen. */
const LEAST_SURPLUS_RATIO = 0.5;
/** Smaller losses than this share of the view are taken for slack of the weights: they resize the messages but do not mean that their sent form changed. Chosen. */
const LEAST_CHANGE_RATIO = 0.05;

/**
 * Takes lost tokens from the messages of the view, and returns how many they had; the rest has another cause. First the newest messages' surplus over
 * their weight, if that explains the loss; then, at the end of a turn, the reasoning of its replies, and of a large loss all reasoning; then from all
 * old messages alike.
 */
function takeLoss(loss: Loss, sizes: MessageSizes): number {
  const { call, view, oldCount } = loss;
  const surplus = givers(loss.newest, (message) => (sizes.latest(message) ?? 0) - loss.weightTokens(message));
  const changed = { sizes, call, isChange: true };
  let lost = surplus.total >= LEAST_SURPLUS_RATIO * loss.tokens ? take(surplus, loss.tokens, changed) : 0;
  if (loss.isTurnEnd) lost += takeReasoning(loss, loss.tokens - lost, changed);
  const viewTokens = view.tokens - lost;
  view.owedTokens = 0;
  if (view.messages.length >= LONG_VIEW_MESSAGES && loss.tokens - lost < LEAST_LOSS_RATIO * viewTokens) {
    view.owedTokens = loss.tokens - lost;
    return lost;
  }
  const isChange = loss.tokens - lost >= LEAST_CHANGE_RATIO * viewTokens;
  if (loss.isTurnEnd && isChange) lost += take(givers(view.messages, wholeReasoning(loss, sizes)), loss.tokens - lost, changed);
  const old = givers(view.messages.slice(0, oldCount), (message) => LARGEST_LOSS_RATIO * (sizes.latest(message) ?? 0));
  return lost + take(old, loss.tokens - lost, { sizes, call, isChange });
}

/** Takes the reasoning of the turn that ended. Messages that are away lose theirs alike, but give nothing: they are not in the view. */
function takeReasoning(loss: Loss, tokens: number, target: Target): number {
  const reasoning = wholeReasoning(loss, target.sizes);
  const turn = givers(loss.view.messages.slice(loss.view.turnStart), reasoning);
  const lost = take(turn, tokens, target);
  if (lost === 0) return 0;
  const away = givers(loss.away(), reasoning);
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
  /** Whether the sent form of the messages changed, or only the knowledge of their size. */
  readonly isChange: boolean;
}

/** Takes up to `tokens` in proportion to each one's supply. */
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

/** The sizes in a session's reports: the size of each message, and the tokens that every call holds in addition to its messages. */
export interface MeasuredCalls {
  readonly sizes: MessageSizes;
  /** One a call: tokens in addition to the messages under the recorded agent's own compactions. */
  readonly recordedAccounts: readonly number[];
  /** One a call: tokens in addition to the messages for a history in which those compactions never happened. */
  readonly ownAccounts: readonly number[];
  /** Overhead of the first epoch. */
  readonly firstOverheadTokens: number;
}

/** The start of a measurement. `reportOf` can hide calls to hold them out. */
export interface MeasureInput {
  readonly calls: readonly RecordedCall[];
  readonly weights: MessageWeights;
  readonly reportOf: (call: RecordedCall) => number | null;
  /** Overhead of an epoch in which nothing was reported, if no epoch before it was measured. */
  readonly assumedOverheadTokens: number;
}

/**
 * Reads the sizes off the reports, epoch by epoch. An epoch's overhead is its first report less its messages; those known from before keep their
 * size. Under a history of its own an epoch that a recorded compaction began keeps the overhead from before it: texts that the recorded agent put
 * back after it (files, reminders) were never lost there.
 */
export function measureCalls({ calls, weights, reportOf, assumedOverheadTokens }: MeasureInput): MeasuredCalls {
  const sizes = createMessageSizes();
  const recordedAccounts: number[] = [];
  const ownAccounts: number[] = [];
  let overheadTokens = assumedOverheadTokens;
  let ownBaseTokens = assumedOverheadTokens;
  let firstOverheadTokens: number | null = null;
  let seen = new Set<Message>();
  for (const epoch of epochsOf(calls)) {
    const inView = new Set(epoch.calls[0]?.newMessages);
    const away = (modelId: string) => {
      // A message loses its reasoning once.
      const isWhole = (message: Message) => sizes.latest(message) === sizes.first(message);
      seen = new Set([...seen].filter((message) => isWhole(message) && weights.hiddenTokens(message, modelId) > 0));
      return [...seen].filter((message) => !inView.has(message));
    };
    const measured = measureEpoch({ calls: epoch.calls, sizes, weights, reportOf, away });
    for (const call of epoch.calls) for (const message of call.newMessages) seen.add(message);
    overheadTokens = measured.overheadTokens ?? overheadTokens;
    firstOverheadTokens ??= overheadTokens;
    if (epoch.start !== "boundary") ownBaseTokens = overheadTokens;
    for (const carriedTokens of measured.carriedTokens) {
      recordedAccounts.push(overheadTokens + carriedTokens);
      ownAccounts.push(Math.max(0, ownBaseTokens + carriedTokens));
    }
    ownBaseTokens = ownAccounts.at(-1) ?? ownBaseTokens;
  }
  return { sizes, recordedAccounts, ownAccounts, firstOverheadTokens: firstOverheadTokens ?? assumedOverheadTokens };
}

interface Epoch {
  readonly start: "session" | "boundary" | "model";
  readonly calls: RecordedCall[];
}

function epochsOf(calls: readonly RecordedCall[]): readonly Epoch[] {
  const epochs: Epoch[] = [];
  for (const call of calls) {
    if (call.epochStart !== null) epochs.push({ start: call.epochStart, calls: [call] });
    else epochs.at(-1)?.calls.push(call);
  }
  return epochs;
}

/** `totalTokens` shared out in proportion to the weights, as whole numbers whose sum is exactly the total. Equal shares if all weights are zero. */
export function distribute(totalTokens: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const shares: number[] = [];
  let passed = 0;
  let given = 0;
  for (const weight of weights) {
    passed += sum > 0 ? weight / sum : 1 / weights.length;
    const next = shares.length === weights.length - 1 ? totalTokens : Math.round(totalTokens * Math.min(1, passed));
    shares.push(next - given);
    given = next;
  }
  return shares;
}
