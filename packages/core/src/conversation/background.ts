import { unheldWait } from "../deadline.ts";
import type { FitInput, FitOutcome, PreparedSummary, PreparedSummaryPort } from "../engine/fit-input.ts";
import { PREPARED_STEP } from "../engine/prepared-step.ts";
import { toolCallsOf } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Wait } from "../ports.ts";
import type { ContextManager } from "../session/context-manager.ts";
import type { ContextListener } from "../session/events.ts";
import { untilAborted } from "./queue.ts";

/** The input of a conversation's `fit`: without `nowMs`, since the conversation has a clock. */
export type ConversationFit = Omit<FitInput, "nowMs">;

/** Work beside a conversation: a summary is prepared while it goes on, and swapped in while it waits for a person. */
export interface Background {
  /** Gives the manager a summary that was prepared. One that is being written is waited for: it would be asked for twice otherwise. */
  readonly prepared: PreparedSummaryPort;
  /** Ends what goes on because nobody does anything; resolves when it has. A summary that is being written goes on. */
  wake(): Promise<void>;
  /** Takes note of a fit, and has a summary prepared if it is time. */
  fitted(input: ConversationFit, outcome: FitOutcome): void;
  /** Takes note of what was appended: from the model's last word on the session waits. */
  appended(): void;
  /** Does what is done when a session has waited long enough for a person; `null` if that is nothing. */
  idled(signal: AbortSignal): Promise<FitOutcome | null>;
  /** Resolves when no summary is being prepared. */
  settled(): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

/** The policy that says what to do, how time passes, who hears of what came of it, and the conversation that is attended. */
export interface AttendedParts {
  readonly policy: EnginePolicy;
  readonly wait?: Wait;
  readonly onEvent?: ContextListener;
  readonly manager: ContextManager;
  readonly nowMs: () => number | null;
  readonly flush: () => Promise<void>;
}

/** A summary that was asked for, since the compaction named, once: what came of it stands until the next one. */
interface Slot {
  readonly since: string | null;
  readonly written: Promise<PreparedSummary | null>;
  /** The summary that is ready and neither used nor given up. */
  ready: PreparedSummary | null;
}

/** The state that changes while a conversation is open. */
interface BackgroundRecord {
  slot: Slot | null;
  lastFit: ConversationFit | null;
  /** The write of what was compacted while the session waited. */
  flushed: Promise<void>;
  /** The wait for a person, and what follows it. */
  idle: { readonly controller: AbortController; readonly done: Promise<void> } | null;
}

const AWAKE = Promise.resolve();

/** Nothing goes on yet. */
export function createBackground({ policy, wait = unheldWait, onEvent, manager, nowMs, flush }: AttendedParts): Background {
  const { prepare, idle } = policy;
  const closing = new AbortController();
  const now: BackgroundRecord = { slot: null, lastFit: null, flushed: Promise.resolve(), idle: null };
  const sinceOf = () => manager.view().activeCompactions.at(-1)?.id ?? null;

  /** Gives a summary up, and tells of it once. */
  const giveUp = (slot: Slot | null) => {
    const unused = slot?.ready ?? null;
    if (slot === null || unused === null) return;
    slot.ready = null;
    onEvent?.({ type: "summary-unused", usage: unused.edit.written.usage });
  };
  const empty = () => {
    const { slot } = now;
    now.slot = null;
    giveUp(slot);
  };
  /** The slot of the newest compaction; one from before it is void. */
  const newestSlot = (): Slot | null => {
    if (now.slot !== null && now.slot.since !== sinceOf()) empty();
    return now.slot;
  };
  const start = (input: ConversationFit): Slot => {
    const written = manager.prepare({ ...input, nowMs: nowMs() }, closing.signal).catch(() => null);
    const slot: Slot = { since: sinceOf(), written, ready: null };
    now.slot = slot;
    void written.then((summary) => {
      slot.ready = summary;
      if (now.slot !== slot) giveUp(slot);
    });
    return slot;
  };
  /** Takes note of what a fit did with what was ready. */
  const settle = (outcome: FitOutcome) => {
    if (now.slot !== null && usesPrepared(outcome)) now.slot.ready = null;
    newestSlot();
  };
  const idled = async (signal: AbortSignal): Promise<FitOutcome | null> => {
    const { lastFit } = now;
    if (lastFit === null || idle === undefined) return null;
    const input = { ...lastFit, gate: "before-submit", pending: [], nowMs: nowMs() } as const;
    if (!manager.reaches(input, idle.atLeast)) return null;
    const held = await untilAborted(signal, async () => await newestSlot()?.written);
    if (!held && (await untilAborted(signal, () => start(input).written)) === null) return null;
    const outcome = await manager.fit({ ...input, only: "prepared" }, signal);
    settle(outcome);
    empty();
    // Nobody waits for the store; what it could not take comes with the next write.
    now.flushed = flush().catch(() => undefined);
    return outcome;
  };
  const waitForPerson = async (afterMs: number, signal: AbortSignal): Promise<void> => {
    await untilAborted(signal, () => wait(afterMs, signal));
    await idled(signal);
  };
  const wake = () => {
    const { idle: waiting } = now;
    now.idle = null;
    waiting?.controller.abort();
    return waiting?.done ?? AWAKE;
  };
  return {
    prepared: async (signal) => {
      const slot = newestSlot();
      return slot === null ? null : await untilAborted(signal, () => slot.written);
    },
    wake,
    fitted: (input, outcome) => {
      now.lastFit = input;
      settle(outcome);
      if (outcome.kind !== "unchanged" || prepare === undefined || closing.signal.aborted) return;
      if (newestSlot() === null && manager.reaches(Object.assign({}, input, { nowMs: null }), prepare.atLeast)) start(input);
    },
    appended: () => {
      if (idle === undefined || closing.signal.aborted || !waitsForPerson(manager)) return;
      const controller = new AbortController();
      // Whoever comes back ends it; a store that fails is told by the next write.
      const done = waitForPerson(idle.afterMs, controller.signal).catch(() => undefined);
      now.idle = { controller, done };
    },
    idled,
    settled: async () => void (await now.slot?.written),
    close: async () => {
      closing.abort();
      await wake();
      empty();
      await now.flushed;
    },
  };
}

function usesPrepared(outcome: FitOutcome): boolean {
  if (outcome.kind !== "compacted") return false;
  return outcome.entry.record.steps.some(({ strategy, outcome }) => strategy === PREPARED_STEP && outcome === "applied");
}

/** True if the model has said its last word: the next one is a person's. */
function waitsForPerson(manager: ContextManager): boolean {
  const last = manager.view().messages.at(-1);
  return last?.role === "assistant" && last.origin === "model" && toolCallsOf(last).length === 0;
}
