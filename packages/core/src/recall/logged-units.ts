import { createStatements } from "./statements.ts";
import type { IndexedText, TextReading, Unit } from "./units.ts";
import { freshUnit, isByModel } from "./units.ts";

/** A unit of which this share of the lines was stated again later is told by what restated it; chosen. */
export const RESTATED_RATIO = 0.8;

/** A text and its units, in order. */
interface LoggedText {
  readonly of: IndexedText;
  readonly units: readonly Unit[];
}

/** Texts that follow each other, in units, with what became of each. */
export interface LoggedUnits {
  /** Takes in the next text, as it was read. */
  add(of: IndexedText, read: TextReading): void;
  /** The texts of which something may be recalled with their units, oldest first. */
  texts(): readonly LoggedText[];
}

/** Nothing said yet. */
export function createLoggedUnits(): LoggedUnits {
  const statements = createStatements();
  const texts: LoggedText[] = [];
  return {
    texts: () => texts,
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
      if (units.length > 0) texts.push({ of, units });
    },
  };
}

/** One text of the model used these units: each of them once. */
function use(units: readonly Unit[], how: "quotes" | "mentions", atChars: number): void {
  for (const unit of new Set(units)) {
    unit[how] += 1;
    unit.lastUseAtChars = atChars;
  }
}
