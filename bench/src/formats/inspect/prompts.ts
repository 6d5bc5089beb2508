import { type Fields, recordsAt } from "../fields.ts";

/**
 * The messages of a call's prompt: ranges of lists, because newer logs hold each message once and the prompts as ranges of that pool. What
 * is compared by ranges costs what the file says of them, however long the prompts are.
 */
export interface Prompt {
  readonly length: number;
  readonly ranges: readonly Range[];
}

interface Range {
  readonly list: readonly Fields[];
  readonly from: number;
  /** The place behind the last. */
  readonly through: number;
}

/** The prompt of a model's event: written out, or as `input_refs` into the pool of the sample. */
export function inputOf(event: Fields, pool: readonly Fields[]): Prompt {
  const written = recordsAt(event, "input");
  const refs: readonly unknown[] = Array.isArray(event.input_refs) ? event.input_refs : [];
  const ranges =
    written.length > 0 || refs.length === 0
      ? [{ list: written, from: 0, through: written.length }]
      : refs.flatMap((ref) => rangeOf(ref, pool));
  return { length: ranges.reduce((sum, { from, through }) => sum + through - from, 0), ranges };
}

/** A range as a pair, or one place. */
function rangeOf(ref: unknown, list: readonly Fields[]): readonly Range[] {
  const [first, last]: readonly unknown[] = Array.isArray(ref) ? ref : [ref];
  if (typeof first !== "number") return [];
  const from = Math.min(list.length, Math.max(0, first));
  const through = Math.min(list.length, typeof last === "number" ? last : first + 1);
  return through > from ? [{ list, from, through }] : [];
}

/** The messages of a prompt from a place on. */
export function promptFrom({ ranges }: Prompt, start: number): readonly Fields[] {
  const messages: Fields[] = [];
  let place = 0;
  for (const { list, from, through } of ranges) {
    const skipped = Math.max(0, start - place);
    if (from + skipped < through) messages.push(...list.slice(from + skipped, through));
    place += through - from;
  }
  return messages;
}

/** How many messages two prompts begin with in common. */
export function commonStart(one: Prompt, other: Prompt): number {
  let common = 0;
  const [mine, theirs] = [cursorOf(one), cursorOf(other)];
  for (;;) {
    const [here, there] = [mine.rest(), theirs.rest()];
    if (here === null || there === null) return common;
    const most = Math.min(here.through - here.from, there.through - there.from);
    const same = sameCount(here, there, most);
    common += same;
    if (same < most) return common;
    mine.go(most);
    theirs.go(most);
  }
}

/** How many of the next messages of two ranges are the same; those of one list are if their places are. */
function sameCount(here: Range, there: Range, most: number): number {
  if (here.list === there.list) return here.from === there.from ? most : 0;
  for (let at = 0; at < most; at++) if (!isSame(here.list[here.from + at], there.list[there.from + at])) return at;
  return most;
}

function isSame(one: Fields | undefined, other: Fields | undefined): boolean {
  if (one?.id !== other?.id || one?.role !== other?.role) return false;
  return JSON.stringify([one?.content, one?.tool_calls]) === JSON.stringify([other?.content, other?.tool_calls]);
}

/** Walks over the rest of a prompt's ranges. */
function cursorOf({ ranges }: Prompt): { rest(): Range | null; go(count: number): void } {
  let index = 0;
  let done = 0;
  return {
    rest: () => {
      const range = ranges[index];
      return range === undefined ? null : { ...range, from: range.from + done };
    },
    go: (count) => {
      done += count;
      const range = ranges[index];
      if (range === undefined || range.from + done < range.through) return;
      index += 1;
      done = 0;
    },
  };
}
