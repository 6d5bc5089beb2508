import type { CallKind } from "../calibrate/calibrate-sessions.ts";
import type { PredictionErrors } from "../calibrate/errors.ts";

/** One session's reported prompts, and what several methods predicted of each from what came before it. */
export interface CalibrationRecord {
  readonly session: string;
  readonly format: string;
  readonly prompts: readonly ReportedPrompt[];
  readonly methods: readonly MethodRecord[];
}

/** What was reported for one call; calls without a report are left out. */
export interface ReportedPrompt {
  readonly modelId: string;
  readonly kind: CallKind;
  readonly reportedTokens: number;
}

/** One method's predictions, a number for each prompt, and its errors by model without the session's first call. */
export interface MethodRecord {
  readonly method: string;
  readonly models: readonly ModelErrors[];
  readonly expectedTokens: readonly number[];
  readonly upperTokens: readonly number[];
}

/** Errors over the calls of one model. */
export interface ModelErrors {
  readonly modelId: string;
  readonly errors: PredictionErrors;
  /** Of these, the calls that nothing hidden touched: no unmarked fall, no cut, no switch. */
  readonly calm: PredictionErrors;
}
