import type { Message } from "@plimsoll/core";
import { type CacheUse, cacheUse, type Sequence } from "@plimsoll/core/internal";
import { type Cell, isRecordedPolicy } from "../replay/cell.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { AskedSummary, ReplayedCall } from "../replay/replayed-call.ts";
import type { CacheSign } from "./recorded-cache.ts";
import type { SessionCache } from "./session-cache.ts";
import { followingPrefixes, type SentRequest, type SharedPrefix } from "./shared-prefix.ts";
import { type ServedSummary, servedSummaries } from "./summary-charge.ts";

/** How the requests of one step were served: its summaries, then its call. */
export interface ServedStep {
  readonly call: CacheUse;
  readonly summaries: readonly ServedSummary[];
}

/** Serves the requests of a replay one after the other, as a provider's prompt cache would. */
export function createRequestLedger(
  session: PreparedSession,
  cell: Cell,
  cache: SessionCache,
): (sent: ReplayedCall) => ServedStep {
  const { sizeModel } = session;
  const { recorded } = cache;
  const history = isRecordedPolicy(cell.policy) ? "recorded" : "own";
  const sharedPrefix = followingPrefixes({ sizeModel, history, recorded });
  let previous: (SentRequest & { readonly modelId: string }) | null = null;
  let previousMs: number | null = null;
  return (sent) => {
    const { modelId } = sent.recorded;
    const rules = cache.rulesFor(modelId);
    const requestMs = sizeModel.calls[sent.call]?.requestMs ?? null;
    const sign = recorded.signAt(sent.call, history);
    // What the recording shows of the cache at this call comes before what its clock says.
    const idleMs = sign !== null || requestMs === null || previousMs === null ? null : requestMs - previousMs;
    const before = sign === null && previous?.modelId !== modelId ? null : previous;
    const warmBaseTokens = before === null && sign?.kind === "cut" ? sign.readTokens : cache.warmBaseTokens;
    const serve = (promptTokens: number, messages: Sequence<Message>) => {
      const shared = before === null ? null : withIdle(sharedPrefix({ before, now: { call: sent.call, messages } }), idleMs);
      const use = cacheUse({ promptTokens, previous: shared, warmBaseTokens }, rules);
      return withWrites(before !== null && isCold(use, sign, before) ? { ...use, state: "expired" } : use, cache);
    };
    const { nonMessageTokens } = sent;
    const moment = { call: sent.call, sizeModel, summary: cell.policy.summary, nonMessageTokens, serve };
    /** One that was prepared finds what the newest request left, at its own time; what the recording shows is of the call's. */
    const servedAhead = (asked: AskedSummary, left: typeof previous, leftMs: number | null) => {
      const { atMs = null } = asked.ahead ?? {};
      const sinceMs = atMs === null || leftMs === null ? null : Math.max(0, atMs - leftMs);
      const serveThen = (promptTokens: number, messages: Sequence<Message>) => {
        const shared =
          left === null ? null : withIdle(sharedPrefix({ before: left, now: { call: sent.call, messages } }), sinceMs);
        return withWrites(cacheUse({ promptTokens, previous: shared, warmBaseTokens: cache.warmBaseTokens }, rules), cache);
      };
      return servedSummaries(asked, { ...moment, serve: serveThen });
    };
    const summaries = sent.summaries.flatMap((asked) => {
      if (asked.ahead === undefined) return servedSummaries(asked, moment);
      return asked.ahead.charged === "after-call" ? [] : servedAhead(asked, previous, previousMs);
    });
    const isAsRecorded = sent.lost && sent.recorded.usage.input.cacheReadTokens !== null;
    const call = isAsRecorded ? recordedUse(sent) : serve(sent.chargedTokens, sent.context);
    if (!isAsRecorded) {
      previous = { call: sent.call, messages: sent.context, promptTokens: sent.chargedTokens, modelId };
      previousMs = requestMs;
    }
    const late = sent.summaries.filter(({ ahead }) => ahead?.charged === "after-call");
    return { call, summaries: [...summaries, ...late.flatMap((asked) => servedAhead(asked, previous, previousMs))] };
  };
}

function withIdle({ sharedTokens, abandonedTokens }: SharedPrefix, idleMs: number | null) {
  return { sharedTokens, abandonedTokens, idleMs };
}

/** A request that kept its beginning and found less than half of it: the recording shows that the cache was cold here. */
const COLD_RATIO = 0.5;

function isCold({ state, readTokens }: CacheUse, sign: CacheSign | null, before: SentRequest): boolean {
  return sign?.kind === "cut" && state === "warm" && readTokens < COLD_RATIO * before.promptTokens;
}

/** If nobody counts writes, what would have been written is input. */
function withWrites(use: CacheUse, { countsWrites }: SessionCache): CacheUse {
  return countsWrites ? use : { ...use, writeTokens: 0, uncachedTokens: use.uncachedTokens + use.writeTokens };
}

/**
 * A lost call is charged as recorded: what the recording reports as read and written, the rest as not cached. If it reports nothing of
 * a cache, the call is served as if the window had been large enough: otherwise a policy that overflows would look dearer than it is,
 * and every other one cheaper.
 */
function recordedUse({ chargedTokens, recorded }: ReplayedCall): CacheUse {
  const { cacheReadTokens, cacheWriteTokens } = recorded.usage.input;
  const readTokens = Math.min(chargedTokens, cacheReadTokens ?? 0);
  const writeTokens = Math.min(chargedTokens - readTokens, cacheWriteTokens ?? 0);
  return { readTokens, writeTokens, uncachedTokens: chargedTokens - readTokens - writeTokens, state: "first" };
}
