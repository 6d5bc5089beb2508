import { PlimsollError } from "../error.ts";
import { canonicalJson } from "../json.ts";
import { answeringAtOnce, frozen, type KindSpec, kindNamed } from "../kind.ts";
import { tokenizerDoor } from "../port-door.ts";
import { BPE, type BpeSpec } from "./bpe.ts";
import { CALIBRATED_EMA, type CalibratedEmaSpec } from "./calibrated-ema.ts";
import { CHAR_CLASS, type CharClassSpec } from "./char-class.ts";
import { CHARS_PER_TOKEN, type CharsPerTokenSpec } from "./chars-per-token.ts";
import type { Estimator, EstimatorKind, EstimatorSources, Ledger, Overhead, Prediction } from "./estimator.ts";
import { LEDGER, type LedgerSpec } from "./ledger/ledger-estimator.ts";
import {
  type CountTokens,
  createWorkCounter,
  type MessageMeasure,
  type ModelPriors,
  pooledPriors,
  type WorkCounter,
} from "./measure.ts";
import { USAGE_ANCHORED, type UsageAnchoredSpec } from "./usage-anchored.ts";

/** The estimators that come with this package. */
export const BUILT_IN_ESTIMATORS: readonly EstimatorKind[] = [
  CHARS_PER_TOKEN,
  CHAR_CLASS,
  BPE,
  LEDGER,
  CALIBRATED_EMA,
  USAGE_ANCHORED,
];

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_ESTIMATORS.map(({ kind }) => kind));

/** How a policy estimates tokens, as data: the settings of a built-in estimator, or of one that `withKinds` added. */
export type EstimatorSpec =
  | CharsPerTokenSpec
  | CharClassSpec
  | BpeSpec
  | LedgerSpec
  | CalibratedEmaSpec
  | UsageAnchoredSpec
  | KindSpec;

/** The tokenizers that were given, by the name of their encoding. Core has none: a policy names an encoding, and its caller brings it. */
export type Tokenizers = { readonly [encoding: string]: CountTokens };

/** The parts that estimators are made with, if not the built-in ones. */
export interface EstimatorOptions {
  /** The kinds of estimators that a spec may name; the built-in ones by default. */
  readonly kinds?: readonly EstimatorKind[];
  /** Estimates of each model's tokens until its provider reports usage; one fitted over all models by default. */
  readonly priors?: ModelPriors;
  /** Tokenizers of the kind `bpe`; none by default. */
  readonly tokenizers?: Tokenizers;
  /** The measures to share with estimators made before; one that is not there is added. None are shared if they are left out. */
  readonly measures?: Measures;
}

/** Measures by their settings, as canonical JSON. Each remembers the messages it has priced. */
export type Measures = Map<string, MessageMeasure>;

/**
 * Makes the estimator that a policy names. `work` counts all text that it reads.
 *
 * @throws PlimsollError `bad-policy` for an unknown kind, settings that it refuses, or an encoding without a given tokenizer.
 */
export function createEstimator(spec: EstimatorSpec, work: WorkCounter, options: EstimatorOptions = {}): Estimator {
  const { kinds = BUILT_IN_ESTIMATORS, priors = pooledPriors, tokenizers = {}, measures = new Map() } = options;
  return create(spec, { kinds, measures }, { work, priors, tokenizerOf: (encoding) => tokenizerFor(encoding, tokenizers) });
}

function create(
  spec: KindSpec,
  { kinds, measures }: { readonly kinds: readonly EstimatorKind[]; readonly measures: Measures },
  given: Omit<EstimatorSources, "measureOf">,
): Estimator {
  const sources: EstimatorSources = {
    measureOf: (of) => {
      const settings = canonicalJson(of);
      const measure = measures.get(settings) ?? kindNamed(kinds, of.kind, "estimator").measure?.(of, sources);
      if (measure === undefined) {
        const text = `no estimator can be built on the kind ${JSON.stringify(of.kind)}: it is not a measure`;
        throw new PlimsollError("bad-policy", text, { kind: of.kind });
      }
      measures.set(settings, measure);
      return measure;
    },
    ...given,
  };
  const made = kindNamed(kinds, spec.kind, "estimator").create(spec, sources);
  if (BUILT_IN.has(spec.kind)) return { ...made, predict: predictingOnce(made) };
  const own = answeringAtOnce(`the estimator ${JSON.stringify(spec.kind)}`, made);
  return { ...own, measure: notChanging(made.measure), predict: predictingOnce(own) };
}

/** The fold has each message measured first. Tools may be the caller's. */
function notChanging(measure: MessageMeasure): MessageMeasure {
  const messageTokens: MessageMeasure["messageTokens"] = (message) => measure.messageTokens(frozen(message));
  return { ...measure, messageTokens, toolsTokens: (tools) => measure.toolsTokens(tools.map((tool) => ({ ...tool }))) };
}

/** A gate asks for one prediction several times. */
function predictingOnce({ predict }: Estimator): Estimator["predict"] {
  let newest: { readonly ledger: Ledger; readonly overhead: Overhead; readonly prediction: Prediction } | null = null;
  return (ledger, overhead) => {
    if (newest?.ledger !== ledger || newest.overhead !== overhead)
      newest = { ledger, overhead, prediction: predict(ledger, overhead) };
    return newest.prediction;
  };
}

/** @throws PlimsollError `bad-policy` if it was not given. */
function tokenizerFor(encoding: string, tokenizers: Tokenizers): CountTokens {
  const found = Object.hasOwn(tokenizers, encoding) ? tokenizers[encoding] : undefined;
  if (found !== undefined) return tokenizerDoor(encoding, found);
  const names = Object.keys(tokenizers);
  const given = names.length === 0 ? "none was given" : `given: ${names.join(", ")}`;
  throw new PlimsollError(
    "bad-policy",
    `the policy's estimator counts by the encoding ${JSON.stringify(encoding)}, and there is no tokenizer for it (${given}); pass it as tokenizers`,
    { encoding },
  );
}

/** The encodings that estimators count by, each once: tokenizers are needed for these. */
export function encodingsUsed(specs: readonly KindSpec[], kinds: readonly EstimatorKind[]): readonly string[] {
  const encodings = new Set<string>();
  const tokenizerOf = (encoding: string) => {
    encodings.add(encoding);
    return () => 0;
  };
  const measures: Measures = new Map();
  for (const spec of specs) create(spec, { kinds, measures }, { work: createWorkCounter(), priors: pooledPriors, tokenizerOf });
  return [...encodings];
}
