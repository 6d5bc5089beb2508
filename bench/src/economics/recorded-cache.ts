import type { Message } from "@plimsoll/core";
import type { RecordedCall } from "../size-judge/recorded-calls.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";

/**
 * The trace of the prompt cache in a recorded call: how far the request before was still in it. A replay under any policy finds the cache as the
 * recorded agent did, so that no two policies are compared on luck. `null`: the call shows nothing, and rules of the provider are taken.
 */
export type CacheSign = WholeSign | CutSign;

/** All of the request before was read: nothing of it had expired or changed. */
interface WholeSign {
  readonly kind: "whole";
}

/** Less was read: the cache ended here. */
export interface CutSign {
  readonly kind: "cut";
  readonly readTokens: number;
  /** Id of the first message that was not read to its end; `null` if none was read. */
  readonly messageId: string | null;
  /** Tokens of that message that were read. */
  readonly withinTokens: number;
}

/** Traces of the cache in the calls of a recording. */
export interface RecordedCache {
  /** At a call, of a history in which the recorded compactions happened, or did not: there nothing broke at them. */
  signAt(call: number, history: "recorded" | "own"): CacheSign | null;
  /** Place of a recorded message; `null` for one that an engine wrote. */
  placeOf(messageId: string): number | null;
  /**
   * Tokens that were read when all messages had been replaced: what stands before them and never changes. The largest such read; `null` if
   * there is none.
   */
  readonly headTokens: number | null;
}

/** Reads are given in steps of up to 128 tokens, and the end of a prompt is often left out of the cache; chosen. */
const SLACK_TOKENS = 256;

/** A recording that shows nothing. */
export const NO_SIGNS: RecordedCache = { signAt: () => null, placeOf: () => null, headTokens: null };

/**
 * Compares what each call read with the request before it. A recording that never read anything shows nothing: it may not report reads, or
 * its provider may have had no cache. Made once for all replays of a session.
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
  let beforeTokens = 0;
  let headTokens: number | null = null;
  for (const call of calls) {
    if (call.epochStart !== null) view.length = 0;
    view.push(...call.newMessages);
    for (const { id } of call.newMessages) if (!places.has(id)) places.set(id, places.size);
    const sign = signOf(call, { beforeTokens, view, sizeJudge });
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
  /** Size of the request before. */
  readonly beforeTokens: number;
  /** The messages of this one. */
  readonly view: readonly Message[];
  readonly sizeJudge: SizeJudge;
}

function signOf(call: RecordedCall, { beforeTokens, view, sizeJudge }: Before): CacheSign | null {
  const readTokens = call.usage.usage.input.cacheReadTokens;
  if (readTokens === null || call.reportedTokens === null) return null;
  const canBeWhole = call.epochStart === null || call.epochStart === "model";
  if (canBeWhole && readTokens >= beforeTokens - SLACK_TOKENS) return { kind: "whole" };
  let endTokens = call.reportedTokens;
  for (let index = view.length - 1; index >= 0; index--) {
    const message = view[index];
    if (message === undefined) break;
    endTokens -= sizeJudge.messageTokens(message, call.index);
    if (endTokens <= readTokens)
      return { kind: "cut", readTokens, messageId: message.id, withinTokens: readTokens - endTokens };
  }
  return { kind: "cut", readTokens, messageId: null, withinTokens: 0 };
}
