import { z } from "zod";
import type { UsageEntry } from "../entry.ts";
import { atOnce, type KindSpec, parseSpec } from "../kind.ts";
import { type Context, type Message, oncePerMessage } from "../message/message.ts";
import * as option from "../option.ts";
import type { CountTokens, MessageMeasure, ModelPriors, WorkCounter } from "./measure.ts";

/**
 * All that is known about the size of a view: plain data, folded entry by entry. `foldLedger` (in session/) keeps the sums over the view, by the estimator's own
 * measure of messages; the estimator keeps its factor and its own state. All estimators have one, not only the one of kind `ledger`.
 */
export interface Ledger {
  /** Sum of the message estimates over the view. */
  readonly estimatedTokens: number;
  /** That sum right after the newest compaction or undo; `null` before the first. An undo is not undone by the next gate. */
  readonly estimatedAtLastCutTokens: number | null;
  /** That sum at the newest model call; `null` before the first. */
  readonly estimatedAtLastCallTokens: number | null;
  /** Moving average of how much a step adds. */
  readonly stepGrowthTokens: number;
  /** The factor that an estimator has learned: expected tokens of one token of its measure. 1 before the first report. */
  readonly factor: number;
  /** The estimator's own state, which only it reads; `null` until it keeps something. */
  readonly own: unknown;
}

/** The ledger (the counts that sizes are predicted from) of a context without messages. */
export const EMPTY_LEDGER: Ledger = {
  estimatedTokens: 0,
  estimatedAtLastCutTokens: null,
  estimatedAtLastCallTokens: null,
  stepGrowthTokens: 0,
  factor: 1,
  own: null,
};

/** The expected size of the next request. */
export interface Prediction {
  /** The expected size, messages and overhead, in tokens. */
  readonly expectedTokens: number;
  /** A size that it is not expected to exceed; equal to `expectedTokens` for estimators without a bound. */
  readonly upperTokens: number;
  /** The part that the provider reported; zero for estimators that do not anchor. */
  readonly reportedTokens: number;
  /** The part that was estimated. */
  readonly estimatedTokens: number;
  /** Tokens of system, tools, dynamic context and the caller's further additions. */
  readonly overheadTokens: number;
  /** The estimator's name; `unanchored` from `ledger` before a report. */
  readonly basis: string;
}

/** The parts of a request beside its messages. `hiddenTokens` are sent, as the caller knows, but not in the log. */
export interface Overhead extends Omit<Context, "messages"> {
  readonly hiddenTokens: number;
}

/** One way of measuring: prices messages, learns from reported usage, predicts the next request. */
export interface Estimator {
  readonly name: string;
  /** Expected tokens of one message by the ledger's knowledge; a candidate cut is priced with it. */
  messageTokens(message: Message, ledger: Ledger): number;
  /** Returns the factor from the measure's tokens to expected ones. */
  scaleRatio(ledger: Ledger): number;
  /** The upper bound of a view that was just cut, as a multiple of its expected size: a cut leaves room for it. */
  upperRatioAfterCut(ledger: Ledger): number;
  /** The message's own estimate, which the ledger adds up. */
  readonly measure: MessageMeasure;
  /** The ledger after one more message of the view; its sums are kept by the fold. */
  append(ledger: Ledger, message: Message): Ledger;
  /** The ledger after edits or an undo, which left this view; `by` names the editor. */
  recount(ledger: Ledger, messages: Iterable<Message>, by: "engine" | "others"): Ledger;
  /** The ledger when the next request goes to this model. */
  changeModel(ledger: Ledger, modelId: string): Ledger;
  /** The ledger after a usage report of the view that it describes. */
  observe(ledger: Ledger, entry: UsageEntry, overhead: Overhead): Ledger;
  predict(ledger: Ledger, overhead: Overhead): Prediction;
}

/** Everything that an estimator is built on, apart from its settings: a counter of its work, priors, tokenizers, other measures. */
export interface EstimatorSources {
  /** Counts all that the estimator reads. */
  readonly work: WorkCounter;
  /** Estimates of each model's tokens until its provider reports usage. */
  readonly priors: ModelPriors;
  /**
   * The tokenizer of an encoding.
   *
   * @throws PlimsollError `bad-policy` if it was not given.
   */
  tokenizerOf(encoding: string): CountTokens;
  /**
   * The measure that an estimator is built on: one for all estimators that share their measures, so that each message is priced once.
   *
   * @throws PlimsollError `bad-policy` if no kind of that name is a measure.
   */
  measureOf(spec: KindSpec): MessageMeasure;
}

/** A kind of estimator: it reads its settings and makes an estimator from them. Made by {@link defineEstimator} or {@link defineMeasure}. */
export interface EstimatorKind {
  readonly kind: string;
  /** The schema of its settings. `measure` is the schema of the known measures, for settings that name one. */
  schema(measure: z.ZodType<KindSpec>): z.ZodType<KindSpec>;
  /** @throws PlimsollError `bad-policy` for settings that its schema refuses. */
  create(spec: KindSpec, sources: EstimatorSources): Estimator;
  /** Only the measure, for estimators that are built on one; `null` for a kind that is not a measure. */
  readonly measure: ((spec: KindSpec, sources: EstimatorSources) => MessageMeasure) | null;
}

/** Any settings: those of a measure are read by its own kind. */
const anySettings: z.ZodType<KindSpec> = z.looseObject({ kind: z.string() });

/** The hooks of an estimator: an append, an edit, a switch of model, and its bound after a cut. */
type Hook = "append" | "recount" | "changeModel" | "upperRatioAfterCut";

/** An estimator whose ledger needs nothing but the fold's sums, and that has no bound. */
const SUMS_ONLY: Pick<Estimator, Hook> = {
  upperRatioAfterCut: () => 1,
  append: (ledger) => ledger,
  recount: (ledger) => ledger,
  changeModel: (ledger) => ledger,
};

/** The functions of an estimator that its kind defines. Hooks that are left out do nothing; the upper bound after a cut is then the expected size. */
export type EstimatorParts = Omit<Estimator, Hook> & Partial<Pick<Estimator, Hook>>;

/** Makes a kind of estimator that learns from usage reports, for `withKinds`. */
export function defineEstimator<S extends KindSpec>(kind: {
  readonly kind: S["kind"];
  schema(measure: z.ZodType<KindSpec>): z.ZodType<S>;
  create(spec: S, sources: EstimatorSources): EstimatorParts;
}): EstimatorKind {
  option.check("an estimator", option.having("schema", "create"), kind);
  const settings = kind.schema(anySettings);
  const of = `the estimator ${JSON.stringify(kind.kind)}`;
  return {
    kind: kind.kind,
    schema: (measure) => kind.schema(measure),
    create: (spec, sources) => Object.assign({}, SUMS_ONLY, atOnce(of, kind.create(parseSpec(settings, spec), sources))),
    measure: null,
  };
}

/**
 * Makes a kind of estimator, for `withKinds`, that prices messages one by one and learns nothing. Other estimators can be built on it. Each message value is priced
 * once, so that no kind has to remember priced ones.
 */
export function defineMeasure<S extends KindSpec>(kind: {
  readonly kind: S["kind"];
  readonly schema: z.ZodType<S>;
  measure(spec: S, sources: EstimatorSources): MessageMeasure;
}): EstimatorKind {
  option.check("a measure", option.having("measure"), kind);
  const of = `the estimator ${JSON.stringify(kind.kind)}`;
  const measure = (spec: KindSpec, sources: EstimatorSources): MessageMeasure => {
    const made = atOnce(of, kind.measure(parseSpec(kind.schema, spec), sources));
    return {
      ...made,
      messageTokens: oncePerMessage((message) => atOnce(of, made.messageTokens(message))),
      textTokens: (text) => atOnce(of, made.textTokens(text)),
      toolsTokens: (tools) => atOnce(of, made.toolsTokens(tools)),
    };
  };
  return { kind: kind.kind, schema: () => kind.schema, create: (spec, { measureOf }) => summed(measureOf(spec)), measure };
}

function summed(measure: MessageMeasure): Estimator {
  const overheadTokensOf = overheadPricing(measure);
  return {
    name: measure.name,
    measure,
    scaleRatio: () => 1,
    messageTokens: (message) => measure.messageTokens(message),
    observe: (ledger) => ledger,
    predict: (ledger, overhead) =>
      estimated(measure.name, ledger.estimatedTokens, measure.overhead === "left-out" ? 0 : overheadTokensOf(overhead)),
    ...SUMS_ONLY,
  };
}

/** A prediction that rests on no report and has no bound. */
export function estimated(basis: string, messageTokens: number, overheadTokens: number): Prediction {
  const expectedTokens = messageTokens + overheadTokens;
  return {
    expectedTokens,
    upperTokens: expectedTokens,
    reportedTokens: 0,
    estimatedTokens: expectedTokens,
    overheadTokens,
    basis,
  };
}

/** Prices overheads by a measure: system and tools once for each value, the dynamic context at every request. */
export function overheadPricing(measure: MessageMeasure): (overhead: Overhead) => number {
  let known: { readonly system: string; readonly tools: Context["tools"]; readonly tokens: number } | null = null;
  return ({ system, tools, dynamicContext, hiddenTokens }) => {
    if (known === null || known.system !== system || known.tools !== tools)
      known = { system, tools, tokens: measure.textTokens(system) + measure.toolsTokens(tools) };
    return known.tokens + (dynamicContext === null ? 0 : measure.textTokens(dynamicContext)) + hiddenTokens;
  };
}
