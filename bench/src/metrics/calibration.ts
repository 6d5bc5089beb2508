import { z } from "zod";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import { maximumOf, meanOf, quantileOf } from "../statistics.ts";
import type { Metric, Recorder } from "./metric.ts";

/** The events in the order in which they are reported. */
const EVENTS: readonly HiddenEvent[] = ["none", "drop", "jump", "after-boundary", "model-switch"];

/** The estimator against what was reported, in percent of the reported prompt. Positive signed error: predicted too much. */
export interface CalibrationMetrics {
  readonly estimator: string;
  readonly calls: number;
  readonly signedPercent: number | null;
  readonly mapePercent: number | null;
  readonly p50Percent: number | null;
  readonly p95Percent: number | null;
  readonly p99Percent: number | null;
  readonly maxPercent: number | null;
  /** The same calls by what had happened before them that no estimator can see; `none` are the calls without such an event. */
  readonly byEvent: readonly CalibrationGroup[];
  /** Share of calls whose report did not exceed the predicted upper bound, and how far above the report it lay on average. */
  readonly upperCoveragePercent: number | null;
  readonly upperMarginPercent: number | null;
}

/** An estimator's error over the calls with one kind of event. */
interface CalibrationGroup {
  readonly event: HiddenEvent;
  readonly calls: number;
  readonly signedPercent: number | null;
  readonly mapePercent: number | null;
  readonly maxPercent: number | null;
}

const count = z.int().nonnegative();
const figure = z.number().nullable();

/** On `recorded` alone; `null` for every other policy. The page and the terminal have sections of their own for it. */
export const CALIBRATION: Metric<"calibration", CalibrationMetrics | null, null, never> = {
  id: "calibration",
  schema: z
    .strictObject({
      estimator: z.string(),
      calls: count,
      signedPercent: figure,
      mapePercent: figure,
      p50Percent: figure,
      p95Percent: figure,
      p99Percent: figure,
      maxPercent: figure,
      byEvent: z
        .array(
          z.strictObject({
            event: z.enum(["none", "drop", "jump", "after-boundary", "model-switch"]),
            calls: count,
            signedPercent: figure,
            mapePercent: figure,
            maxPercent: figure,
          }),
        )
        .readonly(),
      upperCoveragePercent: figure,
      upperMarginPercent: figure,
    })
    .nullable(),
  measure: ({ session, isReported }) =>
    isReported ? createCalibration(hiddenEvents(session.sizeJudge)) : { add: () => undefined, result: () => null },
  pool: () => null,
  figures: {},
};

/**
 * The policy's estimator against what was reported, over all calls with a report but the session's first: what the log does
 * not show of the overhead is told to the engine, and the first report is where that figure comes from. `events` says for each
 * call what happened that no estimator could see.
 */
export function createCalibration(events: readonly HiddenEvent[]): Recorder<CalibrationMetrics, ReplayedCall> {
  const errors: { readonly event: HiddenEvent; readonly signedPercent: number }[] = [];
  const upperMarginsPercent: number[] = [];
  let estimator = "";
  return {
    add: ({ call, prediction, recorded }) => {
      estimator = prediction.basis;
      const reportedTokens = recorded.usage.input.totalTokens;
      if (call === 0 || reportedTokens === null || reportedTokens <= 0) return;
      const percentOf = (tokens: number) => (100 * (tokens - reportedTokens)) / reportedTokens;
      errors.push({ event: events[call] ?? "none", signedPercent: percentOf(prediction.expectedTokens) });
      upperMarginsPercent.push(percentOf(prediction.upperTokens));
    },
    result: () => {
      const signed = errors.map((error) => error.signedPercent);
      const percents = signed.map(Math.abs);
      const covered = upperMarginsPercent.filter((margin) => margin >= 0);
      return {
        estimator,
        calls: percents.length,
        signedPercent: meanOf(signed),
        mapePercent: meanOf(percents),
        p50Percent: quantileOf(percents, 0.5),
        p95Percent: quantileOf(percents, 0.95),
        p99Percent: quantileOf(percents, 0.99),
        maxPercent: maximumOf(percents),
        byEvent: EVENTS.flatMap((event) => groupOf(event, errors)),
        upperCoveragePercent: percents.length === 0 ? null : (100 * covered.length) / percents.length,
        upperMarginPercent: meanOf(upperMarginsPercent),
      };
    },
  };
}

function groupOf(
  event: HiddenEvent,
  errors: readonly { readonly event: HiddenEvent; readonly signedPercent: number }[],
): readonly CalibrationGroup[] {
  const signed = errors.filter((error) => error.event === event).map((error) => error.signedPercent);
  if (signed.length === 0) return [];
  const percents = signed.map(Math.abs);
  const figures = { signedPercent: meanOf(signed), mapePercent: meanOf(percents), maxPercent: maximumOf(percents) };
  return [{ event, calls: signed.length, ...figures }];
}

/** The kinds of events that change a prompt without a message that explains it. */
export type HiddenEvent = "none" | "drop" | "jump" | "after-boundary" | "model-switch";

/** A rise of the overhead from this size on is an event of its own (a server-side search adds 11,000 or more). Chosen. */
const LEAST_JUMP_TOKENS = 2000;

/** For each call what happened before it that the log does not show, by what the reports say. */
export function hiddenEvents({
  calls,
  nonMessageTokens,
}: Pick<SizeJudge, "calls" | "nonMessageTokens">): readonly HiddenEvent[] {
  return calls.map((call, index): HiddenEvent => {
    if (call.epochStart === "boundary") return "after-boundary";
    if (call.epochStart === "model") return "model-switch";
    const before = calls[index - 1];
    if (before === undefined || call.reportedTokens === null || before.reportedTokens === null) return "none";
    if (call.reportedTokens < before.reportedTokens) return "drop";
    const riseTokens = nonMessageTokens(index, "recorded") - nonMessageTokens(index - 1, "recorded");
    return riseTokens >= LEAST_JUMP_TOKENS ? "jump" : "none";
  });
}
