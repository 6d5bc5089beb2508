import type { Message, SessionEntry, UsageEntry } from "@plimsoll/core";
import type { BoundaryViews } from "../boundary-views.ts";
import { addTo } from "../needs/statements.ts";
import { addFeatures, type Features, featuresOf, HIDDEN_REPLY_FEATURE, imageTokensOf, NO_FEATURES } from "./features.ts";
import { heldOutError, type SizeJudgeError } from "./held-out.ts";
import { ridge, type WeightedRow } from "./least-squares.ts";
import { type MeasuredCalls, type MessageWeights, measureCalls } from "./measure-epoch.ts";
import { type HistoryKind, type MessageSizes, type RequestSizes, type SizeStep, sizedMessages } from "./message-sizes.ts";
import { type RecordedCall, recordedCalls } from "./recorded-calls.ts";

/**
 * The sizes of requests of a recorded session, under any policy's edits of its messages. It is read off the recording's own reports and shares
 * nothing with the estimators of core.
 */
export interface SizeJudge extends RequestSizes {
  /** True if the recording reports nothing, so that every figure is four characters a token. */
  readonly isEstimated: boolean;
  /** Overhead of the first epoch in tokens: system, tools and parts missing from the log. */
  readonly firstOverheadTokens: number;
  readonly calls: readonly RecordedCall[];
  /** The sizes of a recorded message with the call from which each holds, in order; none if it is priced by the fitted weights. */
  sizeStepsOf(message: Message): readonly SizeStep[];
  /** The messages whose sent form at this call differs from that of the call before, by the reports. */
  changedAt(call: number): readonly Message[];
  /** One a call: the request that was recorded; modelled if it was not reported. */
  readonly recordedPromptTokens: readonly number[];
  readonly error: SizeJudgeError;
}

/** The size model of a recorded log (after repairs: the messages that it holds are those that a replay sends). */
export function createSizeJudge(entries: readonly SessionEntry[], boundaries?: BoundaryViews): SizeJudge {
  const calls = recordedCalls(entries, boundaries);
  const features = featureSource(calls);
  const isEstimated = calls.every((call) => call.reportedTokens === null);
  const assumedOverheadTokens = overheadByLength(entries);
  const fit = (
    reportOf: (call: RecordedCall) => number | null,
  ): { readonly weights: MessageWeights; readonly measured: MeasuredCalls } => {
    const seen = calls.map((call) => ({ ...call, reportedTokens: reportOf(call) }));
    const coefficients = isEstimated ? new Map<string, Coefficients>() : fitCoefficients(seen, features);
    const [first] = coefficients.values();
    const fallback = first ?? UNMEASURED_COEFFICIENTS;
    const of = (modelId: string) => coefficients.get(modelId) ?? fallback;
    const weights: MessageWeights = {
      tokens: (message, modelId) => weigh(features(message), of(modelId)) + imageTokensOf(message),
      hiddenTokens: (message, modelId) => hiddenTokens(features(message), of(modelId)),
    };
    return { weights, measured: measureCalls({ calls, weights, reportOf, assumedOverheadTokens }) };
  };
  const { weights, measured } = fit((call) => call.reportedTokens);
  const { sizes, recordedAccounts, ownAccounts, firstOverheadTokens } = measured;
  const error = heldOutError(calls, (reportOf) => fit(reportOf).measured);
  const messageTokens = createMessagePricing({ calls, entries, sizes, weights });
  const nonMessageTokens = (call: number, history: HistoryKind) =>
    (history === "recorded" ? recordedAccounts : ownAccounts)[call] ?? firstOverheadTokens;
  const requestSizes: RequestSizes = {
    resizedAt: sizes.resizedAt,
    messageTokens,
    nonMessageTokens,
  };
  return {
    isEstimated,
    firstOverheadTokens: Math.max(0, firstOverheadTokens),
    calls,
    ...requestSizes,
    sizeStepsOf: sizes.stepsOf,
    changedAt: sizes.changedAt,
    recordedPromptTokens: recordedPrompts(calls, requestSizes),
    error,
  };
}

function recordedPrompts(calls: readonly RecordedCall[], sizes: RequestSizes): readonly number[] {
  const view = sizedMessages(sizes);
  return calls.map(({ index, epochStart, newMessages, reportedTokens }) => {
    if (epochStart !== null) view.clear();
    view.take(index, newMessages);
    return reportedTokens ?? sizes.nonMessageTokens(index, "recorded") + view.tokens();
  });
}

/** Four characters a token: the measure of system and tools if nothing is reported. */
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

interface PricingInput {
  readonly calls: readonly RecordedCall[];
  readonly entries: readonly SessionEntry[];
  readonly sizes: Pick<MessageSizes, "at">;
  readonly weights: MessageWeights;
}

/**
 * Prices a message at a call: its measured size; for an edited message of the recording the measured size times the ratio of the weights after and
 * before the edit; for one that an engine wrote only the weight.
 */
function createMessagePricing(input: PricingInput): (message: Message, call: number) => number {
  const { calls, entries, sizes, weights } = input;
  let originals: ReadonlyMap<string, Message> | null = null;
  const originalOf = (message: Message) => {
    originals ??= new Map(entries.flatMap((entry) => (entry.type === "message" ? [[entry.message.id, entry.message]] : [])));
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
    const modelId = calls[call]?.modelId ?? "";
    const original = originalOf(message);
    const originalTokens = original === undefined ? undefined : sizes.at(original, call);
    if (original === undefined || originalTokens === undefined) return Math.round(weightOf(message, modelId));
    const before = weightOf(original, modelId);
    return before > 0
      ? Math.round((originalTokens * weightOf(message, modelId)) / before)
      : Math.round(weightOf(message, modelId));
  };
}

/** Tokens a unit of each feature, for one model. */
type Coefficients = Features;

/** Features of the messages of one session, each computed once. */
type FeatureSource = (message: Message) => Features;

/** The features of a session's messages: replies know the usage of the call that produced them. */
function featureSource(calls: readonly RecordedCall[]): FeatureSource {
  let usages: ReadonlyMap<Message, UsageEntry> | null = null;
  const known = new WeakMap<Message, Features>();
  return (message) => {
    const seen = known.get(message);
    if (seen !== undefined) return seen;
    usages ??= new Map(calls.flatMap(({ reply, usage }) => (reply === null ? [] : [[reply, usage] as const])));
    const features = featuresOf(message, usages.get(message) ?? null);
    known.set(message, features);
    return features;
  };
}

/**
 * The expectation before a session's own reports speak: 0.3 tokens a character (recorded sessions have 0.23 to 0.44), 12 tokens a message (3 to 85),
 * hidden output that mostly returns. Strengths in observations: chosen, small compared with a session.
 */
const PRIORS = [
  { value: 0.3, strength: 3 },
  { value: 0.3, strength: 3 },
  { value: 0.3, strength: 3 },
  { value: 0.3, strength: 3 },
  { value: 0.8, strength: 3 },
  { value: 12, strength: 3 },
] as const;

/** Bounds of plausible coefficients, so that a strange session cannot price text at nothing or below. */
const LOWER_BOUNDS: Features = [0.1, 0.1, 0.1, 0, 0, 0];
const UPPER_BOUNDS: Features = [1, 1, 1, 1, 1.2, 120];

/** The prices of sessions without usage: the field's four characters a token, nothing hidden. */
const UNMEASURED_COEFFICIENTS: Coefficients = [0.25, 0.25, 0.25, 0.25, 0, 0];

/** Passes of reweighting: the weights hardly move after the sixth. */
const PASSES = 10;

/**
 * Coefficients for each model id by robust least squares on the differences between consecutive reports of an epoch. Falling
 * prompts are no observation; outliers (hidden events) lose their weight pass by pass.
 */
function fitCoefficients(calls: readonly RecordedCall[], featuresOfMessage: FeatureSource): ReadonlyMap<string, Coefficients> {
  const observations = new Map<string, Difference[]>();
  for (const row of differences(calls, featuresOfMessage)) addTo(observations, row.modelId, row);
  return new Map([...observations].map(([modelId, rows]) => [modelId, robustFit(rows)]));
}

/** Modelled tokens of features, before rounding. */
function weigh(features: Features, coefficients: Coefficients): number {
  let tokens = 0;
  for (let index = 0; index < features.length; index++) tokens += (features[index] ?? 0) * (coefficients[index] ?? 0);
  return tokens;
}

/** The part of a message's modelled size that is hidden output (reasoning that is not on file). */
function hiddenTokens(features: Features, coefficients: Coefficients): number {
  return features[HIDDEN_REPLY_FEATURE] * coefficients[HIDDEN_REPLY_FEATURE];
}

interface Difference {
  readonly modelId: string;
  readonly x: Features;
  readonly y: number;
}

function differences(calls: readonly RecordedCall[], featuresOfMessage: FeatureSource): readonly Difference[] {
  const rows: Difference[] = [];
  let anchorTokens: number | null = null;
  let x = NO_FEATURES;
  let imageTokens = 0;
  for (const call of calls) {
    if (call.epochStart !== null) anchorTokens = null;
    else {
      for (const message of call.newMessages) {
        x = addFeatures(x, featuresOfMessage(message));
        imageTokens += imageTokensOf(message);
      }
    }
    if (call.reportedTokens === null) continue;
    const y = anchorTokens === null ? 0 : call.reportedTokens - anchorTokens - imageTokens;
    if (y > 0 && x[5] > 0) rows.push({ modelId: call.modelId, x, y });
    anchorTokens = call.reportedTokens;
    x = NO_FEATURES;
    imageTokens = 0;
  }
  return rows;
}

function robustFit(rows: readonly Difference[]): Coefficients {
  let coefficients: Coefficients = bounded(PRIORS.map((prior) => prior.value));
  let spread = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < PASSES; pass++) {
    const weighted: WeightedRow[] = rows.map(({ x, y }) => ({ x, y, weight: rowWeight({ x, y }, coefficients, spread) }));
    coefficients = bounded(ridge(weighted, PRIORS));
    const residuals = rows.map((row) => relativeResidual(row, coefficients)).sort((a, b) => a - b);
    spread = residuals[Math.floor(residuals.length / 2)] ?? 0;
  }
  return coefficients;
}

/** Differences of this many tokens count in full; the error of larger ones is relative. */
const SMALL_DIFFERENCE_TOKENS = 200;

function relativeResidual({ x, y }: { x: Features; y: number }, coefficients: Coefficients): number {
  const expected = weigh(x, coefficients);
  return Math.abs(y - expected) / (SMALL_DIFFERENCE_TOKENS + expected);
}

/** Cauchy weights on relative residuals, with 2.4 × 1.4826 × the median as their width (95% efficient on normal errors). */
function rowWeight(row: { x: Features; y: number }, coefficients: Coefficients, spread: number): number {
  const scale = 1 / (SMALL_DIFFERENCE_TOKENS + weigh(row.x, coefficients)) ** 2;
  const width = 2.4 * 1.4826 * Math.max(spread, 0.002);
  return scale / (1 + (relativeResidual(row, coefficients) / width) ** 2);
}

function bounded(values: readonly number[]): Coefficients {
  const at = (index: 0 | 1 | 2 | 3 | 4 | 5) =>
    Math.min(UPPER_BOUNDS[index], Math.max(LOWER_BOUNDS[index], values[index] ?? PRIORS[index].value));
  return [at(0), at(1), at(2), at(3), at(4), at(5)];
}
