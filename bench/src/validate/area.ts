import type { Statistic } from "../statistics.ts";

/** Something that was predicted: what a measure said (0 to 1), and whether it came about. */
export interface Scored {
  readonly score: number;
  readonly happened: boolean;
}

/** Scores are told apart to the hundredth, so that the counts of a repository have one size. */
const STEPS = 101;

/**
 * Area under the receiver operating characteristic, from 0 to 1: how often a case that came about has a higher score than one that did not; equal scores
 * count a half (Mann and Whitney, 1947). `null` if all or none came about.
 */
export const AREA: Statistic<Scored> = {
  width: 2 * STEPS,
  add({ score, happened }, sums) {
    const place = 2 * Math.round(Math.min(1, Math.max(0, score)) * (STEPS - 1)) + (happened ? 0 : 1);
    sums[place] = (sums[place] ?? 0) + 1;
  },
  figure(sums) {
    let happened = 0;
    let others = 0;
    let higher = 0;
    for (let step = 0; step < STEPS; step++) {
      const [here, othersHere] = [sums[2 * step] ?? 0, sums[2 * step + 1] ?? 0];
      higher += here * (others + othersHere / 2);
      happened += here;
      others += othersHere;
    }
    return happened === 0 || others === 0 ? null : higher / (happened * others);
  },
};
