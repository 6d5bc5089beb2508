import type { Transcript } from "@plimsoll/bench";
import {
  createEstimator,
  createWorkCounter,
  EMPTY_LEDGER,
  EMPTY_VIEW,
  foldEntry,
  foldLedger,
  measuredBy,
  pooledPriors,
} from "@plimsoll/core/extend";

/** Observations of a session's messages by its reports: one for each plain rise between two reports. */
export interface SessionObservations {
  readonly name: string;
  /** Sessions of one repository are held out together. */
  readonly repository: string;
  readonly measured: readonly NonNullable<ReturnType<typeof measuredBy>>[];
}

/** The observations of a session, by a ledger that starts from the pooled prior and learns which part of a reply returns. */
export function observationsOf(transcript: Transcript): SessionObservations {
  const estimator = createEstimator({ kind: "ledger" }, createWorkCounter());
  const measured: NonNullable<ReturnType<typeof measuredBy>>[] = [];
  let view = EMPTY_VIEW;
  let ledger = EMPTY_LEDGER;
  for (const entry of transcript.entries) {
    view = foldEntry(view, entry);
    if (entry.type === "usage") {
      const observation = measuredBy(ledger, entry, pooledPriors);
      if (observation !== null) measured.push(observation);
    }
    const overhead = { system: view.system, tools: view.tools, dynamicContext: null, hiddenTokens: 0 };
    ledger = foldLedger(ledger, entry, { estimator, view, overhead });
  }
  return { name: transcript.name, repository: repositoryOf(transcript.file), measured };
}

/** The repository that a recorded session comes from, by its file's name `owner__repository__…`; the file if it has none. */
export function repositoryOf(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const [owner, repository, rest] = name.split("__");
  return rest === undefined || owner === undefined || repository === undefined ? file : `${owner}/${repository}`;
}
