import { z } from "zod";
import type { BeforeCompaction, FitState, PreparedSummaryPort } from "../engine/fit-input.ts";
import type { SessionEntry, SetupChangeEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { keepRulesOf } from "../keep/built-in-keep-rules.ts";
import {
  boundReasoningIn,
  type IsBoundReasoning,
  type RemovedReasoning,
  reasoningBehindEdit,
} from "../message/bound-reasoning.ts";
import { type Message, toolCallsOf } from "../message/message.ts";
import { joinedSize, largestSize, messageChars, messageSize, NO_SIZE, type RequestSize } from "../message/size.ts";
import { BUILT_IN_KINDS, bindingOnce, type Kinds } from "../policy/kinds.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { type Door, deadlineOf, passed } from "../port-door.ts";
import type { FileTracker, SessionWriter, StateProvider, Summarizer, Wait } from "../ports.ts";
import { createRecallIndex, type RecallIndex } from "../recall/recall-index.ts";
import { type Sequence, sequenceOf } from "../sequence.ts";
import { shortHash } from "../text.ts";
import { createEstimator, type EstimatorSpec, type Measures, type Tokenizers } from "../tokens/built-in-estimators.ts";
import type { Overhead, Prediction } from "../tokens/estimator.ts";
import { createWorkCounter, type ModelPriors, pooledPriors, type WorkCounter } from "../tokens/measure.ts";
import { impossibleCount } from "../usage.ts";
import type { ContextEvent, ContextListener } from "./events.ts";
import { foldLimitEvents, type LimitEvent } from "./learned-limit.ts";
import { createMessageIndex, type LoggedMessages, type MessageIndex } from "./recall.ts";
import { repairsOf } from "./replace-history.ts";
import type { FoldedState, SessionState, StateFold, UsageTotals } from "./session-state.ts";
import { EMPTY_STATE, foldState, foldTotals, NO_USAGE } from "./session-state.ts";
import { silentTruncation, usageRefused } from "./usage-watch.ts";
import { foldEntry, type SessionView, undoArchived, undoPointOf, withoutUndoPoints } from "./view.ts";

/** Reads a log that left memory; entries are counted from 0 over the whole log. */
export interface LogArchive {
  entryAt(index: number): Promise<SessionEntry>;
  /** Hands over all entries, in order. */
  read(onEntry: (entry: SessionEntry) => void): Promise<void>;
}

/** Counts and facts over a whole log. They hold ids and numbers, no text. */
interface Tally {
  /** Ids of the messages that were appended, in order. */
  readonly messageIds: readonly string[];
  readonly callIds: ReadonlySet<string>;
  readonly totals: UsageTotals;
  /** The log's facts about models' windows. */
  readonly limitEvents: readonly LimitEvent[];
  /** Characters of all messages that were appended, with the bytes of their images. */
  readonly sizeChars: number;
}

/** A log, the state that it gives and what it counts, held together: an entry goes into all. With an archive the log in memory is what the archive does not have yet. */
export interface HeldLog {
  readonly setup: SessionSetup;
  /** The entries in memory. */
  readonly entries: readonly SessionEntry[];
  /** Every message of the whole log. */
  readonly messages: LoggedMessages;
  /** The entries that are in no store yet. */
  unwritten(): readonly SessionEntry[];
  /** Takes note that the store has the first `count` of these now. With an archive they leave memory. */
  written(count: number): void;
  state(): SessionState;
  tally(): Tally;
  /** The index of the log for rules that recall it; `null` if the policy has none. */
  readonly recallIndex: RecallIndex | null;
  /**
   * Takes the next entry of a log that is opened. With an archive, what a compaction covers is not kept, unless `mayBeUndone`.
   *
   * @throws PlimsollError `bad-session` for an entry that does not fit the log; see also {@link isUndoArchived}.
   */
  take(entry: SessionEntry, mayBeUndone?: boolean): void;
  /** Takes an entry that is new, with the reasoning that it makes invalid, and tells what it shows. Gives it as it is in the log. */
  append<Entry extends SessionEntry>(entry: Entry): Entry;
  /** Appends what a crash left out, and reports it; nothing in a new session. */
  repair(): void;
  /** The entry that takes all bound reasoning out under the same setup, or all of it if none is known to be bound; `null` if there is none. */
  withoutReasoning(nowMs: number | null): SetupChangeEntry | null;
  /** Sends events to subscribers. That compaction is off is reported once, and what fills the window once for a system text and its tools. */
  tell(event: ContextEvent | null): void;
  predict(dynamicContext: string | null): Prediction;
  /** The most of each unit that an answered request with media held; nothing before the first one, and after a switch of the model. */
  answeredSize(): RequestSize;
  /** Returns the size of messages, looking only at those that came since it was asked before. */
  sizeOf(messages: Sequence<Message>): RequestSize;
  /** Reads the newest undo point from the archive if it is there alone. */
  prepareUndo(): Promise<void>;
}

/** A log without entries. An archive gives back what left memory; `null` for a log that stays there. */
export function createHeldLog(options: SessionOptions, archive: LogArchive | null): HeldLog {
  const { onEvent: emit = () => undefined } = options;
  const setup = sessionSetup(options);
  const entries: SessionEntry[] = [];
  /** Entries that the archive alone has, and those in memory that the store has, too. */
  let [archivedCount, writtenCount] = [0, 0];
  const messages = createMessageIndex(async (index) =>
    index < archivedCount ? await archive?.entryAt(index) : entries[index - archivedCount],
  );
  const written = (count: number) => {
    if (archive === null) writtenCount += count;
    else {
      entries.splice(0, count);
      archivedCount += count;
    }
  };
  const [messageIds, callIds]: [string[], Set<string>] = [[], new Set()];
  let tally: Tally = { messageIds, callIds, totals: NO_USAGE, limitEvents: [], sizeChars: 0 };
  const count = (entry: SessionEntry) => {
    const { totals, limitEvents, sizeChars } = tally;
    if (entry.type !== "message") {
      tally = { ...tally, totals: foldTotals(totals, entry), limitEvents: foldLimitEvents(limitEvents, entry) };
      return;
    }
    const { message } = entry;
    messageIds.push(message.id);
    for (const call of toolCallsOf(message)) callIds.add(call.callId);
    tally = { ...tally, sizeChars: sizeChars + messageChars(message) + imageChars(message) };
  };
  let state = EMPTY_STATE;
  let isOffTold = false;
  let irreducibleTold = "";
  let filledTold: Pick<SessionView, "system" | "tools"> | null = null;
  const recallIndex = recalls(setup) ? createRecallIndex(setup.work) : null;

  let answered = { hasMedia: false, size: NO_SIZE };
  const foldAnswered = (entry: SessionEntry) => {
    if (entry.type === "model-change") answered = { ...answered, size: NO_SIZE };
    if (entry.type !== "message") return;
    const { message } = entry;
    const isReply = message.role === "assistant" && message.origin === "model";
    if (isReply && answered.hasMedia)
      answered = { hasMedia: true, size: largestSize(answered.size, sizeOf(state.view.messages)) };
    if (message.parts.some(({ type }) => type === "image")) answered = { ...answered, hasMedia: true };
  };
  const fold = (entry: SessionEntry): Omit<FoldedState, "state"> => {
    foldAnswered(entry);
    const folded = foldState(state, entry, setup);
    state = folded.state;
    const newest = entry.type === "message" ? state.view.messages.at(-1) : undefined;
    if (newest !== undefined) recallIndex?.add(newest);
    messages.add(entry);
    entries.push(entry);
    count(entry);
    return folded;
  };
  const predict = (dynamicContext: string | null) =>
    setup.estimator.predict(state.ledger, overheadOf(state, setup, dynamicContext));
  /** Lets go of undo points that the archive can give back; nothing without an archive. */
  const release = (keep: "newest" | "none") => {
    if (archive !== null) state = { ...state, view: withoutUndoPoints(state.view, keep) };
  };
  const withRemoved = <Entry extends SessionEntry>(entry: Entry): Entry => {
    const removedReasoning = madeInvalid(entry, state.view, setup);
    return removedReasoning.length === 0 ? entry : { ...entry, removedReasoning };
  };
  /** Reads the whole log as it is now, however it grows meanwhile; more than once. */
  const reader = () => {
    const heldCount = archivedCount;
    const tail = [...entries];
    return async (onEntry: (entry: SessionEntry) => void) => {
      let count = 0;
      await archive?.read((entry) => {
        // The archive may grow meanwhile: what it has more is in the tail, too.
        if (count < heldCount) onEntry(entry);
        count += 1;
      });
      for (const entry of tail) onEntry(entry);
    };
  };
  let sized = { messages: sequenceOf<Message>(), size: NO_SIZE };
  const sizeOf = (messages: Sequence<Message>): RequestSize => {
    const known = messages.goesOnFrom(sized.messages) ? sized : { messages: sequenceOf<Message>(), size: NO_SIZE };
    const size = messages.slice(known.messages.size).map(messageSize).reduce(joinedSize, known.size);
    sized = { messages, size };
    return size;
  };
  return {
    setup,
    entries,
    messages,
    answeredSize: () => answered.size,
    unwritten: () => entries.slice(writtenCount),
    written,
    tally: () => tally,
    sizeOf,
    repair: () => {
      const needed = repairsOf(state.view).map((entry) => {
        const mended = withRemoved(entry);
        fold(mended);
        return mended;
      });
      if (needed.length > 0) emit({ type: "session-repaired", entries: needed });
    },
    withoutReasoning: (atMs) => {
      const { system, tools, messages, modelId, lastEntryId } = state.view;
      const { isBoundReasoning } = setup;
      const known = boundReasoningIn(messages.slice(), (part) => isBoundReasoning?.(part, modelId) === true);
      const removedReasoning = known.length > 0 ? known : boundReasoningIn(messages.slice(), () => true);
      if (removedReasoning.length === 0) return null;
      const id = shortHash(`without-reasoning\n${lastEntryId ?? ""}`);
      return { type: "setup-change", id, system, tools, atMs, removedReasoning };
    },
    recallIndex,
    state: () => state,
    take: (entry, mayBeUndone = false) => {
      if (entry.type === "revert" && state.view.undo === "archived") throw undoArchived(entry.compactionId);
      fold(entry);
      written(1);
      if (entry.type === "compaction" && !mayBeUndone) release("none");
    },
    append: (given) => {
      refuseImpossible(given, messages);
      const entry = withRemoved(given);
      const { missingTokens, isUsageRefused } = fold(entry);
      // Of all that compactions covered, only the newest undo point stays in memory.
      if (entry.type === "compaction") release("newest");
      if (entry.type === "usage" && missingTokens !== null) emit(silentTruncation(entry, missingTokens, predict(null)));
      if (entry.type === "usage" && isUsageRefused) emit(usageRefused(entry, predict(null)));
      return entry;
    },
    tell: (event) => {
      if (event === null || (event.type === "compaction-off" && isOffTold)) return;
      isOffTold ||= event.type === "compaction-off";
      if (event.type === "window-filled") {
        const { system, tools } = state.view;
        if (filledTold?.system === system && filledTold.tools === tools) return;
        filledTold = { system, tools };
      }
      // What is over another limit than that of tokens stays so step by step: it is told once.
      const over = event.type === "context-irreducible" && event.parts[0]?.over !== undefined ? JSON.stringify(event) : "";
      if (over !== "" && over === irreducibleTold) return;
      irreducibleTold = over === "" ? irreducibleTold : over;
      emit(event);
    },
    predict,
    prepareUndo: async () => {
      if (state.view.undo !== "archived") return;
      const undo = await undoPointOf(state.view.activeCompactions.at(-1)?.id ?? "", reader());
      state = { ...state, view: { ...state.view, undo } };
    },
  };
}

/** Refuses what no session can go on from: a message under an id that the log has, after which no cut would find its place, and counts that are none. */
function refuseImpossible(entry: SessionEntry, messages: Pick<MessageIndex, "has">): void {
  if (entry.type === "message" && messages.has(entry.message.id)) {
    const { id: messageId } = entry.message;
    const message = `the session has a message ${JSON.stringify(messageId)} already: give each message an id of its own`;
    throw new PlimsollError("bad-input", message, { reason: "doubled-id", messageId });
  }
  const count = entry.type === "usage" ? impossibleCount(entry.usage) : null;
  if (count === null) return;
  const message = `${count.name} of a usage is ${count.value}: a count of tokens is a whole number from 0 on, or null`;
  throw new PlimsollError("bad-input", message, { reason: "impossible-usage", name: count.name, value: String(count.value) });
}

/** The reasoning that an entry makes invalid. Another system text, other tools or another model stand before everything. */
function madeInvalid(entry: SessionEntry, view: SessionView, { isBoundReasoning }: SessionSetup): readonly RemovedReasoning[] {
  const { modelId } = view;
  const { boundReasoning = view.boundReasoning } = entry.type === "setup-change" ? entry : view;
  if (isBoundReasoning === null || boundReasoning === "vendor-drops") return [];
  switch (entry.type) {
    case "compaction":
    case "revert": {
      const { messages } = foldEntry(view, entry);
      return reasoningBehindEdit(view.messages.slice(), messages.slice(), (part) => isBoundReasoning(part, modelId));
    }
    case "setup-change":
      return boundReasoningIn(view.messages.slice(), (part) => isBoundReasoning(part, modelId));
    case "model-change":
      return boundReasoningIn(
        view.messages.slice(),
        (part) => isBoundReasoning(part, modelId) || isBoundReasoning(part, entry.modelId),
      );
    default:
      return [];
  }
}

/** True if a rule of the policy recalls what the log has said. */
function recalls({ policy: { keep, manualKeep, overflow }, kinds }: SessionSetup): boolean {
  const rules = keepRulesOf([...keep, ...(manualKeep ?? []), ...overflow.keep], kinds.keepRules);
  return rules.some((rule) => rule.keeps === "units");
}

/** Characters of the images whose bytes are in the message. */
function imageChars({ parts }: Message): number {
  let chars = 0;
  for (const part of parts) if (part.type === "image" && part.source.kind === "base64") chars += part.source.data.length;
  return chars;
}

/** Collects the overhead that each request sends in addition to the messages. */
export function overheadOf(
  { view: { system, tools } }: SessionState,
  { hiddenTokens }: StateFold,
  dynamicContext: string | null,
): Overhead {
  return { system, tools, dynamicContext, hiddenTokens };
}

/** Options of a session. */
export interface SessionOptions {
  readonly policy: EnginePolicy;
  /** Kinds that the policy may name in addition to those of this package; made by `withKinds`. */
  readonly kinds?: Kinds;
  readonly summarizer: Summarizer;
  /** A log to go on with. If a crash left it unsendable, a repair is appended and announced. */
  readonly entries?: Iterable<SessionEntry>;
  /** Whether that repair is made: "append" if it is left out; "none" for a caller who gives the whole history again. */
  readonly repairs?: "append" | "none";
  /** Where the log is written, holding `entries` already; in memory alone if it is left out. */
  readonly writer?: SessionWriter | null;
  /** The clock, in milliseconds since 1970; `null`, as if it is left out, while the time is not known. */
  readonly nowMs?: () => number | null;
  readonly onEvent?: ContextListener;
  /** Asked before each compaction; may cancel it or supply the summary. */
  readonly beforeCompaction?: BeforeCompaction;
  /** Gives the summary that was prepared, if there is one; asked when the engine acts by itself. The session then prepares none by the policy. */
  readonly prepared?: PreparedSummaryPort;
  /** Milliseconds after which a request for a summary without an answer fails, and a hook without one is ignored; 300,000 if left out. */
  readonly answerDeadlineMs?: number;
  /** The timer of that deadline; the platform's if left out. */
  readonly wait?: Wait;
  /** Instructions that stay verbatim whatever is compacted: project rules, constraints. */
  readonly pinned?: readonly string[];
  /** The live state of todo lists and sub-agents, asked for at each compaction. */
  readonly stateProviders?: readonly StateProvider[];
  /** Files that the agent tracks in addition to its calls, asked for at each compaction. */
  readonly fileTracker?: FileTracker;
  /** Tokens that are sent at each request but are not in the log; a replay of another agent's session knows them. */
  readonly hiddenOverheadTokens?: number;
  /** Estimates of each model's tokens until its provider reports usage; one fitted over all models if left out. */
  readonly modelPriors?: ModelPriors;
  /** Tells which reasoning is removed once messages before it change; none is if left out. */
  readonly isBoundReasoning?: IsBoundReasoning;
  /** Tokenizers by encoding, for a policy whose estimator is `bpe`. */
  readonly tokenizers?: Tokenizers;
  /** Counts the text and messages that all estimators read, for bounds that tests assert; a new counter if left out. */
  readonly work?: WorkCounter;
}

/** The setup by which a session is measured and made to fit; it stays the same while the session is open. */
export interface SessionSetup extends StateFold {
  readonly policy: EnginePolicy;
  readonly kinds: Kinds;
  readonly cutEstimator: FitState["cutEstimator"];
  readonly deadline: FitState["deadline"];
  /** `null` if no reasoning is bound. */
  readonly isBoundReasoning: IsBoundReasoning | null;
  readonly ports: Pick<SessionOptions, "summarizer" | "beforeCompaction" | "pinned" | "stateProviders" | "fileTracker">;
}

const PINNED: Door<readonly string[]> = { port: "pinned", shape: z.array(z.string()), wanted: "a list of texts" };

/**
 * The setup that options ask for.
 *
 * @throws PlimsollError `bad-policy` if the policy counts by an encoding whose tokenizer was not given.
 */
function sessionSetup(options: SessionOptions): SessionSetup {
  const { policy, kinds = BUILT_IN_KINDS, modelPriors: priors = pooledPriors, tokenizers = {} } = options;
  const work = options.work ?? createWorkCounter();
  const estimatorOf = (spec: EstimatorSpec, shared: Measures) =>
    createEstimator(spec, work, { kinds: kinds.estimators, priors, tokenizers, measures: shared });
  const measures: Measures = new Map();
  const estimator = estimatorOf(policy.estimator, measures);
  const cutEstimator = () => (policy.cutEstimator === null ? estimator : estimatorOf(policy.cutEstimator, new Map(measures)));
  // What cannot be used is refused here.
  passed(PINNED, options.pinned ?? []);
  cutEstimator();
  return {
    policy,
    kinds: bindingOnce(kinds),
    estimator,
    cutEstimator,
    hiddenTokens: options.hiddenOverheadTokens ?? 0,
    deadline: deadlineOf(options),
    ports: options,
    work,
    isBoundReasoning: options.isBoundReasoning ?? null,
  };
}
