import type { Message, SessionEntry } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/extend";
import type { BoundaryViews } from "../boundary-views.ts";
import { imageTokensOf } from "./features.ts";
import type { Coefficients, FeatureSource } from "./fit-weights.ts";
import { featureSource, fitCoefficients, hiddenTokens, UNMEASURED_COEFFICIENTS, weigh } from "./fit-weights.ts";
import { followingSizes, type HistoryKind, type RequestSizes } from "./following-sizes.ts";
import { heldOutError, type SizeModelError } from "./held-out.ts";
import { type MeasuredCalls, measureCalls } from "./measure-calls.ts";
import type { MessageWeights } from "./measure-epoch.ts";
import { createMessageSizes, type MessageSizes, type SizeStep, type SizesSet } from "./message-sizes.ts";
import { type RecordedCall, recordedCalls } from "./recorded-calls.ts";

/**
 * The sizes of requests of a recorded session, whatever a policy made of its messages. It is read off the recording's own reports and shares nothing
 * with the estimators of core.
 */
export interface SizeModel extends RequestSizes {
  /** True if the recording reports nothing, so that every figure is four characters a token. */
  readonly isEstimated: boolean;
  /** Overhead of the first epoch in tokens: system, tools and what the log does not show. */
  readonly firstOverheadTokens: number;
  readonly calls: readonly RecordedCall[];
  /** The sizes of a recorded message with the call from which each holds, in order; none if it is priced by the fitted weights. */
  sizeStepsOf(message: Message): readonly SizeStep[];
  /** Whether what is sent of a message at this call differs from what the call before sent of it, by what the reports say. */
  isChangedAt(message: Message, call: number): boolean;
  /** Whether {@link isChangedAt} holds of any message at one of the calls after the one, up to the other. */
  isChangedBetween(after: number, through: number): boolean;
  /** One a call: the request that was recorded; modelled if it was not reported. */
  readonly recordedPromptTokens: readonly number[];
  /** Error on calls that were held out of the fit. */
  readonly error: SizeModelError;
}

/** The sizes that were fitted to a recorded log. */
interface FittedSizes {
  readonly calls: readonly RecordedCall[];
  readonly isEstimated: boolean;
  readonly coefficients: ReadonlyMap<string, Coefficients>;
  readonly sizesSet: SizesSet;
  readonly recordedAccounts: readonly number[];
  readonly ownAccounts: readonly number[];
  readonly firstOverheadTokens: number;
}

/** The size model of a recorded log (after repairs: the messages that it holds are those that a replay sends). */
export function createSizeModel(entries: readonly SessionEntry[], boundaries?: BoundaryViews): SizeModel {
  const calls = recordedCalls(entries, boundaries);
  const features = featureSource({ calls });
  const isEstimated = calls.every((call) => call.reportedTokens === null);
  const assumedOverheadTokens = overheadByLength(entries);
  const fit = (reportOf: (call: RecordedCall) => number | null): Fitted => {
    const seen = calls.map((call) => ({ ...call, reportedTokens: reportOf(call) }));
    const coefficients = isEstimated ? new Map<string, Coefficients>() : fitCoefficients(seen, features);
    const weights = weightsFrom(coefficients, features);
    return { coefficients, measured: measureCalls({ calls, weights, reportOf, assumedOverheadTokens }) };
  };
  const { coefficients, measured } = fit((call) => call.reportedTokens);
  const { sizes, recordedAccounts, ownAccounts, firstOverheadTokens } = measured;
  const { sizesSet } = sizes;
  const fitted = { calls, isEstimated, coefficients, sizesSet, recordedAccounts, ownAccounts, firstOverheadTokens };
  const error = heldOutError(calls, (reportOf) => fit(reportOf).measured);
  const { sizes: messageSizes, ...requestSizes } = pricingOf(entries, fitted);
  return {
    isEstimated,
    firstOverheadTokens: Math.max(0, firstOverheadTokens),
    calls,
    ...requestSizes,
    sizeStepsOf: (message) => messageSizes.stepsOf(message),
    isChangedAt: (message, call) => messageSizes.isChangedAt(message, call),
    isChangedBetween: (after, through) => messageSizes.isChangedBetween(after, through),
    recordedPromptTokens: recordedPrompts(calls, requestSizes),
    error,
  };
}

function pricingOf(entries: readonly SessionEntry[], fitted: FittedSizes): RequestSizes & { readonly sizes: MessageSizes } {
  const { coefficients, recordedAccounts, ownAccounts, firstOverheadTokens } = fitted;
  const sizes = createMessageSizes(fitted.sizesSet);
  const weights = weightsFrom(coefficients, featureSource(fitted));
  const messageTokens = createMessagePricing({ fitted, entries, sizes, weights });
  const nonMessageTokens = (call: number, history: HistoryKind) =>
    (history === "recorded" ? recordedAccounts : ownAccounts)[call] ?? firstOverheadTokens;
  return {
    sizes,
    isResizedBetween: (after, through) => sizes.isResizedBetween(after, through),
    messageTokens,
    nonMessageTokens,
    promptTokens: (call, messages, history) => {
      let tokens = nonMessageTokens(call, history);
      for (const message of messages) tokens += messageTokens(message, call);
      return tokens;
    },
  };
}

interface Fitted {
  readonly coefficients: ReadonlyMap<string, Coefficients>;
  readonly measured: MeasuredCalls;
}

function weightsFrom(coefficients: ReadonlyMap<string, Coefficients>, features: FeatureSource): MessageWeights {
  const [first] = coefficients.values();
  const fallback = first ?? UNMEASURED_COEFFICIENTS;
  const of = (modelId: string) => coefficients.get(modelId) ?? fallback;
  return {
    tokens: (message, modelId) => weigh(features(message), of(modelId)) + imageTokensOf(message),
    hiddenTokens: (message, modelId) => hiddenTokens(features(message), of(modelId)),
  };
}

function recordedPrompts(calls: readonly RecordedCall[], sizes: RequestSizes): readonly number[] {
  const promptTokens = followingSizes(sizes, "recorded");
  let view = sequenceOf<Message>();
  return calls.map(({ index, epochStart, newMessages, reportedTokens }) => {
    if (epochStart !== null) view = sequenceOf();
    for (const message of newMessages) view = view.append(message);
    return reportedTokens ?? promptTokens(index, view);
  });
}

/** Four characters a token: what is taken for system and tools if nothing is reported. */
const UNMEASURED_CHARS_PER_TOKEN = 4;

function overheadByLength(entries: readonly SessionEntry[]): number {
  const start = entries.find((entry) => entry.type === "session");
  if (start?.type !== "session") return 0;
  const toolChars = start.tools.reduce(
    (chars, tool) => chars + tool.name.length + tool.description.length + tool.parametersJson.length,
    0,
  );
  return Math.ceil((start.system.length + toolChars) / UNMEASURED_CHARS_PER_TOKEN);
}

/** The sources of messages' prices. */
interface PricingInput {
  readonly fitted: { readonly calls: readonly RecordedCall[] };
  readonly entries: readonly SessionEntry[];
  readonly sizes: Pick<MessageSizes, "at">;
  readonly weights: MessageWeights;
}

/**
 * Prices a message at a call: its measured size; for an edited message of the recording the measured size times the ratio of
 * the weights after and before the edit; for one that an engine wrote the weight alone.
 */
function createMessagePricing(input: PricingInput): (message: Message, call: number) => number {
  const { fitted, entries, sizes, weights } = input;
  let originals: ReadonlyMap<string, Message> | null = null;
  const originalOf = (message: Message) => {
    originals ??= messagesById(entries);
    return originals.get(message.id);
  };
  const weighed = new WeakMap<Message, number>();
  const weightOf = (message: Message, modelId: string) => {
    const known = weighed.get(message);
    if (known !== undefined) return known;
    const tokens = Math.max(0, weights.tokens(message, modelId));
    weighed.set(message, tokens);
    return tokens;
  };
  return (message, call) => {
    const measured = sizes.at(message, call);
    if (measured !== undefined) return measured;
    const modelId = fitted.calls[call]?.modelId ?? "";
    const original = originalOf(message);
    const originalTokens = original === undefined ? undefined : sizes.at(original, call);
    if (original === undefined || originalTokens === undefined) return Math.round(weightOf(message, modelId));
    const before = weightOf(original, modelId);
    return before > 0
      ? Math.round((originalTokens * weightOf(message, modelId)) / before)
      : Math.round(weightOf(message, modelId));
  };
}

function messagesById(entries: readonly SessionEntry[]): ReadonlyMap<string, Message> {
  const messages = new Map<string, Message>();
  for (const entry of entries) if (entry.type === "message") messages.set(entry.message.id, entry.message);
  return messages;
}
