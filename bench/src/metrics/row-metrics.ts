import type { ModelCatalog } from "@plimsoll/providers";
import { createRequestLedger } from "../economics/request-ledger.ts";
import { sessionCache } from "../economics/session-cache.ts";
import { type Cell, isRecordedPolicy } from "../replay/cell.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { RetentionMetrics, RowMetrics } from "../results.ts";
import { createCacheValidity } from "./cache-validity.ts";
import { createCalibration } from "./calibration.ts";
import { createCost } from "./cost.ts";
import { createEconomy } from "./economy.ts";
import { hiddenEvents } from "./hidden-events.ts";
import type { Metric } from "./metric.ts";
import { createRetentionProbe } from "./retention.ts";
import { createSafety } from "./safety.ts";
import { createWork } from "./work.ts";

/**
 * All families over one replay. Calibration and the validity of cache reads are measured on `recorded` alone, where predictions
 * meet real reports.
 */
export function createRowMetrics(session: PreparedSession, cell: Cell, catalog: ModelCatalog): Metric<RowMetrics> {
  const safety = createSafety(cell);
  const economy = createEconomy();
  const retention = createRetention(session);
  const { sizeModel } = session;
  const isReported = isRecordedPolicy(cell.policy) && !sizeModel.isEstimated;
  const calibration = isReported ? createCalibration(hiddenEvents(sizeModel)) : null;
  const cacheValidity = isReported ? createCacheValidity() : null;
  const cache = sessionCache(sizeModel.calls, catalog);
  const serve = createRequestLedger(session, cell, cache);
  const cost = createCost({ catalog, cache, sizeModel });
  const work = createWork();
  return {
    add: (sent) => {
      for (const metric of [safety, economy, retention, calibration, work]) metric?.add(sent);
      const served = serve(sent);
      cost.add(sent, served);
      cacheValidity?.add(sent, served.call);
    },
    result: () => ({
      safety: safety.result(),
      economy: economy.result(),
      cost: cost.result(),
      cacheValidity: cacheValidity?.result() ?? null,
      retention: retention.result(),
      calibration: calibration?.result() ?? null,
      work: work.result(),
    }),
  };
}

function createRetention(session: PreparedSession): Metric<RetentionMetrics> {
  const probe = createRetentionProbe(session.references);
  return {
    add: ({ call, reply, context, lost }) => {
      if (reply === null) return;
      if (lost) probe.lost(call, reply);
      else probe.atCall(call, reply, context);
    },
    result: () => probe.result(),
  };
}
