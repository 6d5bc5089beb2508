import type { BestRanks } from "./best-ranks.ts";
import type { Unit, UnitReading } from "./units.ts";

/** Which unit stated a line or a rare word last. What the model says takes over nothing from where it was stated: it uses it. */
export interface Statements {
  /** The units that stated lines last, one for each line that was stated; lines by their numbers. */
  ofLines(ids: readonly number[]): readonly Unit[];
  /** The units that stated rare words last, one for each word that was stated; words by their numbers. */
  ofWords(ids: readonly number[]): readonly Unit[];
  /** A unit states its lines and words: whatever stated them before is restated now. */
  state(unit: Unit, read: UnitReading): void;
}

/** Who stated what last, by its number; `undefined` for nobody. */
type Stated = (Unit | undefined)[];

/** Nothing stated yet. Ranks of units that are restated are forgotten. */
export function createStatements(ranks: Pick<BestRanks, "forget">): Statements {
  const lines: Stated = [];
  const words: Stated = [];
  return {
    ofLines: (ids) => found(ids, lines),
    ofWords: (ids) => found(ids, words),
    state: (unit, { lineIds, wordIds }) => {
      for (const id of lineIds) {
        if (id === 0) continue;
        const before = lines[id];
        if (!takesOver(unit, before)) continue;
        if (before !== undefined && before !== unit) {
          before.restatedLines += 1;
          ranks.forget(before.of.place);
        }
        put(lines, id, unit);
      }
      for (const id of wordIds) if (takesOver(unit, words[id])) put(words, id, unit);
    },
  };
}

/** A list without gaps stays fast. */
function put(stated: Stated, id: number, unit: Unit): void {
  while (stated.length <= id) stated.push(undefined);
  stated[id] = unit;
}

function found(ids: readonly number[], stated: Stated): readonly Unit[] {
  const units: Unit[] = [];
  for (const id of ids) {
    const unit = stated[id];
    if (unit !== undefined) units.push(unit);
  }
  return units;
}

function takesOver({ of: { kind } }: Unit, before: Unit | undefined): boolean {
  return kind !== "said" || before === undefined || before.of.kind === "said";
}
