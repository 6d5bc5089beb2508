import type { Message } from "@plimsoll/core";
import { type CacheRules, type CacheUse, cacheUse, type Sequence } from "@plimsoll/core/extend";
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
  const measure = { sizeModel, history, recorded } as const;
  const sharedBy = followingPrefixes(measure);
  let previous: EarlierRequest | null = null;
  /** When the reply to the request before ended: a cache lives on from there. */
  let previousMs: number | null = null;
  const serve = (
    { call, rules, sign, before, idleMs, warmBaseTokens }: Moment,
    { promptTokens, messages }: Request,
  ): CacheUse => {
    const shared = before === null ? null : withIdle(sharedBy({ before, now: { call, messages } }), idleMs);
    const use = cacheUse({ promptTokens, previous: shared, warmBaseTokens }, rules);
    return withWrites(before !== null && isCold(use, sign, before) ? inState(use, "expired") : use, cache);
  };
  const summariesOf = (asked: readonly AskedSummary[], sent: ReplayedCall, momentOf: (asked: AskedSummary) => Moment) =>
    asked.flatMap((each) => {
      const { call, nonMessageTokens } = sent;
      const moment = momentOf(each);
      const served = (promptTokens: number, messages: Sequence<Message>) => serve(moment, { promptTokens, messages });
      return servedSummaries(each, { call, sizeModel, summary: cell.policy.summary, nonMessageTokens, serve: served });
    });
  return (sent) => {
    const { modelId } = sent.recorded;
    const ruled = cache.rulesFor(modelId);
    const { requestMs = null, reply = null } = sizeModel.calls[sent.call] ?? {};
    const sign = recorded.signAt(sent.call, history);
    const rules = sign === null ? ruled : inFineSteps(ruled);
    // What the recording shows of the cache at this call comes before what its clock says.
    const idleMs = sign !== null || requestMs === null || previousMs === null ? null : requestMs - previousMs;
    const before = sign === null && previous?.modelId !== modelId ? null : previous;
    const warmBaseTokens = before === null && sign?.kind === "cut" ? sign.readTokens : cache.warmBaseTokens;
    const moment: Moment = { call: sent.call, rules, sign, before, idleMs, warmBaseTokens };
    /** One that was prepared finds what the newest request left, at its own time; what the recording shows is of the call's. */
    const ahead = ({ ahead: asked }: AskedSummary): Moment => {
      const { atMs = null } = asked ?? {};
      const sinceMs = atMs === null || previousMs === null ? null : Math.max(0, atMs - previousMs);
      return { call: sent.call, rules, sign: null, before: previous, idleMs: sinceMs, warmBaseTokens: cache.warmBaseTokens };
    };
    const late = sent.summaries.filter((asked) => asked.ahead?.charged === "after-call");
    const inTime = late.length === 0 ? sent.summaries : sent.summaries.filter((asked) => !late.includes(asked));
    const summaries = summariesOf(inTime, sent, (asked) => (asked.ahead === undefined ? moment : ahead(asked)));
    const isAsRecorded = sent.lost && sent.recorded.usage.input.cacheReadTokens !== null;
    const request = { promptTokens: sent.chargedTokens, messages: sent.context };
    const call = isAsRecorded ? recordedUse(sent) : serve(moment, request);
    if (!isAsRecorded) {
      previous = { call: sent.call, messages: sent.context, promptTokens: sent.chargedTokens, modelId };
      previousMs = Math.max(reply?.atMs ?? sent.recorded.atMs ?? 0, requestMs ?? 0) || null;
    }
    return { call, summaries: late.length === 0 ? summaries : [...summaries, ...summariesOf(late, sent, ahead)] };
  };
}

/** A request that went out before. */
interface EarlierRequest extends SentRequest {
  readonly modelId: string;
}

/** The state of the cache that a request finds. */
interface Moment {
  readonly call: number;
  readonly rules: CacheRules;
  readonly sign: CacheSign | null;
  readonly before: EarlierRequest | null;
  readonly idleMs: number | null;
  readonly warmBaseTokens: number;
}

interface Request {
  readonly promptTokens: number;
  readonly messages: Sequence<Message>;
}

/** Steps in which recorded reads differ from what the beginning says; larger ones begin at a place that no rule tells. */
const FINE_STEP_TOKENS = 128;

function inFineSteps({ minimumTokens, stepTokens, timeToLiveMs }: CacheRules): CacheRules {
  return { minimumTokens, stepTokens: Math.min(stepTokens, FINE_STEP_TOKENS), timeToLiveMs };
}

function withIdle({ sharedTokens, abandonedTokens }: SharedPrefix, idleMs: number | null) {
  return { sharedTokens, abandonedTokens, idleMs };
}

/** A request that kept its beginning and found less than half of it: the recording shows that the cache was cold here. */
const COLD_RATIO = 0.5;

function isCold({ state, readTokens }: CacheUse, sign: CacheSign | null, before: SentRequest): boolean {
  return sign?.kind === "cut" && state === "warm" && readTokens < COLD_RATIO * before.promptTokens;
}

function inState({ readTokens, writeTokens, uncachedTokens }: CacheUse, state: CacheUse["state"]): CacheUse {
  return { readTokens, writeTokens, uncachedTokens, state };
}

/** If nobody counts writes, what would have been written is input. */
function withWrites(use: CacheUse, { countsWrites }: SessionCache): CacheUse {
  const { readTokens, writeTokens, uncachedTokens, state } = use;
  return countsWrites ? use : { readTokens, writeTokens: 0, uncachedTokens: uncachedTokens + writeTokens, state };
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
