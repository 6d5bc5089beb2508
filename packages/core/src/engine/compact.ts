import { z } from "zod";
import { type Budget, resolveAmount } from "../budget.ts";
import { openStepStart } from "../cut-point.ts";
import { type AppliedEdit, type CompactionReason, type CompactionRecord, failedStep, type StepOutcome } from "../entry.ts";
import { canonicalJson } from "../json.ts";
import { type KeptMessages, keptMessages, LOADED_TOOLS } from "../keep/kept-messages.ts";
import { frozen } from "../kind.ts";
import { CONTEXT_FRAMING, quotedText } from "../message/framing.ts";
import { isHuman, type Message, textOf } from "../message/message.ts";
import { answerWithin, type Door, passed } from "../port-door.ts";
import { shortHash } from "../text.ts";
import { workBetween } from "../tokens/measure.ts";
import {
  bestOf,
  type ChainRun,
  chainOf,
  GOAL_STEP,
  newestOf,
  PREPARED,
  preparedStep,
  runChain,
  withPrepared,
} from "./chain.ts";
import {
  asSent,
  NOTICE_TOKENS,
  sizedParts,
  summaryWithin,
  toolsFor,
  type ViewMeasure,
  viewMeasure,
} from "./compaction-tools.ts";
import type { FitInput, FitOutcome, FitSetup, FitState, HookDecision, PreparedSummaryPort } from "./fit-input.ts";
import { type Goal, goalOf, LEAST_ROOM_RATIO } from "./goal.ts";
import { expectedTokensOf } from "./why-act.ts";
import { type CutPrice, mostWorthKeeping, whyNotWorth } from "./worth-cutting.ts";

/** Why and within which budget a compaction happens. */
export interface Compaction {
  readonly reason: CompactionReason;
  readonly budget: Budget;
  /** By which the cut is judged; absent for one that is prepared. */
  readonly price?: CutPrice;
  readonly input: FitInput;
  /** Gives the summary that was written beforehand; absent if none is wanted. */
  readonly prepared?: PreparedSummaryPort | null;
}

/**
 * Compacts: asks the hook, runs the chain of the policy, and returns the result. Nothing is written: the caller appends the returned entry. Other
 * work of the event loop runs between the steps of the chain. Rejects only when the caller's signal aborts; the record has all failures.
 */
export async function compact(state: FitState, given: Compaction, signal: AbortSignal): Promise<FitOutcome> {
  const { reason, input, prepared: ask = null } = given;
  const { setup, policy } = state;
  const workBefore = setup.work.total();
  const messages = state.view.messages.slice();
  const measure = viewMeasure(messages, state);
  const roomTokens = Math.max(0, Math.min(measure.viewTokens, given.budget.inputBudgetTokens - measure.overheadTokens));
  const budget = { ...given.budget, roomTokens };
  const compaction = { ...given, budget };
  const goal = goalOf(state, compaction, {
    tokensBefore: measure.viewTokens,
    overheadTokens: measure.overheadTokens,
    pendingTokens: expectedTokensOf(input.pending, state),
  });
  const notice = { reason, tokensBefore: measure.expectedTokens, budgetTokens: budget.inputBudgetTokens, messages };
  const { beforeCompaction: hook = null } = setup.ports;
  const decide = hook && (async (asked: AbortSignal) => passed(DECISION, await hook(frozen(notice), asked)));
  const { answer: decision, steps } = await answerOr<HookDecision>({ kind: "go" }, decide, { ...HOOK, setup, signal });
  if (decision.kind === "cancel") return { kind: "cancelled", by: "hook", reason, why: decision.why };
  const summary = decision.kind === "summary" ? decision.text : null;
  const isAsked = decision.kind === "go" && input.now === undefined;
  const { answer: written, steps: unwritten } = await answerOr(null, isAsked ? ask : null, { ...PREPARED, setup, signal });
  const prepared = written ? preparedStep(written, { view: messages, goal }) : null;
  const chain = withPrepared(chainOf(state, compaction), prepared);
  // After a refusal the room is the allowed rest: the believed size did not fit.
  const newest = newestOf(chain.rules, budget);
  // A cut that the window requires keeps as much as pays, and leaves room for the steps that it has to buy.
  const { minimumFreedRatio = 0, trigger } = policy;
  const hasToPay = reason === "over-budget" && policy.minimumFreedRatio !== undefined && given.price !== undefined;
  const payingTokens = hasToPay
    ? mostWorthKeeping(measure.viewTokens, given.price, minimumFreedRatio)
    : Number.POSITIVE_INFINITY;
  const besideStepsTokens = tokensBesideSteps(state, compaction, { goal, measure, messages });
  const newestTokens = "tokens" in newest ? newest.tokens : 0;
  const estimator = setup.cutEstimator();
  const stated = chain.rules.map((rule) => (rule.keeps === "messages" ? resolveAmount(rule.atMost, budget) : 0));
  const statedRatio = Math.max(0, ...stated) / Math.max(1, roomTokens);
  const keptRatio = Math.min(MOST_KEPT_RATIO, Math.max(KEPT_RATIO, statedRatio));
  const kept = keptMessages([LOADED_TOOLS, ...chain.rules], {
    messages,
    budget,
    messageTokens: (message) => estimator.messageTokens(message, state.ledger),
    limitTokens: Math.min(goal.limitTokens * keptRatio, besideStepsTokens),
  });
  setup.work.visited(kept.length * messages.length);
  const leftTokens = kept.reduce((sum, { tokens }) => sum - tokens, besideStepsTokens);
  const tools = toolsFor(state, compaction, {
    goal,
    // A text about the rest has only the room that the newest steps leave it.
    keptTokens: Math.max(0, Math.min(goal.limitTokens, payingTokens, leftTokens)),
    writtenTokens: Math.max(0, Math.min(goal.limitTokens, payingTokens - newestTokens, leftTokens)),
    measure,
    summary,
    held: kept,
    // The last recovery leaves only uncuttable parts: it recalls nothing.
    rules: chain.isForced ? [] : chain.rules,
  });
  // A rule that fails holds nothing, and is a step of the record.
  const unkept = kept.flatMap(({ kind, failure }) => (failure === null ? [] : [failedStep(`keep ${kind}`, failure)]));
  const start = {
    messages,
    tokens: measure.viewTokens,
    applied: [],
    steps: [...state.failedPorts, ...steps, ...unwritten, ...unkept],
    held: kept.filter((each) => each.messages.length > 0),
  };
  // A cut that nothing forces has to pay if the policy says so: the view fits without it.
  const mayWait = reason === "threshold" && measure.viewTokens <= goal.budgetTokens;
  const price = mayWait && trigger.pays !== undefined ? given.price : undefined;
  const whyNot = (keptTokens: number) =>
    price === undefined
      ? null
      : whyNotWorth({ freedTokens: measure.viewTokens - keptTokens, keptTokens }, price, minimumFreedRatio);
  // A model's summary is paid for when it is asked for: before that, the messages of the rules and the longest summary are assumed.
  const asksModel =
    prepared === null && summary === null && chain.steps.some(({ strategy, from }) => from === "policy" && strategy.needsModel);
  const heldTokens = kept.reduce((sum, { tokens }) => sum + tokens, tools.sizing.noticeTokens);
  const whyNotAsked = asksModel ? whyNot(heldTokens + summaryWithin(policy.summary, budget).maxTokens) : null;
  if (whyNotAsked !== null) return { kind: "cancelled", by: "price", reason, why: whyNotAsked };
  const end = await runChain(chain, start, tools, signal);
  const why = asksModel || end.run.applied.length === 0 ? null : whyNot(end.run.tokens);
  if (why !== null) return { kind: "cancelled", by: "price", reason, why };
  const isMissed = policy.fallback !== null && end.run.tokens > goal.budgetTokens;
  const run = isMissed ? bestOf(end, goal) : end.run;
  const unrecalled = [...tools.recaller.failures].map(([kind, failure]) => failedStep(`keep ${kind}`, failure));
  const unused = tools.isSupplied() ? [UNUSED_SUMMARY] : [];
  return outcomeOf(state, compaction, {
    run: { ...run, steps: [...run.steps, ...unrecalled, ...unused] },
    isMissed,
    kept,
    measure,
    before: messages,
    work: workBetween(workBefore, setup.work.total()),
  });
}

/**
 * The most tokens of kept messages and of text about the rest that leave room for the steps that a cut has to buy. Any amount does while half of the window is free of
 * system text and tools; the more of the other half these fill, the more steps count. Messages that no cut takes come first.
 */
function tokensBesideSteps(
  { policy: { progress } }: FitState,
  { budget, price }: Compaction,
  { goal, measure, messages }: { readonly goal: Goal; readonly measure: ViewMeasure; readonly messages: readonly Message[] },
): number {
  const stepTokens = price?.stepTokens ?? 0;
  const filledRatio = Math.max(0, (2 * measure.overheadTokens) / budget.inputBudgetTokens - 1);
  const wantedSteps = (progress.minimumSteps ?? 0) * Math.min(1, filledRatio);
  if (wantedSteps * stepTokens <= 0) return Number.POSITIVE_INFINITY;
  const human = messages.findLast(isHuman);
  const staying = messages.slice(openStepStart(messages)).concat(human ?? []);
  const stayingTokens = measure.tokensOf(staying);
  // A bound out of reach does not bring on the next cut.
  const isBound = goal.limitTokens > goal.budgetTokens * LEAST_ROOM_RATIO;
  const roomTokens = (isBound ? goal.limitTokens : goal.budgetTokens) - stayingTokens;
  const possibleSteps = Math.max(0, Math.floor((roomTokens - NOTICE_TOKENS) / stepTokens));
  const spareTokens = roomTokens - stepTokens * Math.min(wantedSteps, possibleSteps);
  return Math.max(0, Math.min(spareTokens, goal.limitTokens - stayingTokens));
}

/** Messages that rules keep may take this share of the room: the rest takes a summary and later messages; chosen. */
const KEPT_RATIO = 0.5;

/** The most of it for a rule that states more: above it each cut would free too little for the next few steps; chosen. */
const MOST_KEPT_RATIO = 2 / 3;

const UNUSED_SUMMARY = { strategy: "before-compaction", outcome: "not-applicable", detail: "no step wrote one" } as const;

interface Ended {
  readonly run: ChainRun;
  /** True if no view was found that is expected to fit. */
  readonly isMissed: boolean;
  readonly kept: readonly KeptMessages[];
  readonly measure: ViewMeasure;
  readonly before: readonly Message[];
  readonly work: CompactionRecord["work"];
}

/** If no view is expected to fit, the best one is sent all the same, and its parts are named: a rejection is recovered from. */
function outcomeOf(state: FitState, { reason, budget, input }: Compaction, ended: Ended): FitOutcome {
  const { run, isMissed, measure, before } = ended;
  const { applied, messages } = run;
  const { inputBudgetTokens: budgetTokens } = budget;
  const isSpent = state.policy.fallback !== null && reason === "overflow" && applied.length === 0;
  const parts = isMissed || isSpent ? sizedParts(messages, { measure, state, pending: input.pending }) : null;
  const unmade = { reason, steps: run.steps };
  if (applied.length === 0)
    return parts === null ? { kind: "failed", ...unmade } : { kind: "irreducible", budgetTokens, parts, ...unmade };
  const left = parts?.map(({ what, tokens }) => `${what} ${tokens}`).join(", ");
  const detail = `left of ${budgetTokens} tokens: ${left}`;
  const missed: StepOutcome = { strategy: GOAL_STEP, outcome: "failed", detail };
  const steps = [...run.steps, ...unkeptSteps(ended, state.setup.ports.pinned), ...(parts === null ? [] : [missed])];
  const record: CompactionRecord = {
    policy: state.policy.name,
    reason,
    gate: input.now === undefined ? input.gate : null,
    steps,
    estimator: state.setup.estimator.name,
    cutEstimator: state.policy.cutEstimator === null ? null : state.setup.cutEstimator().name,
    modelId: state.view.modelId,
    budgetTokens,
    tokensBefore: measure.expectedTokens,
    tokensAfter: expectedTokensOf(asSent(messages, state), state) + measure.overheadTokens,
    messagesBefore: before.length,
    messagesAfter: messages.length,
    work: ended.work,
    ...(input.step === undefined ? {} : { step: input.step }),
    ...(reason === "overflow" && input.observedLimitTokens ? { observedLimitTokens: input.observedLimitTokens } : {}),
  };
  // Of an edit's message only the id, which follows from the message's text.
  const edits = applied.map((edit) => (edit.kind === "replace-spans" ? { ...edit, message: edit.message?.id ?? null } : edit));
  const id = shortHash(canonicalJson({ through: state.view.lastEntryId, reason, edits }));
  const isWritten = (edit: AppliedEdit) => edit.kind === "replace-spans" && edit.by !== "notice" && edit.by !== "nothing";
  const isUnheard = typeof input.focus === "string" && !applied.some(isWritten);
  const { lastEntryId: throughEntryId } = state.view;
  const entry = { type: "compaction", id, throughEntryId, edits: applied, record, atMs: input.nowMs } as const;
  const made = { entry, ...(isUnheard ? { unusedFocus: `${record.policy} ${UNUSED_FOCUS}` } : {}) };
  return parts === null ? { kind: "compacted", ...made } : { kind: "irreducible", reason, budgetTokens, parts, steps, ...made };
}

const UNUSED_FOCUS =
  "wrote no summary here, so the focus had no effect; it needs a digest or a model's summary, as under plimsoll or sven";

/** The steps that say how much of each rule's choice did not stay as it was, and of the caller's texts; of the caller's rules also how much stayed. */
function unkeptSteps(
  { run, kept, before }: Pick<Ended, "run" | "kept" | "before">,
  pinned: readonly string[] = [],
): readonly StepOutcome[] {
  const staying = new Set(run.messages);
  const [now, then] = [run.messages, before].map((all) => (pinned.length === 0 ? "" : all.map(textOf).join("\n")));
  const has = (all: string | undefined, text: string) =>
    [text, quotedText(text, CONTEXT_FRAMING)].some((form) => all?.includes(form.trim()) === true);
  const writes = run.applied.some((edit) => edit.kind === "replace-spans" && edit.message !== null);
  const wanted = pinned.filter((text) => writes || has(then, text));
  const lacking = wanted.filter((text) => !has(now, text));
  const counts = [
    ...kept.map(({ kind, chosen, beyond, isOwn, failure }) => {
      const goneOf = (choices: typeof chosen) => choices.filter((choice) => !choice.every((each) => staying.has(each))).length;
      const isSaid = isOwn && failure === null;
      return { kind, all: chosen.length + beyond.length, roomless: goneOf(chosen), passing: goneOf(beyond), isSaid };
    }),
    { kind: "pinned texts", all: wanted.length, roomless: lacking.length, passing: 0, isSaid: false },
  ];
  return counts.flatMap(({ kind, all, roomless, passing, isSaid }): readonly StepOutcome[] => {
    const gone = [roomless > 0 && `no room for ${roomless}`, passing > 0 && `${passing} beyond its amount`].filter(Boolean);
    const detail = all === 0 ? "chose nothing" : [`${all - roomless - passing} of ${all} kept`, ...gone].join(", ");
    const outcome = gone.length === 0 ? "not-applicable" : "released";
    return isSaid || gone.length > 0 ? [{ strategy: `keep ${kind}`, outcome, detail }] : [];
  });
}

const HOOK = { strategy: "before-compaction", port: "the hook" };

const DECISION: Door<HookDecision> = {
  port: HOOK.port,
  shape: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("go") }),
    z.object({ kind: z.literal("cancel"), why: z.string() }),
    z.object({ kind: z.literal("summary"), text: z.string() }),
  ]),
  wanted: "go, cancel or a summary",
};

/** A port's answer, or this one without a port. One that fails is a step of the record; only the caller's own abort is passed on. */
async function answerOr<Answer>(
  otherwise: Answer,
  ask: ((signal: AbortSignal) => Promise<Answer>) | null,
  { strategy, port, setup, signal }: typeof HOOK & { readonly setup: FitSetup; readonly signal: AbortSignal },
): Promise<{ readonly answer: Answer; readonly steps: readonly StepOutcome[] }> {
  if (ask === null) return { answer: otherwise, steps: [] };
  const late = (afterMs: number) => new Error(`${port} gave no answer within ${afterMs} ms`);
  try {
    return { answer: await answerWithin(ask, { deadline: setup.deadline, signal, late }), steps: [] };
  } catch (error) {
    // It must not keep the context from fitting: it is noted and the engine goes on.
    if (signal.aborted) throw error;
    return { answer: otherwise, steps: [failedStep(strategy, error)] };
  }
}
