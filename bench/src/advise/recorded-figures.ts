import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import { summaryRequestKind } from "../formats/summary-requests.ts";
import { METRICS } from "../metrics/registry.ts";
import { type CompactionDetail, createRowMetrics } from "../metrics/row-metrics.ts";
import { askedAtMs, compactionWaits } from "../open/compaction-waits.ts";
import { recordedDollars } from "../open/describe-session.ts";
import { prepareSession } from "../open/prepared-session.ts";
import type { RecordedDollars } from "../open/session-description.ts";
import { recordedUsdText } from "../show/validity.ts";
import { isClearing, isRollBack, type Transcript } from "../transcript.ts";
import { compactionSpend } from "./recorded-cost.ts";

/** The wait, the price and the losses of one recorded compaction. The calls of its examples count from 1. */
interface RecordedCompaction extends Pick<CompactionDetail, "neededLater"> {
  /** Each call that showed a removed line again, the line, and how many lines differ from it in numbers only, itself included. */
  readonly examples: readonly (CompactionDetail["examples"][number] & { readonly lines: number })[];
  /** Milliseconds that the person waited; `null` if the log does not show it. */
  readonly waitMs: number | null;
  /** Whether the person asked for it; `null` if the log does not show it. */
  readonly trigger: "manual" | "automatic" | null;
  /** US dollars at list prices: its summary, estimated, and the part of the next prompt that was not read from the cache. `null` if sizes or prices are unknown. */
  readonly spend: ReturnType<typeof compactionSpend> | null;
}

/** The cost of a log by its own reports, and its compactions. */
interface RecordedFigures extends Pick<RecordedDollars, "recordedUsd" | "recordedUsdIs"> {
  /** The dollars in words, beside those that the log states; `null` if there are none. */
  readonly usdText: string | null;
  /** The log's own compactions by their ids. */
  readonly compactions: ReadonlyMap<string, RecordedCompaction>;
}

/** Reads a log's cost and compactions. The passages that later replies needed come from a replay of the log as it ran; without compactions there is none. */
export async function recordedFigures(transcript: Transcript): Promise<RecordedFigures> {
  const dollars = recordedDollars(transcript, MODEL_CATALOG);
  return { ...dollars, usdText: recordedUsdText([dollars]), compactions: await recordedCompactions(transcript) };
}

async function recordedCompactions(transcript: Transcript): Promise<RecordedFigures["compactions"]> {
  const { entries, copiedIds, automaticCompactionIds = [] } = transcript;
  const [copied, automatic] = [new Set(copiedIds), new Set(automaticCompactionIds)];
  const own = entries.flatMap((entry, place) =>
    entry.type === "compaction" && !isRollBack(entry) && !copied.has(entry.id) ? [{ id: entry.id, place }] : [],
  );
  if (own.length === 0) return new Map();
  const session = prepareSession(transcript);
  const cell = cellOf(session, { policy: RECORDED_POLICY, window: { kind: "real" }, catalog: MODEL_CATALOG });
  const recorder = createRowMetrics(session, cell, { catalog: MODEL_CATALOG, metrics: METRICS });
  await drive(session, cell, recorder.add);
  const [waits, details] = [compactionWaits(transcript), recorder.needs()];
  return new Map(
    own.map(({ id, place }, index) => {
      const { examples = [], ...detail } = details[index] ?? { neededLater: 0 };
      const counted = examples.map(({ call, ...example }) => ({ call: call + 1, ...example }));
      const trigger = automatic.has(id) ? "automatic" : askedAtMs(entries, place) === null ? null : "manual";
      return [id, { ...detail, examples: counted, trigger, waitMs: waits.get(id) ?? null, spend: spendAt(transcript, place) }];
    }),
  );
}

/** The price of the compaction at a place of the log, between the reports before and after it. The last of several there lost the cache, and one summary counts. */
function spendAt({ entries, format }: Transcript, place: number): RecordedCompaction["spend"] {
  const further = entries.slice(place + 1);
  const next = further.find((entry) => entry.type === "usage") ?? null;
  const before = entries.slice(0, place).findLast((entry) => entry.type === "usage")?.usage.input.totalTokens ?? null;
  const prices = next === null ? null : MODEL_CATALOG.pricesOf(next.modelId, next.atMs);
  if (next === null || before === null || next.usage.input.totalTokens === null || prices === null) return null;
  const later = further.slice(0, further.indexOf(next)).filter((entry) => entry.type === "compaction" && !isRollBack(entry));
  const isFree = entries.slice(place, place + 1).some(isClearing) || !later.every(isClearing);
  const isCached = isFree ? null : summaryRequestKind(format) === "cached";
  const rules = MODEL_CATALOG.cacheRulesOf(next.modelId);
  const spend = compactionSpend(before, next.usage.input, { prices, rules, isCached });
  return later.length === 0 ? spend : { ...spend, lostCacheUsd: 0 };
}
