import type { SessionView } from "@plimsoll/core";
import { sharedPrefixCount } from "@plimsoll/core/extend";
import { type CacheRules, type CacheUse, cacheUse } from "@plimsoll/providers";
import { type Cell, isRecordedPolicy } from "../drive/cell.ts";
import type { AskedSummary, ReplayedCall } from "../drive/replayed-call.ts";
import { summaryRequestKind } from "../formats/summary-requests.ts";
import type { PreparedSession } from "../open/prepared-session.ts";
import { type HistoryKind, sizedMessages } from "../size-judge/message-sizes.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import { isClearing } from "../transcript.ts";
import type { CacheSign, RecordedCache, SessionCache } from "./recorded-cache.ts";
import { type ServedSummary, servedSummaries, unreportedSummary } from "./summary-charge.ts";

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
  const { sizeJudge } = session;
  const { recorded } = cache;
  const history = isRecordedPolicy(cell.policy) ? "recorded" : "own";
  const kind = summaryRequestKind(session.transcript.format);
  /** The recorded agent's own summaries, in as far as its log has no call for them. */
  const recordedSummaries = ({ compactions }: ReplayedCall): readonly ServedSummary[] =>
    kind === "logged"
      ? []
      : compactions
          .filter((each) => !isClearing(each))
          .map(() => unreportedSummary(Math.round(previous?.promptTokens ?? 0), kind));
  const measure = { sizeJudge, history, recorded } as const;
  const sharedBy = followingPrefixes(measure);
  let previous: EarlierRequest | null = null;
  /** When the reply to the request before ended: a cache lives on from there. */
  let previousMs: number | null = null;
  const serve = (moment: Moment, promptTokens: number, messages: SessionView["messages"]): CacheUse => {
    const { call, rules, sign, before, idleMs, warmBaseTokens } = moment;
    const shared = before === null ? null : { ...sharedBy({ before, now: { call, messages } }), idleMs };
    const use = cacheUse({ promptTokens, previous: shared, warmBaseTokens }, rules);
    const isCut = sign?.kind === "cut" && use.state === "warm";
    const isCold = isCut && before !== null && use.readTokens < COLD_RATIO * before.promptTokens;
    return withWrites(isCold ? { ...use, state: "expired" } : use, cache);
  };
  return (sent) => {
    const { modelId } = sent.recorded;
    const ruled = cache.rulesFor(modelId);
    const { requestMs = null, reply = null } = sizeJudge.calls[sent.call] ?? {};
    const sign = recorded.signAt(sent.call, history);
    const rules = sign === null ? ruled : { ...ruled, stepTokens: Math.min(ruled.stepTokens, FINE_STEP_TOKENS) };
    // The recording's evidence of the cache at this call outranks its clock.
    const idleMs = sign !== null || requestMs === null || previousMs === null ? null : requestMs - previousMs;
    const before = sign === null && previous?.modelId !== modelId ? null : previous;
    const warmBaseTokens = before === null && sign?.kind === "cut" ? sign.readTokens : cache.warmBaseTokens;
    const moment: Moment = { call: sent.call, rules, sign, before, idleMs, warmBaseTokens };
    /** A summary prepared ahead finds the newest request's cache, at its own time; the recording's evidence is about the call. */
    const ahead = ({ ahead: asked }: AskedSummary): Moment => {
      const { atMs = null } = asked ?? {};
      const sinceMs = atMs === null || previousMs === null ? null : Math.max(0, atMs - previousMs);
      return { call: sent.call, rules, sign: null, before: previous, idleMs: sinceMs, warmBaseTokens: cache.warmBaseTokens };
    };
    const { summary } = cell.policy;
    const served = sent.summaries.flatMap((asked) => {
      const at = asked.ahead === undefined ? moment : ahead(asked);
      const serveAt = (promptTokens: number, messages: SessionView["messages"]) => serve(at, promptTokens, messages);
      return servedSummaries(asked, { ...sent, sizeJudge, summary, serve: serveAt });
    });
    const summaries = history === "recorded" ? recordedSummaries(sent) : served;
    const isAsRecorded = sent.lost && sent.recorded.usage.input.cacheReadTokens !== null;
    const call = isAsRecorded ? recordedUse(sent) : serve(moment, sent.chargedTokens, sent.context);
    if (!isAsRecorded) {
      previous = { call: sent.call, messages: sent.context, promptTokens: sent.chargedTokens, modelId };
      previousMs = Math.max(reply?.atMs ?? sent.recorded.atMs ?? 0, requestMs ?? 0) || null;
    }
    return { call, summaries };
  };
}

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

/** Steps in which recorded reads differ from the beginning's reads; larger ones begin at a place that no rule gives. */
const FINE_STEP_TOKENS = 128;

/** A request that kept its beginning and found less than half of it: the recording shows that the cache was cold here. */
const COLD_RATIO = 0.5;

/** If writes are not counted, text to be written is input. */
function withWrites(use: CacheUse, { countsWrites }: SessionCache): CacheUse {
  const { readTokens, writeTokens, uncachedTokens, state } = use;
  return countsWrites ? use : { readTokens, writeTokens: 0, uncachedTokens: uncachedTokens + writeTokens, state };
}

/**
 * A lost call is charged as recorded: reported reads and writes as such, the rest as not cached. If it reports nothing of a cache, the call is served
 * as if the window had been large enough: otherwise a policy that overflows would look dearer than it is, and every other one cheaper.
 */
function recordedUse({ chargedTokens, recorded }: ReplayedCall): CacheUse {
  const { cacheReadTokens, cacheWriteTokens } = recorded.usage.input;
  const readTokens = Math.min(chargedTokens, cacheReadTokens ?? 0);
  const writeTokens = Math.min(chargedTokens - readTokens, cacheWriteTokens ?? 0);
  return { readTokens, writeTokens, uncachedTokens: chargedTokens - readTokens - writeTokens, state: "first" };
}

interface SentRequest {
  readonly call: number;
  readonly messages: SessionView["messages"];
  readonly promptTokens: number;
}

interface SharedPrefix {
  /** As far as it was still in the cache, by the recording's evidence. */
  readonly sharedTokens: number;
  /** Tokens of the one before that this one no longer begins with. */
  readonly abandonedTokens: number;
}

/** The measure by which two requests are compared. */
export interface PrefixMeasure {
  readonly sizeJudge: Pick<SizeJudge, "nonMessageTokens" | "messageTokens" | "changedAt" | "resizedAt">;
  readonly history: HistoryKind;
  readonly recorded: RecordedCache;
}

/**
 * Compares the requests of one replay, each with one before it: the common beginning is everything before the messages, then the messages that are
 * the same objects and unchanged on the wire; of that as much as the cache still held. Work follows the messages that came or changed, but after an
 * edit, which visits the common ones once.
 */
export function followingPrefixes(
  measure: PrefixMeasure,
): (requests: { readonly before: SentRequest; readonly now: Omit<SentRequest, "promptTokens"> }) => SharedPrefix {
  const { sizeJudge, history, recorded } = measure;
  const sized = sizedMessages(sizeJudge);
  const places = furthestPlaces(recorded);
  return ({ before, now }) => {
    const nonMessageTokens = sizeJudge.nonMessageTokens(before.call, history);
    const keptTokens = Math.min(nonMessageTokens, sizeJudge.nonMessageTokens(now.call, history));
    sized.follow(now.call, before.messages);
    let count = before.messages.size;
    for (let call = before.call + 1; call <= now.call; call++)
      for (const message of recorded.signAt(call, history) === null ? sizeJudge.changedAt(call) : []) {
        const place = sized.placeOf(message);
        if (place >= 0) count = Math.min(count, place);
      }
    if (!now.messages.goesOnFrom(before.messages))
      count = sharedPrefixCount(before.messages.slice(0, count), now.messages.slice());
    const isWhole = count === before.messages.size;
    const sharedTokens = keptTokens + sized.tokens(count);
    const abandonedTokens = isWhole ? nonMessageTokens - keptTokens : Math.max(1, before.promptTokens - sharedTokens);
    const headTokens = count === 0 && !isWhole ? Math.min(sharedTokens, recorded.headTokens ?? sharedTokens) : sharedTokens;
    const sign = recorded.signAt(now.call, history);
    if (sign?.kind !== "cut") return { sharedTokens: headTokens, abandonedTokens };
    const end = sign.messageId === null ? null : recorded.placeOf(sign.messageId);
    if (end === null) return { sharedTokens: Math.min(headTokens, sign.readTokens, keptTokens), abandonedTokens };
    // The first message that the cache did not hold to its end.
    const at = places(before.messages, end);
    if (at >= count) return { sharedTokens: headTokens, abandonedTokens };
    const withinTokens = before.messages.at(at)?.id === sign.messageId ? sign.withinTokens : 0;
    return { sharedTokens: Math.min(headTokens, keptTokens + sized.tokens(at) + withinTokens), abandonedTokens };
  };
}

/** Finds the first of a request's messages at a place of the recording or behind it; their count if there is none. */
function furthestPlaces({ placeOf }: RecordedCache): (messages: SessionView["messages"], place: number) => number {
  let followed: SessionView["messages"] | null = null;
  /** One a message: the furthest place up to it. */
  const furthest: number[] = [];
  return (messages, place) => {
    if (followed === null || !messages.goesOnFrom(followed)) furthest.length = 0;
    for (const { id } of messages.slice(furthest.length)) furthest.push(Math.max(furthest.at(-1) ?? -1, placeOf(id) ?? -1));
    followed = messages;
    let [lowest, highest] = [0, furthest.length];
    while (lowest < highest) {
      const middle = (lowest + highest) >>> 1;
      if ((furthest[middle] ?? 0) >= place) highest = middle;
      else lowest = middle + 1;
    }
    return lowest;
  };
}
