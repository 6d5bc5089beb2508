import type { Policy, Session } from "@plimsoll/core";
import { createEstimator, createWorkCounter, EMPTY_LEDGER, EMPTY_VIEW, foldEntry, foldLedger } from "@plimsoll/core/extend";
import type { Transcript } from "../transcript.ts";

/** One call of a session with its predicted and its reported prompt size, in tokens. */
export interface PredictedCall {
  readonly file: string;
  /** The call's place in its session, from 0; calls without a report are not counted. */
  readonly call: number;
  readonly modelId: string;
  readonly reportedTokens: number;
  readonly prediction: ReturnType<Session["predict"]>;
}

/** Predicts every reported call of a session, each from the entries before it. */
export type CallPredictor = (transcript: Transcript) => readonly PredictedCall[];

/** A named way to predict the prompt sizes of a session's calls. */
export interface Method {
  readonly name: string;
  readonly predict: CallPredictor;
}

/**
 * Makes a predictor from an estimator. It predicts each call before it sees that call's own report. Text that the agent is known to have put back
 * after a compaction counts as part of the prompt.
 */
export function byEstimator(
  spec: Policy["estimator"],
  sources: NonNullable<Parameters<typeof createEstimator>[2]> = {},
): CallPredictor {
  return (transcript) => predictCalls(transcript, createEstimator(spec, createWorkCounter(), sources));
}

function predictCalls(transcript: Transcript, estimator: ReturnType<typeof createEstimator>): readonly PredictedCall[] {
  const calls: PredictedCall[] = [];
  const putBack = new Map((transcript.putBack ?? []).map(({ compactionId, text }) => [compactionId, text]));
  let dynamicContext: string | null = null;
  let view = EMPTY_VIEW;
  let ledger = EMPTY_LEDGER;
  for (const entry of transcript.entries) {
    view = foldEntry(view, entry);
    if (entry.type === "compaction") dynamicContext = putBack.get(entry.id) ?? null;
    const overhead = { system: view.system, tools: view.tools, dynamicContext, hiddenTokens: 0 };
    const reportedTokens = entry.type === "usage" ? (entry.usage.input.totalTokens ?? 0) : 0;
    if (entry.type === "usage" && reportedTokens > 0) {
      // The sender of a request knows its model.
      const prediction = estimator.predict(estimator.changeModel(ledger, entry.modelId), overhead);
      calls.push({ file: transcript.name, call: calls.length, modelId: entry.modelId, reportedTokens, prediction });
    }
    ledger = foldLedger(ledger, entry, { estimator, view, overhead });
  }
  return calls;
}

/** Writes each call as one line of JSON: its reported size, expected size and upper bound, in tokens. */
export function predictionLines(calls: readonly PredictedCall[]): string {
  return calls
    .map(({ file, call, reportedTokens, prediction }) =>
      JSON.stringify({
        file,
        call,
        reported: reportedTokens,
        predictedExpected: prediction.expectedTokens,
        predictedUpper: prediction.upperTokens,
      }),
    )
    .map((line) => `${line}\n`)
    .join("");
}
