import type { CallKind } from "../calibrate/calibrate-sessions.ts";
import type { CalibrationRecord } from "../calibrate/calibration-record.ts";
import { stepsOf } from "./packing.ts";

/** The data from which the page's script draws calibration errors. */
export interface CalibrationData {
  readonly methods: readonly string[];
  readonly kinds: readonly CallKind[];
  readonly sessions: readonly CalibrationSession[];
}

/** One session, its calls as columns. */
export interface CalibrationSession {
  readonly name: string;
  readonly models: readonly string[];
  /** For each call its model and its kind, by index. */
  readonly model: readonly number[];
  readonly kind: readonly number[];
  /** Reported tokens, each as the difference to the one before. */
  readonly reportedSteps: readonly number[];
  /** For each method the tokens predicted beyond the reported ones, and those of the upper bound beyond the prediction; `null` if it has no bound. */
  readonly predicted: readonly { readonly over: readonly number[]; readonly margin: readonly number[] | null }[];
}

const KINDS: readonly CallKind[] = ["calm", "first", "fell", "after-cut", "after-switch", "server-tool"];

/** Packs the records; `shownName` shortens a session's name. */
export function calibrationData(
  records: readonly CalibrationRecord[],
  shownName: (session: string) => string,
): CalibrationData {
  return {
    methods: records[0]?.methods.map(({ method }) => method) ?? [],
    kinds: KINDS,
    sessions: records.map((record) => packed(record, shownName(record.session))),
  };
}

function packed({ prompts, methods }: CalibrationRecord, name: string): CalibrationSession {
  const models = [...new Set(prompts.map(({ modelId }) => modelId))];
  return {
    name,
    models,
    model: prompts.map(({ modelId }) => models.indexOf(modelId)),
    kind: prompts.map(({ kind }) => KINDS.indexOf(kind)),
    reportedSteps: stepsOf(prompts.map(({ reportedTokens }) => reportedTokens)),
    predicted: methods.map(({ expectedTokens, upperTokens }) => {
      const hasBound = upperTokens.some((tokens, call) => tokens !== expectedTokens[call]);
      return {
        over: expectedTokens.map((tokens, call) => tokens - (prompts[call]?.reportedTokens ?? 0)),
        margin: hasBound ? upperTokens.map((tokens, call) => tokens - (expectedTokens[call] ?? 0)) : null,
      };
    }),
  };
}
