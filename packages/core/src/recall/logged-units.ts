import type { BestRanks } from "./best-ranks.ts";
import { createBestRanks } from "./best-ranks.ts";
import type { FileTouches } from "./file-touches.ts";
import { createStatements } from "./statements.ts";
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
  /** Takes in the next text, as it was read. */
  add(of: IndexedText, read: TextReading): void;
  /** The texts of which something may be recalled with their units, oldest first. */
  texts(): readonly LoggedText[];
  /** What is known of their ranks. */
  readonly ranks: BestRanks;
}

/** Nothing said yet. */
export function createLoggedUnits(): LoggedUnits {
  const ranks = createBestRanks();
  const statements = createStatements(ranks);
  const texts: LoggedText[] = [];
  /** One text of the model used these units: each of them once. */
  const use = (units: readonly Unit[], how: "quotes" | "mentions", atChars: number) => {
    for (const unit of new Set(units)) {
      unit[how] += 1;
      unit.lastUseAtChars = atChars;
      ranks.forget(unit.of.place);
    }
  };
  return {
    texts: () => texts,
    ranks,
    add: (of, read) => {
      const isUse = isByModel(of.kind);
      // Only what the model says uses what was stated.
      const stated = isUse ? statements.ofLines(read.lineIds) : [];
      if (isUse) {
        use(stated, "quotes", of.atChars);
        use(statements.ofWords(read.wordIds), "mentions", of.atChars);
      }
      // A call that quotes what it changes states nothing new.
      if (isUse && read.tellingLines > 0 && stated.length >= RESTATED_RATIO * read.tellingLines) return;
      const units = read.units.map((unitRead, index) => {
        const unit = freshUnit(of, unitRead, index);
        statements.state(unit, unitRead);
        return unit;
      });
      if (units.length === 0) return;
      texts.push({ of, units });
      ranks.add(headCharsOf(of) + units.reduce((least, { chars }) => Math.min(least, chars), Number.POSITIVE_INFINITY));
    },
  };
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
