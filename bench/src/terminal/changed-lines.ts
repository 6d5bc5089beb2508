/** The lines that differ between two texts, from the first to the last, with the same lines around them. */
export interface ChangedLines {
  /** The number of the first line that is shown, from 0. */
  readonly from: number;
  readonly before: readonly string[];
  readonly gone: readonly string[];
  readonly come: readonly string[];
  readonly after: readonly string[];
}

/** Finds the changed lines, with so many lines around them; `null` if no line changed. Linear in both texts. */
export function changedLines(before: string, after: string, contextLines: number): ChangedLines | null {
  const [old, next] = [linesOf(before), linesOf(after)];
  const least = Math.min(old.length, next.length);
  let head = 0;
  while (head < least && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  if (head === old.length && head === next.length) return null;
  const from = Math.max(0, head - contextLines);
  const last = old.length - tail;
  return {
    from,
    before: old.slice(from, head),
    gone: old.slice(head, last),
    come: next.slice(head, next.length - tail),
    after: old.slice(last, last + contextLines),
  };
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
