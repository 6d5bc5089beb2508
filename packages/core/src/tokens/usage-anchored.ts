import { z } from "zod";
import { isRecord } from "../json.ts";
import type { KindSpec } from "../kind.ts";
import type { Estimator, EstimatorKind, EstimatorParts, Ledger, Prediction } from "./estimator.ts";
import { defineEstimator, estimated, overheadPricing } from "./estimator.ts";
import type { MessageMeasure } from "./measure.ts";

/**
 * The last reported size, plus an estimate of the messages after it. Before the first report everything is estimated. After a cut everything is too,
 * by the scale that the reports before it gave.
 */
export interface UsageAnchoredSpec {
  readonly kind: "usage-anchored";
  /** The kind that prices messages that no report covers. */
  readonly of: KindSpec;
  /** Whether the report covers only the prompt, or the prompt and the reply that followed it. */
  readonly anchor: "prompt" | "prompt-and-reply";
  /** Whether messages after the report count. Some systems look only at the report, as long as there is one. Counted by default. */
  readonly since?: "counted" | "left-out" | undefined;
  /**
   * The measure of the messages that a cut leaves until the next report: by the scale that the reports before it taught (if nothing is said), or their
   * plain estimate, as if that had been reported.
   */
  readonly afterCut?: "scaled" | "estimated" | undefined;
}

/** The kind of {@link UsageAnchoredSpec}. */
export const USAGE_ANCHORED: EstimatorKind = defineEstimator<UsageAnchoredSpec>({
  kind: "usage-anchored",
  schema: (measure) =>
    z.strictObject({
      kind: z.literal("usage-anchored"),
      of: measure.describe("The measure of messages since the report."),
      anchor: z.enum(["prompt", "prompt-and-reply"]).describe("The part of the newest report that counts."),
      since: z.enum(["counted", "left-out"]).optional().describe("Whether messages after the report count."),
      afterCut: z
        .enum(["scaled", "estimated"])
        .optional()
        .describe(
          "The size of a context after a cut: by the scale that reports taught, or its messages' estimate as if reported.",
        ),
    }),
  create: (spec, { measureOf }) => anchored(spec, measureOf(spec.of)),
});

interface AnchoredState {
  readonly kind: "usage-anchored";
  /** The newest report that still describes the view; `null` before the first and after a compaction. */
  readonly anchor: UsageAnchor | null;
  /** The scale that reports taught; `null` before the first. */
  readonly scale: LearnedScale | null;
}

interface UsageAnchor {
  readonly reportedTokens: number;
  readonly estimatedTokens: number;
  /** The request whose reply the report covers too, until that reply is appended. */
  readonly coversReplyOf: string | null;
}

/** How estimates become tokens, by the reports so far. It outlives the anchor: the view after a cut is expected to measure as it was planned. */
export interface LearnedScale {
  /** Reported tokens of one estimated token, by how the newest reports differ. */
  readonly ratio: number;
  /** Estimated tokens that the ratio rests on. */
  readonly weightTokens: number;
  /** The newest reported prompt, and the estimate of it, messages and overhead. */
  readonly promptTokens: number;
  readonly estimatedTokens: number;
  /** The overhead of the newest report by that ratio. */
  readonly overheadTokens: number;
  /** Tokens of one estimated token in a view that was edited since the newest report; `null` while the anchor is valid. */
  readonly viewRatio: number | null;
}

/** The state before the first report. */
export const NOTHING_ANCHORED: AnchoredState = { kind: "usage-anchored", anchor: null, scale: null };

/** The state of an anchored estimator in a ledger; nothing in one of another estimator. */
export function anchoredIn({ own }: Ledger): AnchoredState {
  const isAnchored = (state: unknown): state is AnchoredState => isRecord(state) && state.kind === NOTHING_ANCHORED.kind;
  return isAnchored(own) ? own : NOTHING_ANCHORED;
}

function anchored(spec: UsageAnchoredSpec, measure: MessageMeasure): EstimatorParts {
  const name = `usage-anchored(${measure.name})`;
  const overheadTokensOf = overheadPricing(measure);
  const ratioOf: Estimator["scaleRatio"] = (ledger) => viewScale(ledger)?.ratio ?? 1;
  return {
    name,
    measure,
    scaleRatio: ratioOf,
    messageTokens: (message, ledger) => measure.messageTokens(message) * ratioOf(ledger),
    upperRatioAfterCut: (ledger) =>
      Math.max(1, (anchoredIn(ledger).scale?.ratio ?? 1) / Math.max(ratioOf(ledger), LEAST_RATIO)),
    append: (ledger, message) => {
      const { anchor, ...state } = anchoredIn(ledger);
      const isCovered =
        message.role === "assistant" && message.requestId !== null && message.requestId === anchor?.coversReplyOf;
      if (!isCovered) return ledger;
      // A reply that the newest report covers is part of the anchor, not of the messages after it.
      const estimatedTokens = anchor.estimatedTokens + measure.messageTokens(message);
      return { ...ledger, own: { ...state, anchor: { ...anchor, estimatedTokens, coversReplyOf: null } } };
    },
    recount: (ledger, messages) => {
      if (spec.afterCut !== "estimated") return { ...ledger, own: { ...NOTHING_ANCHORED, scale: scaleAfterEdit(ledger) } };
      let reportedTokens = 0;
      for (const message of messages) reportedTokens += measure.messageTokens(message);
      const anchor = { reportedTokens, estimatedTokens: reportedTokens, coversReplyOf: null };
      return { ...ledger, own: { ...NOTHING_ANCHORED, anchor } };
    },
    observe: (ledger, { requestId, usage }, overhead) => {
      const promptTokens = usage.input.totalTokens;
      if (promptTokens === null) return ledger;
      const { estimatedTokens } = ledger;
      const replyTokens = spec.anchor === "prompt-and-reply" ? usage.output.totalTokens : null;
      const reportedTokens = promptTokens + (replyTokens ?? 0);
      const coversReplyOf = replyTokens === null ? null : requestId;
      const seen = { promptTokens, messageTokens: estimatedTokens, overheadTokens: overheadTokensOf(overhead) };
      const anchor = { reportedTokens, estimatedTokens, coversReplyOf };
      return { ...ledger, own: { ...NOTHING_ANCHORED, anchor, scale: learnScale(anchoredIn(ledger).scale, seen) } };
    },
    predict: (ledger, overhead) => {
      const view = viewScale(ledger);
      return view === null
        ? estimated(name, ledger.estimatedTokens, overheadTokensOf(overhead))
        : Object.assign({}, spec.since === "left-out" ? reportAlone(view, ledger) : predictedBy(view, ledger), { basis: name });
    },
  };
}

function predictedBy(view: ViewScale, ledger: Ledger): Omit<Prediction, "basis"> {
  const { estimatedTokens } = ledger;
  const { anchor, scale } = anchoredIn(ledger);
  const { expectedTokens, overheadTokens } = view;
  const reportedTokens = anchor?.reportedTokens ?? 0;
  // Messages without a report may turn out as large as the scale of the reports says; the system that this imitates takes its plain estimate.
  const unreportedTokens = anchor === null ? estimatedTokens : estimatedTokens - anchor.estimatedTokens;
  const aboveTokens = Math.max(0, (scale?.ratio ?? 1) - (anchor === null ? view.ratio : 1)) * unreportedTokens;
  return {
    expectedTokens,
    upperTokens: expectedTokens + Math.ceil(aboveTokens),
    reportedTokens,
    estimatedTokens: expectedTokens - reportedTokens,
    overheadTokens,
  };
}

function reportAlone(view: ViewScale, ledger: Ledger): Omit<Prediction, "basis"> {
  const reportedTokens = anchoredIn(ledger).anchor?.reportedTokens;
  if (reportedTokens === undefined) return predictedBy(view, ledger);
  const { overheadTokens } = view;
  return { expectedTokens: reportedTokens, upperTokens: reportedTokens, reportedTokens, estimatedTokens: 0, overheadTokens };
}

/** Keeps a view that measures next to nothing from asking for all of the room. */
const LEAST_RATIO = 0.25;

/** Before any difference is known, the plain estimate weighs as much as this many reported tokens; chosen. */
const BELIEVED_TOKENS = 500;

/** A ratio rests on the newest tokens, about as many as this, so that it follows a session whose text changes; chosen. */
const MOST_WEIGHT_TOKENS = 20_000;

/** No text measures a larger multiple of a common estimate, or a smaller one: the excess is overhead. Chosen. */
const RATIO_BOUNDS = [0.25, 4] as const;

/** The scale after one more reported prompt, which was estimated at so many tokens of messages and of overhead. */
export function learnScale(
  scale: LearnedScale | null,
  { promptTokens, messageTokens, overheadTokens }: Record<"promptTokens" | "messageTokens" | "overheadTokens", number>,
): LearnedScale {
  const estimatedTokens = messageTokens + overheadTokens;
  const before = scale ?? { ratio: 1, weightTokens: BELIEVED_TOKENS, promptTokens: 0, estimatedTokens: 0 };
  const newTokens = { said: promptTokens - before.promptTokens, estimated: estimatedTokens - before.estimatedTokens };
  // A rise or a fall between two reports that no text explains is not text, and teaches nothing.
  const newRatio = newTokens.said / newTokens.estimated;
  const isText = scale === null || (newRatio >= RATIO_BOUNDS[0] && newRatio <= RATIO_BOUNDS[1]);
  const { ratio, weightTokens } = isText ? weighed(before, Math.abs(newTokens.said), Math.abs(newTokens.estimated)) : before;
  const fittingRatio = estimatedTokens > 0 ? Math.min(ratio, promptTokens / estimatedTokens) : ratio;
  return {
    ratio,
    weightTokens,
    promptTokens,
    estimatedTokens,
    overheadTokens: promptTokens - Math.floor(fittingRatio * messageTokens),
    viewRatio: null,
  };
}

type Rate = Pick<LearnedScale, "ratio" | "weightTokens">;

function weighed(rate: Rate, tokens: number, estimatedTokens: number): Rate {
  const [least, most] = RATIO_BOUNDS;
  const textTokens = Math.min(most * estimatedTokens, Math.max(least * estimatedTokens, tokens));
  const weightTokens = rate.weightTokens + estimatedTokens;
  return {
    ratio: (rate.ratio * rate.weightTokens + textTokens) / weightTokens,
    weightTokens: Math.min(MOST_WEIGHT_TOKENS, weightTokens),
  };
}

/** Ratios of views are multiples of this, so that message sizes add up to the same sum in any order. */
const RATIO_STEP = 2 ** -16;

/** Tokens of one estimated token in the view, and the overhead: together they are exactly the expected size. */
export interface ViewScale {
  readonly expectedTokens: number;
  readonly overheadTokens: number;
  readonly ratio: number;
}

/**
 * How the expected size divides into messages and overhead. The anchor's excess over the learned overhead, and later estimates, belong to the
 * messages in proportion to their estimates. `null` before the first report.
 */
export function viewScale(ledger: Ledger): ViewScale | null {
  const { estimatedTokens } = ledger;
  const { anchor, scale } = anchoredIn(ledger);
  if (anchor === null) {
    if (scale === null || scale.viewRatio === null) return null;
    const { overheadTokens, viewRatio } = scale;
    return { expectedTokens: overheadTokens + Math.floor(viewRatio * estimatedTokens), overheadTokens, ratio: viewRatio };
  }
  const expectedTokens = anchor.reportedTokens + estimatedTokens - anchor.estimatedTokens;
  const messageTokens = Math.max(0, expectedTokens - (scale?.overheadTokens ?? 0));
  const ratio = estimatedTokens > 0 ? Math.floor(messageTokens / estimatedTokens / RATIO_STEP) * RATIO_STEP : 1;
  return { expectedTokens, overheadTokens: expectedTokens - Math.floor(ratio * estimatedTokens), ratio };
}

/** The scale that an edit of the view leaves: the one that its plan was made by. */
export function scaleAfterEdit(ledger: Ledger): LearnedScale | null {
  const view = viewScale(ledger);
  const { scale } = anchoredIn(ledger);
  if (scale === null || view === null) return scale;
  return { ...scale, overheadTokens: view.overheadTokens, viewRatio: view.ratio };
}
