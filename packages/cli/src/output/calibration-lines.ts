import type { BenchReport } from "@plimsoll/bench";
import { formatCount, formatPercent, summarizePolicies, windowLabels } from "@plimsoll/bench/internal";

/** Two lines an estimator that was measured against reported sizes; they do not depend on the window. */
export function calibrationLines(report: BenchReport): readonly string[] {
  const [label] = windowLabels(report);
  return summarizePolicies(report).flatMap(({ policy, windowLabel, metrics: { calibration } }) => {
    if (calibration === null || windowLabel !== label) return [];
    const { estimator, calls, signedPercent, mapePercent, worstP95Percent, worstPercent } = calibration;
    return [
      `estimator on ${policy}, ${formatCount(calls)} calls: MAPE ${formatPercent(mapePercent)} %, signed ${formatPercent(signedPercent)} %,`,
      `  p95 of the worst session ${formatPercent(worstP95Percent)} %, largest ${formatPercent(worstPercent)} % (${estimator})`,
    ];
  });
}
