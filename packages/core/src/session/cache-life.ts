import type { PromptCache, PromptCosts } from "../engine/worth-cutting.ts";
import { isOfView, type SessionEntry, type UsageEntry } from "../entry.ts";
import { isRejectedUsage } from "../usage.ts";

/** Evidence of how long a session's prompt cache lives, read off the reports of its model. */
export interface CacheSigns {
  /** The life that the newest writes asked for; `null` if no report has it. */
  readonly writtenMs: number | null;
  /** The longest pause after which the cache was read, 0 for none, and the shortest after which it was not. Newer evidence refutes older. */
  readonly warmMs: number;
  readonly coldMs: number | null;
  /** The newest report with a time, if its view has not changed; and the arrival of the newest message since. */
  readonly before: { readonly atMs: number; readonly promptTokens: number } | null;
  readonly askedMs: number | null;
  readonly modelId: string | null;
}

/** Nothing is known. */
export const NO_CACHE_SIGNS: CacheSigns = {
  writtenMs: null,
  warmMs: 0,
  coldMs: null,
  before: null,
  askedMs: null,
  modelId: null,
};

const ONE_HOUR_MS = 3_600_000;

/** The shortest life that a vendor documents. A request that finds less after a shorter pause was not late: it was routed elsewhere, or its prefix changed. */
const SHORTEST_LIFE_MS = 300_000;

/** Less than this share of the prompt before was read: its cache was gone. A vendor's agents share a beginning, which is read by all of them. */
const READ_RATIO = 0.5;

/** The evidence after one more entry. */
export function foldCacheSigns(signs: CacheSigns, entry: SessionEntry): CacheSigns {
  if (entry.type === "message") {
    const { role, atMs } = entry.message;
    return role === "assistant" || atMs === null ? signs : { ...signs, askedMs: atMs };
  }
  if (entry.type === "usage") return isRejectedUsage(entry.usage) ? signs : afterReport(signs, entry);
  if (entry.type === "model-change") return NO_CACHE_SIGNS;
  return isOfView(entry) ? { ...signs, before: null } : signs;
}

function afterReport(signs: CacheSigns, { modelId, atMs, usage: { input } }: UsageEntry): CacheSigns {
  const { before, askedMs, ...known } = signs.modelId === modelId ? signs : { ...NO_CACHE_SIGNS, modelId };
  const { totalTokens, cacheReadTokens, cacheWriteTokens, cacheWriteOneHourTokens } = input;
  const pauseMs = before === null || atMs === null ? 0 : Math.min(atMs, askedMs ?? atMs) - before.atMs;
  const seen = cacheReadTokens === null || before === null ? null : cacheReadTokens >= before.promptTokens * READ_RATIO;
  const isWritten = cacheWriteOneHourTokens !== null && (cacheWriteTokens ?? 0) !== 0;
  const lifeMs = 2 * (cacheWriteOneHourTokens ?? 0) >= (cacheWriteTokens ?? 0) ? ONE_HOUR_MS : SHORTEST_LIFE_MS;
  const writtenMs = isWritten ? lifeMs : known.writtenMs;
  const now = atMs === null || totalTokens === null ? null : { atMs, promptTokens: totalTokens };
  return { ...known, ...afterPause(known, pauseMs, seen), writtenMs, before: now, askedMs: null };
}

type Pauses = Pick<CacheSigns, "warmMs" | "coldMs">;

function afterPause({ warmMs, coldMs }: Pauses, pauseMs: number, isRead: boolean | null): Pauses {
  if (isRead === null || pauseMs < SHORTEST_LIFE_MS) return { warmMs, coldMs };
  if (isRead) return { warmMs: Math.max(warmMs, pauseMs), coldMs: coldMs !== null && coldMs <= pauseMs ? null : coldMs };
  return { warmMs: warmMs >= pauseMs ? 0 : warmMs, coldMs: Math.min(coldMs ?? pauseMs, pauseMs) };
}

/** Taken where no price is known: a token that is read costs a tenth of a new one at most vendors of the catalogue, and a write as much as a new one. */
const USUAL_RATIO = 10;

/** The cache lives as long as reports show, else as its writes asked for, else as the vendor says, else an hour: none was seen to outlive that unasked. */
export function promptCacheOf({ writtenMs, warmMs, coldMs }: CacheSigns, costs: PromptCosts | null): PromptCache {
  const statedMs = writtenMs ?? costs?.cacheLifeMs ?? ONE_HOUR_MS;
  const write = writtenMs === ONE_HOUR_MS ? costs?.hourWrite : costs?.write;
  const isPriced = costs !== null && costs.read > 0 && write !== undefined;
  return {
    lifeMs: Math.max(warmMs, Math.min(statedMs, coldMs ?? Number.POSITIVE_INFINITY)),
    rewriteRatio: isPriced ? write / costs.read : USUAL_RATIO,
  };
}
