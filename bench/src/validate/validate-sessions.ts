import type { PreparedSession } from "../replay/prepared-session.ts";
import { type InSession, unitOf } from "../statistics.ts";
import { deedsOf } from "./calls.ts";
import { compactionPlaces, type Experiment, experimentsOf } from "./experiments.ts";
import { type GradedRun, gradedRun } from "./outcomes.ts";
import { type PredictionCase, predictionCases } from "./predictions.ts";
import { type SummaryCase, summaryCases } from "./summary-cases.ts";

/** The findings of one session for a validation: small, so that sessions are read one after the other. */
export interface SessionFindings extends InSession {
  readonly experiments: readonly Experiment[];
  readonly cases: readonly PredictionCase[];
  readonly summaries: readonly SummaryCase[];
  /** `null` if the recording does not say what the run came to. */
  readonly graded: GradedRun | null;
}

/** Collects one recorded session's findings for a validation: calls around its own compactions, cases to predict, its summaries and its grade. */
export async function findingsOf(session: PreparedSession): Promise<SessionFindings> {
  const deeds = deedsOf(session.entries);
  const compactions = compactionPlaces(session, deeds);
  const needs = session.needs();
  const cases = predictionCases(session, { needs, deeds, compactions });
  const { name, lineage } = session.transcript;
  const unit = unitOf({ session: name, ...(lineage === undefined ? {} : { lineage }) });
  const graded = gradedRun(session, { cases, calls: deeds.length, compactions: compactions.length });
  return {
    ...unit,
    experiments: experimentsOf(session, { deeds, compactions }).map((each) => ({ ...each, ...unit })),
    cases: cases.map((each) => ({ ...each, ...unit })),
    summaries: (await summaryCases(session, needs)).map((each) => ({ ...each, ...unit })),
    graded: graded === null ? null : { ...graded, ...unit },
  };
}
