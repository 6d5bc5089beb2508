import { PI_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { createTokenizerLoader, modelPriors, priorsFor } from "@plimsoll/providers";
import type { Transcript } from "../transcript.ts";
import { byEstimator, type CallPredictor, type Method } from "./predict-calls.ts";

/** The common heuristic: one token for every four UTF-16 units, rounded up, and 1,200 tokens for an image. */
const CHARS_PER_FOUR: Extract<Policy["estimator"], { readonly kind: "chars-per-token" }> = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf16-units",
  rounding: "ceil",
  perMessageTokens: 0,
  minimumMessageTokens: 0,
  imageTokens: 1200,
};

const CHARS_PER_THREE: Extract<Policy["estimator"], { readonly kind: "chars-per-token" }> = {
  ...CHARS_PER_FOUR,
  charsPerToken: 3,
};

/** The methods that a calibration compares: common heuristics first, Plimsoll's own ledger last. */
export const CALIBRATED_METHODS: readonly Method[] = [
  { name: "chars/4", predict: byEstimator(CHARS_PER_FOUR) },
  { name: "char-class", predict: byEstimator({ kind: "char-class" }) },
  { name: "sven", predict: byEstimator(SVEN_POLICY.estimator) },
  { name: "last usage + chars/4 (pi)", predict: byEstimator(PI_POLICY.estimator) },
  {
    name: "last usage + chars/3",
    predict: byEstimator({ kind: "usage-anchored", of: CHARS_PER_THREE, anchor: "prompt-and-reply" }),
  },
  { name: "ledger, no priors", predict: byEstimator({ kind: "ledger" }) },
  { name: "ledger", predict: byEstimator({ kind: "ledger" }, { priors: modelPriors }) },
];

const ENCODING = "o200k_base";
const TOKENS: Extract<Policy["estimator"], { readonly kind: "bpe" }> = { kind: "bpe", encoding: ENCODING, perMessageTokens: 3 };

/**
 * The methods for these sessions. If they have a model whose tokens `js-tiktoken` counts, also those that count them, for the calls of such models; the ledger is
 * then the one of the drop-ins, which count them too.
 */
export async function methodsFor(transcripts: readonly Transcript[]): Promise<readonly Method[]> {
  const isCounted = (modelId: string) => priorsFor(modelId) !== modelPriors;
  const counted = transcripts.map((transcript) => modelIdsOf(transcript).find(isCounted));
  const priors = await priorsFor(counted.find((modelId) => modelId !== undefined));
  if (priors.countTokens === undefined) return CALIBRATED_METHODS;
  const sources = { tokenizers: await createTokenizerLoader()([ENCODING]), priors };
  const ofCounted = (predict: CallPredictor): CallPredictor => {
    return (transcript) => predict(transcript).filter(({ modelId }) => isCounted(modelId));
  };
  const [classes, withTokens] = [
    byEstimator({ kind: "ledger" }, { priors: modelPriors }),
    byEstimator({ kind: "ledger" }, sources),
  ];
  const anchored = byEstimator({ kind: "usage-anchored", of: TOKENS, anchor: "prompt-and-reply" }, sources);
  return [
    ...CALIBRATED_METHODS.slice(0, -1),
    { name: "js-tiktoken", predict: ofCounted(byEstimator(TOKENS, sources)) },
    { name: "last usage + js-tiktoken", predict: ofCounted(anchored) },
    { name: "ledger, no js-tiktoken", predict: classes },
    { name: "ledger", predict: (session) => (modelIdsOf(session).some(isCounted) ? withTokens : classes)(session) },
  ];
}

function modelIdsOf({ entries }: Transcript): readonly string[] {
  return entries.flatMap((entry) => (entry.type === "usage" ? [entry.modelId] : []));
}
