import type { Message } from "../message/message.ts";
import type { BestRanks, UnitWorth } from "./best-ranks.ts";
import { mostRanks, rememberRank } from "./best-ranks.ts";
import { largestFirst } from "./largest-first.ts";
import type { LoggedText, LogPlace } from "./logged-units.ts";
import { forEachUnitOf } from "./logged-units.ts";
import type { Unit } from "./units.ts";
import { headCharsOf } from "./units.ts";

/** The limits of a ranking's choice from a log. */
export interface RankingChoice extends UnitWorth {
  readonly passes: (message: Message) => boolean;
  /** Whether a unit of so many characters still fits, when its turn comes. */
  readonly fits: (chars: number) => boolean;
}

/** A unit, the characters that it takes in a block, and its rank. */
export interface RankedUnit {
  readonly unit: Unit;
  readonly chars: number;
  readonly rank: number;
}

/** A log as it is ranked. */
interface RankedLog extends LogPlace {
  readonly texts: readonly LoggedText[];
  readonly ranks: BestRanks;
}

/** The units of the messages that pass, the worthiest for their length first, of equal ones the newest. A text is looked into if one of its units can come next. */
export function* rankedUnits(log: RankedLog, choice: RankingChoice): Generator<RankedUnit, void, undefined> {
  const { texts, ranks, nowAtChars } = log;
  const bounds = mostRanks(ranks, choice, nowAtChars);
  /** Units of the texts looked into, the next one last. */
  const known: RankedUnit[] = [];
  for (const at of largestFirst(bounds)) {
    yield* takenAbove(bounds[at] ?? 0, known, choice);
    if (!choice.fits(ranks.leastChars[at] ?? 0)) continue;
    const text = texts[at];
    if (text === undefined || text.of.atChars >= nowAtChars || !choice.passes(text.of.message)) continue;
    for (const ranked of rankedOf(text, log, choice)) insert(known, ranked);
  }
  yield* takenAbove(0, known, choice);
}

/** Takes the units of a higher rank, and yields those that fit. */
function* takenAbove(rank: number, known: RankedUnit[], { fits }: RankingChoice): Generator<RankedUnit, void, undefined> {
  for (let next = known.at(-1); next !== undefined && next.rank > rank; next = known.at(-1)) {
    known.pop();
    if (fits(next.chars)) yield next;
  }
}

/** The units of a text that are worth something, with their ranks now, of which the best is remembered. */
function rankedOf(text: LoggedText, log: RankedLog, { worth }: RankingChoice): readonly RankedUnit[] {
  const { of } = text;
  const headChars = headCharsOf(of);
  const units: Unit[] = [];
  const ratios: number[] = [];
  forEachUnitOf(text, log, (unit, facts) => {
    units.push(unit);
    ratios.push(worth(facts) / (unit.chars + headChars));
  });
  const ranked: RankedUnit[] = [];
  let best = 0;
  for (const [at, unit] of units.entries()) {
    const rank = amongNeighbours(at, units, ratios);
    if (rank <= 0) continue;
    ranked.push({ unit, chars: unit.chars + headChars, rank });
    best = Math.max(best, rank);
  }
  rememberRank(log.ranks, of, { rank: best, nowAtChars: log.nowAtChars });
  return ranked;
}

/** A unit counts as it and its neighbours do on the mean: what is needed of a text is seldom all in one unit. */
function amongNeighbours(at: number, units: readonly Unit[], ratios: readonly number[]): number {
  const own = ratios[at] ?? 0;
  const unit = units[at];
  const before = isNext(units[at - 1], unit) ? (ratios[at - 1] ?? 0) : own;
  const after = isNext(unit, units[at + 1]) ? (ratios[at + 1] ?? 0) : own;
  return (before + own + after) / 3;
}

/** True for two neighbours in one text. */
export function isNext(unit: Unit | undefined, next: Unit | undefined): boolean {
  return unit !== undefined && next !== undefined && unit.of === next.of && unit.index + 1 === next.index;
}

/** Puts a unit where it belongs, by its rank and, of equal ones, its place in the log. */
function insert(known: RankedUnit[], ranked: RankedUnit): void {
  let from = 0;
  let to = known.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = known[middle];
    if (
      other !== undefined &&
      (other.rank < ranked.rank || (other.rank === ranked.rank && inLogOrder(other.unit, ranked.unit) < 0))
    )
      from = middle + 1;
    else to = middle;
  }
  known.splice(from, 0, ranked);
}

/** Below zero if the first is before the second. */
export function inLogOrder(one: Unit, other: Unit): number {
  return one.of.place - other.of.place || one.index - other.index;
}
