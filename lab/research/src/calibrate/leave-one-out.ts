import type { Transcript } from "@plimsoll/bench";
import { byEstimator } from "@plimsoll/bench/extend";
import { priorsFrom } from "@plimsoll/providers";
import { fitFigures } from "./fit-figures.ts";
import { observationsOf } from "./observations.ts";
import type { PredictedCall } from "./page-tables.ts";

/**
 * Predictions of each session by a ledger whose priors were fitted on the sessions of all other repositories: the worth of the fitted figures on
 * sessions that they have not seen.
 */
export function leaveOneRepositoryOut(transcripts: readonly Transcript[]): readonly (readonly PredictedCall[])[] {
  const observed = transcripts.map((transcript) => observationsOf(transcript));
  const repositories = new Set(observed.map(({ repository }) => repository));
  const priors = new Map(
    [...repositories].map((repository) => {
      const others = observed.filter((session) => session.repository !== repository);
      return [repository, priorsFrom(fitFigures(others, "held out").figures)] as const;
    }),
  );
  return transcripts.map((transcript, index) => {
    const own = priors.get(observed[index]?.repository ?? "");
    return byEstimator({ kind: "ledger" }, own === undefined ? {} : { priors: own })(transcript);
  });
}
