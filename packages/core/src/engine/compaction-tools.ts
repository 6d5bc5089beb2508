import type { Budget } from "../budget.ts";
import { openStepStart } from "../cut-point.ts";
import type { Edit } from "../edit/apply-edits.ts";
import { PlimsollError } from "../error.ts";
import type { KeepRule } from "../keep/keep-rule.ts";
import type { KeptMessages } from "../keep/kept-messages.ts";
import { reasoningBehindEdit, withoutReasoning } from "../message/bound-reasoning.ts";
import { isDeclared, isHuman, type Message } from "../message/message.ts";
import type { SummaryPolicy } from "../policy/policy.ts";
import { answerWithin, withDeadline } from "../port-door.ts";
import type { Summarizer } from "../ports.ts";
import { chunkedSummarizer, PROMPT_TOKENS } from "../summarizer/chunked.ts";
import type { ChainTools } from "./chain.ts";
import { type ExecuteInput, execute } from "./execute.ts";
import type { FitInput, FitState, Sized, SizedPart } from "./fit-input.ts";
import type { Goal } from "./goal.ts";
import { expectedTokensOf } from "./why-act.ts";

/** The tools of a chain for one compaction. */
export interface CompactionTools extends ChainTools, Pick<ExecuteInput, "recaller"> {
  /** True as long as a hook's summary waits for the first step that writes one. */
  readonly isSupplied: () => boolean;
}

/** Tokens of a notice without its facts; the longest has some 70. */
export const NOTICE_TOKENS = 80;

/** Summarisers whose requests fit, the facts as text, and prices, for one compaction. */
export function toolsFor(
  state: FitState,
  { budget, input }: { readonly budget: Budget; readonly input: FitInput },
  given: {
    goal: Goal;
    /** The most that may stay, recalled passages included. */
    keptTokens: number;
    /** The room that the facts and a digest are shares of. */
    writtenTokens: number;
    measure: ViewMeasure;
    summary: string | null;
    held: readonly KeptMessages[];
    rules: readonly KeepRule[];
  },
): CompactionTools {
  const { goal, keptTokens, writtenTokens, measure, summary, held, rules } = given;
  const { policy, ledger, setup } = state;
  const { estimator, deadline, ports } = setup;
  const cutEstimator = setup.cutEstimator();
  const summaryPolicy = summaryWithin(policy.summary, budget);
  const { overheadTokens, messageTokens, scaleRatio } = measure;
  // Tokens that no message explains are no part of a summary's request.
  const requested = (message: Message) => estimator.messageTokens(message, state.writer?.ledger ?? ledger);
  const { request } = policy.summary;
  const [own, cheaper] = typeof request === "string" ? [state.writer?.limits] : [null, request.cheaper];
  const windowTokens = cheaper?.contextWindowTokens ?? own?.contextWindowTokens ?? budget.windowTokens;
  const ownReplyTokens = own?.maxOutputTokens ?? 0;
  const historyTokens =
    Math.min(budget.inputBudgetTokens, windowTokens - ownReplyTokens) - summaryPolicy.maxTokens - PROMPT_TOKENS;
  let isSupplied = summary !== null;
  const supplied: Summarizer = () => {
    isSupplied = false;
    return Promise.resolve({ text: summary ?? "", usage: null, stopReason: "end" });
  };
  const tokensOf = (text: string) => Math.ceil(estimator.measure.textTokens(text) * scaleRatio);
  const limits = { historyTokens, windowTokens, overheadTokens, messageTokens: requested, textTokens: tokensOf };
  const room = { budget, roomTokens: writtenTokens, recordTokens: policy.facts.maxTokens, held, tokensOf };
  const facts = state.memory.record(room);
  const recaller = state.memory.recaller(rules, { ...room, roomTokens: keptTokens });
  const mostFacts = facts([]);
  const factTokens = mostFacts === null ? 0 : tokensOf(mostFacts);
  const view = state.view.messages.slice();
  const sizing: ChainTools["sizing"] = {
    isLeftOver: leftOverOf(state),
    lastHuman: policy.fallback === null ? "goes" : "stays",
    lastStep: openStepStart(view) < view.length ? "open" : "answered",
    messageTokens,
    keptMessageTokens: (message) => cutEstimator.messageTokens(message, ledger),
    measure: estimator.measure,
    scaleRatio,
    noticeTokens: NOTICE_TOKENS + factTokens + recaller.atMostTokens,
  };
  const writers: Omit<ExecuteInput, "messages" | "edits" | "kept" | "pinned"> = {
    pending: input.pending,
    lastHuman: sizing.lastHuman,
    lastStep: sizing.lastStep,
    summary: summaryPolicy,
    prompts: setup.kinds.prompts,
    opening: state.view,
    focus: input.focus ?? null,
    nowMs: input.nowMs,
    summarizer: summary === null ? withDeadline(chunkedSummarizer(ports.summarizer, limits), deadline) : supplied,
    vendor: vendorOf(state, budget),
    author: summary === null ? "asked" : "hook",
    digest: (request, signal) => state.memory.digest(room)(request, signal),
    facts,
    recaller,
    textTokens: tokensOf,
  };
  return {
    goal,
    budget,
    sizing,
    recaller,
    isSupplied: () => isSupplied,
    // A step that does not shrink the view is undone. Without a fallback it stays, unless the rest measures more by itself than the whole request did before.
    isProgress: ({ before, after, messages }) => {
      if (policy.fallback !== null) return after < before;
      return messages.reduce((sum, message) => sum + estimator.measure.messageTokens(message), 0) <= measure.expectedTokens;
    },
    cause: input.now !== undefined ? "demand" : input.gate === "on-overflow" ? "overflow" : "size",
    tokensOf: (messages) => measure.tokensOf(asSent(messages, state)),
    carryOut: ({ edits, ...planned }, signal) =>
      execute({ ...writers, ...planned, edits: isSupplied ? edits.map(withHooksText) : edits }, signal),
  };
}

const withHooksText = (edit: Edit): Edit =>
  edit.kind === "replace-spans" && (edit.by === "digest" || edit.by === "vendor") ? { ...edit, by: "summary" } : edit;

/** An edited view as it will be sent: without the reasoning that the edit makes invalid. */
export function asSent(
  edited: readonly Message[],
  { setup: { isBoundReasoning: isBound }, view }: FitState,
): readonly Message[] {
  if (isBound === null || view.boundReasoning === "vendor-drops") return edited;
  const removed = reasoningBehindEdit(view.messages.slice(), edited, (part) => isBound(part, view.modelId));
  return withoutReasoning(edited, removed);
}

/** Asks the vendor for its own summary, by the session's model; `undefined` where its wire has none. */
function vendorOf({ setup: { ports, deadline }, policy, view }: FitState, budget: Budget): ExecuteInput["vendor"] {
  const { compact } = ports;
  const { modelId } = view;
  if (compact === undefined || modelId === null) return undefined;
  const late = (afterMs: number) => new PlimsollError("summary-failed", `the vendor gave no summary within ${afterMs} ms`);
  // The limit is for the whole call, with any reasoning before the text.
  const { maxTokens } = summaryWithin(policy.summary, budget);
  const maxOutputTokens = Math.max(maxTokens, budget.windowTokens - budget.inputBudgetTokens);
  return (context, signal) =>
    answerWithin((asked) => compact({ context, modelId, maxOutputTokens }, asked), { deadline, signal, late });
}

/** Says whether a message is between the spans of the newest compaction, behind the message that replaced them. */
function leftOverOf({ view: { activeCompactions, messages } }: FitState): (message: Message) => boolean {
  const edit = activeCompactions.at(-1)?.edits.find((each) => each.kind === "replace-spans" && each.spans.length > 1);
  const writtenId = edit?.kind === "replace-spans" ? edit.message?.id : undefined;
  if (writtenId === undefined) return () => false;
  const view = messages.slice();
  const next = view[view.findIndex(({ id }) => id === writtenId) + 1];
  return (message) => message === next && isHuman(message);
}

/** A summary may take at most this share of the input budget: klaude-code's figures give as much in small windows (K-c1). */
const SUMMARY_RATIO = 0.2;

/** The policy's summary, no larger than the window has room for in addition to the history that it is written from. */
export function summaryWithin(summary: SummaryPolicy, budget: Budget): SummaryPolicy {
  const limitTokens = Math.max(1, Math.floor(budget.inputBudgetTokens * SUMMARY_RATIO));
  const { maxTokens, turnPrefixMaxTokens } = summary;
  return {
    ...summary,
    maxTokens: Math.min(maxTokens, limitTokens),
    turnPrefixMaxTokens: Math.min(turnPrefixMaxTokens, limitTokens),
  };
}

/** How a compaction measures candidates: by the prediction that the gate saw, divided over the view that it is of. */
export interface ViewMeasure {
  /** Expected tokens at the gate, without pending messages. */
  readonly expectedTokens: number;
  readonly overheadTokens: number;
  /** The part of the expected tokens that belongs to the view's messages. */
  readonly viewTokens: number;
  readonly scaleRatio: number;
  readonly messageTokens: (message: Message) => number;
  readonly tokensOf: (messages: readonly Message[]) => number;
}

/**
 * The measure of a compaction over a view. If a report has more than its estimator knows a place for (an unexplained rise, a wrong report), each message
 * is priced with its share of it: a candidate that does not shrink that, too, is no candidate.
 */
export function viewMeasure(messages: readonly Message[], state: Sized & Pick<FitState, "overhead">): ViewMeasure {
  const { setup, ledger } = state;
  const { estimator } = setup;
  const knownTokens = expectedTokensOf(messages, state);
  const { expectedTokens, overheadTokens } = estimator.predict(ledger, state.overhead);
  const viewTokens = Math.max(knownTokens, expectedTokens - overheadTokens);
  const shareRatio = knownTokens > 0 ? viewTokens / knownTokens : 1;
  return {
    expectedTokens,
    overheadTokens,
    viewTokens,
    scaleRatio: estimator.scaleRatio(ledger) * shareRatio,
    messageTokens: (message) => estimator.messageTokens(message, ledger) * shareRatio,
    tokensOf: (some) => {
      if (some === messages) return viewTokens;
      const tokens = expectedTokensOf(some, state);
      // Multiplied first: a part as large as the view then counts as much, and not a rounding less.
      return knownTokens > 0 ? Math.floor((tokens * viewTokens) / knownTokens) : tokens;
    },
  };
}

/** Lists the parts of a context that cannot be made to fit, with their sizes. */
export function sizedParts(
  messages: readonly Message[],
  { measure, state, pending }: { readonly measure: ViewMeasure; readonly state: Sized } & Pick<FitInput, "pending">,
): readonly SizedPart[] {
  const human = messages.findLast(isHuman);
  const humanTokens = human === undefined ? 0 : measure.tokensOf([human]);
  const declaredTokens = measure.tokensOf(messages.filter(isDeclared));
  return [
    { what: "overhead", tokens: measure.overheadTokens },
    ...(declaredTokens === 0 ? [] : [{ what: "declared", tokens: declaredTokens } as const]),
    { what: "last-human-message", tokens: humanTokens },
    { what: "pending", tokens: expectedTokensOf(pending, state) },
    { what: "rest", tokens: measure.tokensOf(messages) - humanTokens - declaredTokens },
  ];
}
