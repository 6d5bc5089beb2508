import type { UnitWorth } from "../keep/keep-rule.ts";
import type { Message } from "../message/message.ts";
import type { FileTouches, IndexedText, TextReading, Unit, UnitReading } from "./units.ts";
import { freshUnit, headCharsOf, isByModel } from "./units.ts";

/** A unit with this share of its lines stated again later counts as restated by the later text; chosen. */
const RESTATED_RATIO = 0.8;

/** A text and its units, in order. */
interface LoggedText {
  readonly of: IndexedText;
  readonly units: readonly Unit[];
}

/** Texts that follow each other, in units, with the later history of each. */
export interface LoggedUnits {
  /** The texts with something to recall, with their units, oldest first. */
  readonly texts: LoggedText[];
  readonly statements: Statements;
  /** Texts of the model, and of the person, oldest first, each with its rare words. */
  readonly said: Record<"model" | "person", { readonly of: IndexedText; readonly wordHashes: readonly number[] }[]>;
  /** How many units have a rare word. */
  readonly wordUnits: Map<number, number>;
}

/** Nothing said yet. */
export function createLoggedUnits(): LoggedUnits {
  return {
    texts: [],
    statements: { lines: new Map(), words: new Map() },
    said: { model: [], person: [] },
    wordUnits: new Map(),
  };
}

/** Takes in the next text, as it was read. */
export function logText({ texts, statements, said, wordUnits }: LoggedUnits, of: IndexedText, read: TextReading): void {
  const isUse = isByModel(of.kind);
  if (isUse) said.model.push({ of, wordHashes: read.wordHashes });
  else if (of.kind === "person") said.person.push({ of, wordHashes: read.units.flatMap(({ wordHashes }) => wordHashes) });
  // Only the model's words use earlier statements.
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
  // A call that quotes the text it changes states nothing new.
  if (isUse && read.tellingLines > 0 && stated.length >= RESTATED_RATIO * read.tellingLines) return;
  if (read.units.length === 0) return;
  const units: Unit[] = [];
  for (const unitRead of read.units) {
    const unit = freshUnit(of, unitRead, units.length);
    state(statements, unit, unitRead);
    for (const hash of unit.wordHashes) wordUnits.set(hash, (wordUnits.get(hash) ?? 0) + 1);
    units.push(unit);
  }
  texts.push({ of, units });
}

function lastStated(by: ReadonlyMap<number, Unit>, hashes: readonly number[]): readonly Unit[] {
  const found: Unit[] = [];
  for (const hash of hashes) {
    const unit = by.get(hash);
    if (unit !== undefined) found.push(unit);
  }
  return found;
}

/** The place at which a log is asked: the files that its calls touched, its end, and the rare words of the newest text, each by its worth. */
export interface LogPlace {
  readonly files: FileTouches;
  readonly nowAtChars: number;
  readonly lately: ReadonlyMap<number, number>;
}

/** The newest texts of the model count until there are so many characters; chosen. */
const LATELY_CHARS = 12_000;

/** The rare words of the model's newest texts and of the person's last before a place; a word is worth more the fewer units have it. */
export function saidLately({ texts: logged, said, wordUnits }: LoggedUnits, nowAtChars: number): ReadonlyMap<number, number> {
  let units = 0;
  for (const text of logged) units += text.units.length;
  const isBefore = ({ of }: { readonly of: IndexedText }) => of.atChars < nowAtChars;
  const end = said.model.findLastIndex(isBefore) + 1;
  let from = end;
  for (let leftChars = LATELY_CHARS; from > 0 && leftChars > 0; ) leftChars -= said.model[--from]?.of.text.length ?? 0;
  const person = said.person.findLast(isBefore);
  const lately = new Map<number, number>();
  for (const { wordHashes } of [...said.model.slice(from, end), ...(person === undefined ? [] : [person])])
    for (const hash of wordHashes) lately.set(hash, Math.log1p(units / (wordUnits.get(hash) ?? 1)));
  return lately;
}

/** Which unit stated a line or a rare word last, by their hashes. The model's words take over nothing from its source: they use it. */
interface Statements {
  readonly lines: Map<number, Unit>;
  readonly words: Map<number, Unit>;
}

/** A unit states its lines and words: their earlier units are restated now. */
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

function takesOver({ of: { kind } }: Unit, before: Unit | undefined): boolean {
  return kind !== "said" || before === undefined || before.of.kind === "said";
}

/** Chooses a ranking's passages from a log. */
export interface RankingChoice extends UnitWorth {
  readonly passes: (message: Message) => boolean;
}

/** A unit, the characters that it takes in a block, and its rank. */
export interface RankedUnit {
  readonly unit: Unit;
  readonly chars: number;
  readonly rank: number;
}

/** The units of the messages that pass and are worth something, the worthiest for their length first, of equal ones the newest. */
export function rankedUnits(
  log: LogPlace & Pick<LoggedUnits, "texts">,
  { passes, worth }: RankingChoice,
): readonly RankedUnit[] {
  const ranked: RankedUnit[] = [];
  for (const text of log.texts)
    if (text.of.atChars < log.nowAtChars && passes(text.of.message)) addRanked(ranked, text, log, worth);
  return ranked.sort((a, b) => b.rank - a.rank || inLogOrder(b.unit, a.unit));
}

/** Ranks the units of a text, without those that a later text states again. */
function addRanked(ranked: RankedUnit[], { of, units: all }: LoggedText, log: LogPlace, worth: UnitWorth["worth"]): void {
  const { files, nowAtChars, lately } = log;
  const headChars = headCharsOf(of);
  const file = of.path === null ? null : files.facts(of.path, { textAtChars: of.atChars, nowAtChars });
  const units: Unit[] = [];
  const ratios: number[] = [];
  for (const unit of all) {
    const { chars, tellingLines, restatedLines, quotes, mentions, lastUseAtChars } = unit;
    if (restatedLines >= RESTATED_RATIO * tellingLines) continue;
    let shared = 0;
    for (const hash of unit.wordHashes) shared += lately.get(hash) ?? 0;
    const worthOf = worth({
      kind: of.kind,
      chars,
      ageChars: nowAtChars - of.atChars,
      restatedRatio: restatedLines / tellingLines,
      quotes,
      mentions,
      sinceUseChars: lastUseAtChars === null ? null : nowAtChars - lastUseAtChars,
      shared,
      file,
    });
    units.push(unit);
    ratios.push(worthOf / (chars + headChars));
  }
  for (let at = 0; at < units.length; at++) {
    const unit = units[at];
    const rank = amongNeighbours(at, units, ratios);
    if (unit !== undefined && rank > 0) ranked.push({ unit, chars: unit.chars + headChars, rank });
  }
}

/** A unit counts as much as it and its neighbours on average: a need is seldom all in one unit. */
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
