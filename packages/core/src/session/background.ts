import type { Amount } from "../budget.ts";
import { PREPARED_STEP } from "../engine/chain.ts";
import { compact } from "../engine/compact.ts";
import { summaryWithin } from "../engine/compaction-tools.ts";
import type { FitInput, FitOutcome, FitState, PreparedSummary, PreparedSummaryPort } from "../engine/fit-input.ts";
import { reaches as reachesSize, whyAct } from "../engine/why-act.ts";
import { PlimsollError } from "../error.ts";
import { type Message, toolCallsOf } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { unheldWait, untilAborted } from "../port-door.ts";
import type { Summarizer } from "../ports.ts";
import { summaryIn } from "../prompts/notices.ts";
import { strategyOf } from "../strategy/built-in-strategies.ts";
import { addedUsage, type Usage } from "../usage.ts";
import { fitSession, fitStateOf, gateStateOf } from "./fit-session.ts";
import type { FittedSession, SessionInput, SessionOptions } from "./session.ts";
import type { SessionView } from "./view.ts";

/** Work beside a session: a summary is prepared while it goes on, and swapped in while it waits for a person. */
export interface Background {
  /** Gives the summary that was prepared. One that is being written is waited for: it would be asked for twice otherwise. */
  readonly prepared: PreparedSummaryPort;
  /** Ends what goes on because nobody does anything; resolves when it has. A summary that is being written goes on. */
  wake(): Promise<void>;
  /** Takes note of a fit, and has a summary prepared if it is time. */
  fitted(input: SessionInput, outcome: FitOutcome): void;
  /** Takes note of what was appended: from the model's last word on the session waits. */
  appended(): void;
  /** Does what is done when a session has waited long enough for a person; `null` if that is nothing. */
  idled(signal: AbortSignal): Promise<FitOutcome | null>;
  /** Resolves when no summary is being prepared. */
  settled(): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

/** The session that is attended: how time passes, who hears of what came of it, and its log. */
export interface AttendedParts extends Pick<SessionOptions, "wait" | "onEvent"> {
  readonly policy: EnginePolicy;
  readonly log: FittedSession;
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

/** The state that changes while a session is open. */
interface BackgroundRecord {
  slot: Slot | null;
  lastFit: SessionInput | null;
  /** The write of what was compacted while the session waited. */
  flushed: Promise<void>;
  /** The wait for a person, and what follows it. */
  idle: { readonly controller: AbortController; readonly done: Promise<void> } | null;
}

const AWAKE = Promise.resolve();

/** Nothing goes on yet. */
export function createBackground({ policy, wait = unheldWait, onEvent, log, nowMs, flush }: AttendedParts): Background {
  const { prepare, idle } = policy;
  const closing = new AbortController();
  const now: BackgroundRecord = { slot: null, lastFit: null, flushed: Promise.resolve(), idle: null };
  const sinceOf = () => log.state.view.activeCompactions.at(-1)?.id ?? null;

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
  const start = (input: SessionInput): Slot => {
    const written = prepareSummary(log, { ...input, nowMs: nowMs() }, closing.signal).catch(() => null);
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
  const reaches = (input: FitInput, atLeast: Amount) => {
    const fit = { policy, input, measuredBy: log.state.ledger };
    return reachesSize(gateStateOf(log, fit), input, atLeast);
  };
  const prepared: PreparedSummaryPort = async (signal) => {
    const slot = newestSlot();
    return slot === null ? null : await untilAborted(signal, () => slot.written);
  };
  const idled = async (signal: AbortSignal): Promise<FitOutcome | null> => {
    const { lastFit } = now;
    if (lastFit === null || idle === undefined) return null;
    const input = { ...lastFit, gate: "before-submit", pending: [], nowMs: nowMs() } as const;
    if (!reaches(input, idle.atLeast)) return null;
    const held = await untilAborted(signal, async () => await newestSlot()?.written);
    if (!held && (await untilAborted(signal, () => start(input).written)) === null) return null;
    const outcome = await fitSession(
      log,
      { policy, input: { ...input, only: "prepared" }, prepared, measuredBy: log.state.ledger },
      signal,
    );
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
    prepared,
    wake,
    fitted: (input, outcome) => {
      now.lastFit = input;
      settle(outcome);
      if (outcome.kind !== "unchanged" || prepare === undefined || closing.signal.aborted) return;
      if (newestSlot() === null && reaches(Object.assign({}, input, { nowMs: null }), prepare.atLeast)) start(input);
    },
    appended: () => {
      if (idle === undefined || closing.signal.aborted || !waitsForPerson(log.state.view)) return;
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
function waitsForPerson({ messages }: SessionView): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.origin === "model" && toolCallsOf(last).length === 0;
}

/**
 * Has the policy's model write the summary that it would write if it acted now, and appends nothing. `null` if the policy asks no model, while
 * the breaker is open, if a summary could be as long as what it would cover (right after a compaction), and if no usable one came of it. Rejects only
 * when the signal aborts.
 */
export async function prepareSummary(
  log: FittedSession,
  { now: _, ...input }: FitInput,
  signal: AbortSignal,
): Promise<PreparedSummary | null> {
  const { policy, kinds } = log.setup;
  const asking = policy.strategies.find((spec) => strategyOf(spec, kinds.strategies).needsModel);
  if (asking === undefined) return null;
  const fallback = policy.fallback === null ? null : { ...policy.fallback, strategies: [], forced: [] };
  const at: FitInput = { ...input, gate: "before-step", pending: [], only: "prepared" };
  const asks = { ...policy, strategies: [asking], fallback };
  const fit = { policy: asks, input: at, measuredBy: log.state.ledger, prepared: null };
  const state = fitStateOf(log, fit);
  const act = whyAct(state, at);
  if (!state.useModel || act.kind !== "act") return null;
  const { only: ___, ...asked } = at;
  const { summarizer, isAsked, paid } = worthAsking(state, summaryWithin(policy.summary, act.budget).maxTokens);
  const alone = { ...state, summarizer, beforeCompaction: null };
  const outcome = await compact(alone, { ...act, input: asked }, signal);
  if (!isAsked()) return null;
  const edit = outcome.kind === "compacted" ? outcome.entry.edits[0] : undefined;
  const [first] = edit?.kind === "replace-spans" ? (edit.message?.parts ?? []) : [];
  if (edit?.kind !== "replace-spans" || edit.by !== "summary" || first?.type !== "text") {
    const steps = outcome.kind === "failed" || outcome.kind === "irreducible" ? outcome.steps : [];
    log.tell({ type: "summary-prepared", outcome: "failed", usage: paid(), steps });
    return null;
  }
  const { kind, spans, by, usage, prompts, repairs } = edit;
  const written = { text: summaryIn(first.text), usage, prompts, repairs };
  log.tell({ type: "summary-prepared", outcome: "ready", usage, steps: [] });
  return { edit: { kind, spans, by, written }, covered: coveredBy(spans, state.messages()) };
}

/** The summariser, but a first request about less than a summary may take is refused: it could not be progress. `paid` is what its answers took. */
function worthAsking({ summarizer, estimator, ledger }: FitState, leastTokens: number) {
  let isAsked = false;
  const paid: (Usage | null)[] = [];
  const asking: Summarizer = async (request, signal) => {
    const covered = request.parts.flatMap((part) => part.messages);
    const tokens = covered.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), 0);
    if (!isAsked && tokens < leastTokens) throw new PlimsollError("summary-failed", "there is too little to summarise yet");
    isAsked = true;
    const summary = await summarizer(request, signal);
    paid.push(summary.usage);
    return summary;
  };
  return { summarizer: asking, isAsked: () => isAsked, paid: () => (paid.length === 0 ? null : paid.reduce(addedUsage)) };
}

function coveredBy(spans: PreparedSummary["edit"]["spans"], messages: readonly Message[]): readonly Message[] {
  const place = (id: string) => messages.findIndex((message) => message.id === id);
  return spans.flatMap(({ from, through }) => messages.slice(place(from), place(through) + 1));
}
