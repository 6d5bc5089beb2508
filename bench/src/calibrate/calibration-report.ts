import type { Transcript } from "../transcript.ts";
import { type CalibratedSession, type CallKind, calibrateSession } from "./calibrate-sessions.ts";
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

/** A calibration: the report of errors, and each session's predictions. */
interface Calibration {
  readonly report: CalibrationReport;
  readonly sessions: readonly CalibratedSession[];
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
    methods: (sessions[0]?.methods ?? []).map(({ method }, index) => {
      const all = sessions.flatMap(({ methods }) => methods[index]?.calls ?? []);
      const errorsOfKinds = (...kinds: readonly CallKind[]) => errorsOf(all.filter(({ kind }) => kinds.includes(kind)));
      return {
        method,
        afterFirst: errorsOfKinds("calm", ...HIDDEN_KINDS),
        calm: errorsOfKinds("calm"),
        hidden: errorsOfKinds(...HIDDEN_KINDS),
        afterCut: errorsOfKinds("after-cut"),
        early: errorsOf(all.filter(({ call }) => call === 1 || call === 2)),
        first: errorsOfKinds("first"),
      };
    }),
    sessions: sessions.map(({ methods, ...session }) => ({
      ...session,
      methods: methods.map(({ method, calls }) => ({ method, errors: errorsOf(calls.slice(1)) })),
    })),
  };
}
