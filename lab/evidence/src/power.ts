import { createRandom } from "@plimsoll/bench/extend";
import { areaWithin } from "./area.ts";
import type { ContentKind } from "./exposures.ts";
import { lengthThirds, type Unit } from "./outcomes.ts";
import { MASKED_AGE, sidesOf } from "./price.ts";
import { type Effort, normal, numbered, REPORTED, resampled } from "./resample.ts";
import type { RunRow } from "./run-row.ts";

/** How far a score's spread is shared by the runs of one task; chosen: half. */
const SHARED_VARIANCE = 0.5;

/** The distance of two normal distributions of spread one at which the area is 0.60: √2 × 0.2533. */
const SHIFT_FOR_060 = 0.3583;

/**
 * How often the interval of the area within thirds of length lies above 0.5 if the true area is 0.60 (`shift` 0: 0.50), with the grades, lengths
 * and tasks that the runs have and scores that are made. Nothing that a measure said is read.
 */
export function powerOfArea(
  rows: readonly RunRow[],
  { unit, shift = SHIFT_FOR_060 }: { readonly unit: Unit; readonly shift?: number },
  { simulations, simulatedDraws }: Effort = REPORTED,
): number {
  const random = createRandom();
  const thirds = lengthThirds(rows);
  const clusters = numbered(rows.map((row) => `${row.dataset} ${row[unit]}`));
  const tasks = numbered(rows.map((row) => `${row.dataset} ${row.task}`));
  let found = 0;
  for (let made = 0; made < simulations; made++) {
    const shared = Array.from({ length: tasks.count }, () => normal(random));
    const runs = rows.map((row, place) => ({
      score:
        (row.hasFailed ? shift : 0) +
        Math.sqrt(SHARED_VARIANCE) * (shared[tasks.of[place] ?? 0] ?? 0) +
        Math.sqrt(1 - SHARED_VARIANCE) * normal(random),
      hasFailed: row.hasFailed,
      stratum: thirds.get(row) ?? "",
      cluster: clusters.of[place] ?? 0,
    }));
    const { interval } = resampled(clusters.count, areaWithin(runs), simulatedDraws, random);
    if (interval !== null && interval.from > 0.5) found += 1;
  }
  return found / simulations;
}

/** Distances of two normal distributions at which the area is 0.60, 0.61 and so on: √2 times the normal quantile. */
const SHIFTS: readonly (readonly [area: number, shift: number])[] = [
  [0.6, SHIFT_FOR_060],
  [0.61, 0.395],
  [0.62, 0.432],
  [0.63, 0.4693],
  [0.64, 0.507],
  [0.65, 0.5449],
];

/** The power that is asked (protocol). */
const ASKED_POWER = 0.8;

/** The smallest of these areas that the test would find often enough; `null` if it is larger. */
export function smallestFound(rows: readonly RunRow[], unit: Unit, effort: Effort = REPORTED): number | null {
  return SHIFTS.find(([, shift]) => powerOfArea(rows, { unit, shift }, effort) >= ASKED_POWER)?.[0] ?? null;
}

/** How much the rate of fetching again differs from task to task: the variance of its logarithm; chosen: high (a factor of e). */
const RATE_VARIANCE = 1;

/**
 * How often the interval of the ratio at the line lies above 1 if the true ratio is `ratio`, with the exposures that the runs have and the rate
 * before the line given. Nothing that was fetched again is read.
 */
export function powerOfRatio(
  rows: readonly RunRow[],
  { kind, unit, rate, ratio }: { kind: ContentKind; unit: Unit; rate: number; ratio: number },
  { simulations, simulatedDraws }: Effort = REPORTED,
): number {
  const random = createRandom();
  const clusters = numbered(rows.map((row) => `${row.dataset} ${row[unit]}`));
  const tasks = numbered(rows.map((row) => `${row.dataset} ${row.task}`));
  const exposed = rows.map(({ exposures }) => {
    const { before, behind } = sidesOf(exposures[kind], MASKED_AGE);
    return { before: before[0], behind: behind[0] };
  });
  let found = 0;
  for (let made = 0; made < simulations; made++) {
    const shared = Array.from({ length: tasks.count }, () =>
      Math.exp(Math.sqrt(RATE_VARIANCE) * normal(random) - RATE_VARIANCE / 2),
    );
    const sums = Array.from({ length: clusters.count }, () => ({ before: 0, againBefore: 0, behind: 0, againBehind: 0 }));
    for (const [place, { before, behind }] of exposed.entries()) {
      const own = sums[clusters.of[place] ?? 0];
      const chance = Math.min(1, rate * (shared[tasks.of[place] ?? 0] ?? 1));
      if (own === undefined) continue;
      own.before += before;
      own.behind += behind;
      for (let at = 0; at < before; at++) if (random() < chance) own.againBefore += 1;
      for (let at = 0; at < behind; at++) if (random() < Math.min(1, chance * ratio)) own.againBehind += 1;
    }
    const figure = (weights: Float64Array) => {
      const total = { before: 0, againBefore: 0, behind: 0, againBehind: 0 };
      for (const [place, each] of sums.entries()) {
        const weight = weights[place] ?? 0;
        total.before += weight * each.before;
        total.againBefore += weight * each.againBefore;
        total.behind += weight * each.behind;
        total.againBehind += weight * each.againBehind;
      }
      return total.againBefore === 0 ? null : total.againBehind / total.behind / (total.againBefore / total.before);
    };
    const { interval } = resampled(clusters.count, figure, simulatedDraws, random);
    if (interval !== null && interval.from > 1) found += 1;
  }
  return found / simulations;
}
