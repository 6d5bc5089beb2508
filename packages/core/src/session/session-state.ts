import type { SessionEntry } from "../entry.ts";
import { type Facts, NO_FACTS } from "../facts/facts.ts";
import type { Message } from "../message/message.ts";
import { requestSizeOf } from "../message/request-size.ts";
import type { Estimator, Overhead } from "../tokens/estimator.ts";
import { EMPTY_LEDGER, type Ledger, ledgerCopy } from "../tokens/ledger.ts";
import type { WorkCounter } from "../tokens/measure.ts";
import { isRejectedUsage, UNREPORTED_USAGE } from "../usage.ts";
import { type Breaker, CLOSED_BREAKER, foldBreaker } from "./breaker.ts";
import { foldRequestLimits, type LearnedRequestLimits } from "./learned-request-limits.ts";
import type { MessageFolds } from "./message-folds.ts";
import { EMPTY_PROMPT_WATCH, foldPromptWatch, type PromptWatch } from "./prompt-watch.ts";
import { EMPTY_USAGE_WATCH, foldUsageWatch, type UsageWatch } from "./usage-watch.ts";
import { EMPTY_VIEW, foldEntryBy, type SessionView } from "./view.ts";

/** Everything that is known of a session: the fold of its log, as one plain value. The same log gives the same state. */
export interface SessionState {
  readonly view: SessionView;
  readonly ledger: Ledger;
  readonly facts: Facts;
  readonly breaker: Breaker;
  readonly watch: PromptWatch;
  readonly usageWatch: UsageWatch;
  /** Limits in other units than tokens, learned from refusals. */
  readonly requestLimits: LearnedRequestLimits;
  /** Time of the newest report that has one. */
  readonly reportedAtMs: number | null;
  /** Id of the newest message that was appended, also if an edit took it out: the id that the next one follows from. */
  readonly lastMessageId: string | null;
  /** Ids of the requests that were answered since that message: the next reply is one of theirs. */
  readonly answeredRequestIds: readonly string[];
}

/** The state of an empty log. */
export const EMPTY_STATE: SessionState = {
  view: EMPTY_VIEW,
  ledger: EMPTY_LEDGER,
  facts: NO_FACTS,
  breaker: CLOSED_BREAKER,
  watch: EMPTY_PROMPT_WATCH,
  usageWatch: EMPTY_USAGE_WATCH,
  requestLimits: {},
  reportedAtMs: null,
  lastMessageId: null,
  answeredRequestIds: [],
};

/** The measures that entries are folded with. */
export interface StateFold {
  readonly estimator: Estimator;
  /** Tokens that are sent at each request but are not in the log. */
  readonly hiddenTokens: number;
  readonly work: WorkCounter;
  readonly folds: MessageFolds;
}

/** A state after one more entry. */
export interface FoldedState {
  readonly state: SessionState;
  /** Tokens that the provider left out of the prompt, if this entry is the report that shows it. */
  readonly missingTokens: number | null;
  /** True if this entry is the report from which on usage is no evidence. */
  readonly isUsageRefused: boolean;
}

/** The state after one more entry. Costs what is new; only an edit or an undo walks the view. */
export function foldState(
  before: SessionState,
  entry: SessionEntry,
  { estimator, hiddenTokens, work, folds }: StateFold,
): FoldedState {
  const view = foldEntryBy(before.view, entry, folds);
  const { system, tools } = view;
  const overhead = { system, tools, dynamicContext: null, hiddenTokens };
  // A prompt of no tokens was not sent: who reports none counted nothing.
  const evidence = entry.type === "usage" && entry.usage.input.totalTokens === 0 ? asUnreported(entry) : entry;
  const { watch, missingTokens } = foldPromptWatch(before.watch, evidence, view);
  const usageWatch = foldUsageWatch(before.usageWatch, evidence);
  const isUsageRefused = usageWatch.isRefused && !before.usageWatch.isRefused;
  const fold = { estimator, view, overhead };
  work.folded(1);
  const state = {
    view,
    ledger: isUsageRefused
      ? withoutReports(before.ledger, fold)
      : foldLedger(before.ledger, usageWatch.isRefused ? asUnreported(entry) : evidence, fold),
    facts: folds.facts(before.facts, entry),
    breaker: foldBreaker(before.breaker, entry),
    watch,
    usageWatch,
    requestLimits: foldRequestLimits(before.requestLimits, entry, () => requestSizeOf(before.view)),
    reportedAtMs: entry.type === "usage" ? (entry.atMs ?? before.reportedAtMs) : before.reportedAtMs,
    lastMessageId: entry.type === "message" ? entry.message.id : before.lastMessageId,
    answeredRequestIds: answeredAfter(before.answeredRequestIds, entry),
  };
  return { state, missingTokens, isUsageRefused };
}

/** A report that is no evidence: the call happened, its size is not known. A refusal's own count is another matter. */
function asUnreported(entry: SessionEntry): SessionEntry {
  return entry.type === "usage" && !isRejectedUsage(entry.usage) ? { ...entry, usage: UNREPORTED_USAGE } : entry;
}

/** The ledger without what reports taught: its sums stay, and all of the view is weighed anew. */
function withoutReports(before: Ledger, { estimator, view }: LedgerFold): Ledger {
  const { estimatedTokens, estimatedAtLastCutTokens, stepGrowthTokens } = before;
  const sums = { estimatedTokens, estimatedAtLastCutTokens, estimatedAtLastCallTokens: estimatedTokens, stepGrowthTokens };
  return { ...estimator.recount({ ...EMPTY_LEDGER, nextModelId: before.nextModelId }, view.messages, "engine"), ...sums };
}

function answeredAfter(before: readonly string[], entry: SessionEntry): readonly string[] {
  if (entry.type === "message") return [];
  return entry.type === "usage" && !isRejectedUsage(entry.usage) ? [...before, entry.requestId] : before;
}

/** The measures that the ledger's fold needs in addition to the entry. */
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
      // What came since the last call, and may be gone now, is part of what the step adds.
      const grownTokens = ledger.estimatedTokens - (ledger.estimatedAtLastCallTokens ?? 0);
      const estimatedAtLastCallTokens = ledger.estimatedAtLastCallTokens === null ? null : estimatedTokens - grownTokens;
      const isOthers = entry.type === "compaction" && entry.record.reason === "recorded";
      const recounted = fold.estimator.recount(ledger, fold.view.messages, isOthers ? "others" : "engine");
      const next = ledgerCopy(recounted);
      next.estimatedTokens = estimatedTokens;
      next.estimatedAtLastCallTokens = estimatedAtLastCallTokens;
      next.estimatedAtLastCutTokens = estimatedTokens;
      return next;
    }
    case "model-change": {
      const changed = fold.estimator.changeModel(ledger, entry.modelId);
      return entry.removedReasoning === undefined ? changed : withoutRemoved(changed, fold);
    }
    case "setup-change":
      return entry.removedReasoning === undefined ? ledger : withoutRemoved(ledger, fold);
    case "session":
    case "attempt":
      return ledger;
    default:
      return entry satisfies never;
  }
}

/** The ledger after reasoning left the view without a cut: what is new since the newest cut stays new. */
function withoutRemoved(ledger: Ledger, { estimator, view: { messages } }: LedgerFold): Ledger {
  const estimatedTokens = sumTokens(messages, estimator);
  const removedTokens = ledger.estimatedTokens - estimatedTokens;
  const less = (tokens: number | null) => (tokens === null ? null : Math.max(0, tokens - removedTokens));
  const next = ledgerCopy(estimator.recount(ledger, messages, "engine"));
  next.estimatedTokens = estimatedTokens;
  next.estimatedAtLastCallTokens = less(ledger.estimatedAtLastCallTokens);
  next.estimatedAtLastCutTokens = less(ledger.estimatedAtLastCutTokens);
  return next;
}

/** A reply that the newest report covers is part of the anchor, not of what came after it. */
function withMessage(ledger: Ledger, message: Message, estimator: Estimator): Ledger {
  const tokens = estimator.measure.messageTokens(message);
  const { anchor } = ledger;
  const isCovered =
    anchor !== null && message.role === "assistant" && message.requestId !== null && message.requestId === anchor.coversReplyOf;
  const next = ledgerCopy(estimator.append(ledger, message));
  next.estimatedTokens = ledger.estimatedTokens + tokens;
  next.anchor = isCovered ? { ...anchor, estimatedTokens: anchor.estimatedTokens + tokens, coversReplyOf: null } : anchor;
  return next;
}

/** Weight of the newest step in the average growth: the last ten steps make most of it; chosen. */
const NEWEST_STEP_RATIO = 0.1;

function withStep(ledger: Ledger): Ledger {
  const { estimatedTokens, estimatedAtLastCallTokens, stepGrowthTokens } = ledger;
  const next = ledgerCopy(ledger);
  next.estimatedAtLastCallTokens = estimatedTokens;
  if (estimatedAtLastCallTokens === null) return next;
  const grownTokens = Math.max(0, estimatedTokens - estimatedAtLastCallTokens);
  next.stepGrowthTokens =
    stepGrowthTokens === 0 ? grownTokens : stepGrowthTokens + NEWEST_STEP_RATIO * (grownTokens - stepGrowthTokens);
  return next;
}

function sumTokens(messages: Iterable<Message>, estimator: Estimator): number {
  let tokens = 0;
  for (const message of messages) tokens += estimator.measure.messageTokens(message);
  return tokens;
}
