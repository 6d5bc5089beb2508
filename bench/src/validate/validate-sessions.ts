import type { PreparedSession } from "../replay/prepared-session.ts";
import { deedsOf } from "./calls.ts";
import { compactionPlaces, type Experiment, experimentsOf } from "./experiments.ts";
import { type PredictionCase, predictionCases } from "./predictions.ts";

/** What one session adds to a validation: small, so that sessions are read one after the other. */
export interface SessionFindings {
  readonly experiments: readonly Experiment[];
  readonly cases: readonly PredictionCase[];
}

/** What a recorded session shows around its own compactions, and of its edits. */
export function findingsOf(session: PreparedSession): SessionFindings {
  const deeds = deedsOf(session.entries);
  const compactions = compactionPlaces(session, deeds);
  return {
    experiments: experimentsOf(session),
    cases: predictionCases(session, { needs: session.needs(), deeds, compactions }),
  };
}

/**
 * The repository that a session is from, for clusters: of files that are named `OWNER__REPOSITORY__…` those two, of others the folder that
 * they lie in.
 */
export function repositoryOf(session: string): string {
  const parts = session.split("#")[0]?.split("/") ?? [];
  const [owner, repository, ...rest] = (parts.at(-1) ?? "").split("__");
  if (owner !== undefined && repository !== undefined && rest.length > 0) return `${owner}/${repository}`;
  return parts.slice(0, -1).join("/");
}
