import type { FileTouches } from "./file-touches.ts";
import type { IndexedText, TextReading, Unit, UnitFacts, UnitReading } from "./units.ts";
import { freshUnit, isByModel } from "./units.ts";

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
}

/** Nothing said yet. */
export function createLoggedUnits(): LoggedUnits {
  return { texts: [], statements: createStatements() };
}

/** Takes in the next text, as it was read. */
export function logText({ texts, statements }: LoggedUnits, of: IndexedText, read: TextReading): void {
  const isUse = isByModel(of.kind);
  // Only what the model says uses what was stated.
  const stated = isUse ? lastStated(statements.lines, read.lineHashes) : [];
  if (isUse) {
    for (const unit of new Set(stated)) {
      unit.quotes += 1;
      unit.lastUseAtChars = of.atChars;
    }
    for (const unit of new Set(lastStated(statements.words, read.wordHashes))) {
      unit.mentions += 1;
      unit.lastUseAtChars = of.atChars;
    }
  }
  // A call that quotes what it changes states nothing new.
  if (isUse && read.tellingLines > 0 && stated.length >= RESTATED_RATIO * read.tellingLines) return;
  if (read.units.length === 0) return;
  const units: Unit[] = [];
  for (const unitRead of read.units) {
    const unit = freshUnit(of, unitRead, units.length);
    state(statements, unit, unitRead);
    units.push(unit);
  }
  texts.push({ of, units });
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

/** Which unit stated a line or a rare word last, by their hashes. What the model says takes over nothing from where it was stated: it uses it. */
interface Statements {
  readonly lines: Map<number, Unit>;
  readonly words: Map<number, Unit>;
}

/** Nothing stated yet. */
function createStatements(): Statements {
  return { lines: new Map(), words: new Map() };
}

/** A unit states its lines and words: whatever stated them before is restated now. */
function state({ lines, words }: Statements, unit: Unit, read: UnitReading): void {
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
function lastStated(stated: ReadonlyMap<number, Unit>, hashes: readonly number[]): readonly Unit[] {
  return hashes.flatMap((hash) => stated.get(hash) ?? []);
}

function takesOver({ of: { kind } }: Unit, before: Unit | undefined): boolean {
  return kind !== "said" || before === undefined || before.of.kind === "said";
}
