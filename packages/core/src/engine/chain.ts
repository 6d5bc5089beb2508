import { type Budget, resolveAmount } from "../budget.ts";
import { type AppliedEdit, type CompactionReason, failedStep, type MessageSpan, type StepOutcome } from "../entry.ts";
import { isPlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import { keepRulesOf } from "../keep/built-in-keep-rules.ts";
import type { KeepRule } from "../keep/keep-rule.ts";
import { type KeptMessages, LOADED_TOOLS } from "../keep/kept-messages.ts";
import { PINNED } from "../keep/pinned.ts";
import { isDeclared, type Message } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { type StrategySpec, strategyOf } from "../strategy/built-in-strategies.ts";
import type { Strategy, StrategyInput } from "../strategy/strategy.ts";
import { loggableUsage } from "../summarizer/usable.ts";
import type { Executed, ExecuteInput } from "./execute.ts";
import type { Breaker, FitInput, FitSetup, FitState, PreparedSummary } from "./fit-input.ts";
import { type Goal, isForced } from "./goal.ts";

/** One step of a chain: the policy's own, one that is forced in its place, or one of its fallback. */
export interface ChainStep {
  readonly strategy: Strategy;
  readonly from: "policy" | "forced" | "fallback";
}

/** Strategies to try in order, and the rules for the messages that they keep. */
export interface Chain {
  readonly steps: readonly ChainStep[];
  readonly rules: readonly KeepRule[];
  /** True if nothing is kept in the view, in spite of the rules: they are released before the first step. */
  readonly isForced: boolean;
}

/**
 * The chain for a reason: the policy's strategies, then those of its fallback. Without the model (an emergency, a second recovery from an
 * overflow, an open breaker) strategies that need one are left out. At the last recovery the fallback's forced strategies take the place
 * of the policy's.
 */
export function chainOf(
  state: Pick<FitState, "policy" | "breaker"> & { readonly setup: Pick<FitSetup, "kinds"> & Partial<Pick<FitSetup, "ports">> },
  { reason, input }: { readonly reason: CompactionReason; readonly input: FitInput },
): Chain {
  const { policy, breaker } = state;
  const { kinds, ports } = state.setup;
  const isRecoveredAgain = reason === "overflow" && (input.recovery ?? 0) > 0;
  const withModel = !isOpen(breaker, policy) && reason !== "emergency" && !isRecoveredAgain;
  const { fallback } = policy;
  const asksVendor = ports?.compact !== undefined && breaker.isVendorOut !== true;
  const bound = (specs: readonly StrategySpec[], from: ChainStep["from"]): readonly ChainStep[] =>
    specs.flatMap((spec) => {
      const strategy = strategyOf(spec, kinds.strategies);
      const isLeftOut = (strategy.needsModel && !withModel) || (strategy.name === "vendor" && !asksVendor);
      return isLeftOut ? [] : [{ strategy, from }];
    });
  const asked = reason === "manual" ? (policy.manualKeep ?? policy.keep) : policy.keep;
  const keep = input.now !== undefined ? asked : reason === "overflow" ? policy.overflow.keep : policy.keep;
  const rules = keepRulesOf(keep, kinds.keepRules);
  // The newest history that the caller asks for takes the place of the policy's.
  const amount = input.now?.keep ?? null;
  const others = rules.filter(({ keeps }) => keeps !== "newest");
  const forced = fallback !== null && isForced(policy, reason, input);
  const own = forced ? fallback.forced : policy.strategies;
  return {
    steps: [...bound(own, forced ? "forced" : "policy"), ...bound(fallback?.strategies ?? [], "fallback")],
    rules: amount === null ? rules : [{ kind: "recent", keeps: "newest", amount }, ...others],
    isForced: forced,
  };
}

/** True once so many summaries failed in a row that the policy asks no model until a person says something. */
export function isOpen({ failures }: Breaker, { progress }: EnginePolicy): boolean {
  return failures >= progress.maximumFailures;
}

/** A view on its way through a chain, and the edits made to it. */
export interface ChainRun {
  readonly messages: readonly Message[];
  /** Expected tokens of the messages. */
  readonly tokens: number;
  readonly applied: readonly AppliedEdit[];
  readonly steps: readonly StepOutcome[];
  /** Messages that rules hold, the worthiest rule first: no strategy takes one before it is released. */
  readonly held: readonly KeptMessages[];
}

/** The tools that a chain runs with. */
export interface ChainTools {
  readonly goal: Goal;
  readonly budget: Budget;
  readonly cause: StrategyInput["cause"];
  /** Whether a step's edits stay: tokens of the view before and after them, and the view after. */
  readonly isProgress: (step: Readonly<Record<"before" | "after", number>> & Pick<ChainRun, "messages">) => boolean;
  readonly sizing: Pick<
    StrategyInput,
    "isLeftOver" | "lastHuman" | "lastStep" | "messageTokens" | "keptMessageTokens" | "measure" | "scaleRatio" | "noticeTokens"
  >;
  readonly tokensOf: (messages: readonly Message[]) => number;
  readonly carryOut: (
    planned: Pick<ExecuteInput, "messages" | "edits" | "kept" | "pinned">,
    signal: AbortSignal,
  ) => Promise<Executed>;
}

/** A chain that ended, and the views that its steps made on its way, in order. */
export interface ChainEnd {
  readonly run: ChainRun;
  readonly views: readonly ChainView[];
}

/** The messages that were left after a step, and whose step it was. */
export type ChainView = Pick<ChainStep, "from"> & { readonly run: ChainRun };

/**
 * Runs a chain: each step plans on the result of the steps before it, and its edits stay if they are progress. Steps run until one has worked and the messages are
 * within the limit; forced ones all run. A step that fails changes nothing, and the next one runs. While a step of the fallback leaves too much, the rule that is
 * worth least is released and the step runs again. Other work of the event loop runs between two steps. Rejects only when the caller's signal aborts.
 */
export async function runChain(chain: Chain, start: ChainRun, tools: ChainTools, signal: AbortSignal): Promise<ChainEnd> {
  const keep = chain.isForced ? { messages: 0 } : newestOf(chain.rules, tools.budget);
  const first = chain.isForced ? start.held.reduce(released, start) : start;
  let run = first;
  // The run when the fallback began; `null` before that.
  let own: ChainRun | null = null;
  const views: ChainView[] = [];
  const cutBy = new Map<string, string>();
  const runStep = async (strategy: Strategy, from: ChainStep["from"], before: ChainRun): Promise<void> => {
    if (run !== first) await rest(signal);
    run = await afterStep(strategy, before, { keep, ...tools }, signal);
    for (const edit of run.applied.slice(before.applied.length))
      if (edit.kind === "replace-part" && from === "fallback") cutBy.set(edit.messageId, strategy.name);
    if (run.messages !== before.messages) views.push({ from, run });
  };
  const { limitTokens } = tools.goal;
  for (const [at, { strategy, from }] of chain.steps.entries()) {
    // If nothing has worked, the policy's steps and the first of the fallback run although the context fits.
    const isDone = run.applied.length > 0 || own !== null;
    if (isDone && run.tokens <= limitTokens && from !== "forced") break;
    if (from === "fallback") own ??= run;
    await runStep(strategy, from, run);
    // A message that loaded a tool is small, and goes with the last step only.
    const lastCount = run.held[0]?.kind === LOADED_TOOLS.kind && at < chain.steps.length - 1 ? 1 : 0;
    while (from === "fallback" && run.tokens > limitTokens && run.held.length > lastCount)
      await runStep(strategy, from, released(run));
  }
  return { run: own === null ? run : refilled(run, { own, cutBy }, tools), views };
}

/** Puts back parts that the fallback cut, the newest first, into the room that its later steps freed: a cutting step cannot know the drops of later ones. */
function refilled(
  run: ChainRun,
  { own, cutBy: cut }: { readonly own: ChainRun; readonly cutBy: ReadonlyMap<string, string> },
  { goal, sizing, tokensOf }: ChainTools,
): ChainRun {
  const limitTokens = Math.min(goal.limitTokens, goal.budgetTokens);
  if (cut.size === 0 || run.tokens >= limitTokens) return run;
  const whole = new Map(own.messages.flatMap((message) => (cut.has(message.id) ? [[message.id, message] as const] : [])));
  const back = new Set<string>();
  let tokens = run.tokens;
  for (const message of run.messages.toReversed()) {
    const before = whole.get(message.id);
    // The tokens of an image or a document may be unknown.
    if (before === undefined || before.parts.some(({ type }) => type === "image")) continue;
    const moreTokens = sizing.messageTokens(before) - sizing.messageTokens(message);
    // A smaller one before it may still fit.
    if (tokens + moreTokens > limitTokens) continue;
    tokens += moreTokens;
    back.add(message.id);
  }
  const isStaying = (edit: AppliedEdit, at: number) =>
    at < own.applied.length || edit.kind !== "replace-part" || !back.has(edit.messageId);
  const messages = run.messages.map((message) => (back.has(message.id) ? (whole.get(message.id) ?? message) : message));
  const next = { ...run, applied: run.applied.filter(isStaying), messages, tokens: tokensOf(messages) };
  if (back.size === 0 || next.applied.length === 0 || next.tokens > limitTokens) return run;
  const cutters = [...back].map((id) => cut.get(id));
  const said = [...new Set(cut.values())].flatMap((strategy): readonly StepOutcome[] => {
    const count = cutters.filter((name) => name === strategy).length;
    return count === 0 ? [] : [{ strategy, outcome: "released", detail: `${count} messages restored` }];
  });
  return { ...next, steps: [...run.steps, ...said] };
}

/** The step of a record that says that its goal is out of reach, as far as is believed, and that the best view found is sent. */
export const GOAL_STEP = "goal";

/**
 * The view to send of a chain that could not reach its goal: a believed goal is no reason to drop messages that may fit. Before a refusal that is the view of
 * the policy's own strategies, or the first view that worked if they did nothing; after one the first that is small enough to follow it.
 */
export function bestOf({ run, views }: ChainEnd, { retryTokens }: Pick<Goal, "retryTokens">): ChainRun {
  const own = retryTokens === null ? views.findLast(({ from }) => from === "policy") : null;
  const best = (own ?? views.find((view) => view.run.tokens <= (retryTokens ?? Number.POSITIVE_INFINITY)))?.run ?? run;
  const undone = run.steps
    .slice(best.steps.length)
    .map((each) =>
      each.outcome === "applied" ? ({ ...each, outcome: "no-progress", detail: "the goal is out of reach" } as const) : each,
    );
  return { ...best, steps: [...best.steps, ...undone] };
}

function released(run: ChainRun): ChainRun {
  const least = run.held.at(-1);
  if (least === undefined) return run;
  const detail = `${least.messages.length} messages, ${Math.ceil(least.tokens)} tokens`;
  const step = { strategy: `keep ${least.kind}`, outcome: "released", detail } as const;
  return { ...run, held: run.held.slice(0, -1), steps: [...run.steps, step] };
}

async function afterStep(
  strategy: Strategy,
  run: ChainRun,
  tools: ChainTools & Pick<StrategyInput, "keep">,
  signal: AbortSignal,
): Promise<ChainRun> {
  const { goal, budget, cause, keep, sizing, isProgress } = tools;
  const kept = new Set(run.held.flatMap(({ messages }) => messages));
  const said = (outcome: StepOutcome["outcome"], detail: string | null, paid: unknown = null): ChainRun => {
    return { ...run, steps: [...run.steps, { strategy: strategy.name, outcome, detail, ...usageIn(paid) }] };
  };
  try {
    const answer = strategy.plan({
      messages: run.messages,
      budget,
      roomTokens: goal.limitTokens,
      lineTokens: goal.lineTokens,
      keep,
      isKept: (message) => kept.has(message) || isDeclared(message),
      cause,
      ...sizing,
    });
    if (answer.kind === "not-applicable") return said("not-applicable", answer.reason);
    const pinned = new Set(run.held.flatMap(({ kind, messages }) => (kind === PINNED.kind ? messages : [])));
    const executed = await tools.carryOut({ messages: run.messages, edits: answer.edits, kept, pinned }, signal);
    if (executed.messages === run.messages) return said("not-applicable", "the keep rules protect all that it would remove");
    const tokens = tools.tokensOf(executed.messages);
    if (!isProgress({ before: run.tokens, after: tokens, messages: executed.messages }))
      return said(
        "no-progress",
        `${run.tokens} → ${tokens} tokens`,
        executed.applied.find(({ kind }) => kind === "replace-spans"),
      );
    return { ...said("applied", null), messages: executed.messages, tokens, applied: [...run.applied, ...executed.applied] };
  } catch (error) {
    // Only the caller's own abort ends the chain; any other failure is a step of the record.
    if (signal.aborted) throw error;
    const step = failedStep(strategy.name, error, usageIn(isPlimsollError(error) ? error.details : null));
    return { ...run, steps: [...run.steps, step] };
  }
}

function usageIn(paid: unknown): Pick<StepOutcome, "usage"> {
  const usage = isRecord(paid) ? loggableUsage(paid.usage) : null;
  return usage === null ? {} : { usage };
}

/** Lets the platform's waiting work run (timers, input and output, other sessions); rejects if the signal has aborted then. */
async function rest(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    // A browser has only timers.
    const setImmediate: unknown = Reflect.get(globalThis, "setImmediate");
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
  signal.throwIfAborted();
}

/** The newest history that strategies are asked to keep: the amount of the first rule of that sort; nothing without one. */
export function newestOf(rules: readonly KeepRule[], budget: Budget): StrategyInput["keep"] {
  const amount = rules.find((each) => each.keeps === "newest")?.amount ?? { messages: 0 };
  return "messages" in amount ? amount : { tokens: resolveAmount(amount, budget) };
}

/** The step that swaps a prepared summary in, by its name in records and for a person. */
export const PREPARED = { strategy: "prepared", port: "the prepared summary" };

/** The chain with a prepared summary before the first step that would ask a model. Not before steps that leave only uncuttable parts. */
export function withPrepared(chain: Chain, step: ChainStep | null): Chain {
  if (step === null || chain.isForced) return chain;
  const asking = chain.steps.findIndex(({ strategy, from }) => from === "policy" && strategy.needsModel);
  return { ...chain, steps: chain.steps.toSpliced(Math.max(0, asking), 0, step) };
}

/**
 * The step that swaps a prepared summary in. It is a candidate like any other, with two questions of its own: is what it covers as it was, and is
 * what has come since little enough that the policy would not act again at once?
 */
export function preparedStep(
  { edit, covered }: PreparedSummary,
  { view, goal }: { readonly view: readonly Message[]; readonly goal: Goal },
): ChainStep {
  const plan = ({ messages, messageTokens }: StrategyInput) => {
    const before = spanned(view, edit.spans);
    const isAsItWas = before.length === covered.length && before.every((message, index) => message === covered[index]);
    const gone = new Set(covered.map(({ id }) => id));
    // Steps before it may have shortened results; a summary of the whole results replaces those as well.
    const now = spanned(messages, edit.spans);
    if (!isAsItWas || now.length !== covered.length || now.some(({ id }) => !gone.has(id)))
      return { kind: "not-applicable", reason: "the covered messages have changed since" } as const;
    const leftTokens = messages.reduce((sum, message) => (gone.has(message.id) ? sum : sum + messageTokens(message)), 0);
    if (leftTokens >= goal.lineTokens || leftTokens > goal.limitTokens)
      return { kind: "not-applicable", reason: "too many messages have been added since" } as const;
    return { kind: "edits", edits: [edit] } as const;
  };
  return { strategy: { name: PREPARED.strategy, needsModel: false, plan }, from: "policy" };
}

/** The messages of spans; none if an end is not there. */
export function spanned(messages: readonly Message[], spans: readonly MessageSpan[]): readonly Message[] {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const found = spans.map(({ from, through }) => [places.get(from), places.get(through)] as const);
  if (found.some((ends) => ends.includes(undefined))) return [];
  return found.flatMap(([from = 0, through = -1]) => messages.slice(from, through + 1));
}
