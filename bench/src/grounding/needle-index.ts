import type { Message } from "@plimsoll/core";
import { createStringSearch } from "../references/string-search.ts";
import { comparable, comparedTexts } from "./comparable-text.ts";

/**
 * Something to be found in texts, comparable: a text as a whole (`share` 1; it may begin and end within a line), or so large a share of its
 * lines without a gap. A share is above a half, so that all runs that are long enough have their middle lines in common.
 */
export interface Needle {
  readonly text: string;
  readonly share: number;
}

/** Which needles stand in which message. Every message is read once. */
export interface NeedleIndex {
  /** The needles, by number, that a text of the message holds. */
  heldIn(message: Message): readonly number[];
}

/**
 * An index of needles, which are known by their place in the list. Needles of one or two lines are looked for by character, longer ones by
 * the longest of the lines that must stand whole.
 */
export function createNeedleIndex(needles: readonly Needle[]): NeedleIndex {
  const runs = needles.map(runOf);
  const search = createStringSearch(runs.map(({ core, text }) => (core.length === 0 ? text : "")));
  const byLine = new Map<string, AnchoredRun[]>();
  for (const [number, run] of runs.entries()) {
    if (run.core.length === 0) continue;
    const offset = run.core.reduce((best, line, place) => (line.length > (run.core[best]?.length ?? 0) ? place : best), 0);
    const line = run.core[offset] ?? "";
    const anchored = byLine.get(line);
    if (anchored === undefined) byLine.set(line, [{ number, run, offset }]);
    else anchored.push({ number, run, offset });
  }
  const heldBy = new WeakMap<Message, readonly number[]>();
  return {
    heldIn: (message) => {
      const known = heldBy.get(message);
      if (known !== undefined) return known;
      const held = new Set<number>();
      for (const { text, lines } of comparedTexts(message).map(comparable)) {
        for (const { string } of search(text)) held.add(string);
        for (const [place, line] of lines.entries())
          for (const { number, run, offset } of byLine.get(line) ?? []) if (holds(run, lines, place - offset)) held.add(number);
      }
      const numbers = [...held];
      heldBy.set(message, numbers);
      return numbers;
    },
  };
}

/** A run, and which of its core's lines it is looked for by. */
interface AnchoredRun {
  readonly number: number;
  readonly run: Run;
  readonly offset: number;
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

/** Whether the core of a run stands at a place of the lines, and beside it what must. */
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
