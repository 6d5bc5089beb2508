import type { ModelCatalog } from "@plimsoll/providers";
import { createRequestLedger } from "../economics/request-ledger.ts";
import { lastingCache, sessionCache } from "../economics/session-cache.ts";
import { type Cell, isRecordedPolicy } from "../replay/cell.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { CacheMiss } from "../results/cache-miss.ts";
import type { CompactionDetail, Composition, RowMetrics } from "../results.ts";
import { createCacheMisses } from "./cache-misses.ts";
import { createCacheValidity } from "./cache-validity.ts";
import { createCalibration } from "./calibration.ts";
import { createCompactionLog } from "./compaction-log.ts";
import { createComposition } from "./composition.ts";
import { createCost } from "./cost.ts";
import { createDecay } from "./decay.ts";
import { createEconomy } from "./economy.ts";
import { hiddenEvents } from "./hidden-events.ts";
import type { Metric } from "./metric.ts";
import { createObligationProbe } from "./obligations.ts";
import { createRereadProbe } from "./reread-risk.ts";
import { createRetentionProbe } from "./retention.ts";
import { createSafety } from "./safety.ts";
import { createSummaryWriters } from "./summary-writers.ts";
import { createWork } from "./work.ts";

/** Everything that is measured over one replay. */
export interface RowFigures {
  readonly metrics: RowMetrics;
  readonly compactions: readonly CompactionDetail[];
  readonly cacheMisses: readonly CacheMiss[];
  readonly composition: Composition;
}

/**
 * All families over one replay. Calibration and the validity of cache reads are measured on `recorded` alone, where predictions
 * meet real reports.
 */
export function createRowMetrics(session: PreparedSession, cell: Cell, catalog: ModelCatalog): Metric<RowFigures> {
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
  const lasting = lastingCache(cache);
  const serveLasting = createRequestLedger(session, cell, lasting);
  const lastingCost = createCost({ catalog, cache: lasting, sizeModel });
  const summaries = createSummaryWriters();
  const work = createWork();
  const composition = createComposition(sizeModel);
  const cacheMisses = createCacheMisses();
  return {
    add: (sent) => {
      for (const metric of [safety, economy, retention, calibration, summaries, work, composition]) metric?.add(sent);
      const served = serve(sent);
      cost.add(sent, served);
      lastingCost.add(sent, serveLasting(sent));
      cacheMisses.add(sent, served.call);
      cacheValidity?.add(sent, served.call);
    },
    result: () => {
      const { compactions, ...kept } = retention.result();
      const metrics = {
        safety: safety.result(),
        economy: economy.result(),
        cost: { ...cost.result(), lastingCacheUsd: lastingCost.result().withCacheUsd },
        summaries: summaries.result(),
        cacheValidity: cacheValidity?.result() ?? null,
        ...kept,
        calibration: calibration?.result() ?? null,
        work: work.result(),
      };
      return { metrics, compactions, cacheMisses: cacheMisses.result(), composition: composition.result() };
    },
  };
}

type RetentionFigures = Pick<RowMetrics, "retention" | "decay" | "obligations" | "rereads"> & {
  readonly compactions: readonly CompactionDetail[];
};

/** What the sent contexts still hold; asked at every call that has a reply. */
function createRetention({ references, obligations, entries }: PreparedSession): Metric<RetentionFigures> {
  const decay = createDecay();
  const log = createCompactionLog();
  const probe = createRetentionProbe(references, ({ call, use, sourceEvidenced, lostAtCall }) => {
    decay.use(use, sourceEvidenced);
    if (!sourceEvidenced && lostAtCall !== null) log.needed(call, references.references[use.reference] ?? "", lostAtCall);
  });
  const due = createObligationProbe(obligations);
  const rereads = createRereadProbe(entries);
  let ordinal = 0;
  return {
    add: (sent) => {
      const { call, reply, context, lost } = sent;
      log.add(sent);
      ordinal = (reply === null ? null : references.ordinalOf(reply)) ?? ordinal;
      for (const _ of sent.compactions) decay.compacted(ordinal);
      if (reply === null) return;
      due.atCall(ordinal, lost ? null : context);
      rereads.atCall(reply, lost ? null : context);
      if (lost) probe.lost(call, reply);
      else probe.atCall(call, reply, context);
    },
    result: () => ({
      retention: probe.result(),
      decay: decay.result(),
      obligations: due.result(),
      rereads: rereads.result(),
      compactions: log.result(),
    }),
  };
}
