import type { FitView, UnknownRefusal } from "../engine/fit-input.ts";
import { recoveriesOf, recoveryOfTry } from "../engine/goal.ts";
import type { SessionEntry, StepOutcome } from "../entry.ts";
import { isHuman } from "../message/message.ts";
import { REQUEST_UNITS, type RequestLimits, type RequestUnit, requestSizeOf, sizeIn } from "../message/size.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { isRejectedUsage, rejectedLimit } from "../usage.ts";
import type { AskedTry, NextTry } from "./recovery.ts";
import type { UsageWatch } from "./usage-watch.ts";

/** Limits of a request in other units than tokens, learned from refusals, by unit. */
export type LearnedRequestLimits = {
  readonly [Unit in RequestUnit]?: { readonly limit: number; readonly entryId: string; readonly atMs: number | null };
};

/** How long a limit is believed that nothing refuted: a day. A server is set up anew, and a fault of a moment is over. Chosen. */
const BELIEVED_MS = 86_400_000;

/** The beginning of a step's name that records a learned limit, before its unit. */
export const LIMIT_STEP = "limit ";

/** The step that records a refusal in unknown words. */
export function refusalStep({ status, words }: UnknownRefusal = { status: null, words: "" }): StepOutcome {
  const detail = `in unknown words, status ${status ?? "unknown"}: ${words}`;
  return { strategy: REFUSAL_STEP, outcome: "not-applicable", detail };
}

const REFUSAL_STEP = "refusal";
/** An error of a server, or one without a status. */
const FAULT = /^in unknown words, status (5\d\d|unknown): (.*)$/s;

/**
 * Finds the refusal whose cut is to be undone: an error of a server, or one without a status, in unknown words, which was the first at about its size and may be over,
 * since a reply came; `null` for none.
 */
export function passedFault({ activeCompactions }: FitView, events: readonly LimitEvent[]): UnknownRefusal | null {
  const cut = activeCompactions.at(-1);
  const { detail } = cut?.record.steps.find(({ strategy }) => strategy === REFUSAL_STEP) ?? {};
  const [, status, words] = FAULT.exec(detail ?? "") ?? [];
  if (words === undefined) return null;
  const at = events.findLastIndex(({ kind }) => kind === "refused");
  const event = events[at];
  if (event?.kind !== "refused" || event.entryId !== cut?.id || at === events.length - 1) return null;
  const { doubt } = learnedInLog(events.slice(0, at + 1), { modelId: event.modelId, reserveTokens: 0, nowMs: null });
  return doubt?.times === 1 ? { status: status === "unknown" ? null : Number(status), words } : null;
}

type SentRequest = Parameters<typeof requestSizeOf>[0];

/** Drops the limits that an answered request exceeded, which is measured only if there are any; the same value if it exceeded none. */
export function withoutRefuted(known: LearnedRequestLimits, answered: SentRequest): LearnedRequestLimits {
  const count = Object.keys(known).length;
  if (count === 0) return known;
  const size = requestSizeOf(answered);
  const left = REQUEST_UNITS.flatMap((unit) => {
    const { [unit]: learned } = known;
    return learned === undefined || sizeIn(size, unit) > learned.limit ? [] : [[unit, learned] as const];
  });
  return left.length === count ? known : Object.fromEntries(left);
}

/** Folds one more entry: another model has other limits, undone compactions taught nothing, and a reply shows that the request `before` it was not too large. */
export function foldRequestLimits(known: LearnedRequestLimits, entry: SessionEntry, before: SentRequest): LearnedRequestLimits {
  if (entry.type === "message") {
    const isReply = entry.message.role === "assistant" && entry.message.origin === "model";
    return isReply ? withoutRefuted(known, before) : known;
  }
  if (entry.type === "model-change") return {};
  if (entry.type === "revert")
    return Object.fromEntries(Object.entries(known).filter(([, { entryId }]) => entryId !== entry.compactionId));
  if (entry.type !== "compaction" && entry.type !== "attempt") return known;
  const { id: entryId, atMs } = entry;
  const { steps } = entry.type === "attempt" ? entry : entry.record;
  const taught: { [Unit in RequestUnit]?: LearnedRequestLimits[Unit] } = {};
  for (const unit of REQUEST_UNITS)
    for (const { strategy, detail } of steps)
      if (strategy === `${LIMIT_STEP}${unit}` && typeof detail === "string")
        taught[unit] ??= { limit: Number(detail), entryId, atMs };
  return { ...known, ...taught };
}

/** The limits that are still believed: those of the last day, and those without a time; all if the time now is not known. */
export function believedLimits(known: LearnedRequestLimits, nowMs: number | null): RequestLimits {
  const believed = Object.entries(known).filter(
    ([, { atMs }]) => nowMs === null || atMs === null || nowMs - atMs <= BELIEVED_MS,
  );
  return Object.fromEntries(believed.map(([unit, { limit }]) => [unit, limit]));
}

/**
 * The limit of one model's window in one conversation, learned from answers and rejections. Sizes are the tokens that were expected of a request
 * before it was sent, since the next request is judged by the same estimate.
 */
export interface LearnedLimit {
  /** The limit that the provider named; `null` if it named none. */
  readonly statedTokens: number | null;
  /** A size that was refused although it was within every limit that is known; `null` for none. */
  readonly refusedTokens: number | null;
  /** The largest size that was answered. */
  readonly answeredTokens: number;
  /** False if `refusedTokens` is only an estimate, until the reported usage of the next answer corrects it. */
  readonly isMeasured: boolean;
  /** When the newest refusal came that taught something; `null` if none did, or the clock is not known. */
  readonly refusedAtMs: number | null;
  /** Limits in other units than tokens, learned from refusals. */
  readonly request: LearnedRequestLimits;
  /** A size that was refused in unknown words, how often in a row, and the answers until it is tried again; left out once it is refuted. */
  readonly doubt?: { readonly sizeTokens: number; readonly times: number; readonly answersLeft: number } | undefined;
}

/** So many answers after the second refusal in unknown words at a size, twice as many after the third and so on, it is tried again. Chosen. */
const DOUBTED_ANSWERS = 20;

/** The learned limit before any request was sent: no limit named, nothing refused, nothing answered. */
export const NOTHING_LEARNED: LearnedLimit = {
  statedTokens: null,
  refusedTokens: null,
  answeredTokens: 0,
  isMeasured: true,
  refusedAtMs: null,
  request: {},
};

/** Drops limits that were learned more than a day before `nowMs`; the largest answered size stays. Drops none if either time is `null`. */
export function believedAt(learned: LearnedLimit, nowMs: number | null): LearnedLimit {
  const { refusedAtMs, answeredTokens, request } = learned;
  if (nowMs === null || refusedAtMs === null || nowMs - refusedAtMs <= BELIEVED_MS) return learned;
  return { ...NOTHING_LEARNED, answeredTokens, request };
}

/**
 * Returns the learned limit after one more request was rejected. Its size is the provider's count, or else the expected tokens. A named limit below a size that was answered
 * before is ignored. If a request of that size or more was answered before, one refusal teaches nothing; the next one does.
 */
export function afterRejection(
  learned: LearnedLimit,
  { limitTokens, promptTokens }: { readonly limitTokens: number | null; readonly promptTokens: number | null },
  request: { readonly expectedTokens: number; readonly reserveTokens: number; readonly nowMs?: number | null },
): LearnedLimit {
  const refusedAtMs = request.nowMs ?? null;
  const isStated = limitTokens !== null && limitTokens > learned.answeredTokens;
  const statedTokens = isStated ? Math.min(limitTokens, learned.statedTokens ?? limitTokens) : learned.statedTokens;
  const sizeTokens = promptTokens ?? request.expectedTokens;
  // Beyond the limit that is known the size says nothing new.
  if (statedTokens !== null && sizeTokens + request.reserveTokens > statedTokens)
    return { ...learned, statedTokens, refusedAtMs };
  if (learned.answeredTokens >= sizeTokens) return { ...learned, answeredTokens: 0 };
  return { ...learned, statedTokens, refusedTokens: sizeTokens, isMeasured: promptTokens !== null, refusedAtMs };
}

/** Returns the learned limit after one more answer. `nowTokens` is the estimate of the same request, made anew with the usage that the answer reported. */
export function afterAnswer(
  learned: LearnedLimit,
  { expectedTokens, nowTokens }: { readonly expectedTokens: number; readonly nowTokens: number },
): LearnedLimit {
  const ratio = learned.isMeasured || expectedTokens <= 0 ? 1 : nowTokens / expectedTokens;
  const refusedTokens = learned.refusedTokens === null ? null : learned.refusedTokens * ratio;
  const answeredTokens = Math.max(learned.answeredTokens * ratio, nowTokens);
  const isRefuted = refusedTokens !== null && answeredTokens >= refusedTokens;
  const isStatedRefuted = learned.statedTokens !== null && answeredTokens > learned.statedTokens;
  return {
    ...learned,
    statedTokens: isStatedRefuted ? null : learned.statedTokens,
    refusedTokens: isRefuted ? null : refusedTokens,
    answeredTokens,
    isMeasured: true,
  };
}

/** Share of a refused size below which the way to it is not worth another refusal; chosen: the engine's bound for new text. */
const CLOSE_RATIO = 0.02;

/** Share of a refused size that is tried if nothing was answered yet: the first that a recovery tries, too. A refused size above it is about the same one. Chosen. */
const FIRST_RATIO = 0.8;

/**
 * Returns the window to plan the next request with, in tokens, its reply included: the limit that the provider named, or less if a size within it was refused. That
 * is 80% of the refused size, or halfway between it and the largest answered one, until they are within 2%. `null` if nothing was refused.
 */
export function learnedWindowTokens(
  { statedTokens, refusedTokens, answeredTokens }: LearnedLimit,
  reserveTokens: number,
): number | null {
  if (refusedTokens === null) return statedTokens;
  const gapTokens = refusedTokens - answeredTokens;
  const betweenTokens = gapTokens < refusedTokens * CLOSE_RATIO ? answeredTokens : answeredTokens + gapTokens / 2;
  const roomTokens = Math.floor(answeredTokens === 0 ? refusedTokens * FIRST_RATIO : betweenTokens);
  return Math.min(statedTokens ?? Number.POSITIVE_INFINITY, roomTokens + reserveTokens);
}

/** Unknown refusals of one request in a row, without an answer in between. */
export interface Refusals {
  readonly times: number;
  /** How often less of its media did not help. */
  readonly mediaTries: number;
  /** How often less reasoning did not help. */
  readonly reasoningTries: number;
}

/** Repetitions of a request by its sender, before an error that may be transient is taken for an overflow: as many as vendors' SDKs make by themselves. Chosen. */
const REPETITIONS = 2;

/** A session whose request was refused. */
interface RefusedSession {
  state(): { readonly usageWatch: Pick<UsageWatch, "isRefused"> };
  predict(): Prediction;
  limitEvents(): readonly LimitEvent[];
  mostMedia(): RequestUnit | null;
  refused(request: "new" | "same"): Refusals;
}

/**
 * Decides whether to try a smaller request after a refusal that gave no known reason; `null` means no. The largest request so far may be too large, so
 * a smaller one is tried at once. A request below a size that was answered is only tried smaller if it is refused a second time: the window may have shrunk.
 * Answered sizes count since the last refusal that a smaller request helped with; without any, or if reports cannot be right, each request is the largest.
 * If it holds more media than any that was answered, less of them is tried first. A transient error counts once the request was repeated, by the client that sends it or,
 * with `isRepeated`, by its caller.
 */
export function nextTry(
  { state, predict, limitEvents, mostMedia, refused }: RefusedSession,
  { policy, outcome, tried, isRepeated = false }: AskedTry & { readonly policy: EnginePolicy; readonly isRepeated?: boolean },
): NextTry | null {
  const { times, mediaTries } = refused(tried === "media" ? "same" : "new");
  const refusedTimes = times - (outcome.kind === "overload" && isRepeated ? REPETITIONS : 0);
  if (refusedTimes < 1) return null;
  const unit = mediaTries === 0 ? mostMedia() : null;
  if (unit !== null && recoveriesOf(policy) > 0)
    return { recovery: 0, refusedTokens: Number.POSITIVE_INFINITY, refused: { unit, limit: null } };
  const events = limitEvents();
  const first = events.findLastIndex(({ kind }) => kind !== "undone") + 1;
  const undone = events.slice(first).flatMap((event) => (event.kind === "undone" ? [event] : []));
  const answered = events.slice(events.findLastIndex(({ kind }) => kind === "refused") + 1);
  const answeredTokens = Math.max(0, ...answered.map((event) => (event.kind === "answered" ? event.promptTokens : 0)));
  const isLargest = state().usageWatch.isRefused || predict().upperTokens >= answeredTokens;
  if (!isLargest && refusedTimes < 2) return null;
  const tries = Math.max(refusedTimes, undone.length + 1);
  const recovery = recoveryOfTry(policy, { tries, isSaid: undone.at(-1)?.isPast === true });
  if (recovery === null) return null;
  return { recovery, refusedTokens: Math.min(...undone.map(({ afterTokens }) => afterTokens)) };
}

/**
 * Reads from a log's events the limits that one model's refusals taught, so that a resumed session knows them. Those older than a day at `nowMs` are dropped. A refusal in
 * unknown words, which may have been a fault of the moment, teaches nothing until a second one at about that size; and that falls at last, to be tried again.
 */
export function learnedInLog(
  events: readonly LimitEvent[],
  of: { readonly modelId: string | null; readonly reserveTokens: number; readonly nowMs: number | null },
): LearnedLimit {
  let learned = NOTHING_LEARNED;
  let expectedTokens: number | null = null;
  for (const event of events) {
    if (event.modelId !== of.modelId || event.kind === "undone") continue;
    if (event.kind === "answered") {
      const { promptTokens: nowTokens, times = 1 } = event;
      learned = afterAnswer(learned, { expectedTokens: expectedTokens ?? nowTokens, nowTokens });
      const { doubt } = learned;
      const isOpen = doubt !== undefined && nowTokens < doubt.sizeTokens;
      const answersLeft = Math.max(0, (doubt?.answersLeft ?? 0) - times);
      if (isOpen && doubt.answersLeft > 0 && answersLeft === 0) learned = { ...learned, refusedTokens: null };
      learned = { ...learned, doubt: isOpen ? { ...doubt, answersLeft } : undefined };
      expectedTokens = null;
    } else {
      const { expectedTokens: sizeTokens, limitTokens, atMs } = event;
      const { sizeTokens: beforeTokens = Number.POSITIVE_INFINITY, times: timesBefore = 0 } = learned.doubt ?? {};
      const times = sizeTokens >= beforeTokens * FIRST_RATIO ? timesBefore + 1 : 1;
      const request = { expectedTokens: sizeTokens, reserveTokens: of.reserveTokens, nowMs: atMs };
      if (event.words !== "unknown" || times > 1)
        learned = afterRejection(learned, { limitTokens, promptTokens: null }, request);
      const doubt = { sizeTokens, times, answersLeft: DOUBTED_ANSWERS * (times - 1) };
      learned = { ...learned, doubt: event.words === "unknown" ? doubt : undefined };
      expectedTokens = event.afterTokens;
    }
  }
  return believedAt(learned, of.nowMs);
}

/** A fact in a log about a model's window: a size that the provider refused or answered, or a smaller try that was undone. */
export type LimitEvent =
  /** A request was refused as too long, and the session compacted, or asked for a shorter reply. Sizes are expected ones, in tokens. */
  | {
      readonly kind: "refused";
      readonly modelId: string | null;
      /** The id of the compaction, or of the request. */
      readonly entryId: string;
      /** The limit that the provider named; `null` if it named none. */
      readonly limitTokens: number | null;
      readonly expectedTokens: number;
      /** Expected tokens of the context after the compaction. */
      readonly afterTokens: number;
      readonly atMs: number | null;
      /** Left out for words about its size. */
      readonly words?: "unknown";
    }
  /** Less was sent after a refusal, and did not help: it was undone. `isPast` if the person said something since: the next request is another one. */
  | { readonly kind: "undone"; readonly modelId: string | null; readonly afterTokens: number; readonly isPast: boolean }
  /** Requests were answered, the largest of which measured so much; one if `times` is left out. */
  | { readonly kind: "answered"; readonly modelId: string; readonly promptTokens: number; readonly times?: number };

/**
 * The events of a log after one more entry. Of answers that follow each other the first stays, which measures the expectation, and the largest: there
 * are at most three events for each refusal.
 */
export function foldLimitEvents(events: readonly LimitEvent[], entry: SessionEntry): readonly LimitEvent[] {
  if (entry.type === "compaction") {
    const { reason, modelId, tokensBefore: expectedTokens, tokensAfter: afterTokens, steps } = entry.record;
    if (reason !== "overflow" || expectedTokens === null || afterTokens === null) return events;
    // A refusal about another unit than tokens says nothing of the window.
    if (steps.some(({ strategy }) => strategy.startsWith(LIMIT_STEP))) return events;
    const { observedLimitTokens: limitTokens = null } = entry.record;
    const words = steps.some(({ strategy }) => strategy === REFUSAL_STEP) ? { words: "unknown" as const } : {};
    const sizes = { limitTokens, expectedTokens, afterTokens };
    return [...events, { kind: "refused", modelId, entryId: entry.id, ...sizes, atMs: entry.atMs, ...words }];
  }
  // Less did not help, or a person undid it: nothing was learned.
  const last = events.at(-1);
  if (entry.type === "revert" && last?.kind === "refused" && last.entryId === entry.compactionId)
    return [...events.slice(0, -1), { kind: "undone", modelId: last.modelId, afterTokens: last.afterTokens, isPast: false }];
  if (entry.type === "message" && last?.kind === "undone") {
    // A reply came without a report: the refusal was transient.
    if (entry.message.role === "assistant") return events.slice(0, events.findLastIndex(({ kind }) => kind !== "undone") + 1);
    return isHuman(entry.message) ? [...events.slice(0, -1), { ...last, isPast: true }] : events;
  }
  // A reply without a report is of the expected size.
  if (entry.type === "message" && entry.message.role === "assistant" && last?.kind === "refused" && last.words === "unknown")
    return [...events, { kind: "answered", modelId: last.modelId ?? "", promptTokens: last.afterTokens }];
  if (entry.type !== "usage") return events;
  if (isRejectedUsage(entry.usage)) {
    const limitTokens = rejectedLimit(entry.usage);
    const [expectedTokens, { modelId, requestId: entryId, atMs }] = [entry.usage.input.totalTokens ?? 0, entry];
    const refused = { modelId, entryId, limitTokens, expectedTokens, afterTokens: expectedTokens, atMs };
    return limitTokens === null ? events : [...events, { kind: "refused", ...refused }];
  }
  const promptTokens = entry.usage.input.totalTokens ?? 0;
  const { modelId } = entry;
  const before = events.at(-2);
  if (last?.kind !== "answered" || last.modelId !== modelId || before?.kind !== "answered" || before.modelId !== modelId)
    return [...events, { kind: "answered", modelId, promptTokens }];
  const times = (last.times ?? 1) + 1;
  return [...events.slice(0, -1), { ...last, promptTokens: Math.max(promptTokens, last.promptTokens), times }];
}
