import { applyEdits } from "../edit/apply-edits.ts";
import { mediaStubs, type OverLimit } from "../edit/stub-media.ts";
import type { FitInput, FitOutcome, SizedPart } from "../engine/fit-input.ts";
import { RECOVERY_RATIOS } from "../engine/goal.ts";
import { expectedTokensOf } from "../engine/why-act.ts";
import { type AppliedReplacePart, type CompactionRecord, NO_WORK, type StepOutcome } from "../entry.ts";
import { canonicalJson } from "../json.ts";
import { isHuman, type Message } from "../message/message.ts";
import type { RequestSize, RequestUnit } from "../message/size.ts";
import {
  joinedSize,
  lowestLimits,
  messageSize,
  NO_SIZE,
  partSizes,
  REQUEST_UNITS,
  requestSizeOf,
  sizeIn,
} from "../message/size.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { shortHash } from "../text.ts";
import { outcomeEvent } from "./events.ts";
import { believedLimits, LIMIT_STEP } from "./learned-limit.ts";
import type { FittedSession } from "./session.ts";
import { attemptEntry } from "./session-state.ts";

interface FittedMedia {
  /** The compaction that took media out, or a refusal for which nothing can be taken out; `null` if nothing was done. */
  readonly outcome: FitOutcome | null;
  /** The fit that is left to do, within the window that a limit of bytes leaves to text. */
  readonly input: FitInput;
  /** A limit that a refusal taught, as steps of a record. */
  readonly learned: readonly StepOutcome[];
}

/** Share of a limit of bytes that text is cut to: bytes a token differ. Chosen. */
const TEXT_RATIO = 0.9;

/** Share of a refused size from which on an earlier answered size is taken for the limit. Chosen. */
const NEAR_RATIO = 0.5;

/** Brings a session under the limits of a request that are none of tokens, appends the removals, and reports them. A policy that promises nothing changes nothing. */
export function fitMedia(
  log: FittedSession,
  { policy, input }: { readonly policy: EnginePolicy; readonly input: FitInput },
): FittedMedia {
  const { view, requestLimits } = log.state;
  const isLimited = input.refused !== undefined || input.model.request !== undefined || Object.keys(requestLimits).length > 0;
  const within = { outcome: null, input, learned: [] };
  if (!policy.enabled || policy.fallback === null || !isLimited) return within;
  const overhead = requestSizeOf({ ...view, messages: [] });
  const beside = input.pending.map(messageSize).reduce(joinedSize, overhead);
  const total = joinedSize(log.sizes.of(view.messages), beside);
  const read = input.refused;
  // If the request holds nothing of the unit that was read, it is about the most frequent media.
  const most = read === undefined || sizeIn(total, read.unit) > 0 ? null : mostMedia(log);
  const asRead = most === null ? read : { unit: most, limit: null };
  const refused = asRead === undefined ? null : believedAfter(input, asRead, { total, overhead, view: view.messages.slice() });
  const known = lowestLimits(input.model.request ?? {}, believedLimits(requestLimits, input.nowMs));
  const limits = refused === null ? known : lowestLimits(known, { [refused.unit]: refused.limit });
  const exceeded = REQUEST_UNITS.flatMap((unit) => {
    const [size, limit] = [sizeIn(total, unit), limits[unit] ?? Number.POSITIVE_INFINITY];
    return size > limit ? [`${unit} ${size} of ${limit}`] : [];
  });
  if (exceeded.length === 0) return within;
  const messages = view.messages.slice();
  const { edits, left } = mediaStubs(messages, { limits, beside, guessed: refused?.isGuess === true ? refused.unit : null });
  const applied = (strategy: string, detail: string): StepOutcome => ({ strategy, outcome: "applied", detail });
  const learned = refused === null ? [] : [applied(`${LIMIT_STEP}${refused.unit}`, String(refused.limit))];
  const textRatio = textRatioOf(left, beside, messages);
  // If no limit of bytes was named, less text may help, too: the words may have meant tokens.
  const isGuess = input.refused?.limit === null && left.every(({ unit }) => unit === "bytes");
  const isStuck = left.length > 0 && textRatio === 1 && !isGuess;
  const parts = left.map((over) => sizedPart(over, messages, input.pending));
  const goal = { budgetTokens: input.model.contextWindowTokens ?? 0, parts };
  if (isStuck) log.tell({ type: "context-irreducible", ...goal });
  let outcome: FitOutcome | null = null;
  if (edits.length > 0) {
    const steps = [applied("stub-media", exceeded.join(", ")), ...learned];
    outcome = stubbed(log, { policy, input }, { edits, steps });
  } else if (isStuck && input.refused !== undefined) {
    const irreducible = { kind: "irreducible", reason: "overflow", steps: learned, ...goal } as const;
    const at = { input, estimatedTokens: log.state.ledger.estimatedTokens, lastEntryId: view.lastEntryId };
    const entry = attemptEntry(irreducible, at);
    if (entry !== null) log.append(entry);
    outcome = irreducible;
  }
  return { outcome, input: withinText(log, input, textRatio), learned };
}

function stubbed(
  log: FittedSession,
  { policy, input }: { readonly policy: EnginePolicy; readonly input: FitInput },
  { edits, steps }: Pick<CompactionRecord, "steps"> & { readonly edits: readonly AppliedReplacePart[] },
): FitOutcome {
  const { setup, append, tell } = log;
  const { view, ledger } = log.state;
  const { estimator } = setup;
  const reason = input.gate === "on-overflow" ? "overflow" : "over-budget";
  const messages = view.messages.slice();
  const after = applyEdits(messages, edits);
  const tokensBefore = log.predict(input.dynamicContext ?? null).expectedTokens;
  const savedTokens = messages.reduce((saved, message, at) => {
    const now = after[at] ?? message;
    return now === message ? saved : saved + estimator.messageTokens(message, ledger) - estimator.messageTokens(now, ledger);
  }, 0);
  const record: CompactionRecord = {
    policy: policy.name,
    reason,
    gate: input.gate,
    steps,
    estimator: estimator.name,
    cutEstimator: null,
    modelId: view.modelId,
    budgetTokens: null,
    tokensBefore,
    tokensAfter: Math.max(0, Math.floor(tokensBefore - savedTokens)),
    messagesBefore: messages.length,
    messagesAfter: messages.length,
    work: { ...NO_WORK, messagesVisited: messages.length },
  };
  const id = shortHash(canonicalJson({ through: view.lastEntryId, reason, edits }));
  tell({ type: "compaction-start", reason, estimator: estimator.name, tokensBefore, messagesBefore: messages.length });
  const entry = append({ type: "compaction", id, throughEntryId: view.lastEntryId, edits, record, atMs: input.nowMs });
  const outcome = { kind: "compacted", entry } as const;
  tell(outcomeEvent(outcome, estimator.name));
  return outcome;
}

/** The fit within the window that a limit of bytes leaves, if text is over it. */
function withinText(log: FittedSession, input: FitInput, textRatio: number): FitInput {
  if (textRatio === 1) return input;
  const pendingTokens = expectedTokensOf(input.pending, { setup: log.setup, ledger: log.state.ledger });
  const promptTokens = log.predict(input.dynamicContext ?? null).expectedTokens + pendingTokens;
  const limitTokens = Math.floor(promptTokens * textRatio) + (input.model.maxOutputTokens ?? 0);
  return { ...input, observedLimitTokens: Math.min(limitTokens, input.observedLimitTokens ?? limitTokens) };
}

/** Units of media that a refusal in unknown words may be about, the more usual first. */
const MEDIA_UNITS = ["images", "documents", "pages", "bytes"] as const;

/** The unit of media that a session holds more of than any answered request did, if some can be taken out for it; `null` for none. */
export function mostMedia({ state: { view }, sizes, setup: { policy } }: FittedSession): RequestUnit | null {
  const size = sizes.of(view.messages);
  if (policy.fallback === null || size.images === 0) return null;
  const messages = view.messages.slice();
  const answered = sizes.answered();
  const media = messages.flatMap((message) => partSizes(message).filter((_, at) => message.parts[at]?.type === "image"));
  const mediaBytes = media.reduce(joinedSize, NO_SIZE).bytes;
  const most = MEDIA_UNITS.filter((each) => size[each] > answered[each]);
  const unit = most.find((each) => each !== "bytes" || mediaBytes >= size.bytes * MEDIA_RATIO);
  if (unit === undefined) return null;
  const { edits } = mediaStubs(messages, { limits: { [unit]: 0 }, beside: NO_SIZE, guessed: unit });
  return edits.length > 0 ? unit : null;
}

/** Share of the bytes of a request from which on its media make it large. Chosen. */
const MEDIA_RATIO = 0.5;

/** The limit to believe after a refusal: the named one if it is below the sent size, else an earlier answered size if that is near, else a share, smaller each time. */
function believedAfter(
  { recovery = 0 }: FitInput,
  { unit, limit }: Exclude<FitInput["refused"], undefined>,
  { total, overhead, view }: { readonly total: RequestSize; readonly overhead: RequestSize; readonly view: readonly Message[] },
): { readonly unit: RequestUnit; readonly limit: number; readonly isGuess: boolean } {
  const size = sizeIn(total, unit);
  if (limit !== null && limit < size) return { unit, limit, isGuess: false };
  const newestReply = view.findLastIndex((message) => message.role === "assistant" && message.origin === "model");
  const before = view.slice(0, Math.max(0, newestReply)).map(messageSize).reduce(joinedSize, overhead);
  const answered = recovery === 0 && newestReply > 0 ? sizeIn(before, unit) : 0;
  // Messages that came at once may have been most of it: then there is more room than that.
  if (answered >= size * NEAR_RATIO && answered < size) return { unit, limit: answered, isGuess: false };
  return { unit, limit: Math.floor(size * (RECOVERY_RATIOS[recovery] ?? 0)), isGuess: true };
}

function sizedPart(over: OverLimit, messages: readonly Message[], pending: readonly Message[]): SizedPart {
  const sizes = (some: readonly Message[]) => sizeIn(some.map(messageSize).reduce(joinedSize, NO_SIZE), over.unit);
  const human = messages.findLast(isHuman);
  const [humanSize, pendingSize] = [sizes(human === undefined ? [] : [human]), sizes(pending)];
  const what = humanSize + pendingSize === 0 ? "rest" : pendingSize > humanSize ? "pending" : "last-human-message";
  return { what, tokens: 0, over };
}

/** How much text is left to cut for a limit of bytes; 1 if uncuttable parts exceed it by themselves. */
function textRatioOf(left: readonly OverLimit[], beside: RequestSize, messages: readonly Message[]): number {
  const over = left.find(({ unit }) => unit === "bytes");
  const human = messages.findLast(isHuman);
  const fixed = beside.bytes + (human === undefined ? 0 : messageSize(human).bytes);
  return over === undefined || fixed >= over.limit * TEXT_RATIO ? 1 : (over.limit * TEXT_RATIO) / over.size;
}
