import type { Message } from "@plimsoll/core";
import { type CacheUse, cacheUse } from "@plimsoll/core/internal";
import { type Cell, isRecordedPolicy } from "../replay/cell.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import type { SessionCache } from "./session-cache.ts";
import { type SentRequest, sharedPrefix } from "./shared-prefix.ts";
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
  const history = isRecordedPolicy(cell.policy) ? "recorded" : "own";
  let previous: SentRequest | null = null;
  let previousMs: number | null = null;
  return (sent) => {
    const rules = cache.rulesFor(sent.recorded.modelId);
    const { warmBaseTokens } = cache;
    const requestMs = sizeModel.calls[sent.call]?.requestMs ?? null;
    const idleMs = requestMs === null || previousMs === null ? null : requestMs - previousMs;
    const before = previous;
    const reuse = (messages: readonly Message[]) => {
      if (before === null) return null;
      return { ...sharedPrefix(sizeModel, history, { before, now: { call: sent.call, messages } }), idleMs };
    };
    const { summary } = cell.policy;
    const { nonMessageTokens } = sent;
    const moment = { call: sent.call, sizeModel, summary, nonMessageTokens, reuse, warmBaseTokens, rules };
    const summaries = sent.summaries.flatMap((asked) => servedSummaries(asked, moment));
    if (sent.lost && sent.recorded.usage.input.cacheReadTokens !== null) return { call: recordedUse(sent), summaries };
    const promptTokens = sent.chargedTokens;
    const now = { call: sent.call, messages: sent.context };
    previous = { ...now, promptTokens };
    previousMs = requestMs;
    return { call: cacheUse({ promptTokens, previous: reuse(sent.context), warmBaseTokens }, rules), summaries };
  };
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
