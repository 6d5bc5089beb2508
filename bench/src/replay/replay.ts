import { MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import { type CellRequest, cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import { METRICS, type RunMetrics } from "../metrics/registry.ts";
import { createRowMetrics } from "../metrics/row-metrics.ts";
import type { PreparedSession } from "../open/prepared-session.ts";
import type { CallPoint, ReplayRow } from "../results.ts";

/** The policy and the window of a replay. The catalog is that of this version unless a run has prices of its own. */
export interface ReplayRequest extends Omit<CellRequest, "catalog"> {
  readonly catalog?: ModelCatalog;
  /** The metrics of the replay: those of every run unless others follow them. */
  readonly metrics?: RunMetrics;
}

const NO_COMPOSITION = { kinds: [], samples: [] };

/**
 * Replays one session under one policy in one window, call by call, with every metric. Deterministic: no clock, no randomness, one source of
 * summaries for all policies. It is open loop: recorded replies do not react to edits.
 */
export async function replay(session: PreparedSession, request: ReplayRequest): Promise<ReplayRow> {
  const { policy, metrics = METRICS, catalog = MODEL_CATALOG } = request;
  const cell = cellOf(session, { ...request, catalog });
  const row = {
    session: session.transcript.name,
    policy: policy.name,
    window: cell.window,
    contextWindowTokens: cell.contextWindowTokens,
    inputBudgetTokens: cell.inputBudgetTokens,
    overheadTokens: cell.overheadTokens,
    why: cell.why,
  };
  if (cell.why !== null)
    return { ...row, metrics: null, series: [], compactions: [], cacheMisses: [], composition: NO_COMPOSITION };
  const recorder = createRowMetrics(session, cell, { catalog, metrics });
  const series: CallPoint[] = [];
  const copied = new Set(session.transcript.copiedIds);
  const failures = await drive(session, cell, (sent) => {
    const { call, promptTokens, compactions, overflowed } = sent;
    if (!copied.has(sent.recorded.requestId)) series.push({ call, promptTokens, compactions: compactions.length, overflowed });
    recorder.add(sent);
  });
  return { ...row, ...recorder.result(), series, ...(failures.length === 0 ? {} : { failures }) };
}
