import type { SessionEntry, UsageEntry } from "../entry.ts";
import type { ToolSpec } from "../tool.ts";
import type { CalibratedEmaSpec } from "./calibrated-ema.ts";
import { nextFactor } from "./calibrated-ema.ts";
import type { LedgerSpec } from "./ledger/ledger-estimator.ts";
import { ledgerEstimator } from "./ledger/ledger-estimator.ts";
import type { MessageMeasure } from "./measure.ts";
import type { MeasureSpec } from "./measure-spec.ts";
import { createMeasure } from "./measure-spec.ts";
import type { ModelPriors } from "./model-prior.ts";
import { pooledPriors } from "./model-prior.ts";
import type { Estimator, Overhead, Prediction } from "./prediction.ts";
import type { Tokenizers } from "./tokenizer.ts";
import type { UsageAnchoredSpec } from "./usage-anchored.ts";
import { anchoredEstimator } from "./usage-anchored.ts";
import type { WorkCounter } from "./work.ts";

/** How a policy measures, as data. */
export type EstimatorSpec = MeasureSpec | CalibratedEmaSpec | UsageAnchoredSpec | LedgerSpec;

export type { Estimator, Overhead, Prediction } from "./prediction.ts";

/** What estimators stand on besides the log. */
export interface EstimatorSources {
  /** What is expected of models before they report; the pooled prior if there is none. */
  readonly priors?: ModelPriors;
  /** What the kind `bpe` counts by; none if they are left out. */
  readonly tokenizers?: Tokenizers;
}

/**
 * The estimator that a policy names. All its work is counted by `work`.
 *
 * @throws PlimsollError `bad-policy` for an encoding whose tokenizer was not given.
 */
export function createEstimator(
  spec: EstimatorSpec,
  work: WorkCounter,
  { priors = pooledPriors, tokenizers = {} }: EstimatorSources = {},
): Estimator {
  const measureOf = (of: MeasureSpec) => createMeasure(of, { work, tokenizers });
  switch (spec.kind) {
    case "chars-per-token":
    case "char-class":
    case "bpe":
      return uncalibrated(measureOf(spec), overheadPricing());
    case "ledger":
      return ledgerEstimator(work, priors);
    case "calibrated-ema":
      return calibrated(spec, measureOf(spec.of), overheadPricing());
    case "usage-anchored": {
      const measure = measureOf(spec.of);
      const pricing = overheadPricing();
      return anchoredEstimator(spec, measure, (overhead) => pricing(measure, overhead));
    }
    default:
      return spec satisfies never;
  }
}

/** Kinds of entries that a ledger learns from. */
export function isUsageEntry(entry: SessionEntry): entry is UsageEntry {
  return entry.type === "usage";
}

/** The hooks of estimators that need nothing but the fold's own sums, and have no bound. */
const SUMS_ONLY: Pick<Estimator, "append" | "recount" | "changeModel" | "upperRatioAfterCut"> = {
  upperRatioAfterCut: () => 1,
  append: (ledger) => ledger,
  recount: (ledger) => ledger,
  changeModel: (ledger) => ledger,
};

type OverheadPricing = (measure: MessageMeasure, overhead: Overhead) => number;

/** Prices system and tools once for each value; only the dynamic context is priced at every request. */
function overheadPricing(): OverheadPricing {
  let known: { readonly system: string; readonly tools: readonly ToolSpec[]; readonly tokens: number } | null = null;
  return (measure, overhead) => {
    if (known === null || known.system !== overhead.system || known.tools !== overhead.tools) {
      const { system, tools } = overhead;
      known = { system, tools, tokens: measure.textTokens(system) + measure.toolsTokens(tools) };
    }
    const dynamicTokens = overhead.dynamicContext === null ? 0 : measure.textTokens(overhead.dynamicContext);
    return known.tokens + dynamicTokens + overhead.hiddenTokens;
  };
}

function uncalibrated(measure: MessageMeasure, overheadTokensOf: OverheadPricing): Estimator {
  return {
    ...SUMS_ONLY,
    name: measure.name,
    measure,
    scaleRatio: () => 1,
    messageTokens: (message) => measure.messageTokens(message),
    observe: (ledger) => ledger,
    predict: (ledger, overhead) => prediction(measure.name, ledger.estimatedTokens, overheadTokensOf(measure, overhead)),
  };
}

function calibrated(spec: CalibratedEmaSpec, measure: MessageMeasure, overheadTokensOf: OverheadPricing): Estimator {
  const name = `calibrated-ema(${measure.name})`;
  return {
    ...SUMS_ONLY,
    name,
    measure,
    scaleRatio: (ledger) => ledger.factor,
    messageTokens: (message, ledger) => measure.messageTokens(message) * ledger.factor,
    observe: (ledger, entry, overhead) => {
      const actualTokens = entry.usage.input.totalTokens;
      if (actualTokens === null) return ledger;
      const estimatedTokens = ledger.estimatedTokens + overheadTokensOf(measure, overhead);
      return { ...ledger, factor: nextFactor(ledger.factor, actualTokens, estimatedTokens, spec) };
    },
    predict: (ledger, overhead) =>
      prediction(name, Math.floor(ledger.estimatedTokens * ledger.factor), overheadTokensOf(measure, overhead)),
  };
}

function prediction(basis: string, messageTokens: number, overheadTokens: number): Prediction {
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
