import type { Unit, UnitReading } from "./units.ts";

/** Which unit stated a line or a rare word last, by their hashes. What the model says takes over nothing from where it was stated: it uses it. */
export interface Statements {
  readonly lines: Map<number, Unit>;
  readonly words: Map<number, Unit>;
}

/** Nothing stated yet. */
export function createStatements(): Statements {
  return { lines: new Map(), words: new Map() };
}

/** A unit states its lines and words: whatever stated them before is restated now. */
export function state({ lines, words }: Statements, unit: Unit, read: UnitReading): void {
  for (const hash of read.lineHashes) {
    if (hash === 0) continue;
    const before = lines.get(hash);
    if (!takesOver(unit, before)) continue;
    if (before !== undefined && before !== unit) before.restatedLines += 1;
    lines.set(hash, unit);
  }
  for (const hash of read.wordHashes) if (takesOver(unit, words.get(hash))) words.set(hash, unit);
}

/** The units that stated lines or words last, one for each that was stated. */
export function lastStated(stated: ReadonlyMap<number, Unit>, hashes: readonly number[]): readonly Unit[] {
  return hashes.flatMap((hash) => stated.get(hash) ?? []);
}

function takesOver({ of: { kind } }: Unit, before: Unit | undefined): boolean {
  return kind !== "said" || before === undefined || before.of.kind === "said";
}
