import type { BestRanks } from "./best-ranks.ts";
import { addText, createBestRanks, forgetRank } from "./best-ranks.ts";
import type { FileTouches } from "./file-touches.ts";
import type { Statements } from "./statements.ts";
import { createStatements, lastStated, state } from "./statements.ts";
import type { IndexedText, TextReading, Unit, UnitFacts } from "./units.ts";
import { freshUnit, headCharsOf, isByModel } from "./units.ts";

/** A unit of which this share of the lines was stated again later is told by what restated it; chosen. */
const RESTATED_RATIO = 0.8;

/** A text and its units, in order. */
export interface LoggedText {
  readonly of: IndexedText;
  readonly units: readonly Unit[];
}

/** Texts that follow each other, in units, with what became of each. */
export interface LoggedUnits {
  /** The texts of which something may be recalled with their units, oldest first. */
  readonly texts: LoggedText[];
  readonly statements: Statements;
  /** The best ranks that are known of them. */
  readonly ranks: BestRanks;
}

/** Nothing said yet. */
export function createLoggedUnits(): LoggedUnits {
  return { texts: [], statements: createStatements(), ranks: createBestRanks() };
}

/** Takes in the next text, as it was read. */
export function logText({ texts, statements, ranks }: LoggedUnits, of: IndexedText, read: TextReading): void {
  const isUse = isByModel(of.kind);
  // Only what the model says uses what was stated.
  const stated = isUse ? lastStated(statements.lines, read.lineIds) : [];
  if (isUse) {
    for (const unit of new Set(stated)) {
      unit.quotes += 1;
      use(unit, ranks, of.atChars);
    }
    for (const unit of new Set(lastStated(statements.words, read.wordIds))) {
      unit.mentions += 1;
      use(unit, ranks, of.atChars);
    }
  }
  // A call that quotes what it changes states nothing new.
  if (isUse && read.tellingLines > 0 && stated.length >= RESTATED_RATIO * read.tellingLines) return;
  if (read.units.length === 0) return;
  const units: Unit[] = [];
  let leastChars = Number.POSITIVE_INFINITY;
  for (const unitRead of read.units) {
    const unit = freshUnit(of, unitRead, units.length);
    state(statements, unit, { read: unitRead, ranks });
    units.push(unit);
    leastChars = Math.min(leastChars, unit.chars);
  }
  texts.push({ of, units });
  addText(ranks, headCharsOf(of) + leastChars);
}

/** One text of the model used a unit. */
function use(unit: Unit, ranks: BestRanks, atChars: number): void {
  unit.lastUseAtChars = atChars;
  forgetRank(ranks, unit.of.place);
}

/** Where a log is asked of: the files that its calls touched, and its end. */
export interface LogPlace {
  readonly files: FileTouches;
  readonly nowAtChars: number;
}

/** Visits the units of a text in order, without those that a later text states again, with what is known of each. */
export function forEachUnitOf(
  { of, units }: LoggedText,
  { files, nowAtChars }: LogPlace,
  visit: (unit: Unit, facts: UnitFacts) => void,
): void {
  const file = of.path === null ? null : files.facts(of.path, { textAtChars: of.atChars, nowAtChars });
  for (const unit of units) {
    const { chars, tellingLines, restatedLines, quotes, mentions, lastUseAtChars } = unit;
    if (restatedLines >= RESTATED_RATIO * tellingLines) continue;
    visit(unit, {
      kind: of.kind,
      chars,
      ageChars: nowAtChars - of.atChars,
      restatedRatio: restatedLines / tellingLines,
      quotes,
      mentions,
      sinceUseChars: lastUseAtChars === null ? null : nowAtChars - lastUseAtChars,
      file,
    });
  }
}
