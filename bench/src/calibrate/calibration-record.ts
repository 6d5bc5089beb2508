import type { Transcript } from "../transcript.ts";
import { type CalibratedMethod, type CallKind, calibrateSession } from "./calibrate-sessions.ts";
import type { Calibration } from "./calibration-report.ts";
import { errorsOf, type PredictionErrors } from "./errors.ts";
import { CALIBRATED_METHODS } from "./methods.ts";
import type { Method, PredictedCall } from "./predict-calls.ts";

/** One session's reported prompts, and what several methods predicted of each from what came before it. */
export interface CalibrationRecord {
  readonly session: string;
  readonly format: string;
  readonly prompts: readonly ReportedPrompt[];
  readonly methods: readonly MethodRecord[];
}

/** The report of one call; calls without a report are left out. */
interface ReportedPrompt {
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

/** Methods that a bench run compares: the heuristic alone, the field's two ways of anchoring it, and ours. */
const BENCH_METHODS = ["chars/4", "sven", "last usage + chars/4 (pi)", "ledger"];

/** The record of a session under a few methods; `null` for sidechains and sessions without reports. */
export function recordCalibration(transcript: Transcript): CalibrationRecord | null {
  if (transcript.parentName !== null || !transcript.hasUsage) return null;
  const methods: readonly Method[] = CALIBRATED_METHODS.filter(({ name }) => BENCH_METHODS.includes(name));
  return calibrationRecord(calibrateSession(transcript, methods));
}

/** The record of a calibrated session: its predictions as columns of whole tokens, its errors by model. */
export function calibrationRecord({ session, kinds }: Calibration["sessions"][number]): CalibrationRecord {
  const calls = session.methods[0]?.calls ?? [];
  return {
    session: session.file,
    format: session.format,
    prompts: calls.map(({ call, modelId, reportedTokens }) => ({ modelId, kind: kinds[call] ?? "calm", reportedTokens })),
    methods: session.methods.map((method) => methodRecord(method, session.modelIds, kinds)),
  };
}

function methodRecord(
  { method, calls }: CalibratedMethod,
  modelIds: readonly string[],
  kinds: readonly CallKind[],
): MethodRecord {
  const later = calls.filter(({ call }) => kinds[call] !== "first");
  const isCalm = ({ call }: PredictedCall) => kinds[call] === "calm";
  return {
    method,
    models: modelIds.flatMap((modelId): readonly ModelErrors[] => {
      const own = later.filter((call) => call.modelId === modelId);
      return own.length === 0 ? [] : [{ modelId, errors: errorsOf(own), calm: errorsOf(own.filter(isCalm)) }];
    }),
    expectedTokens: calls.map(({ prediction }) => Math.round(prediction.expectedTokens)),
    upperTokens: calls.map(({ prediction }) => Math.round(prediction.upperTokens)),
  };
}
