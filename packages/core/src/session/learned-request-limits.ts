import type { SessionEntry, StepOutcome } from "../entry.ts";
import { REQUEST_UNITS, type RequestLimits, type RequestSize, type RequestUnit, sizeIn } from "../message/request-size.ts";

/** Limits of a request in other units than tokens, learned from refusals, by unit. */
export type LearnedRequestLimits = { readonly [Unit in RequestUnit]?: LearnedRequestLimit };

/** One limit, the entry that says it, and when that was. */
interface LearnedRequestLimit {
  readonly limit: number;
  readonly entryId: string;
  readonly atMs: number | null;
}

/** How long a limit is believed that nothing refuted: a day. A server is set up anew, and a fault of a moment is over. Chosen. */
export const BELIEVED_MS = 86_400_000;

/** The beginning of a step's name that records a learned limit, before its unit. */
const LIMIT_STEP = "limit ";

/** Makes the step that records a limit that a refusal taught. */
export function limitStep(unit: RequestUnit, limit: number): StepOutcome {
  return { strategy: `${LIMIT_STEP}${unit}`, outcome: "applied", detail: String(limit) };
}

/** True for a record of a refusal that was about another unit than tokens: it says nothing of the window. */
export function isOfOtherUnit(steps: readonly StepOutcome[]): boolean {
  return steps.some(({ strategy }) => strategy.startsWith(LIMIT_STEP));
}

/** Drops the limits that an answered request of this size exceeded; the same value if it exceeded none. */
export function withoutRefuted(known: LearnedRequestLimits, answered: RequestSize): LearnedRequestLimits {
  const left = REQUEST_UNITS.flatMap((unit) => {
    const { [unit]: learned } = known;
    return learned === undefined || sizeIn(answered, unit) > learned.limit ? [] : [[unit, learned] as const];
  });
  return left.length === Object.keys(known).length ? known : Object.fromEntries(left);
}

/**
 * Folds one more entry: another model has other limits, undone compactions taught nothing, and a reply shows that its request was not too large.
 * `sizeOf` measures that, and is asked only if there is a limit.
 */
export function foldRequestLimits(
  known: LearnedRequestLimits,
  entry: SessionEntry,
  sizeOf: () => RequestSize,
): LearnedRequestLimits {
  if (entry.type === "message") {
    const isReply = entry.message.role === "assistant" && entry.message.origin === "model";
    return isReply && Object.keys(known).length > 0 ? withoutRefuted(known, sizeOf()) : known;
  }
  if (entry.type === "model-change") return {};
  if (entry.type === "revert")
    return Object.fromEntries(Object.entries(known).filter(([, { entryId }]) => entryId !== entry.compactionId));
  if (entry.type !== "compaction" && entry.type !== "attempt") return known;
  const { id: entryId, atMs } = entry;
  const { steps } = entry.type === "attempt" ? entry : entry.record;
  if (!isOfOtherUnit(steps)) return known;
  const taught = REQUEST_UNITS.flatMap((unit) => {
    const limit = steps.find(({ strategy }) => strategy === `${LIMIT_STEP}${unit}`)?.detail;
    return typeof limit === "string" ? [[unit, { limit: Number(limit), entryId, atMs }] as const] : [];
  });
  return { ...known, ...Object.fromEntries(taught) };
}

/** The limits that are still believed: those of the last day, and those without a time; all if the time now is not known. */
export function believedLimits(known: LearnedRequestLimits, nowMs: number | null): RequestLimits {
  const believed = Object.entries(known).filter(
    ([, { atMs }]) => nowMs === null || atMs === null || nowMs - atMs <= BELIEVED_MS,
  );
  return Object.fromEntries(believed.map(([unit, { limit }]) => [unit, limit]));
}
