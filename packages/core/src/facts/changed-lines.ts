/** Lines of a hunk that are still to come, of the old text and of the new one; without an end if its header counts none. */
interface Hunk {
  readonly olds: number;
  readonly news: number;
}

/** A line above a hunk, with the lines that it counts. */
const HEADER = /^(?:@@(?: -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@)?|\+\+\+ \S|\*{3} \p{L})/u;

/**
 * The starts of the lines that a diff shows: as many as a header counts, those below a header that counts none, and a paragraph with lines of both signs
 * and others around them, or no space behind a sign. A hyphen alone tells nothing. Linear.
 */
export function changedLines(text: string): ReadonlySet<number> {
  const changed = new Set<number>();
  if (!/^[^\S\n]*(?:\d+ +)?-/m.test(text)) return changed;
  let hunk: Hunk = { olds: 0, news: 0 };
  let paragraph: (readonly [start: number, line: string])[] = [];
  let start = 0;
  for (const line of [...text.split("\n"), ""]) {
    const header = HEADER.exec(line);
    if (header !== null) hunk = begun(header);
    else if (isWithin(hunk, line)) {
      changed.add(start);
      hunk = after(hunk, line);
    } else hunk = { olds: 0, news: 0 };
    if (line.trim() !== "") paragraph.push([start, line]);
    else {
      if (hasBothSigns(paragraph.map(([, own]) => own))) for (const [own] of paragraph) changed.add(own);
      paragraph = [];
    }
    start += line.length + 1;
  }
  return changed;
}

function begun([header, olds = "1", news = "1"]: readonly string[]): Hunk {
  const isCounted = header?.endsWith("@@") === true && header.length > 2;
  return isCounted ? { olds: Number(olds), news: Number(news) } : ENDLESS;
}

const ENDLESS: Hunk = { olds: Number.POSITIVE_INFINITY, news: Number.POSITIVE_INFINITY };

function isWithin({ olds, news }: Hunk, line: string): boolean {
  return (olds > 0 || news > 0) && (/^[ +\\\t-]/.test(line) || (line === "" && Number.isFinite(olds)));
}

function after({ olds, news }: Hunk, line: string): Hunk {
  const [sign] = line;
  return { olds: sign === "+" || sign === "\\" ? olds : olds - 1, news: sign === "-" || sign === "\\" ? news : news - 1 };
}

function hasBothSigns(lines: readonly string[]): boolean {
  const signs = lines.map((line) => SIGNED.exec(line));
  const has = (sign: string) => signs.some((found) => found?.[1] === sign);
  const isTight = signs.every((found) => found === null || found[2] !== " ");
  return has("+") && has("-") && (isTight || lines.some((line) => CONTEXT.test(line)));
}

/** A sign, behind the number of its line or not, and what follows it; and a line that has none and stands as far in as those. */
const SIGNED = /^\s*(?:\d+ +)?([+-])([^+-])/;
const CONTEXT = /^(?:\s|\d+ )\s*(?![\d\s+*•-])/;
