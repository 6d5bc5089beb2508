import { applyEdits } from "../edit/apply-edits.ts";
import { mediaStubs, type OverLimit } from "../edit/stub-media.ts";
import { compact } from "../engine/compact.ts";
import type { FitInput, FitOutcome, FitState, PreparedSummaryPort, SizedPart, SummaryWriter } from "../engine/fit-input.ts";
import { RECOVERY_RATIOS } from "../engine/goal.ts";
import { expectedTokensOf, type GateState, whyAct, windowFilledBy } from "../engine/why-act.ts";
import { type CompactionEntry, type ModelLimits, NO_WORK, type StepOutcome } from "../entry.ts";
import { failureText } from "../error.ts";
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
import { askState, askTracker } from "../port-door.ts";
import { shortHash } from "../text.ts";
import type { Ledger } from "../tokens/estimator.ts";
import { type ContextEvent, outcomeEvent, startEvent } from "./events.ts";
import type { FittedSession } from "./session.ts";
import { attemptEntry, believedLimits, limitStep } from "./session-state.ts";
import { type ModelSwitch, modelChangeEntry } from "./view.ts";

/** One fit of a session: by which policy, and by which ledger it is measured. */
export interface SessionFit {
  readonly policy: EnginePolicy;
  readonly input: FitInput;
  readonly measuredBy: Ledger;
  readonly prepared: PreparedSummaryPort | null;
  readonly writer?: SummaryWriter;
}

/** Collects the state that a gate reads, before it is known whether anything is done. */
export function gateStateOf(
  { state, setup }: FittedSession,
  { policy, input, measuredBy }: Pick<SessionFit, "policy" | "input" | "measuredBy">,
): GateState {
  const { breaker, ledger, reportedAtMs, view } = state;
  const { system, tools } = view;
  const { estimatedTokens, estimatedAtLastCallTokens } = ledger;
  // Before two calls tell what a step adds, the first one does.
  const stepTokens = ledger.stepGrowthTokens || estimatedTokens - (estimatedAtLastCallTokens ?? estimatedTokens);
  const sinceTokens = breaker.estimatedAtLastAttemptTokens ?? ledger.estimatedAtLastCutTokens;
  return {
    policy,
    estimator: setup.estimator,
    ledger: measuredBy,
    overhead: { system, tools, dynamicContext: input.dynamicContext ?? null, hiddenTokens: setup.hiddenTokens },
    newTokens: sinceTokens === null ? null : (estimatedTokens - sinceTokens) * ledger.factor,
    stepTokens: stepTokens * ledger.factor,
    isGoalMissed: breaker.isGoalMissed,
    reportedAtMs,
  };
}

/** Collects the state that the engine sees. Asks the ports for what is true now: tracked files, the state to keep. */
export function fitStateOf(log: FittedSession, fit: SessionFit): FitState {
  const { state, memory } = log;
  const { view, breaker } = state;
  const { kinds, cutEstimator, deadline, isBoundReasoning, work, ports } = log.setup;
  const { policy, writer } = fit;
  const failedPorts: StepOutcome[] = [];
  // What they say is worth much, but no session ends because it is missing.
  const answerIn = <Answer>(strategy: string, ask: () => Answer): Answer | null => {
    try {
      return ask();
    } catch (error) {
      failedPorts.push({ strategy, outcome: "failed", detail: failureText(error) });
      return null;
    }
  };
  const { fileTracker: track, stateProviders = [] } = ports;
  const tracked = track === undefined ? null : answerIn("file-tracker", () => askTracker(track));
  const told = stateProviders.map((provide, index) => answerIn("state-provider", () => askState(provide, index)));
  return {
    kinds,
    messages: () => view.messages.slice(),
    lastEntryId: view.lastEntryId,
    lastCompaction: view.activeCompactions.at(-1) ?? null,
    modelId: view.modelId,
    isBoundReasoning:
      isBoundReasoning === null || view.boundReasoning === "vendor-drops"
        ? null
        : (part) => isBoundReasoning(part, view.modelId),
    writer: writer ?? null,
    cutEstimator,
    summarizer: ports.summarizer,
    useModel: breaker.failures < policy.progress.maximumFailures,
    memory: memory.now({
      pinned: ports.pinned ?? [],
      state: told.filter((each) => each !== null),
      files: policy.facts.files,
      tracked: tracked ?? undefined,
    }),
    failedPorts,
    beforeCompaction: ports.beforeCompaction ?? null,
    prepared: fit.prepared,
    deadline,
    work,
    ...gateStateOf(log, fit),
  };
}

/** Makes a session fit, appends what was done or tried, and reports it. */
export async function fitSession(log: FittedSession, given: SessionFit, signal: AbortSignal): Promise<FitOutcome> {
  const { setup, append, tell } = log;
  const filled = windowFilledBy(gateStateOf(log, given), given.input);
  if (filled !== null) tell({ type: "window-filled", ...filled, estimator: setup.estimator.name });
  const media = fitMedia(log, given);
  const stubbed = stubbedBy(log, media, given);
  if (given.input.refused !== undefined && stubbed !== null) return stubbed;
  // Of what was refused nothing can be taken; less text may be sent for bytes, and in case the words were misread.
  if (given.input.refused !== undefined && media.left.length > 0 && media.textRatio === 1 && !media.isGuess)
    return irreducible(log, media, given);
  const fit = withTextLimit(log, given, media);
  const { input, policy } = fit;
  const act = whyAct(gateStateOf(log, fit), input);
  if (act.kind === "unchanged") {
    if (act.off !== null) tell(outcomeEvent(act, setup.estimator.name));
    return stubbed ?? act;
  }
  const now = fitStateOf(log, fit);
  tell(startEvent(act.reason, now));
  const { estimatedTokens } = log.state.ledger;
  const outcome = await compact(now, { input, ...act }, signal).catch((error: unknown) => {
    // Only the caller's abort rejects: the start that was announced gets its end, and the abort reaches the caller.
    const steps = [{ strategy: "fit", outcome: "failed", detail: "aborted" }] as const;
    tell({ type: "compaction-failed", reason: act.reason, steps });
    throw error;
  });
  const { failures } = log.state.breaker;
  const entry =
    outcome.kind === "compacted"
      ? withStep(outcome.entry, media.learned)
      : attemptEntry(outcome, { input, estimatedTokens, lastEntryId: log.state.view.lastEntryId });
  const logged = entry === null ? null : append(entry);
  tell(breakerEvent({ before: failures, after: log.state.breaker.failures, limit: policy.progress.maximumFailures }));
  const isLogged = outcome.kind === "compacted" && logged?.type === "compaction";
  const told: FitOutcome = isLogged ? { ...outcome, entry: logged } : outcome;
  tell(outcomeEvent(told, setup.estimator.name));
  return told;
}

/** Appends the entry that takes media out, and reports it, with what stays over a limit. `null` if nothing was taken. */
function stubbedBy(
  { state, setup, append, tell }: FittedSession,
  media: FittedMedia,
  { input }: SessionFit,
): FitOutcome | null {
  if (media.left.length > 0 && media.textRatio === 1 && !media.isGuess)
    tell({ type: "context-irreducible", ...irreducibleParts(media, input) });
  if (media.entry === null) return null;
  const { reason, tokensBefore } = media.entry.record;
  const estimator = setup.estimator.name;
  tell({
    type: "compaction-start",
    reason,
    estimator,
    tokensBefore: tokensBefore ?? 0,
    messagesBefore: state.view.messages.size,
  });
  const outcome = { kind: "compacted", entry: append(media.entry) } as const;
  tell(outcomeEvent(outcome, estimator));
  return outcome;
}

function irreducibleParts({ left: parts }: FittedMedia, { model }: FitInput) {
  return { budgetTokens: model.contextWindowTokens ?? 0, parts };
}

/** Makes the outcome of a refusal in another unit than tokens for which nothing can be taken out. */
function irreducible({ state, append }: FittedSession, media: FittedMedia, { input }: SessionFit): FitOutcome {
  const steps = media.learned === null ? [] : [media.learned];
  const outcome = { kind: "irreducible", reason: "overflow", steps, ...irreducibleParts(media, input) } as const;
  const { ledger, view } = state;
  const entry = attemptEntry(outcome, { input, estimatedTokens: ledger.estimatedTokens, lastEntryId: view.lastEntryId });
  if (entry !== null) append(entry);
  return outcome;
}

/** The fit under the window that a limit of bytes leaves, if text is over it. */
function withTextLimit(log: FittedSession, fit: SessionFit, { textRatio }: FittedMedia): SessionFit {
  if (textRatio === 1) return fit;
  const { input } = fit;
  const { ledger } = log.state;
  const { estimator } = log.setup;
  const promptTokens =
    log.predict(input.dynamicContext ?? null).expectedTokens + expectedTokensOf(input.pending, { estimator, ledger });
  const limitTokens = Math.floor(promptTokens * textRatio) + (input.model.maxOutputTokens ?? 0);
  const observedLimitTokens = Math.min(limitTokens, input.observedLimitTokens ?? limitTokens);
  return { ...fit, input: { ...input, observedLimitTokens } };
}

function withStep(entry: CompactionEntry, step: StepOutcome | null): CompactionEntry {
  return step === null ? entry : { ...entry, record: { ...entry.record, steps: [...entry.record.steps, step] } };
}

/** Makes the event if this fit opened the breaker. */
function breakerEvent(failures: {
  readonly before: number;
  readonly after: number;
  readonly limit: number;
}): ContextEvent | null {
  const { before, after, limit } = failures;
  if (before >= limit || after < limit) return null;
  return { type: "breaker-open", failures: after, why: "summaries failed in a row" };
}

/** Makes a session fit what the new model counts, although the old one's client writes the summary; then appends the switch. */
export async function switchSessionModel(
  log: FittedSession,
  {
    to,
    input,
    prepared,
  }: { readonly to: ModelSwitch; readonly input: FitInput; readonly prepared: PreparedSummaryPort | null },
  signal: AbortSignal,
): Promise<FitOutcome> {
  const { state, setup } = log;
  const { policy } = setup;
  const measuredBy = setup.estimator.changeModel(state.ledger, to.modelId);
  const writer = { limits: state.view.limits, ledger: state.ledger };
  const atLimits: FitInput = { ...input, model: to.limits };
  const now = gateStateOf(log, { policy, input, measuredBy });
  const fitsAlready = whyAct(now, atLimits).kind === "unchanged" || isNoSmaller(to.limits, state.view.limits);
  const downshift: FitInput = { ...atLimits, now: { reason: "downshift", keep: null } };
  const outcome: FitOutcome = fitsAlready
    ? { kind: "unchanged", off: null }
    : await fitSession(log, { policy, input: downshift, measuredBy, prepared, writer }, signal);
  log.append(modelChangeEntry(log.state.view, to, input.nowMs));
  return outcome;
}

/** True if both windows are known and the new one leaves at least as much for the prompt: the old model could not write for more. */
function isNoSmaller(to: ModelLimits, from: ModelLimits | null): boolean {
  if (from === null || from.contextWindowTokens === null || to.contextWindowTokens === null) return false;
  const fromTokens = from.contextWindowTokens - (from.maxOutputTokens ?? 0);
  return to.contextWindowTokens - (to.maxOutputTokens ?? 0) >= fromTokens;
}

/** The result of fitting a request to limits in other units than tokens. */
interface FittedMedia {
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
function fitMedia(log: FittedSession, { policy, input }: SessionFit): FittedMedia {
  const { view, requestLimits, ledger } = log.state;
  if (!policy.enabled || policy.fallback === null) return WITHIN;
  const isLimited = input.model.request !== undefined || Object.keys(requestLimits).length > 0;
  if (input.refused === undefined && !isLimited) return WITHIN;
  const known = lowestLimits(input.model.request ?? {}, believedLimits(requestLimits, input.nowMs));
  const overhead = requestSizeOf({ ...view, messages: [] });
  const beside = input.pending.map(messageSize).reduce(joinedSize, overhead);
  const total = joinedSize(log.sizes.of(view.messages), beside);
  const refused =
    input.refused === undefined
      ? null
      : believedAfter(input, heldUnit(log, input.refused, total), { total, overhead, view: view.messages });
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
  const { estimator } = log.setup;
  const after = applyEdits(messages, edits);
  const tokensBefore = log.predict(input.dynamicContext ?? null).expectedTokens;
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
export function mostMedia({ state: { view }, sizes, setup: { policy } }: FittedSession): RequestUnit | null {
  const size = sizes.of(view.messages);
  if (policy.fallback === null || size.images === 0) return null;
  const messages = view.messages.slice();
  const answered = sizes.answered();
  const mediaBytes = messages.flatMap(mediaSizes).reduce(joinedSize, NO_SIZE).bytes;
  const most = MEDIA_UNITS.filter((each) => size[each] > answered[each]);
  const unit = most.find((each) => each !== "bytes" || mediaBytes >= size.bytes * MEDIA_RATIO);
  if (unit === undefined) return null;
  const { edits } = mediaStubs(messages, { limits: { [unit]: 0 }, beside: NO_SIZE, guessed: unit });
  return edits.length > 0 ? unit : null;
}

/** The unit that a refusal is about: the one that was read, or media of which there is the most if the request holds nothing of that. */
function heldUnit(log: FittedSession, read: RefusedUnit, total: RequestSize): RefusedUnit {
  const unit = sizeIn(total, read.unit) > 0 ? null : mostMedia(log);
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
