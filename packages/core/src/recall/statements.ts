import type { Unit, UnitReading } from "./units.ts";

/** Which unit stated a line or a rare word last. What the model says takes over nothing from where it was stated: it uses it. */
export interface Statements {
  /** The units that stated lines last, one for each line that was stated. */
  ofLines(hashes: readonly number[]): readonly Unit[];
  /** The units that stated rare words last, one for each word that was stated; words by their hashes. */
  ofWords(hashes: readonly number[]): readonly Unit[];
  /** A unit states its lines and words: whatever stated them before is restated now. */
  state(unit: Unit, read: UnitReading): void;
}

/** Nothing stated yet. */
export function createStatements(): Statements {
  const lines = new Map<number, Unit>();
  const words = new Map<number, Unit>();
  return {
    ofLines: (hashes) => found(hashes, lines),
    ofWords: (hashes) => found(hashes, words),
    state: (unit, { hashes, words: stated }) => {
      for (const hash of hashes) {
        if (hash === 0) continue;
        const before = lines.get(hash);
        if (!takesOver(unit, before)) continue;
        if (before !== undefined && before !== unit) before.restatedLines += 1;
        lines.set(hash, unit);
      }
      for (const hash of stated) if (takesOver(unit, words.get(hash))) words.set(hash, unit);
    },
  };
}

function found(hashes: readonly number[], stated: ReadonlyMap<number, Unit>): readonly Unit[] {
  const units: Unit[] = [];
  for (const hash of hashes) {
    const unit = stated.get(hash);
    if (unit !== undefined) units.push(unit);
  }
  return units;
}

function takesOver({ of: { kind } }: Unit, before: Unit | undefined): boolean {
  return kind !== "said" || before === undefined || before.of.kind === "said";
}
