import { LEAST_POINTS, VECTOR } from "../metrics/vector.ts";
import type { PairedDifference, SessionRecord, Tally } from "../results.ts";
import { clusteredEstimate, type Estimate, geometricMeanOver, meanOver, unitOf } from "../statistics.ts";
import type { SessionOutcome } from "./session-outcomes.ts";

/** The figure of cost; the others go by the names of the vector. */
export const COST_FIGURE = "cost";

/** Estimates a policy's cost in percent of the cost without compaction: the geometric mean over sessions, with its interval. */
export function costEstimate(outcomes: readonly SessionOutcome[]): Estimate {
  return clusteredEstimate(
    outcomes,
    geometricMeanOver(({ costRatio }) => 100 * costRatio),
  );
}

/** Cost, and each measure of the vector less that of the policy's own tail and of doing nothing, over the same sessions. */
export function pairedDifferences(outcomes: readonly SessionOutcome[]): readonly PairedDifference[] {
  const { value, interval } = costEstimate(outcomes);
  const measures = (["tail", "none"] as const).flatMap((against) =>
    VECTOR.map(({ name }, place): PairedDifference => {
      const pairs = outcomes.flatMap((outcome) => {
        const points = pointsOver(outcome.vector[place], against);
        return points === null ? [] : [{ ...unitOf(outcome), points }];
      });
      const estimate = clusteredEstimate(
        pairs,
        meanOver(({ points }) => points),
      );
      return { figure: name, against, value: estimate.value, interval: estimate.interval };
    }),
  );
  return [{ figure: COST_FIGURE, against: "none", value, interval }, ...measures];
}

/** Points of one session's share over that of its tail, or of doing nothing; `null` if the session asks nothing. */
export function pointsOver(share: SessionOutcome["vector"][number] | undefined, against: "tail" | "none"): number | null {
  if (share === undefined) return null;
  const { own, [against]: other } = share;
  return own === null || other === null ? null : own - other;
}

/** Less is rounding. */
const LEAST_COST_RATIO = 0.001;

/** Of the sessions in which a policy acted, those that it won, tied and lost. */
export function sessionRecord(acted: readonly SessionOutcome[]): SessionRecord {
  const byMeasures = (against: "tail" | "none") =>
    tallyOf(
      acted.map((each) => measuresAhead(each, against)),
      1,
    );
  return {
    acted: acted.length,
    cost: tallyOf(
      acted.map(({ costRatio }) => 1 - costRatio),
      LEAST_COST_RATIO,
    ),
    held: byMeasures("none"),
    heldOverTail: byMeasures("tail"),
  };
}

/** Measures of the vector on which a session holds more by a point, less those on which it holds less: one large difference is still one. */
function measuresAhead({ vector }: SessionOutcome, against: "tail" | "none"): number {
  const points = vector.flatMap((share) => pointsOver(share, against) ?? []);
  return points.filter((each) => each >= LEAST_POINTS).length - points.filter((each) => each <= -LEAST_POINTS).length;
}

/** Counts leads above zero as won and below as lost; less than `least` either way is a tie. */
function tallyOf(leads: readonly number[], least: number): Tally {
  const won = leads.filter((lead) => lead >= least).length;
  const lost = leads.filter((lead) => lead <= -least).length;
  return { won, tied: leads.length - won - lost, lost };
}
