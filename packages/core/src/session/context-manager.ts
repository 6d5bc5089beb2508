import type { FitInput, FitOutcome, FitState } from "../engine/fit.ts";
import { fit, whyAct } from "../engine/fit.ts";
import type { RevertEntry, SessionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import type { Context } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import type { Summarizer } from "../ports.ts";
import { createEstimator, type Overhead, type Prediction } from "../tokens/estimator.ts";
import { EMPTY_LEDGER } from "../tokens/ledger.ts";
import { createWorkCounter } from "../tokens/work.ts";
import type { ContextListener } from "./events.ts";
import { foldLedger } from "./ledger.ts";
import type { SessionView } from "./view.ts";
import { EMPTY_VIEW, foldEntry } from "./view.ts";

/** What a context manager is made of. */
export interface ContextManagerOptions {
  readonly policy: Policy;
  readonly summarizer: Summarizer;
  /** A log to go on with. */
  readonly entries?: Iterable<SessionEntry>;
  readonly onEvent?: ContextListener;
  /** Tokens that are sent at each request but are not in the log; a replay of another agent's session knows them. */
  readonly hiddenOverheadTokens?: number;
}

/** A session that stays inside its model's window: the log goes in, the context to send comes out. */
export interface ContextManager {
  /** Appends what happened. Folds only what is new. */
  append(entry: SessionEntry): void;
  /** Compacts if the policy asks for it at this gate; appends the compaction that it made. */
  fit(input: FitInput, signal: AbortSignal): Promise<FitOutcome>;
  /** Undoes the newest active compaction by appending a revert; the context from before is back, with what came since. */
  revert(nowMs: number | null): RevertEntry;
  /** What to send now. */
  context(dynamicContext?: string | null): Context;
  /** What the next request is expected to measure, without what is pending. */
  predict(dynamicContext?: string | null): Prediction;
  view(): SessionView;
  entries(): readonly SessionEntry[];
}

/** A context manager over an empty log, or over the entries given. Its state is only a cache of their folds. */
export function createContextManager(options: ContextManagerOptions): ContextManager {
  const { policy } = options;
  const work = createWorkCounter();
  const estimator = createEstimator(policy.estimator, work);
  const cutEstimator = policy.cutEstimator === null ? estimator : createEstimator(policy.cutEstimator, work);
  const emit: ContextListener = options.onEvent ?? (() => undefined);
  const log: SessionEntry[] = [];
  let view = EMPTY_VIEW;
  let ledger = EMPTY_LEDGER;
  let saidOff = false;

  const overhead = (dynamicContext: string | null): Overhead => ({
    system: view.system,
    tools: view.tools,
    dynamicContext,
    hiddenTokens: options.hiddenOverheadTokens ?? 0,
  });
  const append = (entry: SessionEntry) => {
    const nextView = foldEntry(view, entry);
    ledger = foldLedger(ledger, entry, { estimator, view: nextView, overhead: overhead(null) });
    view = nextView;
    log.push(entry);
  };
  const stateFor = (input: FitInput): FitState => {
    const { modelId, lastEntryId } = view;
    const messages = view.messages.slice();
    const sent = overhead(input.dynamicContext ?? null);
    return {
      policy,
      messages,
      lastEntryId,
      modelId,
      ledger,
      overhead: sent,
      estimator,
      cutEstimator,
      summarizer: options.summarizer,
      work,
    };
  };
  for (const entry of options.entries ?? []) append(entry);

  return {
    append,
    fit: async (input, signal) => {
      const state = stateFor(input);
      const act = whyAct(state, input);
      if (act !== null) {
        const { expectedTokens } = estimator.predict(ledger, state.overhead);
        emit({
          type: "compaction-start",
          reason: act.reason,
          estimator: estimator.name,
          tokensBefore: expectedTokens,
          messagesBefore: state.messages.length,
        });
      }
      const outcome = await fit(state, input, signal);
      switch (outcome.kind) {
        case "compacted":
          append(outcome.entry);
          emit({ type: "compaction-end", estimator: estimator.name, entry: outcome.entry });
          break;
        case "failed":
          emit({ type: "compaction-failed", reason: outcome.reason, steps: outcome.steps });
          break;
        case "irreducible":
          emit({ type: "context-irreducible", budgetTokens: outcome.budgetTokens, parts: outcome.parts });
          break;
        case "unchanged":
          if (outcome.off === "unknown-window" && !saidOff) emit({ type: "compaction-off", why: "unknown-window" });
          saidOff ||= outcome.off === "unknown-window";
          break;
        default:
          outcome satisfies never;
      }
      return outcome;
    },
    revert: (nowMs) => {
      const latest = view.activeCompactions.at(-1);
      if (latest === undefined) throw new PlimsollError("bad-input", "there is no compaction to undo");
      const entry: RevertEntry = {
        type: "revert",
        id: shortHash(`revert\n${latest.id}\n${view.lastEntryId ?? ""}`),
        compactionId: latest.id,
        atMs: nowMs,
      };
      append(entry);
      return entry;
    },
    context: (dynamicContext = null) => ({
      system: view.system,
      tools: view.tools,
      messages: view.messages.slice(),
      dynamicContext,
    }),
    predict: (dynamicContext = null) => estimator.predict(ledger, overhead(dynamicContext)),
    view: () => view,
    entries: () => log,
  };
}
