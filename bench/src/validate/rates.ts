import { originOf } from "../origin.ts";
import { clusteredEstimate, type Estimate, ratioOf } from "../statistics.ts";
import { type Deeds, type Experiment, type MatchedPair, matchedPairs } from "./experiments.ts";

/** How often something happens after a compaction, before it, and around places at which nothing happened. */
export interface RateChange {
  /** An agent's name, a repository, or `all`. */
  readonly of: string;
  readonly rate: RateName;
  readonly compactions: number;
  readonly before: RateCount;
  readonly after: RateCount;
  /** Rate after by rate before. */
  readonly ratio: Estimate;
  /** Compactions with a control place about as far in a session of the same agent. */
  readonly matched: number;
  /** The same around the control places. */
  readonly controlBefore: RateCount;
  readonly controlAfter: RateCount;
  readonly controlRatio: number | null;
  /** Of the matched pairs, the ratio around compactions by that around control places. */
  readonly againstControls: Estimate;
}

/** How often something happened, of how many. */
export interface RateCount {
  readonly happened: number;
  readonly of: number;
}

/** The name of a rate: the deed, and the unit that it is counted by. */
type RateName = "re-reads a call" | "failed edits an edit" | "repeats a command";

const RATES: readonly { readonly rate: RateName; readonly counts: Counts }[] = [
  { rate: "re-reads a call", counts: ({ rereadings, calls }) => [rereadings, calls] },
  { rate: "failed edits an edit", counts: ({ failedEdits, edits }) => [failedEdits, edits] },
  { rate: "repeats a command", counts: ({ repeatedCommands, commands }) => [repeatedCommands, commands] },
];

type Counts = (deeds: Deeds) => readonly [happened: number, of: number];

/** The rates of all experiments and of each agent's. */
export function ratesOf(experiments: readonly Experiment[]): readonly RateChange[] {
  return grouped(experiments, ({ agent }) => agent).flatMap(([of, own]) => rateChanges(of, own));
}

/** The rates of each repository. */
export function ratesByRepository(experiments: readonly Experiment[]): readonly RateChange[] {
  const groups = grouped(experiments, ({ session, lineage = session }) => originOf(lineage).repository).slice(1);
  return groups.flatMap(([of, own]) => rateChanges(of, own)).filter(({ compactions }) => compactions > 0);
}

/** All items as `all`, then those of each key, by name. */
export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly (readonly [string, readonly Item[]])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [["all", items], ...[...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))];
}

function rateChanges(of: string, experiments: readonly Experiment[]): readonly RateChange[] {
  const compactions = experiments.filter(({ kind }) => kind === "compaction");
  const pairs = matchedPairs(experiments);
  return RATES.map(({ rate, counts }): RateChange => {
    const totals = new Float64Array(WIDTH);
    for (const compaction of compactions) addCounts(compaction, totals, { counts, at: 0 });
    const controls = new Float64Array(WIDTH);
    for (const { control } of pairs) addCounts(control, controls, { counts, at: 0 });
    return {
      of,
      rate,
      compactions: compactions.length,
      before: countAt(totals, 0),
      after: countAt(totals, 2),
      ratio: clusteredEstimate(compactions, {
        width: WIDTH,
        add: (item, sums) => addCounts(item, sums, { counts, at: 0 }),
        figure: (sums) => changeIn(sums, 0),
      }),
      matched: pairs.length,
      controlBefore: countAt(controls, 0),
      controlAfter: countAt(controls, 2),
      controlRatio: changeIn(controls, 0),
      againstControls: againstControls(pairs, counts),
    };
  });
}

/** Happened and of how many, before and after. */
const WIDTH = 4;

function againstControls(pairs: readonly MatchedPair[], counts: Counts): Estimate {
  return clusteredEstimate(pairs, {
    width: 2 * WIDTH,
    add({ compaction, control }, sums) {
      addCounts(compaction, sums, { counts, at: 0 });
      addCounts(control, sums, { counts, at: WIDTH });
    },
    figure: (sums) => ratioOf(changeIn(sums, 0), changeIn(sums, WIDTH)),
  });
}

function addCounts({ before, after }: Experiment, sums: Float64Array, { counts, at }: { counts: Counts; at: number }): void {
  for (const [place, count] of [...counts(before), ...counts(after)].entries())
    sums[at + place] = (sums[at + place] ?? 0) + count;
}

function countAt(sums: Float64Array, at: number): RateCount {
  return { happened: sums[at] ?? 0, of: sums[at + 1] ?? 0 };
}

function changeIn(sums: Float64Array, at: number): number | null {
  return ratioOf(ratioOf(sums[at + 2], sums[at + 3]), ratioOf(sums[at], sums[at + 1]));
}
