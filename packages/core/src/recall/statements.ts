import type { BestRanks } from "./best-ranks.ts";
import { forgetRank } from "./best-ranks.ts";
import type { Unit, UnitReading } from "./units.ts";

/** Who stated what last, by its number; `undefined` for nobody. */
type Stated = (Unit | undefined)[];

/** Which unit stated a line or a rare word last, by their numbers. What the model says takes over nothing from where it was stated: it uses it. */
export interface Statements {
  readonly lines: Stated;
  readonly words: Stated;
}

/** Nothing stated yet. */
export function createStatements(): Statements {
  return { lines: [], words: [] };
}

/** A unit states its lines and words: whatever stated them before is restated now, and its rank forgotten. */
export function state(
  { lines, words }: Statements,
  unit: Unit,
  { read, ranks }: { readonly read: UnitReading; readonly ranks: BestRanks },
): void {
  for (const id of read.lineIds) {
    if (id === 0) continue;
    const before = lines[id];
    if (!takesOver(unit, before)) continue;
    if (before !== undefined && before !== unit) {
      before.restatedLines += 1;
      forgetRank(ranks, before.of.place);
    }
    put(lines, id, unit);
  }
  for (const id of read.wordIds) if (takesOver(unit, words[id])) put(words, id, unit);
}

/** A list without gaps stays fast. */
function put(stated: Stated, id: number, unit: Unit): void {
  while (stated.length <= id) stated.push(undefined);
  stated[id] = unit;
}

/** The units that stated lines or words last, one for each that was stated. */
export function lastStated(stated: Readonly<Stated>, ids: readonly number[]): readonly Unit[] {
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
