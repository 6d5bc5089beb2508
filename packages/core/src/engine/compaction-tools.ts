import type { Budget } from "../budget.ts";
import { openStepStart } from "../cut-point.ts";
import type { KeepRule } from "../keep/keep-rule.ts";
import { createDigest, DEFAULT_DIGEST_OPTIONS } from "../memory/digest.ts";
import { type Facts, fileOperations, NO_FACTS, namedAccessesOf } from "../memory/facts.ts";
import { factFraming, factsText, type KeptState, newestLines } from "../memory/facts-text.ts";
import { type Recaller, recaller } from "../memory/recaller.ts";
import { textOnOneLine } from "../message/framing.ts";
import { isDeclared, isHuman, type Message } from "../message/message.ts";
import type { SummaryPolicy } from "../policy/policy.ts";
import { withDeadline } from "../port-door.ts";
import type { Summarizer } from "../ports.ts";
import { chunkedSummarizer } from "../summarizer/chunked.ts";
import type { SummaryAuthor } from "../summarizer/usable.ts";
import type { Estimator, Ledger, Overhead } from "../tokens/estimator.ts";
import type { ChainTools } from "./chain.ts";
import type { FitInput, FitState, SizedPart } from "./fit-input.ts";
import { expectedTokensOf, type Goal } from "./why-act.ts";

/** The tools that all steps of one compaction share. */
export interface CompactionTools {
  readonly summarizer: Summarizer;
  readonly author: SummaryAuthor;
  readonly digest: Summarizer;
  /** The facts as text beside messages that stay; `null` for none. */
  readonly facts: (staying: readonly Message[]) => string | null;
  readonly recaller: Recaller;
  readonly pricing: ChainTools["pricing"];
  /** Names what `pricing` measures a cut with. */
  readonly cutEstimatorName: string;
}

/** Tokens of a notice without its facts; the longest has some 70. */
const NOTICE_TOKENS = 80;

/** Facts, and a digest, may take at most this share of the room, so that they always fit in a small window; chosen. */
const FACTS_RATIO = 0.1;
const DIGEST_RATIO = 0.25;

/** A record of fewer tokens does not hold what a digest quotes of the same: then both do. Chosen. */
const WHOLE_RECORD_TOKENS = 1000;

/** Prompt, framing and sections of a summary request, in tokens; the longest prompt has some 900. */
const PROMPT_TOKENS = 1500;

/** Characters that a token is taken for if text is written to a size: three, the densest that code commonly is. */
const CHARS_PER_TOKEN = 3;

/** Summarisers whose requests fit, the facts as text, and prices, for one compaction. */
export function toolsFor(
  state: FitState,
  {
    budget,
    goal,
    measure,
    summary,
    inHandTokens,
    rules,
  }: {
    budget: Budget;
    goal: Goal;
    measure: ViewMeasure;
    summary: string | null;
    inHandTokens: number;
    rules: readonly KeepRule[];
  },
): CompactionTools {
  const { policy, ledger, estimator } = state;
  const cutEstimator = state.cutEstimator();
  // After a refusal the room is what may be left: what was believed to fit did not.
  const roomTokens = Math.max(0, goal.limitTokens);
  const factsTokens = roomTokens * FACTS_RATIO;
  const facts = factsOf(state, { atMostTokens: factsTokens, scaleRatio: measure.scaleRatio });
  const { maxTokens } = summaryWithin(policy.summary, budget);
  const historyTokens = Math.max(PROMPT_TOKENS, requestBudgetTokens(state, budget) - maxTokens - PROMPT_TOKENS);
  const { overheadTokens, messageTokens, scaleRatio } = measure;
  // What no message explains is no part of a summary's request.
  const requested = (message: Message) => estimator.messageTokens(message, state.writer?.ledger ?? ledger);
  const limits = { historyTokens, overheadTokens, messageTokens: requested };
  const supplied: Summarizer = () => Promise.resolve({ text: summary ?? "", usage: null, stopReason: "end" });
  const digestChars = Math.min(DEFAULT_DIGEST_OPTIONS.maximumChars, Math.floor(roomTokens * DIGEST_RATIO * CHARS_PER_TOKEN));
  const recalls = recaller(rules, {
    budget,
    roomTokens,
    inHandTokens,
    charsPerToken: CHARS_PER_TOKEN,
    log: state.recallIndex,
    work: state.work,
  });
  const mostFacts = facts([]);
  const factTokens = mostFacts === null ? 0 : Math.ceil(estimator.measure.textTokens(mostFacts) * scaleRatio);
  const view = state.messages();
  return {
    recaller: recalls,
    cutEstimatorName: cutEstimator.name,
    summarizer: summary === null ? withDeadline(chunkedSummarizer(state.summarizer, limits), state.deadline) : supplied,
    author: summary === null ? "asked" : "hook",
    digest: createDigest({
      maximumChars: digestChars,
      facts: state.facts,
      isBesideRecord: Math.min(policy.facts.maxTokens, factsTokens) >= WHOLE_RECORD_TOKENS,
    }),
    facts,
    pricing: {
      isLeftOver: leftOverOf(state),
      lastHuman: policy.fallback === null ? "goes" : "stays",
      lastStep: openStepStart(view) < view.length ? "open" : "answered",
      messageTokens,
      keptMessageTokens: (message) => cutEstimator.messageTokens(message, ledger),
      measure: estimator.measure,
      scaleRatio,
      noticeTokens: NOTICE_TOKENS + factTokens + recalls.atMostTokens,
    },
  };
}

/**
 * The facts in so many tokens at most, and within the policy's room. Without a room what the caller gave (pinned instructions, live state) and the lists of
 * files that a policy names are written all the same. Lists of covered files depend on what stays, and have all of the room: the program that they follow
 * bounds them by nothing.
 */
function factsOf(
  { policy, facts, kept, estimator }: FitState,
  { atMostTokens, scaleRatio }: Readonly<Record<"atMostTokens" | "scaleRatio", number>>,
): CompactionTools["facts"] {
  // Each step of a cut asks anew, mostly for the same texts.
  const priced = new Map<string, number>();
  const tokensOf = (text: string) => {
    if (!priced.has(text)) priced.set(text, Math.ceil(estimator.measure.textTokens(text) * scaleRatio));
    return priced.get(text) ?? 0;
  };
  const { files } = policy.facts;
  const hasRoom = policy.facts.maxTokens > 0;
  const maxTokens = hasRoom ? policy.facts.maxTokens : Number.POSITIVE_INFINITY;
  const { accesses, tracked } = files === undefined ? NO_FACTS : facts;
  const written = hasRoom ? facts : { ...NO_FACTS, accesses, tracked };
  const text = (mostTokens: number, staying: readonly Message[]) => {
    for (let charsPerToken = MOST_CHARS_PER_TOKEN; ; charsPerToken -= 0.5) {
      const found = factsText(written, kept, { maximumChars: Math.floor(mostTokens * charsPerToken), staying });
      if (found === null || charsPerToken <= 1 || tokensOf(found) <= mostTokens) return found;
    }
  };
  if (files !== "covered") return (staying) => text(Math.min(maxTokens, atMostTokens), staying);
  const roomChars = Math.floor(atMostTokens * CHARS_PER_TOKEN);
  return (staying) => {
    const lists = coveredFilesText({ facts, kept, staying }, roomChars);
    const leftTokens = atMostTokens - (lists?.length ?? 0) / CHARS_PER_TOKEN;
    const blocks = [lists, text(Math.max(0, Math.min(maxTokens, leftTokens)), staying)].filter((block) => block !== null);
    return blocks.length === 0 ? null : blocks.join("\n\n");
  };
}

/** Characters that a token of facts is taken for at first: prose has more than four, code and other scripts fewer. */
const MOST_CHARS_PER_TOKEN = 4.5;

/** Tells whether a message stands between the spans of the newest compaction, behind the message that took their place. */
function leftOverOf({ lastCompaction, messages }: FitState): (message: Message) => boolean {
  const edit = lastCompaction?.edits.find((each) => each.kind === "replace-spans" && each.spans.length > 1);
  const writtenId = edit?.kind === "replace-spans" ? edit.message?.id : undefined;
  if (writtenId === undefined) return () => false;
  const view = messages();
  const next = view[view.findIndex(({ id }) => id === writtenId) + 1];
  return (message) => message === next && isHuman(message);
}

/** Returns the largest request for a summary: the session's own budget, or the window of the model that writes it if that is smaller. */
function requestBudgetTokens({ policy, writer }: Pick<FitState, "policy" | "writer">, { inputBudgetTokens }: Budget): number {
  const { request } = policy.summary;
  if (typeof request !== "string") return Math.min(inputBudgetTokens, request.cheaper.contextWindowTokens);
  const windowTokens = writer?.limits?.contextWindowTokens ?? Number.POSITIVE_INFINITY;
  return Math.min(inputBudgetTokens, windowTokens - (writer?.limits?.maxOutputTokens ?? 0));
}

/** A summary may take at most this share of the input budget: what klaude-code's figures come to in small windows (K-c1). */
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

/**
 * Lists of the files that calls name in what the context no longer has, by name, read before modified; `null` if there are none. What stays is
 * the log's newest, so that all accesses but as many of the newest as it has are of what went. Files of a tracker are always listed.
 */
function coveredFilesText(
  { facts, kept, staying }: { readonly facts: Facts; readonly kept: KeptState; readonly staying: readonly Message[] },
  maximumChars: number,
): string | null {
  const framing = factFraming(kept);
  const stayingCount = staying.reduce((count, message) => count + namedAccessesOf(message).length, 0);
  const covered = facts.named.slice(0, Math.max(0, facts.named.size - stayingCount));
  const states = new Map(facts.tracked.map(({ path, state }) => [path, state]));
  const files = [...fileOperations([...covered, ...facts.tracked])];
  const linesOf = (access: "read" | "modify") =>
    files.flatMap(([path, kind]) =>
      kind === access ? [() => [path, states.get(path) ?? ""].map(textOnOneLine).join(" ").trimEnd()] : [],
    );
  const listed = (tag: string, access: "read" | "modify", roomChars: number) =>
    newestLines(tag, linesOf(access), { framing, roomChars, order: "covered" });
  // What is modified matters more: the files that were read take what it leaves.
  const modified = listed("modified-files", "modify", maximumChars);
  const read = listed("read-files", "read", maximumChars - modified.length - 2);
  const blocks = [read, modified].filter((block) => block !== "");
  return blocks.length === 0 ? null : blocks.join("\n\n");
}

/** How a compaction measures candidates: by the prediction that the gate saw, divided over the view that it is of. */
export interface ViewMeasure {
  /** Expected tokens at the gate, without pending messages. */
  readonly expectedTokens: number;
  readonly overheadTokens: number;
  /** The part of what is expected that belongs to the view's messages. */
  readonly viewTokens: number;
  readonly scaleRatio: number;
  readonly messageTokens: (message: Message) => number;
  readonly tokensOf: (messages: readonly Message[]) => number;
}

/**
 * The measure of a compaction over a view. If a report has more than its estimator knows a place for (an unexplained rise, a wrong report), each message
 * is priced with its share of it: a candidate that does not shrink that, too, is no candidate.
 */
export function viewMeasure(
  messages: readonly Message[],
  state: { readonly estimator: Estimator; readonly ledger: Ledger; readonly overhead: Overhead },
): ViewMeasure {
  const { estimator, ledger } = state;
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
    tokensOf: (some) => (some === messages ? viewTokens : sharedTokens(expectedTokensOf(some, state), viewTokens, knownTokens)),
  };
}

/** The share of what is expected. Multiplied first: what measures as much as the view then counts as much, and not a rounding less. */
function sharedTokens(tokens: number, viewTokens: number, knownTokens: number): number {
  return knownTokens > 0 ? Math.floor((tokens * viewTokens) / knownTokens) : tokens;
}

/** Lists the parts of a context that cannot be made to fit, with their sizes. */
export function sizedParts(
  messages: readonly Message[],
  {
    measure,
    state,
    input,
  }: {
    readonly measure: ViewMeasure;
    readonly state: Pick<FitState, "estimator" | "ledger">;
    readonly input: Pick<FitInput, "pending">;
  },
): readonly SizedPart[] {
  const human = messages.findLast(isHuman);
  const humanTokens = human === undefined ? 0 : measure.tokensOf([human]);
  const declaredTokens = measure.tokensOf(messages.filter(isDeclared));
  return [
    { what: "overhead", tokens: measure.overheadTokens },
    ...(declaredTokens === 0 ? [] : [{ what: "declared", tokens: declaredTokens } as const]),
    { what: "last-human-message", tokens: humanTokens },
    { what: "pending", tokens: expectedTokensOf(input.pending, state) },
    { what: "rest", tokens: measure.tokensOf(messages) - humanTokens - declaredTokens },
  ];
}
