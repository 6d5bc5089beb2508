import type { Message } from "@plimsoll/core";
import { oncePerText } from "../references/once-per-text.ts";
import { createStringSearch, type StringSearch } from "../references/string-search.ts";
import { comparable, comparedTexts } from "./comparable-text.ts";
import { encodeLines, lineAt, lineNumbers } from "./line-code.ts";

/**
 * Something to be found in texts, comparable: a text as a whole (`share` 1; it may begin and end within a line), or so large a share of its
 * lines without a gap. A share is above a half, so that all runs that are long enough have their middle lines in common.
 */
export interface Needle {
  readonly text: string;
  readonly share: number;
}

/** Which needles stand in which message. Every message is read once, in time linear in its texts and in what is found. */
export interface NeedleIndex {
  /** The needles, by number, that a text of the message holds. */
  heldIn(message: Message): readonly number[];
}

/**
 * An index of needles, which are known by their place in the list. Needles of one or two lines are looked for by character, longer ones by
 * line: their memory follows the lines, not the characters.
 */
export function createNeedleIndex(needles: readonly Needle[]): NeedleIndex {
  const runs = needles.map(runOf);
  const lineNumber = lineNumbers(runs.flatMap(({ core }) => core));
  const short = grouped(runs, ({ core, text }) => (core.length === 0 ? text : null));
  const long = grouped(runs, ({ core }) =>
    core.length === 0 ? null : encodeLines(core.map((line) => lineNumber.get(line) ?? 0)),
  );
  const lookedFor: LookedFor = {
    lineNumber,
    lineForms: formsOf(lineNumber.keys()),
    short: { groups: short, search: createStringSearch(short.keys) },
    long: { groups: long, search: createStringSearch(long.keys) },
  };
  const heldBy = new WeakMap<Message, readonly number[]>();
  const inText = oncePerText((text) => {
    const held = new Set<number>();
    addHeld(lookedFor, comparable(text), held);
    return [...held];
  });
  return {
    heldIn: (message) => {
      const before = heldBy.get(message);
      if (before !== undefined) return before;
      const held = new Set<number>();
      for (const text of comparedTexts(message)) for (const number of inText.of(text)) held.add(number);
      const numbers = [...held];
      heldBy.set(message, numbers);
      return numbers;
    },
  };
}

interface LookedFor {
  readonly lineNumber: ReadonlyMap<string, number>;
  readonly lineForms: Uint8Array;
  readonly short: SearchedGroups;
  readonly long: SearchedGroups;
}

interface SearchedGroups {
  readonly groups: Groups;
  readonly search: StringSearch;
}

/** Adds the needles that a text holds. A function of the module: what is compiled of one that is made for each index is lost with it. */
function addHeld(
  { lineNumber, lineForms, short, long }: LookedFor,
  { text, lines }: ReturnType<typeof comparable>,
  held: Set<number>,
): void {
  for (const key of short.search.find(text).strings) for (const { number } of short.groups.values[key] ?? []) held.add(number);
  const numbers: number[] = [];
  let isKnown = false;
  for (const line of lines) {
    const number = lineForms[formOf(line)] === 1 ? (lineNumber.get(line) ?? 0) : 0;
    isKnown ||= number !== 0;
    numbers.push(number);
  }
  if (!isKnown) return;
  const { strings, starts, ends } = long.search.find(encodeLines(numbers));
  for (let place = 0; place < strings.length; place++) {
    const from = lineAt(starts[place] ?? 0);
    const through = lineAt(ends[place] ?? 0);
    for (const { number, run } of long.groups.values[strings[place] ?? 0] ?? [])
      if (holds(run, lines, { from, through })) held.add(number);
  }
}

const FORM_BITS = 15;

/** By form: 1 if one of the lines has it. To look up a line in a map, all of it is read. */
function formsOf(lines: Iterable<string>): Uint8Array {
  const forms = new Uint8Array(2 ** FORM_BITS);
  for (const line of lines) forms[formOf(line)] = 1;
  return forms;
}

/** A number that most lines do not share: of their length and three of their characters. */
function formOf(line: string): number {
  const { length } = line;
  const chars = line.charCodeAt(0) ^ (line.charCodeAt(length >>> 1) << 8) ^ (line.charCodeAt(length - 1) << 16);
  return Math.imul(chars ^ (length << 24), 0x9e3779b1) >>> (32 - FORM_BITS);
}

/** How a needle is looked for. */
interface Run {
  readonly text: string;
  /** Whole lines that must stand without a gap; none for a needle that is looked for by character. */
  readonly core: readonly string[];
  /** For a whole text: how the line before the core must end, and how the one after it must begin. */
  readonly ends: { readonly before: string; readonly after: string } | null;
  /** For a share: the lines before the core, nearest first, and after it, of which so many more must stand beside it. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly moreLines: number;
}

function runOf({ text, share }: Needle): Run {
  const lines = text.split("\n");
  const least = Math.ceil(share * lines.length);
  const slack = lines.length - least;
  const alone = { text, core: [], ends: null, before: [], after: [], moreLines: 0 };
  if (lines.length <= 2) return alone;
  if (share === 1) {
    return { ...alone, core: lines.slice(1, -1), ends: { before: lines[0] ?? "", after: lines.at(-1) ?? "" } };
  }
  return {
    ...alone,
    core: lines.slice(slack, least),
    before: lines.slice(0, slack).reverse(),
    after: lines.slice(least),
    moreLines: slack,
  };
}

/** The lines of a text from one place up to another, which is not among them. */
interface Lines {
  readonly from: number;
  readonly through: number;
}

function holds({ ends, before, after, moreLines }: Run, lines: readonly string[], { from, through }: Lines): boolean {
  if (ends !== null) {
    const [previous, next] = [lines[from - 1], lines[through]];
    return previous !== undefined && next !== undefined && previous.endsWith(ends.before) && next.startsWith(ends.after);
  }
  const sameBefore = sameCount(before, (line, place) => lines[from - 1 - place] === line);
  const sameAfter = sameCount(after, (line, place) => lines[through + place] === line);
  return sameBefore + sameAfter >= moreLines;
}

/** How many of the first lines are the same, up to the first that is not. */
function sameCount(lines: readonly string[], isSame: (line: string, place: number) => boolean): number {
  const different = lines.findIndex((line, place) => !isSame(line, place));
  return different < 0 ? lines.length : different;
}

interface Group {
  readonly number: number;
  readonly run: Run;
}

interface Groups {
  readonly keys: readonly string[];
  /** By key. */
  readonly values: readonly (readonly Group[])[];
}

/** Needles by what is looked for: several may share it. */
function grouped(runs: readonly Run[], keyOf: (run: Run) => string | null): Groups {
  const groups = new Map<string, Group[]>();
  for (const [number, run] of runs.entries()) {
    const key = keyOf(run);
    if (key === null || key === "") continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ number, run }]);
    else group.push({ number, run });
  }
  return { keys: [...groups.keys()], values: [...groups.values()] };
}
