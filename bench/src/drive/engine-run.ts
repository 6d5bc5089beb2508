import type { CompactionEntry, FitOutcome, Gate, Message, Session } from "@plimsoll/core";
import { createSession } from "@plimsoll/core";
import { createEstimator, createWorkCounter, EMPTY_LEDGER, type sendWithRecovery } from "@plimsoll/core/extend";
import { modelPriors } from "@plimsoll/providers";
import type { PreparedSession } from "../open/prepared-session.ts";
import { type Cell, limitsOf } from "./cell.ts";
import { createFailureLog, type PartFailure } from "./part-failures.ts";
import type { AskedSummary, ReplayedCall } from "./replayed-call.ts";

/** The production engine over a cell, and its actions since the last call. */
/** It reports the size that a request would have had with the clock at the newest moment that was asked about. */
export interface EngineRun extends Pick<Session, "append" | "view" | "report"> {
  reach(entryIndex: number): void;
  fit(gate: Gate, at: FitMoment): Promise<FitOutcome>;
  note(compaction: CompactionEntry): void;
  /** Takes the actions since the last time. */
  takeDone(): Pick<ReplayedCall, "compactions" | "failedCompactions" | "summaries">;
  /** Ends the session, and returns its failures. */
  end(): readonly PartFailure[];
}

/** The moment of a gate, in addition to its name. */
export interface FitMoment {
  readonly pending: readonly Message[];
  readonly nowMs: number | null;
  /** For `on-overflow`. */
  readonly overflow?: Parameters<Parameters<typeof sendWithRecovery<unknown>>[0]["recover"]>[0];
}

/** The engine at the beginning of a session. A summary that cannot be had rejects the fit that it was asked for in. */
export function createEngineRun(session: PreparedSession, cell: Cell): EngineRun {
  const controller = new AbortController();
  let clockMs: number | null = null;
  const { append, view, fit, report, prepared } = createSession({
    nowMs: () => clockMs,
    // No deadline ends: time passes only by the recorded clock.
    wait: () => new Promise(() => undefined),
    policy: cell.policy,
    summarizer: cell.summaries({
      session,
      position: () => position,
      note: (asked) => fresh.push(asked),
      stop: (error) => controller.abort(error),
    }),
    hiddenOverheadTokens: hiddenOverheadTokens(session, cell),
    modelPriors,
    modelCosts: cell.modelCosts,
    tokenizers: cell.tokenizers,
    kinds: cell.kinds,
  });
  const model = limitsOf(cell);
  const preparesAhead = cell.policy.prepare !== undefined;
  const { signal } = controller;
  let position = 0;
  let compactions: CompactionEntry[] = [];
  let summaries: AskedSummary[] = [];
  const fresh: AskedSummary[] = [];
  let failedCompactions = 0;
  const failures = createFailureLog(cell.placeOf);
  return {
    append,
    view,
    report,
    reach: (entryIndex) => {
      position = entryIndex;
    },
    fit: async (gate, { pending, nowMs, overflow = {} }) => {
      clockMs = nowMs;
      const outcome = await fit({ gate, pending, model, ...overflow }, signal);
      if (preparesAhead) await prepared();
      // A summary that could not be had ends the replay, with or without a request waiting for it.
      signal.throwIfAborted();
      const asked = fresh.splice(0);
      // A summary asked for at a gate that changes nothing is for later: the conversation goes on meanwhile.
      for (const each of asked) summaries.push(outcome.kind === "unchanged" ? { ...each, ahead: { atMs: nowMs } } : each);
      if (outcome.entry !== undefined) compactions.push(outcome.entry);
      else if ("steps" in outcome && outcome.steps.length > 0) failedCompactions += 1;
      failures.add(outcome.entry?.record.steps ?? ("steps" in outcome ? outcome.steps : []));
      return outcome;
    },
    end: failures.result,
    note: (compaction) => {
      compactions.push(compaction);
    },
    takeDone: () => {
      const done = { compactions, failedCompactions, summaries };
      compactions = [];
      summaries = [];
      failedCompactions = 0;
      return done;
    },
  };
}

/**
 * The part of the overhead that the log does not show: an agent that runs the engine knows its own system text and tools, the log of another agent
 * often lacks them. It is the size model's overhead of the first epoch less the policy's own count of the overhead in the log; never below zero.
 */
function hiddenOverheadTokens({ entries, sizeJudge }: PreparedSession, { policy, tokenizers, kinds }: Cell): number {
  const start = entries[0];
  if (start?.type !== "session") return sizeJudge.firstOverheadTokens;
  const { system, tools } = start;
  const estimator = createEstimator(policy.estimator, createWorkCounter(), {
    kinds: kinds.estimators,
    priors: modelPriors,
    tokenizers,
  });
  const shown = estimator.predict(EMPTY_LEDGER, { system, tools, dynamicContext: null, hiddenTokens: 0 });
  return Math.max(0, sizeJudge.firstOverheadTokens - shown.overheadTokens);
}
