import type { CallKind } from "../calibrate/calibrate-sessions.ts";
import type { CalibrationRecord, MethodRecord } from "../calibrate/calibration-record.ts";
import { errorsOfPercents, marginPercentOf, type PredictionErrors, signedPercentOf } from "../calibrate/errors.ts";

/** The figures that are shown of calibration records, from one look at each: their predictions are unpacked for every look. */
export interface CalibrationErrors {
  readonly sessions: readonly CalibratedSession[];
  readonly methods: readonly MethodErrors[];
}

/** A session's errors by method and model. */
interface CalibratedSession {
  readonly session: string;
  readonly methods: readonly Pick<MethodRecord, "method" | "models">[];
}

/** One method's predictions of all sessions. */
interface MethodErrors {
  readonly method: string;
  /** Its errors over calls of these kinds. */
  errorsOf(kinds: readonly CallKind[]): PredictionErrors;
}

/** Reads the records. The methods are those of the first one. */
export function calibrationErrors(records: readonly CalibrationRecord[]): CalibrationErrors {
  const sessions: CalibratedSession[] = [];
  const read: CallErrors[] = [];
  for (const { session, prompts, methods } of records) {
    sessions.push({ session, methods: methods.map(({ method, models }) => ({ method, models })) });
    for (const [place, { method, expectedTokens, upperTokens }] of methods.entries()) {
      if (sessions.length === 1) read.push({ method, kinds: [], signed: [], margins: [] });
      const columns = read[place];
      if (columns === undefined) continue;
      const { kinds, signed, margins } = columns;
      for (const [call, { kind, reportedTokens }] of prompts.entries()) {
        const prediction = { expectedTokens: expectedTokens[call] ?? 0, upperTokens: upperTokens[call] ?? 0 };
        kinds.push(kind);
        signed.push(signedPercentOf({ reportedTokens, prediction }));
        margins.push(marginPercentOf({ reportedTokens, prediction }));
      }
    }
  }
  return { sessions, methods: read.map((each) => ({ method: each.method, errorsOf: (kinds) => errorsIn(each, kinds) })) };
}

/** A method's errors in columns, call by call. */
interface CallErrors {
  readonly method: string;
  readonly kinds: CallKind[];
  readonly signed: number[];
  readonly margins: number[];
}

function errorsIn({ kinds, signed, margins }: CallErrors, wanted: readonly CallKind[]): PredictionErrors {
  const isWanted = (_: number, call: number) => {
    const kind = kinds[call];
    return kind !== undefined && wanted.includes(kind);
  };
  return errorsOfPercents({ signed: signed.filter(isWanted), margins: margins.filter(isWanted) });
}
