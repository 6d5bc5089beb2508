import { CHAR_CLASSES } from "@plimsoll/core/extend";
import { familyOf, type MEASURED_FIGURES } from "@plimsoll/providers";
import type { SessionObservations } from "./observations.ts";
import { type Refitted, type RefittedSession, refit } from "./refit.ts";

export type MeasuredFigures = typeof MEASURED_FIGURES;

/** Everything that is fitted on recorded sessions: the figures of model families, and the pooled weights. */
export interface FittedFigures {
  readonly figures: MeasuredFigures;
  readonly pooledWeights: readonly number[];
}

type FigureName = keyof MeasuredFigures["lines"];
type WeightsName = keyof MeasuredFigures["weights"];

/** The tokenizer whose weights are the basis of a family's figures. */
const WEIGHTS_OF: { readonly [name in FigureName]: WeightsName } = {
  claude: "claude",
  "claude-from-4.7": "claude",
  gpt: "other",
  gemini: "other",
  llama: "other",
};

/**
 * Lines known from sessions that are not at hand, counted as one session more: whole prompts on file measured 0.29 to 0.34 tokens a character
 * for Gemini 3 and 0.244 to 0.265 for GPT-5, 1.24 times as many.
 */
const ALSO_KNOWN: readonly RefittedSession[] = [
  { name: "published ratio", modelId: "gemini-3", slopeRatio: 1.2, messageTokens: 5, observations: 100 },
];

/** Fewer observations than this say nothing of a session's own line. */
const LEAST_OBSERVATIONS = 5;

/** Fits the figures on sessions. A family without any takes those of the sessions with the same weights. */
export function fitFigures(sessions: readonly SessionObservations[], asOf: string): FittedFigures {
  const seen = sessions.filter(({ measured }) => measured.length >= LEAST_OBSERVATIONS);
  const weightsNameOf = ({ measured }: SessionObservations) => WEIGHTS_OF[familyOf(measured[0]?.modelId ?? "").figures];
  const pooled = refit(seen);
  const apart = (name: WeightsName) => {
    const fit = refit(seen.filter((session) => weightsNameOf(session) === name));
    return { ...fit, weights: blended(fit.weights, pooled.weights, pooledRatioOf(pooled, fit)) };
  };
  const fits = { claude: apart("claude"), other: apart("other") };
  const lineOf = (name: FigureName) => {
    const all = fits[WEIGHTS_OF[name]].sessions;
    const own = [...all, ...ALSO_KNOWN].filter(({ modelId }) => familyOf(modelId).figures === name);
    const used = own.length > 0 ? own : all;
    return {
      weights: WEIGHTS_OF[name],
      slopeRatio: round(weightedMedian(used, "slopeRatio") ?? 1),
      messageTokens: round(weightedMedian(used, "messageTokens") ?? 10),
      sessions: own.length,
    };
  };
  const figures: MeasuredFigures = {
    asOf,
    weights: {
      claude: { values: fits.claude.weights, pooledRatio: pooledRatioOf(pooled, fits.claude) },
      other: { values: withScripts(fits.other.weights), pooledRatio: pooledRatioOf(pooled, fits.other) },
    },
    lines: {
      claude: lineOf("claude"),
      "claude-from-4.7": lineOf("claude-from-4.7"),
      gpt: lineOf("gpt"),
      gemini: lineOf("gemini"),
      llama: lineOf("llama"),
    },
  };
  return { figures, pooledWeights: pooled.weights };
}

/**
 * A tokenizer's own weights, drawn to the pooled ones: few sessions fit each of them, and on sessions held out the mean of both is off by less than
 * either (0.096% of all calm calls against 0.099%; docs/evidence.md).
 */
function blended(own: readonly number[], pooled: readonly number[], pooledRatio: number): readonly number[] {
  return own.map((weight, index) => Math.round(50 * (weight + pooledRatio * (pooled[index] ?? 0))) / 100);
}

/**
 * Tokens of a letter and a character of scripts that next to no recording holds, by the tokenizers that vendors other than Anthropic publish (measured by `pnpm
 * scripts-measured` of commit 0e0d1044), a tenth above their mean. Anthropic publishes none: its models keep the earlier expectation, which is more.
 */
const SCRIPT_WEIGHTS = { alphabet: 0.34, ideograph: 0.72 } as const;

function withScripts(weights: readonly number[]): readonly number[] {
  const published: { readonly [name: string]: number } = SCRIPT_WEIGHTS;
  return weights.map((weight, index) => published[CHAR_CLASSES[index] ?? ""] ?? weight);
}

/** The factor from the pooled weights' sum to the other's: from the slopes that the same sessions have over both. */
function pooledRatioOf(pooled: Refitted, apart: Refitted): number {
  const slopes = new Map(pooled.sessions.map(({ name, slopeRatio }) => [name, slopeRatio]));
  const logs = apart.sessions.map(({ name, slopeRatio }) => Math.log((slopes.get(name) ?? slopeRatio) / slopeRatio));
  return round(Math.exp(logs.reduce((sum, log) => sum + log, 0) / Math.max(1, logs.length)));
}

function weightedMedian(sessions: readonly RefittedSession[], key: "slopeRatio" | "messageTokens"): number | null {
  const sorted = sessions.toSorted((a, b) => a[key] - b[key]);
  const half = sorted.reduce((sum, { observations }) => sum + observations, 0) / 2;
  let seen = 0;
  for (const session of sorted) {
    seen += session.observations;
    if (seen >= half) return session[key];
  }
  return null;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
