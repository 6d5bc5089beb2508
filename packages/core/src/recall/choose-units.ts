import type { Message } from "../message/message.ts";
import type { RecalledPassage } from "../prompts/recalled.ts";
import { isPlain } from "../prompts/recalled.ts";
import { quotedResult } from "../truncation/truncate-text.ts";
import { largestFirst } from "./largest-first.ts";
import type { RecallView, UnitFacts } from "./recall-index.ts";
import type { TextLine } from "./text-lines.ts";
import type { Unit } from "./units.ts";

/** What a recall block is chosen by. */
export interface RecallChoice {
  readonly index: RecallView;
  /** What a unit is worth; those worth most for their length are taken first. */
  readonly worth: (facts: UnitFacts) => number;
  /** True for messages that the view still shows. */
  readonly stays: (message: Message) => boolean;
  readonly maximumChars: number;
}

/** Characters of a passage's head in addition to what it names; of those, what neighbours share. */
const HEAD_CHARS = 40;

/** A rest of this share of the block stays empty; chosen. */
const REST_RATIO = 0.02;

/** The passages to recall, in the order of the log; neighbouring units are one passage. Ranks what is indexed, and reads only what it takes.
 * A small rest stays empty: only what is short would fit, whatever it is worth. */
export function recalledPassages({ index, worth, stays, maximumChars }: RecallChoice): readonly RecalledPassage[] {
  const units: Unit[] = [];
  const chars: number[] = [];
  const ownRatios: number[] = [];
  index.forEachUnit(
    (message) => !stays(message),
    (unit, facts) => {
      const unitChars = unit.chars + headChars(unit);
      units.push(unit);
      chars.push(unitChars);
      ownRatios.push(worth(facts) / unitChars);
    },
  );
  const taken: number[] = [];
  let leftChars = maximumChars;
  for (const at of largestFirst(amongNeighbours(units, ownRatios))) {
    const unitChars = chars[at] ?? 0;
    if (leftChars < maximumChars * REST_RATIO) break;
    if (unitChars > leftChars) continue;
    leftChars -= unitChars;
    taken.push(at);
  }
  taken.sort((a, b) => a - b);
  return passagesOf(taken.flatMap((at) => units[at] ?? []));
}

/** A unit counts as it and its neighbours do on the mean: what is needed of a text is seldom all in one unit. */
function amongNeighbours(units: readonly Unit[], ratios: readonly number[]): Float64Array {
  const means = new Float64Array(ratios.length);
  for (const [at, own] of ratios.entries()) {
    const unit = units[at];
    const before = isNext(units[at - 1], unit) ? (ratios[at - 1] ?? 0) : own;
    const after = isNext(unit, units[at + 1]) ? (ratios[at + 1] ?? 0) : own;
    means[at] = (before + own + after) / 3;
  }
  return means;
}

function isNext(unit: Unit | undefined, next: Unit | undefined): boolean {
  return unit !== undefined && next !== undefined && unit.of === next.of && unit.index + 1 === next.index;
}

function headChars({ of }: Unit): number {
  return HEAD_CHARS + of.source.length + of.handle.length + (of.path?.length ?? 0);
}

function passagesOf(units: readonly Unit[]): readonly RecalledPassage[] {
  const runs: Unit[][] = [];
  for (const unit of units) {
    const run = runs.at(-1);
    if (run !== undefined && isNext(run.at(-1), unit)) run.push(unit);
    else runs.push([unit]);
  }
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined) return [];
    const { source, path, handle, text } = first.of;
    const lines = run.flatMap((unit) => unit.lines);
    const fromLine = lines.find(({ number }) => number !== null)?.number ?? null;
    const throughLine = lines.findLast(({ number }) => number !== null)?.number ?? null;
    return { source, path, handle, fromLine, throughLine, text: textOf(text, lines), isPlain: run.every(isPlainUnit) };
  });
}

/** Neighbouring lines of a text, as one text. Those that no number parts are taken at once. */
function textOf(text: string, lines: readonly TextLine[]): string {
  const pieces: string[] = [];
  for (let at = 0; at < lines.length; ) {
    let last = at;
    while (lines[last + 1]?.start === (lines[last]?.end ?? 0) + 1) last += 1;
    pieces.push(text.slice(lines[at]?.start, lines[last]?.end));
    at = last + 1;
  }
  return pieces.join("\n");
}

/** Whether the lines of a unit are plain, for every log that holds them. */
const plainLines = new WeakMap<readonly TextLine[], boolean>();

function isPlainUnit({ of, lines }: Unit): boolean {
  const known = plainLines.get(lines);
  if (known !== undefined) return known;
  const plain = isOfPlainText(of, lines) || isPlain(textOf(of.text, lines));
  plainLines.set(lines, plain);
  return plain;
}

/** A result was looked through as it entered history; a line without a number is then what was looked at. */
function isOfPlainText({ message }: Unit["of"], lines: readonly TextLine[]): boolean {
  if (message.role !== "tool-result" || lines[0]?.number !== null) return false;
  return lines.every(({ number }) => number === null) && quotedResult(message) === message;
}
