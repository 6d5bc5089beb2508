import type { CacheUse } from "@plimsoll/core/extend";
import type { ModelCatalog } from "@plimsoll/providers";
import { sessionCache } from "../economics/recorded-cache.ts";
import { createRequestLedger } from "../economics/request-ledger.ts";
import { createHeldReplay } from "../needs/controls.ts";
import { createContextChanges } from "../needs/needles.ts";
import { type Cell, isRecordedPolicy } from "../replay/cell.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import { type CompactionDetail, createCompactionLog } from "./compaction-log.ts";
import { type Composition, createComposition } from "./composition.ts";
import type { MeasuredCall, MeasuredReplay, Recorder } from "./metric.ts";
import { type RowMetrics, type RunMetrics, rowOf } from "./registry.ts";

/** Everything that is measured over one replay. */
export interface RowFigures {
  readonly metrics: RowMetrics;
  readonly compactions: readonly CompactionDetail[];
  readonly cacheMisses: readonly CacheMiss[];
  readonly composition: Composition;
}

/** The metrics of a replay; the metrics of every run are among them. */
export interface Measuring {
  readonly catalog: ModelCatalog;
  readonly metrics: RunMetrics;
}

/** All metrics over one replay, and what is shown of it call by call. */
export function createRowMetrics(
  session: PreparedSession,
  cell: Cell,
  { catalog, metrics }: Measuring,
): Recorder<RowFigures, ReplayedCall> {
  const replay = measuredReplay(session, cell, catalog);
  const measured = createMeasuredCalls(replay);
  const recorders = metrics.map((metric) => metric.measure(replay));
  const log = createCompactionLog();
  const cacheMisses = createCacheMisses();
  const composition = createComposition(session.sizeJudge);
  const copied = new Set(session.transcript.copiedIds);
  return {
    add: (replayed) => {
      const followed = measured(replayed);
      if (copied.has(replayed.recorded.requestId)) {
        for (const recorder of recorders) recorder.follow?.(followed);
        return;
      }
      const sent = copied.size === 0 ? replayed : withoutCopied(replayed, copied);
      const call = sent === replayed ? followed : { ...followed, compactions: sent.compactions };
      for (const recorder of recorders) recorder.add(call);
      log.add(sent);
      const missing = call.shown === null ? [] : replay.held.missing(["passages"]);
      for (const { needle } of missing) log.needed(sent.call, session.needs().nameOf(needle), replay.held.leftAt(needle));
      cacheMisses.add(sent, call.served.call);
      composition.add(sent);
    },
    result: () => ({
      metrics: rowOf(metrics, (_, place) => recorders[place]?.result()),
      compactions: log.result(),
      cacheMisses: cacheMisses.result(),
      composition: composition.result(),
    }),
  };
}

/** The recorded agent's compactions count where they were made. */
function withoutCopied(sent: ReplayedCall, copied: ReadonlySet<string>): ReplayedCall {
  return { ...sent, compactions: sent.compactions.filter(({ id }) => !copied.has(id)) };
}

function measuredReplay(session: PreparedSession, cell: Cell, catalog: ModelCatalog): MeasuredReplay {
  const cache = sessionCache(session.sizeJudge, catalog);
  const held = createHeldReplay(session);
  const isReported = isRecordedPolicy(cell.policy) && !session.sizeJudge.isEstimated;
  return { session, cell, catalog, cache, held, isReported };
}

/** Adds to each call, in order, what several metrics are made from. */
function createMeasuredCalls(replay: MeasuredReplay): (sent: ReplayedCall) => MeasuredCall {
  const { session, cell, cache, held } = replay;
  const serve = createRequestLedger(session, cell, cache);
  const changesTo = createContextChanges();
  let ordinal = 0;
  return (sent) => {
    const { reply, context, lost } = sent;
    ordinal = (reply === null ? null : session.references.ordinalOf(reply)) ?? ordinal;
    const shown = reply === null || lost ? null : changesTo(context);
    held.add(sent, { ordinal, shown });
    return { ...sent, ordinal, shown, served: serve(sent) };
  };
}

/** Lists the calls whose cache was broken or had expired. */
function createCacheMisses(): {
  add(sent: Pick<ReplayedCall, "call">, use: CacheUse): void;
  result(): readonly CacheMiss[];
} {
  const misses: CacheMiss[] = [];
  return {
    add: ({ call }, { state, writeTokens, uncachedTokens }) => {
      if (state !== "broken" && state !== "expired") return;
      misses.push({ call, kind: state, unreadTokens: Math.round(writeTokens + uncachedTokens) });
    },
    result: () => misses,
  };
}

/** A call whose prompt cache was broken by an edit, or had expired. */
export interface CacheMiss {
  readonly call: number;
  readonly kind: "broken" | "expired";
  /** Tokens of its prompt that were not read from the cache. */
  readonly unreadTokens: number;
}
