/** A line that may be kept, and what it is worth. */
export interface WordedLine {
  readonly text: string;
  /** What its message was, and what finds the whole of it again. */
  readonly source: string;
  readonly handle: string;
  /** Its place among all lines. */
  readonly order: number;
  /** What its words are worth; they are added up as they are met. */
  worth: number;
}

/** Characters that a line takes besides its text: indent and line end. */
const LINE_FRAME_CHARS = 2;

/** Characters of a head besides what it names. */
const HEAD_FRAME_CHARS = 16;

/** What short lines are charged more, so that they do not crowd out those that say something of their words; chosen. */
const LINE_COST_CHARS = 12;

/**
 * The lines worth most for their length that fit, each text once, in their own order. A message's first line is charged its head. A line that
 * no longer fits gives way to shorter ones.
 */
export function bestLines(lines: readonly WordedLine[], maximumChars: number): readonly WordedLine[] {
  const ratioOf = (line: WordedLine) => line.worth / (line.text.length + LINE_COST_CHARS);
  const best = lines.filter(({ worth }) => worth > 0).sort((a, b) => ratioOf(b) - ratioOf(a) || b.order - a.order);
  const texts = new Set<string>();
  const handles = new Set<string>();
  let leftChars = maximumChars;
  const taken = best.filter(({ text, source, handle }) => {
    if (texts.has(text)) return false;
    const headChars = handles.has(handle) ? 0 : source.length + handle.length + HEAD_FRAME_CHARS;
    const chars = text.length + LINE_FRAME_CHARS + headChars;
    if (chars > leftChars) return false;
    leftChars -= chars;
    texts.add(text);
    handles.add(handle);
    return true;
  });
  return taken.sort((a, b) => a.order - b.order);
}
