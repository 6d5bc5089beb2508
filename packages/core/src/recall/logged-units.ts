import { createStatements } from "./statements.ts";
import type { IndexedText, TextReading, Unit } from "./units.ts";
import { freshUnit, isByModel } from "./units.ts";

/** A unit of which this share of the lines was stated again later is told by what restated it; chosen. */
export const RESTATED_RATIO = 0.8;

/** Texts that follow each other, in units, with what became of each. */
export interface LoggedUnits {
  /** Takes in the next text, as it was read. */
  add(of: IndexedText, read: TextReading): void;
  /** All units, oldest first. */
  units(): readonly Unit[];
}

/** Nothing said yet. */
export function createLoggedUnits(): LoggedUnits {
  const statements = createStatements();
  const units: Unit[] = [];
  return {
    units: () => units,
    add: (of, read) => {
      const isUse = isByModel(of.kind);
      // Only what the model says uses what was stated.
      const stated = isUse ? statements.ofLines(read.hashes) : [];
      if (isUse) {
        use(stated, "quotes", of.atChars);
        use(statements.ofWords(read.words), "mentions", of.atChars);
      }
      // A call that quotes what it changes states nothing new.
      if (isUse && read.tellingLines > 0 && stated.length >= RESTATED_RATIO * read.tellingLines) return;
      for (const [index, unitRead] of read.units.entries()) {
        const unit = freshUnit(of, unitRead, index);
        statements.state(unit, unitRead);
        units.push(unit);
      }
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
