import type { MetricMeaning } from "../metrics/metric.ts";
import { BASELINE_POLICY } from "../metrics/relative.ts";
import { LEAST_POINTS, VECTOR } from "../metrics/vector.ts";
import type { PairedDifference, PolicyComparison, Tally } from "../results.ts";
import { ratioOf } from "../statistics.ts";
import { type FigureColumn, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatPercent, formatRatioPercent, NO_FIGURE } from "./figures.ts";
import { COST_FIGURE, pointsOver } from "./paired-differences.ts";
import type { SessionOutcome } from "./session-outcomes.ts";

/** The meaning of columns in a table of differences. */
const DIFFERENCE = {
  unit: "points",
  better: "higher",
  caveat: "≈: no difference. From fewer than eight owners there is no interval, and less than a point is none.",
} as const;

const PAIRED_METHOD =
  "Mean of the sessions' differences, with a 95 % interval: a paired bootstrap that draws whole repositories 10,000 times.";

const COST_MEANING: MetricMeaning = {
  unit: "% of doing nothing",
  better: "lower",
  method:
    "Geometric mean of the sessions' ratios in dollars with a prompt cache, with a 95 % interval: whole repositories are drawn 10,000 times.",
  caveat: "A tail has the policy's prompt size; its dollars are not made.",
};

/** Cost against doing nothing, and the vector against the policy's own tail and against doing nothing, with intervals. */
export const DIFFERENCE_COLUMNS: readonly FigureColumn<PolicyComparison>[] = [
  differenceColumn({ figure: COST_FIGURE, against: "none" }, `cost, % of ${BASELINE_POLICY}`, COST_MEANING),
  ...(["tail", "none"] as const).flatMap((against) =>
    VECTOR.map(({ name }) =>
      differenceColumn({ figure: name, against }, groupOf(against), { ...DIFFERENCE, method: PAIRED_METHOD }),
    ),
  ),
];

/** The heading over what is compared with the one or the other. */
export function groupOf(against: PairedDifference["against"]): string {
  return against === "tail" ? "over its own tail, points" : `over ${BASELINE_POLICY}, points`;
}

function differenceColumn(
  { figure, against }: Pick<PairedDifference, "figure" | "against">,
  group: string,
  meaning: MetricMeaning,
): FigureColumn<PolicyComparison> {
  return {
    group,
    title: figure,
    meaning,
    isText: false,
    cellOf: ({ differences }) => {
      const found = differences.find((each) => each.figure === figure && each.against === against);
      const raw = found?.value ?? null;
      return { shown: differenceText(found), raw: raw === null ? "" : String(raw), isBad: false };
    },
  };
}

/** A difference with its interval, e.g. `−7.6 [−12.7, −3.7]`; `≈` before it says that it is none. */
export function differenceText(difference: PairedDifference | undefined): string {
  if (difference === undefined || difference.value === null) return NO_FIGURE;
  const { figure, value, interval } = difference;
  const isCost = figure === COST_FIGURE;
  const zero = isCost ? 100 : 0;
  const shown = isCost ? formatPercent : signedPoints;
  const isNone = interval === null ? Math.abs(value - zero) < LEAST_POINTS : interval.from <= zero && interval.through >= zero;
  const range = interval === null ? "" : ` [${shown(interval.from)}, ${shown(interval.through)}]`;
  return `${isNone ? "≈ " : ""}${shown(value)}${range}`;
}

/** Points with a sign and one decimal. */
export function signedPoints(points: number | null): string {
  if (points === null) return NO_FIGURE;
  const digits = Math.abs(points).toFixed(1);
  return digits === "0.0" ? "0" : `${points < 0 ? "−" : "+"}${digits}`;
}

/** One session under one policy. */
export interface PolicySession {
  readonly policy: string;
  readonly outcome: SessionOutcome;
}

/** The same for one session, without intervals. */
export const SESSION_COLUMNS: readonly FigureColumn<PolicySession>[] = [
  textColumn("policy", ({ policy }) => policy),
  numberColumn({
    group: `cost, % of ${BASELINE_POLICY}`,
    title: COST_FIGURE,
    meaning: { ...COST_MEANING, method: "Dollars with a prompt cache against those of doing nothing." },
    value: ({ outcome }) => 100 * outcome.costRatio,
    format: formatPercent,
  }),
  ...(["tail", "none"] as const).flatMap((against) =>
    VECTOR.map(({ name }, place) =>
      numberColumn<PolicySession>({
        group: groupOf(against),
        title: name,
        meaning: {
          ...DIFFERENCE,
          method: "The session's share less that of the other.",
          caveat: "One session is an anecdote.",
        },
        value: ({ outcome }) => pointsOver(outcome.vector[place], against),
        format: signedPoints,
      }),
    ),
  ),
];

const RECORDS = [
  [
    "cost",
    `cost against ${BASELINE_POLICY}`,
    "Lost: sessions that cost more with it than without compaction, by a thousandth or more.",
  ],
  [
    "held",
    `held against ${BASELINE_POLICY}`,
    "Lost: more measures of what is held are a point or more below those of doing nothing than above.",
  ],
  [
    "heldOverTail",
    "held against its tail",
    "Lost: more measures of what is held are a point or more below those of the plain tail of its size than above.",
  ],
] as const;

/** Of the sessions in which a policy acted, the shares that it lost, tied and won: what is lost comes first. */
export const RECORD_COLUMNS: readonly FigureColumn<PolicyComparison>[] = [
  numberColumn({
    group: "sessions",
    title: "acted in",
    meaning: {
      unit: "sessions",
      better: "neither",
      method: "Sessions in which it compacted, tried to, or shortened results as they came.",
      caveat: "",
    },
    value: ({ record }) => record.acted,
    format: formatCount,
  }),
  ...RECORDS.flatMap(([id, group, method]) =>
    (["lost", "tied", "won"] as const).map((outcome) =>
      numberColumn<PolicyComparison>({
        group: `${group}, % of sessions`,
        title: outcome,
        meaning: {
          unit: "% of sessions",
          better: outcome === "won" ? "higher" : outcome === "lost" ? "lower" : "neither",
          method,
          caveat: `Of the sessions in which it acted. ${BASELINE_POLICY} holds nothing at calls that would have been rejected.`,
        },
        value: ({ record }) => shareOf(record[id], outcome),
        format: formatRatioPercent,
      }),
    ),
  ),
];

/** A part of the sessions; `null` if there is none. */
export function shareOf(tally: Tally, outcome: keyof Tally): number | null {
  return ratioOf(tally[outcome], tally.won + tally.tied + tally.lost);
}
