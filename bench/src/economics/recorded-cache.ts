import type { Message } from "@plimsoll/core";
import type { CacheRules, ModelCatalog } from "@plimsoll/providers";
import { type SizedMessages, sizedMessages } from "../size-judge/message-sizes.ts";
import type { RecordedCall } from "../size-judge/recorded-calls.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";

/**
 * The trace of the prompt cache in a recorded call: how far the request before was still in it. A replay under any policy finds the cache as the
 * recorded agent did, so that no two policies are compared on luck. `null`: the call shows nothing, and rules of the provider are taken.
 */
export type CacheSign = { readonly kind: "whole" } | CutSign;

/** Less was read: the cache ended here. */
interface CutSign {
  readonly kind: "cut";
  readonly readTokens: number;
  /** Id of the first message that was not read to its end; `null` if none was read. */
  readonly messageId: string | null;
  readonly withinTokens: number;
}

/** Traces of the cache in the calls of a recording. */
export interface RecordedCache {
  /** At a call, of a history in which the recorded compactions happened, or did not: there nothing broke at them. */
  signAt(call: number, history: "recorded" | "own"): CacheSign | null;
  /** Place of a recorded message; `null` for one that an engine wrote. */
  placeOf(messageId: string): number | null;
  /** Tokens that were read when all messages had been replaced: the beginning before them, which never changes. The largest such read; `null` if there is none. */
  readonly headTokens: number | null;
}

/** Reads are given in steps of up to 128 tokens, and the end of a prompt is often left out of the cache; chosen. */
const SLACK_TOKENS = 256;

/** A recording that shows nothing. */
export const NO_SIGNS: RecordedCache = { signAt: () => null, placeOf: () => null, headTokens: null };

/**
 * Compares each call's reads with the request before it. A recording that never read anything shows nothing: it may not report reads, or its provider
 * may have had no cache. Made once for all replays of a session.
 */
export function recordedCache(sizeJudge: SizeJudge): RecordedCache {
  const known = shown.get(sizeJudge) ?? shownBy(sizeJudge);
  shown.set(sizeJudge, known);
  return known;
}

const shown = new WeakMap<SizeJudge, RecordedCache>();

function shownBy(sizeJudge: SizeJudge): RecordedCache {
  const { calls } = sizeJudge;
  if (calls.every((call) => (call.usage.usage.input.cacheReadTokens ?? 0) === 0)) return NO_SIGNS;
  const signs: (CacheSign | null)[] = [];
  const places = new Map<string, number>();
  const view: Message[] = [];
  const sized = sizedMessages(sizeJudge);
  let beforeTokens = 0;
  let headTokens: number | null = null;
  for (const call of calls) {
    if (call.epochStart !== null) {
      view.length = 0;
      sized.clear();
    }
    for (const message of call.newMessages) view.push(message);
    sized.take(call.index, call.newMessages);
    for (const { id } of call.newMessages) if (!places.has(id)) places.set(id, places.size);
    const sign = signOf(call, { beforeTokens, view, sized });
    signs.push(sign);
    if (call.epochStart === "boundary" && sign?.kind === "cut" && sign.messageId === null)
      headTokens = Math.max(headTokens ?? 0, sign.readTokens);
    beforeTokens = call.reportedTokens ?? beforeTokens;
  }
  return {
    headTokens,
    placeOf: (messageId) => places.get(messageId) ?? null,
    signAt: (call, history) => {
      const isOfBoundary = history === "own" && calls[call]?.epochStart === "boundary";
      return isOfBoundary ? null : (signs[call] ?? null);
    },
  };
}

interface Before {
  readonly beforeTokens: number;
  readonly view: readonly Message[];
  readonly sized: SizedMessages;
}

function signOf(call: RecordedCall, { beforeTokens, view, sized }: Before): CacheSign | null {
  const readTokens = call.usage.usage.input.cacheReadTokens;
  if (readTokens === null || call.reportedTokens === null) return null;
  const canBeWhole = call.epochStart === null || call.epochStart === "model";
  if (canBeWhole && readTokens >= beforeTokens - SLACK_TOKENS) return { kind: "whole" };
  // What was reported beyond the messages lies before them.
  const aheadTokens = call.reportedTokens - sized.tokens();
  const index = Math.min(view.length - 1, sized.countWithin(readTokens - aheadTokens));
  const message = view[index];
  if (message === undefined) return { kind: "cut", readTokens, messageId: null, withinTokens: 0 };
  return { kind: "cut", readTokens, messageId: message.id, withinTokens: readTokens - aheadTokens - sized.tokens(index) };
}

/** The working of one session's prompt cache: its models' rules, and the evidence of the recording. */
export interface SessionCache {
  rulesFor(modelId: string): CacheRules;
  /** A prefix that was read even by the session's coldest call: others keep it warm. 0 if a call read nothing. */
  readonly warmBaseTokens: number;
  /** False if the recording reports reads and never a write: its server charged new text as input. */
  readonly countsWrites: boolean;
  readonly recorded: RecordedCache;
}

const ONE_HOUR_MS = 3_600_000;

/** The same cache by its rules only, as if the recording showed nothing but the time that its agent asked for. */
export function ruledCache(cache: SessionCache): SessionCache {
  return { ...cache, recorded: NO_SIGNS, warmBaseTokens: 0 };
}

/** The cache of a recorded session. If its agent paid for writes that live an hour, they live an hour. */
export function sessionCache(sizeJudge: SizeJudge, catalog: Pick<ModelCatalog, "cacheRulesOf">): SessionCache {
  const inputs = sizeJudge.calls.flatMap((call) => (call.reportedTokens === null ? [] : [call.usage.usage.input]));
  const livesAnHour = inputs.some((input) => (input.cacheWriteOneHourTokens ?? 0) > 0);
  const reads = inputs.map((input) => input.cacheReadTokens ?? 0);
  const hasReads = reads.some((tokens) => tokens > 0);
  // They are asked for at every call.
  const knownRules = new Map<string, CacheRules>();
  const rulesFor = (modelId: string): CacheRules => {
    const known = knownRules.get(modelId);
    if (known !== undefined) return known;
    const own = catalog.cacheRulesOf(modelId);
    // Written out: each spread would have a form of its own, and code that reads rules of many forms is slow.
    const rules = livesAnHour
      ? { minimumTokens: own.minimumTokens, stepTokens: own.stepTokens, timeToLiveMs: ONE_HOUR_MS }
      : own;
    knownRules.set(modelId, rules);
    return rules;
  };
  return {
    rulesFor,
    warmBaseTokens: reads.reduce((least, read) => Math.min(least, read), reads[0] ?? 0),
    countsWrites: !hasReads || inputs.some((input) => (input.cacheWriteTokens ?? 0) > 0),
    recorded: recordedCache(sizeJudge),
  };
}
