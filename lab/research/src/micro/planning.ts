import type { Policy } from "@plimsoll/core";
import type { WorkCount } from "@plimsoll/core/build";
import { BUILT_IN_KINDS, createEstimator, createWorkCounter } from "@plimsoll/core/build";
import { chainOf, newestOf, workBetween } from "@plimsoll/core/internal";
import { longSession } from "./long-session.ts";
import { quietSession } from "./quiet-gate.ts";

/** Planning over a session, and what it is compared with. */
export interface PlanningTask {
  /** Plans the first step of the chain that has edits, with the sizes that the session knows. */
  readonly plan: () => void;
  /** Adds up the whole session with an estimator that knows nothing yet. */
  readonly recount: () => void;
  /** Work of one planning. */
  readonly planWork: () => WorkCount;
}

/** Prepares both over that many messages. */
export function planningTask(policy: Policy, messageCount: number): PlanningTask {
  const { manager, work } = quietSession(policy, { messageCount });
  const messages = manager.view().messages.slice();
  const ledger = manager.ledger();
  const estimator = createEstimator(policy.cutEstimator ?? policy.estimator, work);
  const budget = { windowTokens: 200_000, inputBudgetTokens: 192_000 };
  const model = { contextWindowTokens: budget.windowTokens, maxOutputTokens: null };
  const { steps, rules } = chainOf(
    { policy, kinds: BUILT_IN_KINDS, useModel: true },
    { reason: "threshold", input: { gate: "before-step", pending: [], model, nowMs: null } },
  );
  const input = {
    messages,
    budget,
    roomTokens: budget.inputBudgetTokens,
    lineTokens: budget.inputBudgetTokens,
    isLeftOver: () => false,
    cause: "size" as const,
    keep: newestOf(rules, budget),
    isKept: () => false,
    messageTokens: (message: (typeof messages)[number]) => estimator.messageTokens(message, ledger),
    keptMessageTokens: (message: (typeof messages)[number]) => estimator.messageTokens(message, ledger),
    measure: estimator.measure,
    scaleRatio: estimator.scaleRatio(ledger),
    noticeTokens: 80,
  };
  const planOnce = () => {
    steps.some(({ strategy }) => strategy.plan(input).kind === "edits");
  };
  // Sizes are known once each message was priced, as they are in a session that was measured call by call.
  for (const message of messages) estimator.messageTokens(message, ledger);
  return {
    plan: planOnce,
    recount: () => {
      const fresh = createEstimator(policy.cutEstimator ?? policy.estimator, createWorkCounter());
      let tokens = 0;
      for (const message of messages) tokens += fresh.messageTokens(message, ledger);
      if (tokens <= 0) throw new Error("nothing was counted");
    },
    planWork: () => {
      const before = work.total();
      planOnce();
      return workBetween(before, work.total());
    },
  };
}

/** UTF-16 code units of all messages of a session. */
export function sessionChars(messageCount: number): number {
  let chars = 0;
  for (const entry of longSession(messageCount)) {
    if (entry.type !== "message") continue;
    for (const part of entry.message.parts) if (part.type === "text") chars += part.text.length;
  }
  return chars;
}
