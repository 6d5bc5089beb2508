import type { Deeds, Experiment } from "./experiments.ts";
import type { Outcome, PredictionCase } from "./predictions.ts";
import { areaUnderCurve, clusteredEstimate, type Estimate } from "./statistics.ts";

/** What real compactions in recorded sessions say: of what happens after them, and of which measures predict it. */
export interface Validation {
  readonly formatVersion: 1;
  readonly sessions: number;
  /** What happens after a compaction, by agent and over all (`all`). */
  readonly rates: readonly RateChange[];
  /** Whether a measure predicts an outcome. */
  readonly predictions: readonly Prediction[];
}

/** How often something happens after a compaction, before it, and around places at which nothing happened. */
export interface RateChange {
  readonly agent: string;
  readonly rate: RateName;
  readonly compactions: number;
  readonly controls: number;
  readonly before: number | null;
  readonly after: number | null;
  /** After by before, around compactions and around control places. */
  readonly ratio: Estimate;
  readonly controlRatio: Estimate;
}

/** What is counted, by what. */
export type RateName = "readings again a call" | "failed edits an edit" | "repeated commands a command";

/** What a measure says of an outcome. */
export interface Prediction {
  readonly outcome: Outcome;
  readonly measure: string;
  readonly cases: number;
  readonly happened: number;
  /** Cases of which nothing was missing, and how often the outcome came about among them and among the others. */
  readonly held: { readonly cases: number; readonly happened: number };
  readonly missing: { readonly cases: number; readonly happened: number };
  /** Rate of the others by the rate of those. */
  readonly riskRatio: Estimate;
  /** 0.5 predicts nothing. */
  readonly area: Estimate;
  /** True if the interval of the area lies above 0.5. */
  readonly predicts: boolean | null;
}

const RATES: Readonly<Record<RateName, (deeds: Deeds) => readonly [happened: number, of: number]>> = {
  "readings again a call": ({ rereadings, calls }) => [rereadings, calls],
  "failed edits an edit": ({ failedEdits, edits }) => [failedEdits, edits],
  "repeated commands a command": ({ repeatedCommands, commands }) => [repeatedCommands, commands],
};

/** Something that was found in a session. */
interface InSession {
  readonly session: string;
  readonly agent: string;
}

/** Puts the findings of sessions together. Sessions of one repository count as one cluster. */
export function validationOf(
  experiments: readonly Experiment[],
  cases: readonly PredictionCase[],
  repositoryOf: (session: string) => string,
): Validation {
  const clusterOf = ({ session }: InSession) => repositoryOf(session);
  const agents = [...new Set(experiments.map(({ agent }) => agent))].sort();
  const rates = ["all", ...agents].flatMap((agent) => {
    const own = experiments.filter((each) => agent === "all" || each.agent === agent);
    return RATE_NAMES.map((rate) => rateChange(rate, agent, { experiments: own, clusterOf }));
  });
  const keys = new Map(cases.map((each) => [`${each.outcome}\n${each.measure}`, each]));
  const predictions = [...keys.values()].map(({ outcome, measure }) =>
    predictionOf(
      cases.filter((each) => each.outcome === outcome && each.measure === measure),
      clusterOf,
    ),
  );
  const sessions = new Set([...experiments, ...cases].map(({ session }) => session)).size;
  return { formatVersion: 1, sessions, rates, predictions: predictions.flatMap((each) => each ?? []) };
}

const RATE_NAMES = ["readings again a call", "failed edits an edit", "repeated commands a command"] as const;

function rateChange(
  rate: RateName,
  agent: string,
  { experiments, clusterOf }: { experiments: readonly Experiment[]; clusterOf: (each: InSession) => string },
): RateChange {
  const compactions = experiments.filter(({ kind }) => kind === "compaction");
  const controls = experiments.filter(({ kind }) => kind === "control");
  const rateIn = (of: readonly Experiment[], side: "before" | "after") => {
    const counts = of.map((each) => RATES[rate](each[side]));
    const [happened, all] = [sumOf(counts.map(([count]) => count)), sumOf(counts.map(([, count]) => count))];
    return all === 0 ? null : happened / all;
  };
  const ratioOf = (of: readonly Experiment[]) => ratio(rateIn(of, "after"), rateIn(of, "before"));
  return {
    agent,
    rate,
    compactions: compactions.length,
    controls: controls.length,
    before: rateIn(compactions, "before"),
    after: rateIn(compactions, "after"),
    ratio: clusteredEstimate(compactions, clusterOf, ratioOf),
    controlRatio: clusteredEstimate(controls, clusterOf, ratioOf),
  };
}

function predictionOf(cases: readonly PredictionCase[], clusterOf: (each: InSession) => string): Prediction | null {
  const [first] = cases;
  if (first === undefined) return null;
  const counted = (of: readonly PredictionCase[]) => ({
    cases: of.length,
    happened: of.filter((each) => each.happened).length,
  });
  const parts = (of: readonly PredictionCase[]) => ({
    held: counted(of.filter(({ score }) => score === 0)),
    missing: counted(of.filter(({ score }) => score > 0)),
  });
  const risk = (of: readonly PredictionCase[]) => {
    const { held, missing } = parts(of);
    return ratio(shareOf(missing), shareOf(held));
  };
  const area = clusteredEstimate(cases, clusterOf, areaUnderCurve);
  return {
    outcome: first.outcome,
    measure: first.measure,
    ...counted(cases),
    ...parts(cases),
    riskRatio: clusteredEstimate(cases, clusterOf, risk),
    area,
    predicts: area.interval === null ? null : area.interval.from > 0.5,
  };
}

function shareOf({ cases, happened }: { readonly cases: number; readonly happened: number }): number | null {
  return cases === 0 ? null : happened / cases;
}

function ratio(numerator: number | null, denominator: number | null): number | null {
  return numerator === null || denominator === null || denominator === 0 ? null : numerator / denominator;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
