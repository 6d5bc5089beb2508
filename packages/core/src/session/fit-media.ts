import { applyEdits } from "../edit/apply-edits.ts";
import { mediaStubs, type OverLimit } from "../edit/stub-media.ts";
import type { FitInput, SizedPart } from "../engine/fit-input.ts";
import { RECOVERY_RATIOS } from "../engine/goal.ts";
import { type CompactionEntry, NO_WORK, type StepOutcome } from "../entry.ts";
import { shortHash } from "../hash.ts";
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
import type { HeldSession } from "./held-session.ts";
import type { SessionFit } from "./session-setup.ts";
import { believedLimits, limitStep } from "./session-state.ts";

/** The result of fitting a request to limits in other units than tokens. */
export interface FittedMedia {
  /** The entry that puts stubs in the place of media; `null` if none is needed, or none helps. */
  readonly entry: CompactionEntry | null;
  /** Parts that stay over a limit all the same, the largest first. */
  readonly left: readonly SizedPart[];
  /** A limit that a refusal taught, as a step of a record; `null` for none. */
  readonly learned: StepOutcome | null;
  /** Share of the prompt that may be sent so that its bytes are within their limit, if text is what is over it; 1 if that is within. */
  readonly textRatio: number;
  /** True if only a limit of bytes is exceeded that nobody named: the words may have meant tokens. */
  readonly isGuess: boolean;
}

type RefusedUnit = Exclude<FitInput["refused"], undefined>;

/** Nothing is over a limit. */
const WITHIN: FittedMedia = { entry: null, left: [], learned: null, textRatio: 1, isGuess: false };

/** Share of a limit of bytes that text is cut to: bytes a token differ. Chosen. */
const TEXT_RATIO = 0.9;

/** Share of a refused size from which on what was answered before is taken for the limit. Chosen. */
const NEAR_RATIO = 0.5;

/** Brings a session under the limits of a request that are none of tokens; nothing for a policy that promises nothing. */
export function fitMedia(session: HeldSession, { policy, input }: SessionFit): FittedMedia {
  const { state, sizeOf } = session;
  const { view } = state();
  if (!policy.enabled || policy.fallback === null || input.only !== undefined) return WITHIN;
  const known = lowestLimits(input.model.request ?? {}, believedLimits(state().requestLimits, input.nowMs));
  if (input.refused === undefined && Object.keys(known).length === 0) return WITHIN;
  const overhead = requestSizeOf({ ...view, messages: [] });
  const beside = input.pending.map(messageSize).reduce(joinedSize, overhead);
  const total = joinedSize(sizeOf(view.messages), beside);
  const refused =
    input.refused === undefined
      ? null
      : believedAfter(input, heldUnit(session, input.refused, total), { total, overhead, view: view.messages });
  const limits = refused === null ? known : lowestLimits(known, { [refused.unit]: refused.limit });
  if (REQUEST_UNITS.every((unit) => sizeIn(total, unit) <= (limits[unit] ?? Number.POSITIVE_INFINITY))) return WITHIN;
  const messages = view.messages.slice();
  const guessed = refused?.isGuess === true ? refused.unit : null;
  const { edits, left } = mediaStubs(messages, { limits, beside, guessed });
  const learned = refused === null ? null : limitStep(refused.unit, refused.limit);
  const parts = left.map((over) => sizedPart(over, messages, input.pending));
  const isGuess = input.refused?.limit === null && left.every(({ unit }) => unit === "bytes");
  if (edits.length === 0)
    return { entry: null, left: parts, learned, textRatio: textRatioOf(left, { beside, messages }), isGuess };
  const over = REQUEST_UNITS.filter((unit) => sizeIn(total, unit) > (limits[unit] ?? Number.POSITIVE_INFINITY));
  const detail = over.map((unit) => `${unit} ${sizeIn(total, unit)} of ${limits[unit]}`).join(", ");
  const steps: readonly StepOutcome[] = [
    { strategy: "stub-media", outcome: "applied", detail },
    ...(learned === null ? [] : [learned]),
  ];
  const { estimator } = session.setup;
  const after = applyEdits(messages, edits);
  const { ledger } = state();
  const tokensBefore = session.predict(input.dynamicContext ?? null).expectedTokens;
  const savedTokens = messages.reduce((saved, message, at) => {
    const now = after[at] ?? message;
    return now === message ? saved : saved + estimator.messageTokens(message, ledger) - estimator.messageTokens(now, ledger);
  }, 0);
  const reason = input.gate === "on-overflow" ? "overflow" : "over-budget";
  const id = shortHash(canonicalJson({ through: view.lastEntryId, reason, edits }));
  const record = {
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
  } as const;
  const entry: CompactionEntry = { type: "compaction", id, throughEntryId: view.lastEntryId, edits, record, atMs: input.nowMs };
  return { entry, left: parts, learned, textRatio: textRatioOf(left, { beside, messages: after }), isGuess };
}

/** Units of media that a refusal in unknown words may be about, the more usual first. */
const MEDIA_UNITS = ["images", "documents", "pages", "bytes"] as const;

/** The unit of media of which a session holds more than any request that was answered, if some can be taken out for it; `null` for none. */
export function mostMedia({ state, sizeOf, answeredSize, setup: { policy } }: HeldSession): RequestUnit | null {
  const { view } = state();
  const size = sizeOf(view.messages);
  if (policy.fallback === null || size.images === 0) return null;
  const messages = view.messages.slice();
  const mediaBytes = messages.flatMap(mediaSizes).reduce(joinedSize, NO_SIZE).bytes;
  const most = MEDIA_UNITS.filter((each) => size[each] > answeredSize()[each]);
  const unit = most.find((each) => each !== "bytes" || mediaBytes >= size.bytes * MEDIA_RATIO);
  if (unit === undefined) return null;
  const { edits } = mediaStubs(messages, { limits: { [unit]: 0 }, beside: NO_SIZE, guessed: unit });
  return edits.length > 0 ? unit : null;
}

/** The unit that a refusal is about: the one that was read, or media of which there is the most if the request holds nothing of that. */
function heldUnit(session: HeldSession, read: RefusedUnit, total: RequestSize): RefusedUnit {
  const unit = sizeIn(total, read.unit) > 0 ? null : mostMedia(session);
  return unit === null ? read : { unit, limit: null };
}

/** Share of the bytes of a request from which on its media are what makes it large. Chosen. */
const MEDIA_RATIO = 0.5;

function mediaSizes(message: Message): readonly RequestSize[] {
  return partSizes(message).filter((_, at) => message.parts[at]?.type === "image");
}

/** The limit to believe after a refusal: the one that was named if it is below what was sent, else what was answered before if that is near, else a share, smaller each time. */
function believedAfter(
  { recovery = 0 }: FitInput,
  { unit, limit }: RefusedUnit,
  { total, overhead, view }: { readonly total: RequestSize; readonly overhead: RequestSize; readonly view: Iterable<Message> },
): { readonly unit: RequestUnit; readonly limit: number; readonly isGuess: boolean } {
  const size = sizeIn(total, unit);
  if (limit !== null && limit < size) return { unit, limit, isGuess: false };
  const messages = [...view];
  const newestReply = messages.findLastIndex((message) => message.role === "assistant" && message.origin === "model");
  const before = messages.slice(0, Math.max(0, newestReply)).map(messageSize).reduce(joinedSize, overhead);
  const answered = recovery === 0 && newestReply > 0 ? sizeIn(before, unit) : 0;
  // What came at once may have been most of it: then there is more room than that.
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

/** How much text is left to cut for a limit of bytes; 1 if what cannot be cut exceeds it alone. */
function textRatioOf(
  left: readonly OverLimit[],
  { beside, messages }: { readonly beside: RequestSize; readonly messages: readonly Message[] },
): number {
  const over = left.find(({ unit }) => unit === "bytes");
  const human = messages.findLast(isHuman);
  const fixed = beside.bytes + (human === undefined ? 0 : messageSize(human).bytes);
  return over === undefined || fixed >= over.limit * TEXT_RATIO ? 1 : (over.limit * TEXT_RATIO) / over.size;
}
