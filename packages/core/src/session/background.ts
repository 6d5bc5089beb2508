import { isOpen, PREPARED, spanned } from "../engine/chain.ts";
import { compact } from "../engine/compact.ts";
import { summaryWithin } from "../engine/compaction-tools.ts";
import type { FitInput, FitOutcome, FitState, PreparedSummary, PreparedSummaryPort } from "../engine/fit-input.ts";
import { budgetFor, reaches } from "../engine/why-act.ts";
import { PlimsollError } from "../error.ts";
import { untilAborted } from "../port-door.ts";
import type { Summarizer } from "../ports.ts";
import { summaryIn } from "../prompts/notices.ts";
import { strategyOf } from "../strategy/built-in-strategies.ts";
import { addedUsage, type Usage } from "../usage.ts";
import { fitStateOf, gateStateOf } from "./fit-session.ts";
import type { FittedSession } from "./session.ts";

/** Work beside a session: a summary is prepared while it goes on. */
export interface Background {
  /** Gives the summary that was prepared. One that is being written is waited for: it would be asked for twice otherwise. */
  readonly prepared: PreparedSummaryPort;
  /** Takes note of a fit, and has a summary prepared if it is time. */
  fitted(input: FitInput, outcome: FitOutcome): void;
  /** Resolves when no summary is being prepared. */
  settled(): Promise<void>;
  /** Ends everything. */
  close(): void;
}

/** A summary that was asked for, since the compaction named, once: its outcome holds until the next one. */
interface Slot {
  readonly since: string | null;
  readonly written: Promise<PreparedSummary | null>;
  /** The summary that is ready and neither used nor given up. */
  ready: PreparedSummary | null;
}

/** Nothing goes on yet beside this log, by its policy. */
export function createBackground(log: FittedSession, nowMs: () => number | null): Background {
  const { policy } = log.setup;
  const { prepare } = policy;
  const closing = new AbortController();
  /** The newest slot; `null` for none. */
  let now: Slot | null = null;
  const sinceOf = () => log.state.view.activeCompactions.at(-1)?.id ?? null;

  /** Gives a summary up, and reports it once. */
  const giveUp = (slot: Slot | null) => {
    const unused = slot?.ready ?? null;
    if (slot === null || unused === null) return;
    slot.ready = null;
    log.tell({ type: "summary-unused", usage: unused.edit.written.usage });
  };
  const empty = () => {
    giveUp(now);
    now = null;
  };
  /** The slot of the newest compaction; one from before it is void. */
  const newestSlot = (): Slot | null => {
    if (now !== null && now.since !== sinceOf()) empty();
    return now;
  };
  const start = (input: FitInput): void => {
    const written = prepareSummary(log, { ...input, nowMs: nowMs() }, closing.signal).catch(() => null);
    const slot: Slot = { since: sinceOf(), written, ready: null };
    now = slot;
    void written.then((summary) => {
      slot.ready = summary;
      if (now !== slot) giveUp(slot);
    });
  };
  return {
    prepared: async (signal) => {
      const slot = newestSlot();
      return slot === null ? null : await untilAborted(signal, () => slot.written);
    },
    fitted: (input, outcome) => {
      const steps = outcome.entry?.record.steps ?? [];
      const isUsed = steps.some((step) => step.strategy === PREPARED.strategy && step.outcome === "applied");
      if (now !== null && isUsed) now.ready = null;
      if (newestSlot() !== null || outcome.kind !== "unchanged" || prepare === undefined || closing.signal.aborted) return;
      const at: FitInput = { ...input, nowMs: null };
      if (reaches(gateStateOf(log, { policy, input: at, measuredBy: log.state.ledger }), at, prepare.atLeast)) start(input);
    },
    settled: async () => void (await now?.written),
    close: () => {
      closing.abort();
      empty();
    },
  };
}

/**
 * Has the policy's model write the summary that it would write if it acted now, and appends nothing. `null` if the policy asks no model, while the
 * breaker is open, if a summary could be as long as its covered messages (right after a compaction), and if the answer was unusable. Rejects only
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
  const at: FitInput = { ...input, gate: "before-step", pending: [] };
  const asks = { ...policy, strategies: [asking], fallback };
  const state = fitStateOf(log, { policy: asks, input: at, measuredBy: log.state.ledger });
  const budget = policy.enabled ? budgetFor(policy, at) : null;
  if (isOpen(state.breaker, policy) || budget === null) return null;
  const { summarizer, isAsked, paid } = worthAsking(state, summaryWithin(policy.summary, budget).maxTokens);
  const alone = { ...state, setup: { ...state.setup, ports: { summarizer } } };
  const outcome = await compact(alone, { reason: "threshold", budget, input: at }, signal);
  if (!isAsked()) return null;
  const edit = outcome.entry?.edits[0];
  const [first] = edit?.kind === "replace-spans" ? (edit.message?.parts ?? []) : [];
  if (edit?.kind !== "replace-spans" || edit.by !== "summary" || first?.type !== "text") {
    const steps = outcome.kind === "failed" || outcome.kind === "irreducible" ? outcome.steps : [];
    log.tell({ type: "summary-prepared", outcome: "failed", usage: paid(), steps });
    return null;
  }
  const { kind, spans, by, usage, prompts, repairs } = edit;
  const written = { text: summaryIn(first.text), usage, prompts, repairs };
  log.tell({ type: "summary-prepared", outcome: "ready", usage, steps: [] });
  return { edit: { kind, spans, by, written }, covered: spanned(state.view.messages.slice(), spans) };
}

/** The summariser, but a first request about less than a summary may take is refused: it could not be progress. `paid` is the usage of its answers. */
function worthAsking({ setup: { ports, estimator }, ledger }: FitState, leastTokens: number) {
  let isAsked = false;
  const paid: (Usage | null)[] = [];
  const asking: Summarizer = async (request, signal) => {
    const covered = request.parts.flatMap((part) => part.messages);
    const tokens = covered.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), 0);
    if (!isAsked && tokens < leastTokens) throw new PlimsollError("summary-failed", "there is too little to summarise yet");
    isAsked = true;
    const summary = await ports.summarizer(request, signal);
    paid.push(summary.usage);
    return summary;
  };
  return { summarizer: asking, isAsked: () => isAsked, paid: () => (paid.length === 0 ? null : paid.reduce(addedUsage)) };
}
