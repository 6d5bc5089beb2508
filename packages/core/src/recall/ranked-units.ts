import type { Message } from "../message/message.ts";
import { forEachUnitOf, type LoggedText, type LogPlace } from "./logged-units.ts";
import { headCharsOf, type Unit, type UnitFacts } from "./units.ts";

/** How much units are worth. */
export interface UnitWorth {
  /** Says how much a unit is worth, 0 or more; those worth most for their length come first. */
  readonly worth: (facts: UnitFacts) => number;
}

/** Chooses what a ranking takes of a log. */
export interface RankingChoice extends UnitWorth {
  readonly passes: (message: Message) => boolean;
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
}

/** The units of the messages that pass and are worth something, the worthiest for their length first, of equal ones the newest. */
export function rankedUnits(log: RankedLog, { passes, worth }: RankingChoice): readonly RankedUnit[] {
  return log.texts
    .filter(({ of }) => of.atChars < log.nowAtChars && passes(of.message))
    .flatMap((text) => rankedOf(text, log, worth))
    .sort((a, b) => b.rank - a.rank || inLogOrder(b.unit, a.unit));
}

/** The units of a text that are worth something, with their ranks now. */
function rankedOf(text: LoggedText, log: LogPlace, worth: UnitWorth["worth"]): readonly RankedUnit[] {
  const headChars = headCharsOf(text.of);
  const units: Unit[] = [];
  const ratios: number[] = [];
  forEachUnitOf(text, log, (unit, facts) => {
    units.push(unit);
    ratios.push(worth(facts) / (unit.chars + headChars));
  });
  return units
    .map((unit, at) => ({ unit, chars: unit.chars + headChars, rank: amongNeighbours(at, units, ratios) }))
    .filter(({ rank }) => rank > 0);
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

/** Below zero if the first is before the second. */
export function inLogOrder(one: Unit, other: Unit): number {
  return one.of.place - other.of.place || one.index - other.index;
}
