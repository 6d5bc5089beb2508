import type { SessionEntry, UsageEntry } from "../entry.ts";
import type { ToolSpec } from "../tool.ts";
import type { CalibratedEmaSpec } from "./calibrated-ema.ts";
import { nextFactor } from "./calibrated-ema.ts";
import type { CharClassSpec } from "./char-class.ts";
import { charClass } from "./char-class.ts";
import type { CharsPerTokenSpec } from "./chars-per-token.ts";
import { charsPerToken } from "./chars-per-token.ts";
import type { LedgerSpec } from "./ledger/ledger-estimator.ts";
import { ledgerEstimator } from "./ledger/ledger-estimator.ts";
import type { MessageMeasure } from "./measure.ts";
import type { ModelPriors } from "./model-prior.ts";
import { pooledPriors } from "./model-prior.ts";
import type { Estimator, Overhead, Prediction } from "./prediction.ts";
import type { UsageAnchoredSpec } from "./usage-anchored.ts";
import type { WorkCounter } from "./work.ts";

/** How a policy measures, as data. */
export type EstimatorSpec = CharsPerTokenSpec | CharClassSpec | CalibratedEmaSpec | UsageAnchoredSpec | LedgerSpec;

export type { Estimator, Overhead, Prediction } from "./prediction.ts";

/** The estimator that a policy names. All its work is counted by `work`; `priors` say what is expected of a model before it reports. */
export function createEstimator(spec: EstimatorSpec, work: WorkCounter, priors: ModelPriors = pooledPriors): Estimator {
  switch (spec.kind) {
    case "chars-per-token":
      return uncalibrated(charsPerToken(spec, work), overheadPricing());
    case "char-class":
      return uncalibrated(charClass(spec, { work }), overheadPricing());
    case "ledger":
      return ledgerEstimator(work, priors);
    case "calibrated-ema":
      return calibrated(spec, charsPerToken(spec.of, work), overheadPricing());
    case "usage-anchored":
      return anchored(spec, charsPerToken(spec.of, work), overheadPricing());
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

function anchored(spec: UsageAnchoredSpec, measure: MessageMeasure, overheadTokensOf: OverheadPricing): Estimator {
  const name = `usage-anchored(${measure.name})`;
  return {
    ...SUMS_ONLY,
    name,
    measure,
    scaleRatio: () => 1,
    messageTokens: (message) => measure.messageTokens(message),
    observe: (ledger, entry) => {
      const promptTokens = entry.usage.input.totalTokens;
      if (promptTokens === null) return ledger;
      const replyTokens = spec.anchor === "prompt-and-reply" ? entry.usage.output.totalTokens : null;
      const reportedTokens = promptTokens + (replyTokens ?? 0);
      const coversReplyOf = replyTokens === null ? null : entry.requestId;
      return { ...ledger, anchor: { reportedTokens, estimatedTokens: ledger.estimatedTokens, coversReplyOf } };
    },
    predict: (ledger, overhead) => {
      const overheadTokens = overheadTokensOf(measure, overhead);
      if (ledger.anchor === null) return prediction(name, ledger.estimatedTokens, overheadTokens);
      const { reportedTokens } = ledger.anchor;
      const estimatedTokens = ledger.estimatedTokens - ledger.anchor.estimatedTokens;
      const expectedTokens = reportedTokens + estimatedTokens;
      return { expectedTokens, upperTokens: expectedTokens, reportedTokens, estimatedTokens, overheadTokens, basis: name };
    },
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
