import { windowFilledBy } from "../engine/why-act.ts";
import type { SessionEntry, SetupChangeEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import { keepRulesOf } from "../keep/built-in-keep-rules.ts";
import { boundReasoningIn, type RemovedReasoning, reasoningBehindEdit } from "../message/bound-reasoning.ts";
import type { Message } from "../message/message.ts";
import { joinedSize, largestSize, messageSize, NO_SIZE, type RequestSize } from "../message/size.ts";
import { createRecallIndex, type RecallIndex } from "../recall/recall-index.ts";
import { type Sequence, sequenceOf } from "../sequence.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { impossibleCount } from "../usage.ts";
import type { ContextEvent } from "./events.ts";
import { createMessageIndex, type LoggedMessages, type MessageIndex } from "./recall.ts";
import { repairsOf } from "./replace-history.ts";
import type { ContextManagerOptions, SessionFit, SessionSetup } from "./session-setup.ts";
import { gateStateOf, overheadOf, sessionSetup } from "./session-setup.ts";
import { EMPTY_STATE, type FoldedState, foldState, type SessionState } from "./session-state.ts";
import { silentTruncation, usageRefused } from "./usage-watch.ts";
import { foldEntry, type SessionView, undoArchived, undoPointOf, withoutUndoPoints } from "./view.ts";

/** A session's state and its log, held together: an entry goes into both. With an archive the log in memory is what the archive does not have yet. */
export interface HeldSession {
  readonly setup: SessionSetup;
  /** The entries in memory. */
  readonly entries: readonly SessionEntry[];
  /** Every message of the whole log. */
  readonly messages: LoggedMessages;
  /** Says that the archive has the first `count` of the entries in memory now; nothing without an archive. */
  archived(count: number): void;
  state(): SessionState;
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
  /** Sends events to subscribers. That compaction is off is reported once. */
  tell(event: ContextEvent | null): void;
  /** Tells what fills the window if no cut can take it, once for a system text and its tools. */
  tellFilled(fit: SessionFit): void;
  predict(dynamicContext: string | null): Prediction;
  /** The most of each unit that an answered request with media held; nothing before the first one, and after a switch of the model. */
  answeredSize(): RequestSize;
  /** Returns the size of messages, looking only at those that came since it was asked before. */
  sizeOf(messages: Sequence<Message>): RequestSize;
  /** Reads the newest undo point from the archive if it is there alone. */
  prepareUndo(): Promise<void>;
}

/** A held session without entries. */
export function createHeldSession(options: ContextManagerOptions): HeldSession {
  const { archive = null, onEvent: emit = () => undefined } = options;
  const setup = sessionSetup(options);
  const entries: SessionEntry[] = [];
  /** Entries that the archive alone has. */
  let archivedCount = 0;
  const messages = createMessageIndex(async (index) =>
    index < archivedCount ? await archive?.entryAt(index) : entries[index - archivedCount],
  );
  const archived = (count: number) => {
    if (archive === null) return;
    // While a log is opened, each entry is archived as it is taken.
    if (count >= entries.length) entries.length = 0;
    else entries.splice(0, count);
    archivedCount += count;
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
    archived,
    answeredSize: () => answered.size,
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
      archived(1);
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
      // What is over another limit than that of tokens stays so step by step: it is told once.
      const over = event.type === "context-irreducible" && event.parts[0]?.over !== undefined ? JSON.stringify(event) : "";
      if (over !== "" && over === irreducibleTold) return;
      irreducibleTold = over === "" ? irreducibleTold : over;
      emit(event);
    },
    tellFilled: (fit) => {
      const { system, tools } = state.view;
      if (filledTold?.system === system && filledTold.tools === tools) return;
      const filled = windowFilledBy(gateStateOf(state, setup, fit), fit.input);
      if (filled === null) return;
      filledTold = { system, tools };
      emit({ type: "window-filled", ...filled, estimator: setup.estimator.name });
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
