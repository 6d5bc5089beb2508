import { GOAL_STEP } from "../engine/chain.ts";
import type { Breaker, FitInput, FitOutcome } from "../engine/fit-input.ts";
import { type AttemptEntry, type SessionEntry, type StepOutcome, summaryUsages } from "../entry.ts";
import { isHuman, type Message, vendorBlockOf } from "../message/message.ts";
import { shortHash } from "../text.ts";
import { EMPTY_LEDGER, type Estimator, type Ledger, type Overhead } from "../tokens/estimator.ts";
import type { WorkCounter } from "../tokens/measure.ts";
import { isRejectedUsage, UNREPORTED_USAGE, type Usage } from "../usage.ts";
import { type CacheSigns, foldCacheSigns, NO_CACHE_SIGNS } from "./cache-life.ts";
import { type ContextWishes, foldWishes } from "./context-wishes.ts";
import { foldRequestLimits, type LearnedRequestLimits } from "./learned-limit.ts";
import type { PromptWatch, UsageWatch } from "./usage-watch.ts";
import { EMPTY_PROMPT_WATCH, EMPTY_USAGE_WATCH, foldPromptWatch, foldUsageWatch } from "./usage-watch.ts";
import { EMPTY_VIEW, foldEntry, type SessionView } from "./view.ts";

/** Nothing has failed. */
export const CLOSED_BREAKER: Breaker = { failures: 0, estimatedAtLastAttemptTokens: null, isGoalMissed: false };

/** The breaker after one more entry. Only steps that ask a model count (by the names given), also with a hook's text; one without work is no failure. */
export function foldBreaker(breaker: Breaker, entry: SessionEntry, asking: StateFold["asking"] = ["summarize"]): Breaker {
  if (entry.type === "message") return isHuman(entry.message) ? { ...breaker, failures: 0 } : breaker;
  if (entry.type === "compaction") {
    const isGoalMissed = entry.record.steps.some(({ strategy }) => strategy === GOAL_STEP);
    return { ...afterSteps(breaker, entry.record.steps, asking), estimatedAtLastAttemptTokens: null, isGoalMissed };
  }
  if (entry.type === "attempt")
    return { ...breaker, ...afterSteps(breaker, entry.steps, asking), estimatedAtLastAttemptTokens: entry.estimatedTokens };
  if (entry.type === "revert") return { ...breaker, isGoalMissed: false };
  const { isVendorOut: _, ...others } = breaker;
  return entry.type === "model-change" ? others : breaker;
}

function afterSteps(breaker: Breaker, steps: readonly StepOutcome[], asking: StateFold["asking"]): Breaker {
  let { failures, isVendorOut = false } = breaker;
  for (const { strategy, outcome } of steps) {
    if (asking.includes(strategy) && outcome !== "not-applicable") failures = outcome === "applied" ? 0 : failures + 1;
    isVendorOut ||= strategy === "vendor" && outcome === "failed";
  }
  return { ...breaker, failures, ...(isVendorOut ? { isVendorOut } : {}) };
}

/** The entry of a fit that was tried and changed nothing; `null` if nothing was tried, or the cut would not pay. */
export function attemptEntry(
  outcome: FitOutcome,
  at: { readonly input: FitInput; readonly estimatedTokens: number; readonly lastEntryId: string | null },
): AttemptEntry | null {
  if (outcome.kind === "unchanged" || outcome.kind === "compacted" || ("by" in outcome && outcome.by === "price")) return null;
  const { kind, reason } = outcome;
  const steps = outcome.kind === "cancelled" ? [] : outcome.steps;
  const id = shortHash(`attempt\n${reason}\n${kind}\n${at.lastEntryId ?? ""}`);
  return { type: "attempt", id, reason, outcome: kind, steps, estimatedTokens: at.estimatedTokens, atMs: at.input.nowMs };
}

/** The facts of a log that decide its context and its fits, as one plain value: the same log gives the same state. Counts and indexes are kept by the open session. */
export interface SessionState {
  readonly view: SessionView;
  readonly ledger: Ledger;
  readonly breaker: Breaker;
  readonly watch: PromptWatch;
  readonly usageWatch: UsageWatch;
  readonly cacheSigns: CacheSigns;
  /** Limits in other units than tokens, learned from refusals. */
  readonly requestLimits: LearnedRequestLimits;
  /** Time of the newest report that has one. */
  readonly reportedAtMs: number | null;
  /** Id of the newest message that was appended, also if an edit took it out: the id that the next one follows from. */
  readonly lastMessageId: string | null;
  /** Ids of the requests that were answered since that message: the next reply is one of theirs. */
  readonly answeredRequestIds: readonly string[];
  readonly wishes: ContextWishes;
}

/** The state of an empty log. */
export const EMPTY_STATE: SessionState = {
  view: EMPTY_VIEW,
  ledger: EMPTY_LEDGER,
  breaker: CLOSED_BREAKER,
  watch: EMPTY_PROMPT_WATCH,
  usageWatch: EMPTY_USAGE_WATCH,
  cacheSigns: NO_CACHE_SIGNS,
  requestLimits: {},
  reportedAtMs: null,
  lastMessageId: null,
  answeredRequestIds: [],
  wishes: { pins: [], asked: null },
};

/** The measures that entries are folded with. */
export interface StateFold {
  readonly estimator: Estimator;
  /** Tokens that are sent at each request but are not in the log. */
  readonly hiddenTokens: number;
  readonly work: WorkCounter;
  /** Names of strategies that ask the session's model. */
  readonly asking: readonly string[];
}

/** A state after one more entry. */
export interface FoldedState {
  readonly state: SessionState;
  /** Tokens that the provider left out of the prompt, if this entry is the report that shows it. */
  readonly missingTokens: number | null;
  /** True if this entry is the report from which on usage is no evidence. */
  readonly isUsageRefused: boolean;
}

/** The state after one more entry. Messages and most reports cost only the new part; edits, undos and changes of setup or model walk the view. */
export function foldState(
  before: SessionState,
  entry: SessionEntry,
  { estimator, hiddenTokens, work, asking }: StateFold,
): FoldedState {
  const view = foldEntry(before.view, entry);
  const { system, tools } = view;
  const overhead = { system, tools, dynamicContext: null, hiddenTokens };
  // A prompt of no tokens was not sent: a provider that reports none counted nothing.
  const evidence = entry.type === "usage" && entry.usage.input.totalTokens === 0 ? asUnreported(entry) : entry;
  const watch = foldPromptWatch(before.watch, evidence, view);
  const missingTokens = watch.isTold && !before.watch.isTold ? Math.round(watch.missingTokens) : null;
  const usageWatch = foldUsageWatch(before.usageWatch, evidence);
  const isUsageRefused = usageWatch.isRefused && !before.usageWatch.isRefused;
  const fold = { estimator, view, overhead };
  work.folded(1);
  const { answeredRequestIds: answered } = before;
  const isAnswer = entry.type === "usage" && !isRejectedUsage(entry.usage);
  const first = entry.type === "setup-change" ? before.view.messages.at(0) : undefined;
  const isBlock = first !== undefined && vendorBlockOf(first) !== undefined;
  // Under the same setup a vendor's refused block leaves.
  const isBlockOut =
    isBlock && "removedReasoning" in entry && entry.removedReasoning?.some(({ messageId }) => messageId === first.id) === true;
  const state = {
    view,
    ledger: isUsageRefused
      ? withoutReports(before.ledger, fold)
      : foldLedger(before.ledger, usageWatch.isRefused ? asUnreported(entry) : evidence, fold),
    breaker: isBlockOut ? { ...before.breaker, isVendorOut: true } : foldBreaker(before.breaker, entry, asking),
    watch,
    usageWatch,
    cacheSigns: foldCacheSigns(before.cacheSigns, evidence),
    requestLimits: foldRequestLimits(before.requestLimits, entry, before.view),
    reportedAtMs: entry.type === "usage" ? (entry.atMs ?? before.reportedAtMs) : before.reportedAtMs,
    lastMessageId: entry.type === "message" ? entry.message.id : before.lastMessageId,
    answeredRequestIds: isAnswer ? [...answered, entry.requestId] : entry.type === "message" ? [] : answered,
    wishes: foldWishes(before.wishes, entry, view.activeCompactions.at(-1)?.id ?? null),
  };
  return { state, missingTokens, isUsageRefused };
}

/** A report that is no evidence: the call happened, its size is not known. A refusal's own count is another matter. */
function asUnreported(entry: SessionEntry): SessionEntry {
  return entry.type === "usage" && !isRejectedUsage(entry.usage) ? { ...entry, usage: UNREPORTED_USAGE } : entry;
}

/** The ledger without the lessons of reports: its sums stay, and all of the view is weighed anew. */
function withoutReports(before: Ledger, { estimator, view: { modelId, messages } }: LedgerFold): Ledger {
  const { estimatedTokens, estimatedAtLastCutTokens, stepGrowthTokens } = before;
  const untaught = modelId === null ? EMPTY_LEDGER : estimator.changeModel(EMPTY_LEDGER, modelId);
  const sums = { estimatedTokens, estimatedAtLastCutTokens, estimatedAtLastCallTokens: estimatedTokens, stepGrowthTokens };
  return { ...estimator.recount(untaught, messages, "engine"), ...sums };
}

interface LedgerFold {
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
  const { estimator, view } = fold;
  if (entry.type === "message") {
    const estimatedTokens = ledger.estimatedTokens + estimator.measure.messageTokens(entry.message);
    return { ...estimator.append(ledger, entry.message), estimatedTokens };
  }
  if (entry.type === "usage") {
    const { estimatedTokens, estimatedAtLastCallTokens: before, stepGrowthTokens: growth } = ledger;
    const grownTokens = before === null ? 0 : Math.max(0, estimatedTokens - before);
    const next = growth === 0 ? grownTokens : growth + NEWEST_STEP_RATIO * (grownTokens - growth);
    const stepGrowthTokens = before === null ? growth : next;
    return estimator.observe({ ...ledger, estimatedAtLastCallTokens: estimatedTokens, stepGrowthTokens }, entry, fold.overhead);
  }
  if (entry.type === "compaction" || entry.type === "revert") {
    const estimatedTokens = sumTokens(view.messages, estimator);
    // Messages since the last call, which may be gone now, are part of the step's growth.
    const grownTokens = ledger.estimatedTokens - (ledger.estimatedAtLastCallTokens ?? 0);
    const estimatedAtLastCallTokens = ledger.estimatedAtLastCallTokens === null ? null : estimatedTokens - grownTokens;
    const isOthers = entry.type === "compaction" && entry.record.reason === "recorded";
    const recounted = estimator.recount(ledger, view.messages, isOthers ? "others" : "engine");
    return { ...recounted, estimatedTokens, estimatedAtLastCallTokens, estimatedAtLastCutTokens: estimatedTokens };
  }
  const changed = entry.type === "model-change" ? estimator.changeModel(ledger, entry.modelId) : ledger;
  return "removedReasoning" in entry && entry.removedReasoning !== undefined ? withoutRemoved(changed, fold) : changed;
}

/** The ledger after reasoning left the view without a cut: messages new since the newest cut stay new. */
function withoutRemoved(ledger: Ledger, { estimator, view: { messages } }: LedgerFold): Ledger {
  const estimatedTokens = sumTokens(messages, estimator);
  const removedTokens = ledger.estimatedTokens - estimatedTokens;
  const less = (tokens: number | null) => (tokens === null ? null : Math.max(0, tokens - removedTokens));
  return {
    ...estimator.recount(ledger, messages, "engine"),
    estimatedTokens,
    estimatedAtLastCallTokens: less(ledger.estimatedAtLastCallTokens),
    estimatedAtLastCutTokens: less(ledger.estimatedAtLastCutTokens),
  };
}

/** Weight of the newest step in the average growth: the last ten steps make most of it; chosen. */
const NEWEST_STEP_RATIO = 0.1;

function sumTokens(messages: Iterable<Message>, estimator: Estimator): number {
  let tokens = 0;
  for (const message of messages) tokens += estimator.measure.messageTokens(message);
  return tokens;
}

/** Usage of a session by its providers, with summaries that a model wrote; without rejected requests, and without figures that were not reported. */
export interface UsageTotals {
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly compactions: number;
}

/** Nothing used. */
export const NO_USAGE: UsageTotals = {
  requests: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  compactions: 0,
};

/** The totals after one more entry of the log. */
export function foldTotals(totals: UsageTotals, entry: SessionEntry): UsageTotals {
  if (entry.type === "usage") return isRejectedUsage(entry.usage) ? totals : withUsage(totals, entry.usage);
  if (entry.type !== "compaction" && entry.type !== "attempt") return totals;
  const isMade = entry.type === "compaction";
  return summaryUsages(entry).reduce(withUsage, isMade ? { ...totals, compactions: totals.compactions + 1 } : totals);
}

function withUsage(totals: UsageTotals, usage: Usage): UsageTotals {
  return {
    ...totals,
    requests: totals.requests + 1,
    inputTokens: totals.inputTokens + (usage.input.totalTokens ?? 0),
    cacheReadTokens: totals.cacheReadTokens + (usage.input.cacheReadTokens ?? 0),
    cacheWriteTokens: totals.cacheWriteTokens + (usage.input.cacheWriteTokens ?? 0),
    outputTokens: totals.outputTokens + (usage.output.totalTokens ?? 0),
  };
}
