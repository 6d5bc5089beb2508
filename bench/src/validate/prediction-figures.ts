import { originOf } from "../origin.ts";
import { clusteredEstimate, type Estimate, ratioOf } from "../statistics.ts";
import { AREA } from "./area.ts";
import type { Outcome, PredictionCase } from "./predictions.ts";
import { grouped } from "./rates.ts";

/** The prediction of an outcome by a measure. */
export interface Prediction {
  /** An agent's name, a repository, or `all`. */
  readonly of: string;
  readonly outcome: Outcome;
  readonly measure: string;
  /** Cases that the measure says something of; `happened` are those in which the outcome came about. */
  readonly cases: number;
  readonly happened: number;
  /** Cases of which nothing was missing, and the others. */
  readonly held: Tally;
  readonly missing: Tally;
  /** Cases of which the measure asks nothing: what an edit quotes, for one, was never stated. */
  readonly unmeasured: Tally;
  /** Rate of the missing by the rate of the held. */
  readonly riskRatio: Estimate;
  /** Area under the receiver operating characteristic; 0.5 predicts nothing. */
  readonly area: Estimate;
  readonly verdict: Verdict;
}

/** Cases, and those in which the outcome came about. */
interface Tally {
  readonly cases: number;
  readonly happened: number;
}

/** `predicts` if the interval of the area lies above a half; `unknown` if there are too few owners, or outcomes, for an interval. */
type Verdict = "predicts" | "predicts nothing" | "unknown";

/** Every measure for every outcome, over all cases and by agent. */
export function predictionsOf(cases: readonly PredictionCase[]): readonly Prediction[] {
  return byMeasure(cases).flatMap((own) =>
    grouped(own, ({ agent }) => agent).flatMap(([of, some]) => predictionOf(of, some) ?? []),
  );
}

/** Every measure for every outcome, by repository. */
export function predictionsByRepository(cases: readonly PredictionCase[]): readonly Prediction[] {
  return byMeasure(cases).flatMap((own) =>
    predictionsIn(grouped(own, ({ session, lineage = session }) => originOf(lineage).repository).slice(1)),
  );
}

function byMeasure(cases: readonly PredictionCase[]): readonly (readonly PredictionCase[])[] {
  const groups = grouped(cases, ({ outcome, measure }) => `${outcome}\n${measure}`);
  return groups.slice(1).map(([, own]) => own);
}

function predictionsIn(groups: readonly (readonly [string, readonly PredictionCase[]])[]): readonly Prediction[] {
  return groups.flatMap(([of, cases]) => predictionOf(of, cases) ?? []).filter(({ of, cases }) => of === "all" || cases > 0);
}

function predictionOf(of: string, cases: readonly PredictionCase[]): Prediction | null {
  const [first] = cases;
  if (first === undefined) return null;
  const measured = cases.flatMap(({ score, ...each }) => (score === null ? [] : [{ ...each, score }]));
  const area = clusteredEstimate(measured, AREA);
  const riskRatio = clusteredEstimate(measured, {
    width: 4,
    add({ score, happened }, sums) {
      const place = score > 0 ? 2 : 0;
      sums[place] = (sums[place] ?? 0) + 1;
      if (happened) sums[place + 1] = (sums[place + 1] ?? 0) + 1;
    },
    figure: ([held, heldHappened, missing, missingHappened]) =>
      ratioOf(ratioOf(missingHappened, missing), ratioOf(heldHappened, held)),
  });
  return {
    of,
    outcome: first.outcome,
    measure: first.measure,
    ...tallyOf(measured),
    held: tallyOf(measured.filter(({ score }) => score === 0)),
    missing: tallyOf(measured.filter(({ score }) => score > 0)),
    unmeasured: tallyOf(cases.filter(({ score }) => score === null)),
    riskRatio,
    area,
    verdict: verdictOf(area),
  };
}

function tallyOf(cases: readonly { readonly happened: boolean }[]): Tally {
  return { cases: cases.length, happened: cases.filter(({ happened }) => happened).length };
}

function verdictOf({ interval }: Estimate): Verdict {
  if (interval === null) return "unknown";
  return interval.from > 0.5 ? "predicts" : "predicts nothing";
}
