import type { Transcript } from "../transcript.ts";
import { byMethod, type CalibratedSession, type CallKind, calibrateSession, errorsOfKinds } from "./calibrate-sessions.ts";
import { errorsOf, type PredictionErrors } from "./errors.ts";
import type { Method } from "./predict-calls.ts";

/** The report of `plimsoll calibrate`: the errors of each method's predicted prompt sizes, over all sessions and session by session. */
export interface CalibrationReport {
  readonly methods: readonly MethodErrors[];
  readonly sessions: readonly SessionErrors[];
}

interface MethodErrors {
  readonly method: string;
  /** All calls except each session's first. */
  readonly afterFirst: PredictionErrors;
  /** The calls among these that nothing hidden touched. */
  readonly calm: PredictionErrors;
  /** Of these, unmarked falls, calls with a tool of the provider's own, and the first calls after a cut or a switch. */
  readonly hidden: PredictionErrors;
  readonly afterCut: PredictionErrors;
  /** The two calls behind each session's first. */
  readonly early: PredictionErrors;
  readonly first: PredictionErrors;
}

/** One session, all methods side by side, without its first call. */
interface SessionErrors {
  readonly file: string;
  readonly format: string;
  readonly modelIds: readonly string[];
  readonly methods: readonly { readonly method: string; readonly errors: PredictionErrors }[];
}

/** A calibration: the report of errors, and each session's predictions with the kind of each call. */
interface Calibration {
  readonly report: CalibrationReport;
  readonly sessions: readonly { readonly session: CalibratedSession; readonly kinds: readonly CallKind[] }[];
}

/** Predicts the prompt size of every call by every method, and reports the errors. Leaves out sidechains and sessions without reported sizes. */
export function calibrateTranscripts(transcripts: readonly Transcript[], methods: readonly Method[]): Calibration {
  const sessions = transcripts
    .filter(({ parentName, hasUsage }) => parentName === null && hasUsage)
    .map((transcript) => calibrateSession(transcript, methods));
  return { report: reportOf(sessions), sessions };
}

const HIDDEN_KINDS: readonly CallKind[] = ["fell", "after-cut", "after-switch", "server-tool"];

function reportOf(sessions: Calibration["sessions"]): CalibrationReport {
  return {
    methods: byMethod(sessions).map((calls) => ({
      method: calls.method,
      afterFirst: errorsOfKinds(calls, ["calm", ...HIDDEN_KINDS]),
      calm: errorsOfKinds(calls, ["calm"]),
      hidden: errorsOfKinds(calls, HIDDEN_KINDS),
      afterCut: errorsOfKinds(calls, ["after-cut"]),
      early: errorsOf(calls.calls.filter(({ call }) => call === 1 || call === 2)),
      first: errorsOfKinds(calls, ["first"]),
    })),
    sessions: sessions.map(({ session: { file, format, modelIds, methods } }) => ({
      file,
      format,
      modelIds,
      methods: methods.map(({ method, calls }) => ({ method, errors: errorsOf(calls.slice(1)) })),
    })),
  };
}
