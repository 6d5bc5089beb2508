import type { Message, SessionView } from "@plimsoll/core";
import { type CacheRules, type CacheUse, cacheUse } from "@plimsoll/providers";
import { type Cell, isRecordedPolicy } from "../drive/cell.ts";
import type { AskedSummary, ReplayedCall } from "../drive/replayed-call.ts";
import type { PreparedSession } from "../open/prepared-session.ts";
import { followingSizes, type HistoryKind } from "../size-judge/message-sizes.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import type { CacheSign, CutSign, RecordedCache, SessionCache } from "./recorded-cache.ts";
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
  const { sizeJudge } = session;
  const { recorded } = cache;
  const history = isRecordedPolicy(cell.policy) ? "recorded" : "own";
  const measure = { sizeJudge, history, recorded } as const;
  const sharedBy = followingPrefixes(measure);
  let previous: EarlierRequest | null = null;
  /** When the reply to the request before ended: a cache lives on from there. */
  let previousMs: number | null = null;
  const serve = (
    { call, rules, sign, before, idleMs, warmBaseTokens }: Moment,
    { promptTokens, messages }: { readonly promptTokens: number; readonly messages: SessionView["messages"] },
  ): CacheUse => {
    const shared = before === null ? null : withIdle(sharedBy({ before, now: { call, messages } }), idleMs);
    const use = cacheUse({ promptTokens, previous: shared, warmBaseTokens }, rules);
    return withWrites(before !== null && isCold(use, sign, before) ? inState(use, "expired") : use, cache);
  };
  const summariesOf = (asked: readonly AskedSummary[], sent: ReplayedCall, momentOf: (asked: AskedSummary) => Moment) =>
    asked.flatMap((each) => {
      const { call, nonMessageTokens } = sent;
      const moment = momentOf(each);
      const served = (promptTokens: number, messages: SessionView["messages"]) => serve(moment, { promptTokens, messages });
      return servedSummaries(each, { call, sizeJudge, summary: cell.policy.summary, nonMessageTokens, serve: served });
    });
  return (sent) => {
    const { modelId } = sent.recorded;
    const ruled = cache.rulesFor(modelId);
    const { requestMs = null, reply = null } = sizeJudge.calls[sent.call] ?? {};
    const sign = recorded.signAt(sent.call, history);
    const rules = sign === null ? ruled : inFineSteps(ruled);
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
    const summaries = summariesOf(sent.summaries, sent, (asked) => (asked.ahead === undefined ? moment : ahead(asked)));
    const isAsRecorded = sent.lost && sent.recorded.usage.input.cacheReadTokens !== null;
    const request = { promptTokens: sent.chargedTokens, messages: sent.context };
    const call = isAsRecorded ? recordedUse(sent) : serve(moment, request);
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
  readonly sizeJudge: Pick<
    SizeJudge,
    "nonMessageTokens" | "messageTokens" | "isChangedAt" | "isChangedBetween" | "isResizedBetween"
  >;
  readonly history: HistoryKind;
  readonly recorded: RecordedCache;
}

interface ComparedRequests {
  readonly before: SentRequest;
  readonly now: Omit<SentRequest, "promptTokens">;
}

/**
 * Compares the requests of one replay, each with one before it, as {@link sharedPrefix} does. Where a request was made by appending to the one before
 * and nothing of that changed, its messages are not sized again.
 */
export function followingPrefixes(measure: PrefixMeasure): (requests: ComparedRequests) => SharedPrefix {
  const { sizeJudge, history, recorded } = measure;
  // Sizes that are no whole numbers are added up in the order of the requests.
  const sizes = { ...sizeJudge, nonMessageTokens: () => 0, promptTokens: () => Number.NaN };
  const tokensOf = followingSizes(sizes, history);
  return (requests) => {
    const { before, now } = requests;
    const nonMessageTokens = sizeJudge.nonMessageTokens(before.call, history);
    const keptTokens = Math.min(nonMessageTokens, sizeJudge.nonMessageTokens(now.call, history));
    const isWhole =
      recorded.signAt(now.call, history)?.kind !== "cut" &&
      !sizeJudge.isChangedBetween(before.call, now.call) &&
      now.messages.goesOnFrom(before.messages);
    const messagesTokens = isWhole && Number.isInteger(keptTokens) ? tokensOf(now.call, before.messages) : Number.NaN;
    if (Number.isNaN(messagesTokens)) return sharedPrefix(measure, requests);
    return { sharedTokens: keptTokens + messagesTokens, abandonedTokens: nonMessageTokens - keptTokens };
  };
}

/**
 * The common beginning of two requests: everything before the messages, then the messages that are the same objects and unchanged on the wire; of
 * that as much as the cache still held. Visits the shared messages once.
 */
export function sharedPrefix(measure: PrefixMeasure, { before, now }: ComparedRequests): SharedPrefix {
  const { sizeJudge, history, recorded } = measure;
  const nonMessageTokens = sizeJudge.nonMessageTokens(before.call, history);
  const keptTokens = Math.min(nonMessageTokens, sizeJudge.nonMessageTokens(now.call, history));
  const sign = recorded.signAt(now.call, history);
  const mayHaveChanged = sizeJudge.isChangedBetween(before.call, now.call);
  const cut = sign?.kind === "cut" ? heldUpTo(sign, recorded) : null;
  let sharedTokens = keptTokens;
  let heldTokens = cut === null ? null : cut.held(null, keptTokens);
  let count = 0;
  for (; count < before.messages.size; count++) {
    const message = before.messages.at(count);
    if (message === undefined || message !== now.messages.at(count)) break;
    if (mayHaveChanged && hasChanged(measure, message, { from: before.call, through: now.call })) break;
    if (cut !== null) heldTokens ??= cut.held(message, sharedTokens);
    sharedTokens += sizeJudge.messageTokens(message, now.call);
  }
  const isWhole = count === before.messages.size;
  const abandonedTokens = isWhole ? nonMessageTokens - keptTokens : Math.max(1, before.promptTokens - sharedTokens);
  const headTokens = count === 0 && !isWhole ? Math.min(sharedTokens, recorded.headTokens ?? sharedTokens) : sharedTokens;
  return { sharedTokens: Math.min(headTokens, heldTokens ?? headTokens), abandonedTokens };
}

/** How much the cache held when it ended at a place of the recording: `null` for a message that it held wholly. */
function heldUpTo({ readTokens, messageId, withinTokens }: CutSign, { placeOf }: RecordedCache) {
  const end = messageId === null ? null : placeOf(messageId);
  return {
    held: (message: Message | null, tokensBefore: number): number | null => {
      if (end === null) return Math.min(readTokens, tokensBefore);
      if (message === null || (placeOf(message.id) ?? -1) < end) return null;
      return tokensBefore + (message.id === messageId ? withinTokens : 0);
    },
  };
}

function hasChanged(
  { sizeJudge, history, recorded }: PrefixMeasure,
  message: Message,
  calls: { readonly from: number; readonly through: number },
): boolean {
  for (let call = calls.from + 1; call <= calls.through; call++)
    if (sizeJudge.isChangedAt(message, call) && recorded.signAt(call, history) === null) return true;
  return false;
}
