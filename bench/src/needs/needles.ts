import type { Message, SessionView } from "@plimsoll/core";
import { sequenceOf, sharedPrefixCount } from "@plimsoll/core/extend";
import { addTo, createStringSearch, fourAt, placeOf } from "./statements.ts";
import { comparable, comparedTexts } from "./texts.ts";

/**
 * Something to be found in texts, comparable: a text as a whole (`share` 1; it may begin and end within a line), or so large a share of its
 * lines without a gap. A share is above a half, so that all runs that are long enough have their middle lines in common.
 */
export interface Needle {
  readonly text: string;
  readonly share: number;
}

/** Finds the needles of each message. Every message is read once. */
export interface NeedleIndex {
  /** The needles, by number, that a text of the message holds. */
  heldIn(message: Message): readonly number[];
}

/**
 * An index of needles, which are known by their place in the list. Needles of one or two lines are looked for by character, longer ones by the
 * longest run of lines that must be whole.
 */
export function createNeedleIndex(needles: readonly Needle[]): NeedleIndex {
  const runs = needles.map(runOf);
  const search = createStringSearch(runs.map(({ core, text }) => (core.length === 0 ? text : "")));
  const byLine = new Map<string, { readonly number: number; readonly run: Run; readonly offset: number }[]>();
  const forms = new Uint8Array(2 ** 16);
  for (const [number, run] of runs.entries()) {
    if (run.core.length === 0) continue;
    const offset = run.core.reduce((best, line, place) => (line.length > (run.core[best]?.length ?? 0) ? place : best), 0);
    const line = run.core[offset] ?? "";
    addTo(byLine, line, { number, run, offset });
    forms[formOf(line)] = 1;
  }
  const heldBy = new WeakMap<Message, readonly number[]>();
  return {
    heldIn: (message) => {
      const known = heldBy.get(message);
      if (known !== undefined) return known;
      const held = new Set<number>();
      for (const { text, lines } of comparedTexts(message).map(comparable)) {
        for (const { string } of search(text)) held.add(string);
        for (let place = 0; place < lines.length; place++) {
          const line = lines[place] ?? "";
          if (forms[formOf(line)] === 1)
            for (const { number, run, offset } of byLine.get(line) ?? [])
              if (holds(run, lines, place - offset)) held.add(number);
        }
      }
      const numbers = [...held];
      heldBy.set(message, numbers);
      return numbers;
    },
  };
}

/** A number that few lines share, by their length and middle: to look a line up, all of it is read. */
function formOf(line: string): number {
  return placeOf(fourAt(line, line.length >>> 1) ^ line.length);
}

interface Run {
  readonly text: string;
  /** Whole lines that must be present without a gap; none for a needle that is looked for by character. */
  readonly core: readonly string[];
  /** For a whole text: how the line before the core must end, and how the one after it must begin. */
  readonly ends: { readonly before: string; readonly after: string } | null;
  /** For a share: the lines before the core, nearest first, and after it; so many more of them must be beside it. */
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

/** Whether the core of a run is at a place of the lines, with enough lines beside it. */
function holds({ core, ends, before, after, moreLines }: Run, lines: readonly string[], from: number): boolean {
  if (!core.every((line, place) => lines[from + place] === line)) return false;
  const through = from + core.length;
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

/** Messages that left and entered a context from one call to the next. */
export interface ContextChanges {
  readonly removed: readonly Message[];
  readonly added: readonly Message[];
}

/** Compares each context with the one before. If a context continues the one before, the work follows the new part; else the part behind their common beginning. */
export function createContextChanges(): (context: SessionView["messages"]) => ContextChanges {
  let shown = sequenceOf<Message>();
  return (messages) => {
    const earlier = shown;
    shown = messages;
    if (messages.goesOnFrom(earlier)) return { removed: [], added: messages.slice(earlier.size) };
    const prefix = sharedPrefixCount(earlier.slice(), messages.slice());
    const [before, after] = [new Set(earlier.slice(prefix)), new Set(messages.slice(prefix))];
    return {
      removed: [...before].filter((message) => !after.has(message)),
      added: [...after].filter((message) => !before.has(message)),
    };
  };
}

/** The kinds of needs that a call has of its context (docs/evidence.md). */
const NEED_KINDS = ["edits", "passages", "fileInHand", "instructions", "plan"] as const;

/** One of {@link NEED_KINDS}. */
export type NeedKind = (typeof NEED_KINDS)[number];

/** The texts that are looked for, each once. */
export interface Needles {
  /** The number of a text, comparable; the same for the same text and share. */
  number(text: string, share?: number): number;
  all(): readonly Needle[];
}

/** No texts yet. */
export function createNeedles(): Needles {
  const numbersOf = new Map<number, Map<string, number>>();
  const all: Needle[] = [];
  return {
    number(text, share = 1) {
      const numbers = numbersOf.get(share) ?? new Map<string, number>();
      const known = numbers.get(text);
      if (known !== undefined) return known;
      if (numbers.size === 0) numbersOf.set(share, numbers);
      numbers.set(text, all.length);
      all.push({ text, share });
      return all.length - 1;
    },
    all: () => all,
  };
}

/** Something that a call needs, by the number of its text. */
export interface Wanted {
  readonly kind: NeedKind;
  readonly needle: number;
  readonly name?: string | undefined;
}

/** Things that calls needed, and those of them that the context held. */
export interface HeldCount {
  readonly uses: number;
  readonly held: number;
}

/** The needs that were held over one replay. */
export interface HeldNeeds {
  readonly all: HeldCount;
  readonly far: HeldCount;
}

interface NeedCounts {
  /**
   * The call whose reply is at this place; `null` for a context that could not be sent and so holds nothing. Of the needs that stay, only those that
   * `changed` names are looked for again; all if it is left out.
   */
  add(ordinal: number, holds: ((needle: number) => boolean) | null, changed?: Iterable<number>): void;
  result(kind: NeedKind): HeldNeeds;
}

interface CountedNeeds {
  at(ordinal: number): readonly CountedNeed[];
  standing(ordinal: number): readonly CountedNeed[];
  isCounted(ordinal: number): boolean;
}

/** Counts of a session's needs over one replay. Work at a call follows the needs that are new there, and those that came or went. */
export function createNeedCounts(needs: CountedNeeds): NeedCounts {
  const counts = new Map(NEED_KINDS.map((kind) => [kind, nothingCounted()]));
  const countsOf = (kind: NeedKind) => counts.get(kind) ?? nothingCounted();
  const standing = new Map<number, { readonly need: CountedNeed; readonly isHeld: boolean }>();
  const stays = nothingCounted();
  const unseen = new Set<number>();
  let next = 0;
  const put = (need: CountedNeed, isHeld: boolean) => {
    const before = standing.get(need.needle);
    if (before !== undefined) count(stays, before.need, before.isHeld ? NOT_HELD_ANY_MORE : NOT_MISSED_ANY_MORE);
    count(stays, need, isHeld ? HELD : MISSED);
    standing.set(need.needle, { need, isHeld });
  };
  return {
    add(ordinal, holds, changed = standing.keys()) {
      for (const needle of changed) if (standing.has(needle)) unseen.add(needle);
      for (; next <= ordinal; next++)
        for (const need of needs.standing(next)) {
          put(need, standing.get(need.needle)?.isHeld ?? false);
          unseen.add(need.needle);
        }
      for (const needle of holds === null ? [] : unseen) {
        const known = standing.get(needle);
        if (known !== undefined) put(known.need, holds?.(needle) ?? false);
        unseen.delete(needle);
      }
      if (!needs.isCounted(ordinal)) return;
      for (const need of needs.at(ordinal)) count(countsOf(need.kind), need, holds?.(need.needle) === true ? HELD : MISSED);
      if (standing.size === 0) return;
      const { all, far } = countsOf("instructions");
      all.uses += stays.all.uses;
      far.uses += stays.far.uses;
      if (holds === null) return;
      all.held += stays.all.held;
      far.held += stays.far.held;
    },
    result: countsOf,
  };
}

/** A need that is found or missed, and one that was so far. */
const [HELD, MISSED] = [
  { uses: 1, held: 1 },
  { uses: 1, held: 0 },
];
const [NOT_HELD_ANY_MORE, NOT_MISSED_ANY_MORE] = [
  { uses: -1, held: -1 },
  { uses: -1, held: 0 },
];

function count({ all, far }: ReturnType<typeof nothingCounted>, { isFar }: CountedNeed, { uses, held }: HeldCount): void {
  all.uses += uses;
  all.held += held;
  if (!isFar) return;
  far.uses += uses;
  far.held += held;
}

function nothingCounted() {
  return { all: { uses: 0, held: 0 }, far: { uses: 0, held: 0 } };
}

interface CountedNeed extends Wanted {
  readonly isFar: boolean;
}

/** Finds needles in a context that is followed. */
export interface HeldContext {
  /** Work follows the messages that came and went before a call. */
  follow(changes: ContextChanges, call?: number): void;
  holds(needle: number): boolean;
  /** The needles that came or went since this was asked last. */
  changed(): readonly number[];
  /** The call before which a needle left last; -1 if it never did. */
  leftAt(needle: number): number;
}

/** Follows a context that starts empty, as messages come and go, and reports which searched texts (needles) are in it. A needle is its number in `index`, from 0. */
export function createHeldContext(index: NeedleIndex, needleCount: number): HeldContext {
  const holders = new Int32Array(needleCount);
  const leftAt = new Int32Array(needleCount).fill(-1);
  let changed: number[] = [];
  const step = (message: Message, by: 1 | -1) => {
    for (const needle of index.heldIn(message)) {
      holders[needle] = (holders[needle] ?? 0) + by;
      changed.push(needle);
    }
  };
  return {
    follow({ removed, added }, call = 0) {
      for (const message of removed) step(message, -1);
      for (const message of added) step(message, 1);
      for (const message of removed)
        for (const needle of index.heldIn(message)) if (holders[needle] === 0) leftAt[needle] = call;
    },
    holds: (needle) => (holders[needle] ?? 0) > 0,
    changed: () => {
      const since = changed;
      changed = [];
      return since;
    },
    leftAt: (needle) => leftAt[needle] ?? -1,
  };
}
