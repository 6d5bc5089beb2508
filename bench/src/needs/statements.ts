import { beginsAlone, standsAlone } from "./references.ts";

/** The lines that state references, over the recorded messages of one session. */
export interface StatementIndex {
  /** Adds a recorded message by its texts: their lines become statements. Returns these in order of their last place, each once. */
  add(texts: readonly string[]): readonly number[];
  /** Text of a statement, by its number from 0 up to the count. */
  windowOf(statement: number): string;
  /** The number of the reference that a statement is about; -1 for an unknown statement. */
  referenceOf(statement: number): number;
  statementCount(): number;
}

/** An index for the given references, which are known by their place in the list. */
export function createStatementIndex(references: readonly string[]): StatementIndex {
  const search = createStringSearch(references, { mayBegin: beginsAlone });
  const [windows, about]: [string[], number[]] = [[], []];
  const byWindow = new Map<string, number[]>();
  const numberOf = (window: string, reference: number): number => {
    const known = byWindow.get(window)?.find((number) => about[number] === reference);
    if (known !== undefined) return known;
    about.push(reference);
    addTo(byWindow, window, windows.length);
    return windows.push(window) - 1;
  };
  return {
    add(texts) {
      const found = texts.flatMap((text) => {
        let line = NO_LINE;
        return search(text)
          .filter(({ start, end }) => standsAlone(text, start, end))
          .map((place) => {
            line = lineAround(text, place, line);
            return numberOf(statementIn(text, place, line), place.string);
          });
      });
      // The last statement of a reference is its latest.
      return [...new Set(found.reverse())].reverse();
    },
    windowOf: (statement) => windows[statement] ?? "",
    referenceOf: (statement) => about[statement] ?? -1,
    statementCount: () => windows.length,
  };
}

/** Puts an item behind the list under a key. A list of one has no room for more: an empty one that grows has room for 17. */
export function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Lines up to this length are taken whole; chosen, about four lines of a terminal. */
const WHOLE_LINE_CHARS = 320;

/** Characters of a longer line that are taken around a reference: enough to identify the statement; chosen. */
const WINDOW_CHARS = 160;

/** A place of a text; `end` is exclusive. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/** A line of a text, without the white space around it. */
export interface TextLine {
  readonly from: number;
  readonly through: number;
  readonly window: string;
}

/** No line has been read yet. */
export const NO_LINE: TextLine = { from: 0, through: -1, window: "" };

/** The statement at a place of a line: the line, or of one of more than 320 characters a window of 160 around the place. */
export function statementIn(text: string, { start, end }: TextPlace, line: TextLine): string {
  if (line.through - line.from <= WHOLE_LINE_CHARS) return line.window;
  const marginChars = Math.max(0, Math.floor((WINDOW_CHARS - (end - start)) / 2));
  return text.slice(Math.max(line.from, start - marginChars), Math.min(line.through, end + marginChars));
}

/** The line (or, for a string over several, lines) that holds a place; the one before if it still does. Places come in order, so that each line is trimmed once. */
export function lineAround(text: string, { start, end }: TextPlace, before: TextLine): TextLine {
  if (start >= before.from && end <= before.through) return before;
  const lineStart = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const newline = text.indexOf("\n", end);
  const line = text.slice(lineStart, newline < 0 ? text.length : newline);
  const window = line.trim();
  const from = lineStart + line.length - line.trimStart().length;
  return { from, through: from + window.length, window };
}

/** An occurrence of a string in a text: its number, its start and its exclusive end. */
interface FoundPlace {
  readonly string: number;
  readonly start: number;
  readonly end: number;
}

interface SearchOptions {
  /** Whether a string may begin at a place of a text; where it may not, it is not looked for. Anywhere unless given. */
  readonly mayBegin?: ((text: string, start: number) => boolean) | undefined;
}

/**
 * A search for many strings at once, in one pass over a text. It gives each occurrence of each string, in order of where they begin. Empty strings
 * are never found.
 */
export function createStringSearch(
  strings: readonly string[],
  { mayBegin }: SearchOptions = {},
): (text: string) => readonly FoundPlace[] {
  const all = [...strings.entries()].flatMap(([number, string]) => (string === "" ? [] : [{ number, string }]));
  const root = branchOf(all, 0);
  const whole = Array.from({ length: 2 ** 8 }, (): NumberedString[] => []);
  const firstFours = new Uint8Array(2 ** 16);
  for (const each of root.whole) whole[each.string.charCodeAt(0) & 0xff]?.push(each);
  for (const four of root.next.keys()) firstFours[placeOf(four)] = 1;
  return (text) => placesIn(text, { whole, firstFours, next: root.next, mayBegin });
}

/** Strings that begin alike: those that are compared with a text as they are, and the others by their next four characters. */
interface Branch {
  readonly whole: readonly NumberedString[];
  readonly next: ReadonlyMap<number, Branch>;
}

interface NumberedString {
  readonly number: number;
  readonly string: string;
}

/** So few strings are compared one by one, and those that begin alike for so many characters; chosen. */
const [FEW_STRINGS, MOST_DEPTH] = [4, 64];

function branchOf(strings: readonly NumberedString[], depth: number): Branch {
  if (strings.length <= FEW_STRINGS || depth === MOST_DEPTH) return { whole: strings, next: new Map() };
  const whole: NumberedString[] = [];
  const longer = new Map<number, NumberedString[]>();
  for (const each of strings) {
    if (each.string.length < depth + FOUR) whole.push(each);
    else addTo(longer, fourAt(each.string, depth), each);
  }
  return { whole, next: new Map([...longer].map(([four, alike]) => [four, branchOf(alike, depth + FOUR)])) };
}

interface SearchTables extends SearchOptions, Pick<Branch, "next"> {
  /** The root's strings by the unit that they begin with: most places of a text begin as none of them does. */
  readonly whole: readonly (readonly NumberedString[])[];
  /** 1 for those that begin longer strings. */
  readonly firstFours: Uint8Array;
}

/** A function of the module: code compiled for a function of each search would be lost with it. */
function placesIn(text: string, { whole, firstFours, next, mayBegin }: SearchTables): FoundPlace[] {
  const found: FoundPlace[] = [];
  let four = 0;
  for (let start = 1 - FOUR; start < text.length; start++) {
    const end = start + FOUR - 1;
    four = withUnit(four, end < text.length ? text.charCodeAt(end) : 0);
    const alike = whole[four >>> 24] ?? [];
    if (firstFours[placeOf(four)] === 0 && alike.length === 0) continue;
    if (start < 0 || mayBegin?.(text, start) === false) continue;
    addPlaces(text, start, alike, found);
    for (let [branch, depth] = [next.get(four), start + FOUR]; branch !== undefined; depth += FOUR) {
      addPlaces(text, start, branch.whole, found);
      branch = branch.next.size === 0 ? undefined : branch.next.get(fourAt(text, depth));
    }
  }
  return found;
}

function addPlaces(text: string, start: number, strings: readonly NumberedString[], found: FoundPlace[]): void {
  for (const { number, string } of strings)
    if (text.startsWith(string, start)) found.push({ string: number, start, end: start + string.length });
}

/** Characters that are compared at once. */
const FOUR = 4;

/** The lower bytes of four units as one number; zeros behind the end. */
export function fourAt(text: string, start: number): number {
  let four = 0;
  for (let at = start; at < start + FOUR; at++) four = withUnit(four, text.charCodeAt(at));
  return four;
}

function withUnit(four: number, unit: number): number {
  return (four << 8) | (unit & 0xff);
}

/** A place of 16 bits, which few numbers share. */
export function placeOf(four: number): number {
  return Math.imul(four, 0x9e3779b1) >>> 16;
}
