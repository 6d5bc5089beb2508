import type { Message, SessionEntry } from "@plimsoll/core";
import type { BoundaryViews } from "../boundary-views.ts";
import { imageTokensOf } from "./features.ts";
import {
  type Coefficients,
  type FeatureSource,
  featureSource,
  fitCoefficients,
  hiddenTokens,
  UNMEASURED_COEFFICIENTS,
  weigh,
} from "./fit-weights.ts";
import { heldOutError, type SizeModelError } from "./held-out.ts";
import { type MeasuredCalls, measureCalls } from "./measure-calls.ts";
import type { MessageWeights } from "./measure-epoch.ts";
import { createMessagePricing } from "./message-pricing.ts";
import { createMessageSizes, type MessageSizes, type SizeStep, type SizesSet } from "./message-sizes.ts";
import { type RecordedCall, recordedCalls } from "./recorded-calls.ts";

/** Whose compactions shaped the history that is priced: the recorded agent's, or none of them. */
export type HistoryKind = "recorded" | "own";

/**
 * What requests of a recorded session measure, whatever a policy made of its messages. It is read off the recording's own
 * reports and shares nothing with the estimators of core.
 */
export interface SizeModel {
  /** True if the recording reports nothing, so that every figure is four characters a token. */
  readonly isEstimated: boolean;
  /** Overhead of the first epoch in tokens: system, tools and what the log does not show. */
  readonly firstOverheadTokens: number;
  readonly calls: readonly RecordedCall[];
  /** The size of one message at a call (from 0); messages that are not of the recording are priced by the fitted weights. */
  messageTokens(message: Message, call: number): number;
  /** The sizes of a recorded message with the call from which each holds, in order; none if it is priced by the fitted weights. */
  sizeStepsOf(message: Message): readonly SizeStep[];
  /** Whether what is sent of a message at this call differs from what the call before sent of it, by what the reports say. */
  isChangedAt(message: Message, call: number): boolean;
  /** Whether {@link isChangedAt} holds of any message at one of the calls after the one, up to the other. */
  isChangedBetween(after: number, through: number): boolean;
  /** Whether the size of any recorded message changes at one of the calls after the one, up to the other. */
  isResizedBetween(after: number, through: number): boolean;
  /**
   * Tokens in addition to the messages at a call: the epoch's overhead and what is carried with it (hidden events). It equals the
   * reported prompt less the recorded messages exactly for `recorded`. `own` keeps the overhead from before each recorded compaction.
   */
  nonMessageTokens(call: number, history: HistoryKind): number;
  /** The whole request: {@link nonMessageTokens} and all messages. */
  promptTokens(call: number, messages: Iterable<Message>, history: HistoryKind): number;
  /** One a call: the request that was recorded; modelled if it was not reported. */
  readonly recordedPromptTokens: readonly number[];
  /** Error on calls that were held out of the fit. */
  readonly error: SizeModelError;
  /** What it was made from, beside the log. */
  readonly fitted: FittedSizes;
}

/** What a size model is made from beside its log. */
export interface FittedSizes {
  readonly calls: readonly RecordedCall[];
  readonly isEstimated: boolean;
  readonly coefficients: ReadonlyMap<string, Coefficients>;
  readonly sizesSet: SizesSet;
  readonly recordedAccounts: readonly number[];
  readonly ownAccounts: readonly number[];
  readonly firstOverheadTokens: number;
  readonly recordedPromptTokens: readonly number[];
  readonly error: SizeModelError;
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
  const { sizes, ...accounts } = measured;
  const fitted = { calls, isEstimated, coefficients, sizesSet: sizes.sizesSet, ...accounts };
  const error = heldOutError(calls, (reportOf) => fit(reportOf).measured);
  const { messageTokens, nonMessageTokens } = pricingOf(entries, fitted);
  const recordedPromptTokens = recordedPrompts(calls, messageTokens, nonMessageTokens);
  return sizeModelOf(entries, { ...fitted, recordedPromptTokens, error });
}

/** The size model of a log for which it was fitted before. */
export function sizeModelOf(entries: readonly SessionEntry[], fitted: FittedSizes): SizeModel {
  const { isEstimated, recordedPromptTokens, error } = fitted;
  const { sizes, messageTokens, nonMessageTokens } = pricingOf(entries, fitted);
  return {
    isEstimated,
    firstOverheadTokens: Math.max(0, fitted.firstOverheadTokens),
    get calls() {
      return fitted.calls;
    },
    messageTokens,
    sizeStepsOf: (message) => sizes().stepsOf(message),
    isChangedAt: (message, call) => sizes().isChangedAt(message, call),
    isChangedBetween: (after, through) => sizes().isChangedBetween(after, through),
    isResizedBetween: (after, through) => sizes().isResizedBetween(after, through),
    nonMessageTokens,
    promptTokens: (call, messages, history) => {
      let tokens = nonMessageTokens(call, history);
      for (const message of messages) tokens += messageTokens(message, call);
      return tokens;
    },
    recordedPromptTokens,
    error,
    fitted,
  };
}

type Pricing = Pick<SizeModel, "messageTokens" | "nonMessageTokens"> & { readonly sizes: () => MessageSizes };

function pricingOf(entries: readonly SessionEntry[], fitted: Omit<FittedSizes, "recordedPromptTokens" | "error">): Pricing {
  const { coefficients, recordedAccounts, ownAccounts, firstOverheadTokens } = fitted;
  let made: MessageSizes | null = null;
  const sizes = () => {
    made ??= createMessageSizes(fitted.sizesSet);
    return made;
  };
  const weights = weightsFrom(coefficients, featureSource(fitted));
  return {
    sizes,
    messageTokens: createMessagePricing({ fitted, entries, sizes, weights }),
    nonMessageTokens: (call, history) => (history === "recorded" ? recordedAccounts : ownAccounts)[call] ?? firstOverheadTokens,
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

function recordedPrompts(
  calls: readonly RecordedCall[],
  messageTokens: SizeModel["messageTokens"],
  nonMessageTokens: SizeModel["nonMessageTokens"],
): readonly number[] {
  let view: Message[] = [];
  return calls.map((call) => {
    view = call.epochStart === null ? view.concat(call.newMessages) : [...call.newMessages];
    if (call.reportedTokens !== null) return call.reportedTokens;
    return view.reduce(
      (tokens, message) => tokens + messageTokens(message, call.index),
      nonMessageTokens(call.index, "recorded"),
    );
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
