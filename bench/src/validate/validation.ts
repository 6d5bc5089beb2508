import { originOf } from "../origin.ts";
import { type OutcomePrediction, outcomePredictions } from "./outcomes.ts";
import { type Prediction, predictionsByRepository, predictionsOf } from "./prediction-figures.ts";
import { type RateChange, ratesByRepository, ratesOf } from "./rates.ts";
import { type SummaryLengths, type SummaryScore, summaryLengths, summaryScores } from "./summary-figures.ts";
import type { SessionFindings } from "./validate-sessions.ts";

/**
 * The findings of real compactions in recorded sessions: the deeds after them, the measures that predict them, and the summaries that were written.
 * Lists by repository are what can be read if there are too few owners for intervals.
 */
export interface Validation {
  readonly formatVersion: 1;
  /** When it was made, as YYYY-MM-DD. */
  readonly date: string;
  readonly sessions: number;
  /** Sessions with a compaction whose both sides have calls enough. */
  readonly compactedSessions: number;
  readonly repositories: number;
  readonly owners: number;
  readonly rates: readonly RateChange[];
  readonly ratesByRepository: readonly RateChange[];
  readonly predictions: readonly Prediction[];
  readonly predictionsByRepository: readonly Prediction[];
  readonly summaries: readonly SummaryScore[];
  readonly summaryLengths: readonly SummaryLengths[];
  /** Sessions whose recording says what the run came to, and what the measures say of it: empty without such sessions. */
  readonly gradedSessions: number;
  readonly outcomes: readonly OutcomePrediction[];
}

/** Sums up the findings of sessions; `date` is the day on which it is made, as YYYY-MM-DD. */
export function validationOf(findings: readonly SessionFindings[], date: string): Validation {
  const experiments = findings.flatMap((each) => each.experiments);
  const cases = findings.flatMap((each) => each.cases);
  const summaries = findings.flatMap((each) => each.summaries);
  const origins = findings.map(({ session, lineage = session }) => originOf(lineage));
  const graded = findings.flatMap((each) => each.graded ?? []);
  const compacted = experiments.filter(({ kind }) => kind === "compaction").map(({ session }) => session);
  return {
    formatVersion: 1,
    date,
    sessions: findings.length,
    compactedSessions: new Set(compacted).size,
    repositories: new Set(origins.map(({ repository }) => repository)).size,
    owners: new Set(origins.map(({ owner }) => owner)).size,
    rates: ratesOf(experiments),
    ratesByRepository: ratesByRepository(experiments),
    predictions: predictionsOf(cases),
    predictionsByRepository: predictionsByRepository(cases),
    summaries: summaryScores(summaries),
    summaryLengths: summaryLengths(summaries),
    gradedSessions: graded.length,
    outcomes: outcomePredictions(graded),
  };
}
