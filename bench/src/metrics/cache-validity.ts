import type { CacheUse } from "@plimsoll/providers";
import { z } from "zod";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import type { Metric } from "./metric.ts";

/** Cache reads and writes as a replay of the recorded requests computes them, against the recording's report. */
export interface CacheValidity {
  readonly reportedReadTokens: number;
  readonly computedReadTokens: number;
  readonly errorPercent: number | null;
  /** The cause of most of the difference in reads, if that in reads or writes exceeds 5%. */
  readonly cause: string | null;
  /** `null` if the recording reports no writes: not every vendor counts them. */
  readonly reportedWriteTokens: number | null;
  /** Of the calls that report writes. */
  readonly computedWriteTokens: number;
  readonly writeErrorPercent: number | null;
}

const figure = z.number().nullable();

/** Only on `recorded`, if the recording reports cache reads; `null` for every other row. Sessions are not put together: the section of validity lists them. */
export const CACHE_VALIDITY: Metric<"cacheValidity", CacheValidity | null, readonly CacheValidity[], never> = {
  id: "cacheValidity",
  schema: z
    .strictObject({
      reportedReadTokens: z.number(),
      computedReadTokens: z.number(),
      errorPercent: figure,
      cause: z.string().nullable(),
      reportedWriteTokens: figure,
      computedWriteTokens: z.number(),
      writeErrorPercent: figure,
    })
    .nullable(),
  measure: ({ isReported }) => {
    if (!isReported) return { add: () => undefined, result: () => null };
    const validity = createCacheValidity();
    return { add: (sent) => validity.add(sent, sent.served.call), result: validity.result };
  },
  pool: ({ results }) => results.flatMap((validity) => validity ?? []),
  figures: {},
};

/** From this error on a session is listed with its cause, in percent of the reported or stated figure. */
export const LISTED_ERROR_PERCENT = 5;
/** A call whose reads differ by less than this share of its prompt explains nothing. Chosen. */
const LEAST_DIFFERENCE_RATIO = 0.05;

/** Compares the computed reads of recorded requests with the recording's report, and finds the main cause of the difference. */
export function createCacheValidity(): { add(sent: ReplayedCall, use: CacheUse): void; result(): CacheValidity | null } {
  let reportedReadTokens = 0;
  let computedReadTokens = 0;
  let reportedWriteTokens: number | null = null;
  let computedWriteTokens = 0;
  let isReported = false;
  const causes = createCauses((tokens) => `${Math.round(tokens / 1000)}k tokens`);
  return {
    add: (sent, use) => {
      const { cacheReadTokens, cacheWriteTokens, totalTokens } = sent.recorded.usage.input;
      if (cacheReadTokens === null || totalTokens === null || totalTokens <= 0) return;
      isReported = true;
      reportedReadTokens += cacheReadTokens;
      computedReadTokens += use.readTokens;
      if (cacheWriteTokens !== null) {
        reportedWriteTokens = (reportedWriteTokens ?? 0) + cacheWriteTokens;
        computedWriteTokens += use.writeTokens;
      }
      const difference = use.readTokens - cacheReadTokens;
      if (Math.abs(difference) < LEAST_DIFFERENCE_RATIO * totalTokens) return;
      causes.add(causeOf(difference, use), difference);
    },
    result: () => {
      if (!isReported) return null;
      const difference = computedReadTokens - reportedReadTokens;
      const errorPercent = percentOf(difference, reportedReadTokens);
      const writeErrorPercent = percentOf(computedWriteTokens - (reportedWriteTokens ?? 0), reportedWriteTokens ?? 0);
      const isListed = [errorPercent, writeErrorPercent].some((error) => Math.abs(error ?? 0) > LISTED_ERROR_PERCENT);
      return {
        reportedReadTokens,
        computedReadTokens,
        errorPercent,
        cause: isListed ? (causes.main(difference) ?? "many small differences") : null,
        reportedWriteTokens,
        computedWriteTokens,
        writeErrorPercent,
      };
    },
  };
}

function percentOf(difference: number, reported: number): number | null {
  return reported > 0 ? (100 * difference) / reported : null;
}

function causeOf(difference: number, { state }: CacheUse): string {
  if (difference < 0) {
    if (state === "expired") return "the cache lived longer than the provider states";
    return state === "first" ? "other sessions had warmed the prefix" : "the change that was assumed left more of the prefix";
  }
  return state === "broken"
    ? "less of an edited prefix was read"
    : "the cache was cold or cut short within its time without a mark";
}

interface Causes {
  add(cause: string, amount: number): void;
  /** Names the cause with the largest difference in the direction of an error; `null` if there is none. */
  main(difference: number): string | null;
}

/** Adds differences up by their causes; `sizeText` writes a size of them. */
export function createCauses(sizeText: (size: number) => string): Causes {
  const known = new Map<string, { readonly calls: number; readonly amount: number }>();
  return {
    add: (cause, amount) => {
      const before = known.get(cause) ?? { calls: 0, amount: 0 };
      known.set(cause, { calls: before.calls + 1, amount: before.amount + amount });
    },
    main: (difference) => {
      const [main] = [...known].sort(([, a], [, b]) => Math.sign(difference) * (b.amount - a.amount));
      if (main === undefined) return null;
      const [cause, { calls, amount }] = main;
      return `${cause} (${calls} ${calls === 1 ? "call" : "calls"}, ${sizeText(Math.abs(amount))})`;
    },
  };
}
