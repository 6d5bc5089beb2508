import type { CalibrationGroup, CalibrationMetrics, HiddenEvent } from "../results.ts";
import type { Metric } from "./metric.ts";
import { maximumOf, meanOf, quantileOf } from "./quantile.ts";

/** The events in the order in which they are reported. */
const EVENTS: readonly HiddenEvent[] = ["none", "drop", "jump", "after-boundary", "model-switch"];

/**
 * The policy's estimator against what was reported, over all calls with a report but the session's first: what the log does
 * not show of the overhead is told to the engine, and the first report is where that figure comes from. `events` says for each
 * call what happened that no estimator could see.
 */
export function createCalibration(events: readonly HiddenEvent[]): Metric<CalibrationMetrics> {
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
