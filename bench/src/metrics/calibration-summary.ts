import { weightedMean } from "./pooling.ts";
import { maximumOf } from "./quantile.ts";

/** What is put together of one session. */
interface SessionErrors {
  readonly estimator: string;
  readonly calls: number;
  readonly signedPercent: number | null;
  readonly mapePercent: number | null;
  readonly p95Percent: number | null;
  readonly maxPercent: number | null;
}

/** An estimator's error over several sessions: means weigh by calls, the other figures are the worst session's. */
export interface CalibrationSummary {
  readonly estimator: string;
  readonly calls: number;
  readonly signedPercent: number | null;
  readonly mapePercent: number | null;
  readonly worstP95Percent: number | null;
  readonly worstPercent: number | null;
}

/** Puts the sessions' figures together; `null` where there are none. */
export function summarizeCalibration(sessions: readonly SessionErrors[]): CalibrationSummary | null {
  const [first] = sessions;
  if (first === undefined) return null;
  const meanByCalls = (figure: (session: SessionErrors) => number | null) =>
    weightedMean(sessions.map((session) => ({ value: figure(session), weight: session.calls })));
  return {
    estimator: [...new Set(sessions.map(({ estimator }) => estimator))].join(", "),
    calls: sessions.reduce((sum, { calls }) => sum + calls, 0),
    signedPercent: meanByCalls(({ signedPercent }) => signedPercent),
    mapePercent: meanByCalls(({ mapePercent }) => mapePercent),
    worstP95Percent: maximumOf(sessions.flatMap(({ p95Percent }) => p95Percent ?? [])),
    worstPercent: maximumOf(sessions.flatMap(({ maxPercent }) => maxPercent ?? [])),
  };
}
