import {
  createEstimator,
  createWorkCounter,
  EMPTY_LEDGER,
  EMPTY_VIEW,
  type EstimatorSpec,
  foldEntry,
  foldLedger,
  type ModelPriors,
  type Prediction,
  type Tokenizers,
} from "@plimsoll/core";
import type { Transcript } from "../transcript.ts";

/** One call of a session: what was predicted before it, and what was reported. */
export interface PredictedCall {
  readonly file: string;
  /** The call's place in its session, from 0; calls without a report are not counted. */
  readonly call: number;
  readonly modelId: string;
  readonly reportedTokens: number;
  readonly prediction: Prediction;
}

/** How to predict. */
export interface Method {
  readonly name: string;
  readonly spec: EstimatorSpec;
  readonly priors?: ModelPriors;
  readonly tokenizers?: Tokenizers;
}

/**
 * Walks a session's log as a context manager folds it and predicts each reported call from what came before it: its own report is seen
 * only afterwards.
 */
export function predictCalls(transcript: Transcript, { spec, priors, tokenizers }: Method): readonly PredictedCall[] {
  const estimator = createEstimator(spec, createWorkCounter(), {
    ...(priors && { priors }),
    ...(tokenizers && { tokenizers }),
  });
  const calls: PredictedCall[] = [];
  let view = EMPTY_VIEW;
  let ledger = EMPTY_LEDGER;
  for (const entry of transcript.entries) {
    view = foldEntry(view, entry);
    const overhead = { system: view.system, tools: view.tools, dynamicContext: null, hiddenTokens: 0 };
    const reportedTokens = entry.type === "usage" ? (entry.usage.input.totalTokens ?? 0) : 0;
    if (entry.type === "usage" && reportedTokens > 0) {
      // Who sends a request knows which model it goes to.
      const prediction = estimator.predict(estimator.changeModel(ledger, entry.modelId), overhead);
      calls.push({ file: transcript.name, call: calls.length, modelId: entry.modelId, reportedTokens, prediction });
    }
    ledger = foldLedger(ledger, entry, { estimator, view, overhead });
  }
  return calls;
}
