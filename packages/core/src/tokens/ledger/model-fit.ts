import { type Sequence, sequenceOf } from "../../sequence.ts";
import { LOADED_TOOL_TOKENS, type MessageContent, NO_CONTENT, type OverheadCounts } from "../char-class.ts";
import type { ContentSum, ModelPrior, ModelPriors, Regression } from "../measure.ts";
import { contentTokens, deviationOf, expectedOf } from "../measure.ts";

/**
 * Which part of a reply is in the next prompt: all that was reported; that without its reasoning; or, if reports cannot be
 * trusted, the visible text by its own weight, without or with readable reasoning.
 */
export type ReturnRule = "output" | "visible" | "text" | "text-and-reasoning";

/** How far each rule was off lately, from 0 (right) up. */
export type RuleLosses = Readonly<Record<ReturnRule, number>>;

/** Nothing is known of any rule. */
export const NO_LOSSES: RuleLosses = { output: 0, visible: 0, text: 0, "text-and-reasoning": 0 };

/** All rules, those that need an output count first. */
export const RETURN_RULES: readonly ReturnRule[] = ["output", "visible", "text", "text-and-reasoning"];

/** The rules that need no output count. */
export const TEXT_RULES: readonly ReturnRule[] = ["text", "text-and-reasoning"];

/** One value a rule, each made of the same. */
export function everyRule<T>(of: (rule: ReturnRule) => T): { readonly [rule in ReturnRule]: T } {
  return {
    output: of("output"),
    visible: of("visible"),
    text: of("text"),
    "text-and-reasoning": of("text-and-reasoning"),
  };
}

/** The knowledge that a session has of one model: the price of text, the part of a reply that returns, the part that vanishes at a turn. */
export interface ModelFit {
  readonly regression: Regression;
  /** The same line, had each rule been in force all along: a wrong rule must not hide in the price of text. */
  readonly lines: { readonly [rule in ReturnRule]: Regression };
  readonly ruleLosses: RuleLosses;
  /** How far "the turn's reasoning stays" and "goes" were off lately. */
  readonly turnLosses: { readonly stays: number; readonly goes: number };
  /** Share of late replies whose output count cannot be. */
  readonly untrustedRatio: number;
  /** Share of late replies with far more output than text and no reasoning to explain it; 1 until the model has shown otherwise. */
  readonly hiddenRatio: number;
}

/** A model as far as its prior and its own reports describe it. */
export interface KnownModel {
  readonly prior: ModelPrior;
  readonly fit: ModelFit;
}

/** The model of the next request, and those that counted so far. */
export interface Model extends KnownModel {
  /** The factor from the newest report to this model's tokens; 1 if it is its own. */
  readonly switchRatio: number;
  /** The models of the newest report and of the ledger's first; this model itself if it made them, or if there are none. */
  readonly reported: KnownModel;
  readonly firstReported: KnownModel;
}

/**
 * How far a model is from its prior, as standard deviations: 12% of the slope and 15 tokens a message. Chosen by the held-out figures, as are noise
 * and drift below (docs/evidence.md, 2026-11-23).
 */
const PRIOR_SLOPE_DEVIATION = 0.12;
const PRIOR_MESSAGE_DEVIATION = 15;

/** How much the texts of a session change between measurements, as variances: 1% of the slope, 0.2 tokens a message; chosen. */
const SLOPE_DRIFT = 0.0001;
const MESSAGE_DRIFT = 0.05;

/** A surprise counts as at most so many deviations, and beyond four times that not at all: it is not a measurement of text. */
const LARGEST_DEVIATIONS = 3;
const NOT_TEXT_RATIO = 4;

const SLOPE_BOUNDS = [0.4, 3] as const;
const MESSAGE_BOUNDS = [0, 150] as const;

/** A line with the uncertainty of a prior: nothing was measured of it yet. */
export function regressionFrom({ slopeRatio, messageTokens, errorRatio }: Omit<Regression, "covariance">): Regression {
  const covariance = [((errorRatio ?? 1) * PRIOR_SLOPE_DEVIATION) ** 2, 0, PRIOR_MESSAGE_DEVIATION ** 2] as const;
  return { slopeRatio, messageTokens, covariance, errorRatio };
}

/** The line after so many tokens were reported for messages of that weight (a Kalman step): surprises are bounded, and a measurement that cannot be text teaches nothing. */
export function learn(
  fit: Regression,
  { weighed, messages, tokens }: Readonly<Record<"weighed" | "messages" | "tokens", number>>,
): Regression {
  if (messages <= 0 || weighed <= 0) return fit;
  const { errorRatio = 1 } = fit;
  const drifted: Regression = {
    ...fit,
    covariance: [
      fit.covariance[0] + errorRatio * SLOPE_DRIFT * fit.slopeRatio ** 2,
      fit.covariance[1],
      fit.covariance[2] + MESSAGE_DRIFT,
    ],
  };
  const deviation = deviationOf(drifted, weighed, messages);
  const limit = LARGEST_DEVIATIONS * deviation;
  const surprise = tokens - expectedOf(drifted, weighed, messages);
  if (Math.abs(surprise) > NOT_TEXT_RATIO * limit) return fit;
  const bounded = clamp(surprise, [-limit, limit]);
  const [slope, both, intercept] = drifted.covariance;
  const towardSlope = slope * weighed + both * messages;
  const towardMessages = both * weighed + intercept * messages;
  const variance = deviation * deviation;
  return {
    ...fit,
    slopeRatio: clamp(fit.slopeRatio + (towardSlope / variance) * bounded, SLOPE_BOUNDS),
    messageTokens: clamp(fit.messageTokens + (towardMessages / variance) * bounded, MESSAGE_BOUNDS),
    covariance: [
      slope - (towardSlope * towardSlope) / variance,
      both - (towardSlope * towardMessages) / variance,
      intercept - (towardMessages * towardMessages) / variance,
    ],
  };
}

function clamp(value: number, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, value));
}

/** A wrong prior is overruled by the first turn that shows it: chosen, half of the cost of one wrong guess. */
export const PRIOR_TURN_LOSS = 0.5;

/** Share of wrong output counts that is assumed at first: until four replies were right, one that cannot be is not believed. Chosen. */
const ASSUMED_UNTRUSTED_RATIO = 0.2;

/** Makes the fit of a model before its first report; `textRatio` is the price of the session's texts over the prior so far. */
export function fitFrom(prior: ModelPrior, textRatio: number): ModelFit {
  const regression = regressionFrom({ ...prior, slopeRatio: prior.slopeRatio * textRatio });
  return {
    regression,
    lines: everyRule(() => regression),
    ruleLosses: NO_LOSSES,
    turnLosses: {
      stays: prior.reasoningAtTurn === "goes" ? PRIOR_TURN_LOSS : 0,
      goes: prior.reasoningAtTurn === "stays" ? PRIOR_TURN_LOSS : 0,
    },
    untrustedRatio: ASSUMED_UNTRUSTED_RATIO,
    hiddenRatio: 1,
  };
}

/** Turns the fit of one model into the prior of another that measures alike: its own reports overrule it as soon as a prior. */
export function asPrior(fit: ModelFit): ModelFit {
  return { ...fit, regression: regressionFrom(fit.regression), lines: everyRule((rule) => regressionFrom(fit.lines[rule])) };
}

type ReportedModels = Pick<MeasuredState, "reportedModelId" | "fits" | "firstReport" | "view">;

/** The model by a ledger's knowledge of it. */
export function modelOf(ledger: ReportedModels, modelId: string | null, priors: ModelPriors): Model {
  const known = knownOf(ledger, modelId, priors);
  const { reportedModelId, firstReport, view } = ledger;
  const isOwn = reportedModelId === null || reportedModelId === modelId;
  const reported = isOwn ? known : knownOf(ledger, reportedModelId, priors);
  const firstModelId = firstReport === null ? null : firstReport.modelId;
  const isFirst = firstModelId === null || firstModelId === modelId;
  const switchRatio =
    reported === known || view.messages === 0 ? 1 : contentTokens(view, known) / contentTokens(view, reported);
  return { ...known, switchRatio, reported, firstReported: isFirst ? known : knownOf(ledger, firstModelId, priors) };
}

function knownOf({ fits, reportedModelId }: ReportedModels, modelId: string | null, priors: ModelPriors): KnownModel {
  const prior = priors(modelId ?? "");
  const own = modelId === null ? undefined : fits[modelId];
  if (own !== undefined) return { prior, fit: own };
  const before = reportedModelId === null ? undefined : fits[reportedModelId];
  if (before === undefined) return { prior, fit: fitFrom(prior, 1) };
  const priorBefore = priors(reportedModelId ?? "");
  if (priorBefore === prior) return { prior, fit: asPrior(before) };
  return { prior, fit: fitFrom(prior, clamp(before.regression.slopeRatio / priorBefore.slopeRatio, TEXT_RATIO_BOUNDS)) };
}

/** If a session's texts cost more or less than one model's prior says, they do so with the next model too, within these bounds; chosen. */
const TEXT_RATIO_BOUNDS = [0.8, 1.25] as const;

/** The state of the estimator `ledger`: each message's content, and its size by reports. Plain data, which the fold carries. */
export interface MeasuredState {
  readonly kind: "ledger";
  /** The model of the newest report, and the one that the next request goes to; `null` before they are named. */
  readonly reportedModelId: string | null;
  readonly nextModelId: string | null;
  /** The fit of each model, by its id. */
  readonly fits: { readonly [modelId: string]: ModelFit };
  /** The base of the next prompt. */
  readonly base: Base;
  /** The reply of the newest report; no report covers it yet. */
  readonly reply: ReplyReport | null;
  /** The content that came after the base, its messages, and whether a person wrote one of them. */
  readonly unreported: ContentSum;
  readonly unreportedMessages: Sequence<Pick<MeasuredMessage, "id" | "content"> & { readonly fixedTokens: number }>;
  readonly hasUnreportedHuman: boolean;
  /** Tools that these messages load, and the price of one. */
  readonly unreportedTools: number;
  readonly loadedTool: { readonly tokens: number; readonly roomTokens: number };
  /** All messages of the view. */
  readonly view: ContentSum;
  /** Sizes by reports, in the order they were learned; the newest of a message counts. */
  readonly measured: Sequence<MeasuredMessage>;
  readonly firstReport: FirstReport | null;
  /** Reasoning that came back within the turn so far. */
  readonly turnReasoningTokens: number;
  /** Rises that no message explains. */
  readonly jump: Jump;
  /** How far the newest predictions were off. */
  readonly residuals: Residuals;
}

/** A reply as far as it is known: its report, and the message once it is appended. */
export interface ReplyReport {
  readonly requestId: string;
  /** `null` until the reply is appended. */
  readonly messageId: string | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  /** `null` until the reply is appended, and for replies with nothing to send back. */
  readonly content: MessageContent | null;
  /** The price of the tools that a search in the reply loaded. */
  readonly loadedTokens: number;
}

/** Nothing reported yet; the newest report; or the part of earlier measurements that a cut left. */
export type Base =
  | { readonly kind: "nothing" }
  | { readonly kind: "report"; readonly promptTokens: number; readonly overhead: OverheadCounts }
  | {
      readonly kind: "cut";
      /** The author of the cut: after others, the log does not show the texts they put back. */
      readonly by: "engine" | "others";
      /** Tokens of the messages that the model of the newest report measured. */
      readonly measuredTokens: number;
      /** The same messages by content: any other model has to weigh them. */
      readonly measuredContent: ContentSum;
      readonly unmeasuredContent: ContentSum;
    };

/** The first report since the session began or was cut. It gives the overhead, for any weight of its messages. */
export interface FirstReport {
  /** The model that counted it. */
  readonly modelId: string;
  readonly promptTokens: number;
  readonly measuredTokens: number;
  readonly unmeasuredContent: ContentSum;
  readonly overhead: OverheadCounts;
  /** Reports since: with each of them the session's own errors say more of the next one. */
  readonly laterReports: number;
}

/** Tokens of a message by the difference of two reports. */
export interface MeasuredMessage {
  readonly id: string;
  /** The content that was measured: an edited message has the same id and other content. */
  readonly content: MessageContent;
  readonly modelId: string;
  readonly tokens: number;
  /** How many of them are reasoning, which may vanish at the next human message. */
  readonly reasoningTokens: number;
}

/** The situation of a prediction: each has errors of its own kind. */
export type Situation = "anchored" | "after-cut" | "after-others-cut" | "after-switch" | "first-call";

/** The largest late under-estimate in each situation, as a share of the expected size; it fades call by call. */
export type Residuals = { readonly [situation in Situation]: number };

/**
 * The under-estimate that is assumed of a situation until it has shown its own: 0.15% if anchored; after a cut and a switch 8% and 10%, at a first
 * call 15%, rounded up from the worst of the recorded sessions with everything in view; after a cut of others 40%: agents put files and instructions
 * back that their logs do not show, up to 59% of the visible tokens (docs/evidence.md).
 */
export const ASSUMED_RESIDUALS: Residuals = {
  anchored: 0.0015,
  "after-cut": 0.08,
  "after-others-cut": 0.4,
  "after-switch": 0.1,
  "first-call": 0.15,
};

/** Nothing came since the base. */
export const NOTHING_UNREPORTED: Pick<
  MeasuredState,
  "reply" | "unreported" | "unreportedMessages" | "hasUnreportedHuman" | "unreportedTools"
> = {
  reply: null,
  unreported: NO_CONTENT,
  unreportedMessages: sequenceOf(),
  hasUnreportedHuman: false,
  unreportedTools: 0,
};

/** A model's jumps between two sizes of one prompt: its server adds something now and then. */
export interface Jump {
  /** The newest rise that nothing explained; 0 once it was taken back. */
  readonly risenTokens: number;
  /** A rise that was taken back whole may come again: the bound has room for it. */
  readonly roomTokens: number;
}

/** No jump was seen. */
export const NO_JUMP: Jump = { risenTokens: 0, roomTokens: 0 };

/** The state before the first entry. */
export const NOTHING_MEASURED: MeasuredState = {
  kind: "ledger",
  reportedModelId: null,
  nextModelId: null,
  fits: {},
  base: { kind: "nothing" },
  ...NOTHING_UNREPORTED,
  // Recorded searches added up to 1,900 tokens a tool.
  loadedTool: { tokens: LOADED_TOOL_TOKENS, roomTokens: 800 },
  view: NO_CONTENT,
  measured: sequenceOf(),
  firstReport: null,
  turnReasoningTokens: 0,
  jump: NO_JUMP,
  residuals: ASSUMED_RESIDUALS,
};
