import { type CacheUse, type ModelPrices, promptUsd, usageUsd } from "@plimsoll/providers";
import { z } from "zod";
import { type CacheSign, ruledCache, type SessionCache } from "../economics/recorded-cache.ts";
import { createRequestLedger } from "../economics/request-ledger.ts";
import type { RecordedCall } from "../size-judge/recorded-calls.ts";
import { createCauses, LISTED_ERROR_PERCENT } from "./cache-validity.ts";
import type { MeasuredCall, MeasuredReplay, Metric, Recorder } from "./metric.ts";

/** Dollars of the recorded requests, replies left out: the recording's reported reads, writes and uncached tokens, against the replay. */
export interface DollarValidity {
  /** The reported tokens at the prices of the run. Calls that report no reads, or whose model has no price, are left out. */
  readonly statedUsd: number;
  readonly errorPercent: number | null;
  /**
   * The error of dollars only by the cache's rules, without the recording's evidence: each call is served as its provider documents. Without calls that
   * found the cache cold within its time, which no rule foresees.
   */
  readonly ruledErrorPercent: number | null;
  /** The calls that were left out there, and their report, in US dollars. */
  readonly coldCalls: number;
  readonly coldUsd: number;
  /** The cause of most of the larger of the two errors, if one exceeds 5%. */
  readonly cause: string | null;
}

const figure = z.number().nullable();

/** Only on `recorded`, if the recording reports cache reads; `null` for every other row. */
export const DOLLAR_VALIDITY: Metric<"dollarValidity", DollarValidity | null, readonly DollarValidity[], never> = {
  id: "dollarValidity",
  schema: z
    .strictObject({
      statedUsd: z.number(),
      errorPercent: figure,
      ruledErrorPercent: figure,
      coldCalls: z.int().nonnegative().default(0),
      coldUsd: z.number().default(0),
      cause: z.string().nullable(),
    })
    .nullable(),
  measure: (replay) => (replay.isReported ? createDollarValidity(replay) : { add: () => undefined, result: () => null }),
  pool: ({ results }) => results.flatMap((validity) => validity ?? []),
  figures: {},
};

function createDollarValidity(replay: MeasuredReplay): Recorder<DollarValidity | null> {
  const { session, cell, catalog, cache } = replay;
  const { calls } = session.sizeJudge;
  const serveByRules = createRequestLedger(session, cell, ruledCache(cache));
  const total = { stated: 0, computed: 0, ruled: 0, coldCalls: 0, coldUsd: 0 };
  const [rest, ruledRest] = [createCauses(inDollars), createCauses(inDollars)];
  return {
    add: (sent) => {
      const ruledUse = serveByRules(sent).call;
      const dollars = dollarsOf(sent, { ruledUse, cache, prices: catalog.pricesOf(sent.recorded.modelId, sent.recorded.atMs) });
      const call = calls[sent.call];
      if (dollars === null || call === undefined) return;
      total.stated += dollars.stated;
      total.computed += dollars.computed;
      const sign = cache.recorded.signAt(sent.call, "recorded");
      rest.add(causeOf(call, sign, sent.served.call), dollars.computed - dollars.stated);
      const cause = causeOf(call, sign, ruledUse);
      if (cause === COLD) {
        total.coldCalls += 1;
        total.coldUsd += dollars.stated;
        return;
      }
      total.ruled += dollars.ruled;
      ruledRest.add(cause, dollars.ruled - dollars.stated);
    },
    follow: (sent) => {
      serveByRules(sent);
    },
    result: () => {
      if (total.stated <= 0) return null;
      const ruledStated = total.stated - total.coldUsd;
      const [difference, ruledDifference] = [total.computed - total.stated, total.ruled - ruledStated];
      const errorPercent = (100 * difference) / total.stated;
      const ruledErrorPercent = ruledStated > 0 ? (100 * ruledDifference) / ruledStated : null;
      const isOwn = Math.abs(errorPercent) > LISTED_ERROR_PERCENT;
      const isRuled = Math.abs(ruledErrorPercent ?? 0) > LISTED_ERROR_PERCENT;
      return {
        statedUsd: total.stated,
        errorPercent,
        ruledErrorPercent,
        coldCalls: total.coldCalls,
        coldUsd: total.coldUsd,
        cause: isOwn ? rest.main(difference) : isRuled ? ruledRest.main(ruledDifference) : null,
      };
    },
  };
}

const inDollars = (usd: number) => `$${usd.toFixed(2)}`;

interface Priced {
  readonly ruledUse: CacheUse;
  readonly cache: SessionCache;
  readonly prices: ModelPrices | null;
}

/** One request three times: as reported, as replayed, and only by the rules. `null` if it cannot be compared. */
function dollarsOf({ recorded, served }: MeasuredCall, { ruledUse, cache, prices }: Priced) {
  const { input } = recorded.usage;
  if (prices === null || input.cacheReadTokens === null || input.totalTokens === null || input.totalTokens <= 0) return null;
  const rules = cache.rulesFor(recorded.modelId);
  return {
    stated: usageUsd(recorded.usage, prices)?.promptUsd ?? 0,
    computed: promptUsd(served.call, prices, rules),
    ruled: promptUsd(ruledUse, prices, rules),
  };
}

const COLD = "the cache was cold within its time";

/** Why a request was served otherwise than its recording reports. */
function causeOf(call: RecordedCall, sign: CacheSign | null, use: CacheUse): string {
  const readTokens = call.usage.usage.input.cacheReadTokens ?? 0;
  if (call.epochStart === "session") return "other sessions had warmed the first request, or not";
  if (call.epochStart === "boundary") return "how much of the beginning outlives the agent's own compaction";
  if (call.epochStart === "model") return "the cache of another model";
  if (use.readTokens < readTokens) {
    if (use.state === "expired") return "the cache lived longer than its rules say";
    return use.state === "broken"
      ? "a change of the history was assumed that the reads deny"
      : "more was read than the request before had";
  }
  if (sign?.kind !== "cut") return "small differences in what was read and written";
  return sign.readTokens < use.readTokens / 2
    ? COLD
    : "the newest part of the cache was not read yet, or the history was edited";
}
