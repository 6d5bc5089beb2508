import type { SessionEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";
import type { Estimator, Overhead } from "../tokens/estimator.ts";
import type { Ledger } from "../tokens/ledger.ts";
import type { SessionView } from "./view.ts";

/** What the ledger's fold needs besides the entry. */
export interface LedgerFold {
  readonly estimator: Estimator;
  /** The view after the entry. */
  readonly view: SessionView;
  readonly overhead: Overhead;
}

/**
 * The ledger after one more entry. A message adds its own estimate; after edits the view is added up again from estimates that
 * are known by identity, so that only new messages are scanned.
 */
export function foldLedger(ledger: Ledger, entry: SessionEntry, fold: LedgerFold): Ledger {
  switch (entry.type) {
    case "message":
      return withMessage(ledger, entry.message, fold.estimator);
    case "usage":
      return fold.estimator.observe(withStep(ledger), entry, fold.overhead);
    case "compaction":
    case "revert": {
      const estimatedTokens = sumTokens(fold.view.messages, fold.estimator);
      const estimatedAtLastCallTokens = ledger.estimatedAtLastCallTokens === null ? null : estimatedTokens;
      const recounted = fold.estimator.recount(ledger, fold.view.messages);
      return {
        ...recounted,
        anchor: null,
        estimatedTokens,
        estimatedAtLastCallTokens,
        estimatedAtLastCutTokens: estimatedTokens,
      };
    }
    case "model-change":
      return fold.estimator.changeModel(ledger, entry.modelId);
    case "session":
    case "setup-change":
    case "attempt":
      return ledger;
    default:
      return entry satisfies never;
  }
}

/** A reply that the newest report covers is part of the anchor, not of what came after it. */
function withMessage(ledger: Ledger, message: Message, estimator: Estimator): Ledger {
  const tokens = estimator.measure.messageTokens(message);
  const { anchor } = ledger;
  const isCovered =
    anchor !== null && message.role === "assistant" && message.requestId !== null && message.requestId === anchor.coversReplyOf;
  return {
    ...estimator.append(ledger, message),
    estimatedTokens: ledger.estimatedTokens + tokens,
    anchor: isCovered ? { ...anchor, estimatedTokens: anchor.estimatedTokens + tokens, coversReplyOf: null } : anchor,
  };
}

/** Weight of the newest step in the average growth: the last ten steps make most of it; chosen. */
const NEWEST_STEP_RATIO = 0.1;

function withStep(ledger: Ledger): Ledger {
  const { estimatedTokens, estimatedAtLastCallTokens, stepGrowthTokens } = ledger;
  if (estimatedAtLastCallTokens === null) return { ...ledger, estimatedAtLastCallTokens: estimatedTokens };
  const grownTokens = Math.max(0, estimatedTokens - estimatedAtLastCallTokens);
  const average =
    stepGrowthTokens === 0 ? grownTokens : stepGrowthTokens + NEWEST_STEP_RATIO * (grownTokens - stepGrowthTokens);
  return { ...ledger, estimatedAtLastCallTokens: estimatedTokens, stepGrowthTokens: average };
}

function sumTokens(messages: Iterable<Message>, estimator: Estimator): number {
  let tokens = 0;
  for (const message of messages) tokens += estimator.measure.messageTokens(message);
  return tokens;
}
