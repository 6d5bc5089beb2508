import type { Policy } from "@plimsoll/core";
import { createRowMetrics } from "./metrics/row-metrics.ts";
import { cellOf, type WindowRequest } from "./replay/cell.ts";
import { drive } from "./replay/drive.ts";
import type { PreparedSession } from "./replay/prepared-session.ts";
import type { CallPoint, ReplayRow } from "./results.ts";

/**
 * One session under one policy in one window, call by call, with every metric. Deterministic: no clock, no randomness, one
 * summariser for all policies. It is open loop: recorded replies do not react to what was edited.
 */
export async function replay(session: PreparedSession, policy: Policy, window: WindowRequest): Promise<ReplayRow> {
  const cell = cellOf(session, policy, window);
  const row = {
    session: session.transcript.name,
    policy: policy.name,
    window: cell.window,
    contextWindowTokens: cell.contextWindowTokens,
    inputBudgetTokens: cell.inputBudgetTokens,
    overheadTokens: cell.overheadTokens,
    why: cell.why,
  };
  if (cell.why !== null) return { ...row, metrics: null, series: [] };
  const metrics = createRowMetrics(session, cell);
  const series: CallPoint[] = [];
  await drive(session, cell, (sent) => {
    const { call, promptTokens, compactions, overflowed } = sent;
    series.push({ call, promptTokens, compactions: compactions.length, overflowed });
    metrics.add(sent);
  });
  return { ...row, metrics: metrics.result(), series };
}
