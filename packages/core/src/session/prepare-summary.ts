import type { Amount } from "../budget.ts";
import { compact } from "../engine/compact.ts";
import { summaryWithin } from "../engine/compaction-tools.ts";
import type { FitInput, FitState, PreparedSummary } from "../engine/fit-input.ts";
import { reaches, whyAct } from "../engine/why-act.ts";
import { PlimsollError } from "../error.ts";
import type { Message } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Summarizer } from "../ports.ts";
import { summaryIn } from "../prompts/parts.ts";
import { strategyOf } from "../strategy/built-in-strategies.ts";
import { addedUsage } from "../summarizer/added-usage.ts";
import type { Usage } from "../usage.ts";
import type { HeldSession } from "./held-session.ts";
import { fitStateOf, gateStateOf } from "./session-setup.ts";

/** True if the context is expected to be at least this large, at a gate that leaves it as it is. */
export function reachesAmount(session: HeldSession, input: FitInput, atLeast: Amount): boolean {
  const { state, setup } = session;
  return reaches(gateStateOf(state(), setup, { policy: setup.policy, input, measuredBy: state().ledger }), input, atLeast);
}

/**
 * Has the policy's model write the summary that it would write if it acted now, and appends nothing. `null` if the policy asks no model, while
 * the breaker is open, if a summary could be as long as what it would cover (right after a compaction), and if no usable one came of it. Rejects only
 * when the signal aborts.
 */
export async function prepareSummary(
  session: HeldSession,
  { now: _, ...input }: FitInput,
  signal: AbortSignal,
): Promise<PreparedSummary | null> {
  const { policy, kinds } = session.setup;
  const asking = policy.strategies.find((spec) => strategyOf(spec, kinds.strategies).needsModel);
  if (asking === undefined) return null;
  const fallback = policy.fallback === null ? null : { ...policy.fallback, strategies: [], forced: [] };
  const at: FitInput = { ...input, gate: "before-step", pending: [], only: "prepared" };
  const state = stateAt(session, at, { ...policy, strategies: [asking], fallback });
  const act = whyAct(state, at);
  if (!state.useModel || act.kind !== "act") return null;
  const { only: ___, ...asked } = at;
  const { summarizer, isAsked, paid } = worthAsking(state, summaryWithin(policy.summary, act.budget).maxTokens);
  const alone = { ...state, summarizer, beforeCompaction: null, prepared: null };
  const outcome = await compact(alone, { ...act, input: asked }, signal);
  if (!isAsked()) return null;
  const edit = outcome.kind === "compacted" ? outcome.entry.edits[0] : undefined;
  const [first] = edit?.kind === "replace-spans" ? (edit.message?.parts ?? []) : [];
  if (edit?.kind !== "replace-spans" || edit.by !== "summary" || first?.type !== "text") {
    const steps = outcome.kind === "failed" || outcome.kind === "irreducible" ? outcome.steps : [];
    session.tell({ type: "summary-prepared", outcome: "failed", usage: paid(), steps });
    return null;
  }
  const { kind, spans, by, usage, prompts, repairs } = edit;
  const written = { text: summaryIn(first.text), usage, prompts, repairs };
  session.tell({ type: "summary-prepared", outcome: "ready", usage, steps: [] });
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

function stateAt(session: HeldSession, input: FitInput, policy: EnginePolicy): FitState {
  const { state, recallIndex, setup } = session;
  return fitStateOf({ state: state(), recallIndex }, setup, { policy, input, measuredBy: state().ledger });
}

function coveredBy(spans: PreparedSummary["edit"]["spans"], messages: readonly Message[]): readonly Message[] {
  const place = (id: string) => messages.findIndex((message) => message.id === id);
  return spans.flatMap(({ from, through }) => messages.slice(place(from), place(through) + 1));
}
