import type { CalibrationMetrics } from "../results.ts";

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
export function summarizeCalibration(sessions: readonly CalibrationMetrics[]): CalibrationSummary | null {
  const [first] = sessions;
  if (first === undefined) return null;
  return {
    estimator: [...new Set(sessions.map(({ estimator }) => estimator))].join(", "),
    calls: sessions.reduce((sum, { calls }) => sum + calls, 0),
    signedPercent: meanByCalls(sessions, ({ signedPercent }) => signedPercent),
    mapePercent: meanByCalls(sessions, ({ mapePercent }) => mapePercent),
    worstP95Percent: largest(sessions, ({ p95Percent }) => p95Percent),
    worstPercent: largest(sessions, ({ maxPercent }) => maxPercent),
  };
}

type Figure = (session: CalibrationMetrics) => number | null;

function meanByCalls(sessions: readonly CalibrationMetrics[], figure: Figure): number | null {
  const known = sessions.flatMap((session) => {
    const value = figure(session);
    return value === null ? [] : [{ value, calls: session.calls }];
  });
  const calls = known.reduce((sum, entry) => sum + entry.calls, 0);
  return calls === 0 ? null : known.reduce((sum, entry) => sum + entry.value * entry.calls, 0) / calls;
}

function largest(sessions: readonly CalibrationMetrics[], figure: Figure): number | null {
  const known = sessions.flatMap((session) => figure(session) ?? []);
  return known.length === 0 ? null : Math.max(...known);
}
