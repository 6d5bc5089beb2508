import { characterBoundaryAtOrBefore } from "../text.ts";
import { commonCap } from "../truncation/span.ts";

/** A summary taken apart by its headings. */
export interface SectionedText {
  /** The text before the first heading that is known. */
  readonly preamble: string;
  /** The bodies under known headings, in the order of the text; headings that are not known stay in the body above them. */
  readonly found: readonly { readonly title: string; readonly body: string }[];
  /** Headings of the same rank as the known ones that are not among them. */
  readonly unknown: readonly string[];
}

/**
 * Takes a text apart at lines that are one of the titles given as a Markdown heading of any rank, with any case, bold marks or a colon behind it.
 * Lines inside code fences are no headings. Unknown headings of the second rank lose one rank and stay. Linear.
 */
export function sectionsIn(text: string, titles: readonly string[]): SectionedText {
  const known = new Map(titles.map((title) => [normalized(title), title]));
  const preamble: string[] = [];
  const found: { title: string; lines: string[] }[] = [];
  const unknown: string[] = [];
  let isFenced = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const heading = isFenced ? null : headingOf(line);
    const title = heading === null ? undefined : known.get(normalized(heading.text));
    if (title !== undefined) {
      found.push({ title, lines: [] });
      continue;
    }
    const isAdded = heading !== null && heading.rank <= 2;
    if (isAdded) unknown.push(heading.text);
    (found.at(-1)?.lines ?? preamble).push(isAdded ? `### ${heading.text}` : line);
  }
  return {
    preamble: preamble.join("\n").trim(),
    found: found.map(({ title, lines }) => ({ title, body: lines.join("\n").trim() })),
    unknown,
  };
}

/** The sections that have bodies as text, in the order of the titles; bodies under one title are put together. */
export function sectionedText(titles: readonly string[], bodies: ReadonlyMap<string, readonly string[]>): string {
  return titles
    .flatMap((title) => {
      const told = bodies.get(title);
      return told === undefined ? [] : [`## ${title}\n${told.map(withFencesClosed).join("\n")}`];
    })
    .join("\n\n");
}

/** A line that begins or ends a code block. */
export const FENCE: RegExp = /^(`{3,}|~{3,})/;

/** A body whose last code fence is closed, so that it cannot swallow the headings after it. */
function withFencesClosed(body: string): string {
  const fences = body.split("\n").flatMap((line) => FENCE.exec(line)?.[1] ?? []);
  return fences.length % 2 === 0 ? body : `${body}\n${fences.at(-1)}`;
}

/** Tokens of a section below which it is not shortened by itself, because the line that says so would be most of it. Chosen. */
const SHORTENED_TOKENS = 60;

/**
 * The text if it takes no more tokens than that; else its sections share the room, and each that is longer than its share loses its end, from a line's
 * beginning on if it has lines, with a line that counts it. Measured again after each cut, since tokens a character differ within a text.
 */
export function withinTokens(text: string, maxTokens: number, tokensOf: (text: string) => number): string {
  if (tokensOf(text) <= maxTokens) return text;
  const parts: string[] = [];
  let isFenced = false;
  for (const line of text.split(/^/m)) {
    if (FENCE.test(line)) isFenced = !isFenced;
    if (isFenced || !/^#{1,2} /.test(line)) parts.push(`${parts.pop() ?? ""}${line}`);
    else parts.push(line);
  }
  const sections = parts.length * SHORTENED_TOKENS > maxTokens ? [text] : parts;
  const sizes = sections.map(tokensOf);
  for (let shareRatio = 1; shareRatio > 0.01; shareRatio *= 0.8) {
    const capTokens = commonCap(sizes, maxTokens * shareRatio);
    const short = sections.map((section, at) =>
      beginningOf(section, (capTokens / Math.max(1, sizes[at] ?? 0)) * section.length),
    );
    if (tokensOf(short.join("")) <= maxTokens) return short.join("").trim();
  }
  return text.slice(0, characterBoundaryAtOrBefore(text, maxTokens));
}

function beginningOf(section: string, keptChars: number): string {
  if (section.length <= keptChars) return section;
  const note = (chars: number) => `[Left out here for its length: ${chars} characters]\n\n`;
  const end = characterBoundaryAtOrBefore(section, Math.max(0, keptChars - note(section.length).length));
  const line = section.lastIndexOf("\n", end);
  const kept = section.slice(0, line > end / 2 ? line : end).trimEnd();
  return `${withFencesClosed(kept)}\n${note(section.length - kept.length)}`;
}

/** True for a body that says nothing. */
export function isEmptyBody(body: string): boolean {
  const text = normalized(body);
  return text === "" || text === "none" || text === "- none" || text === "n/a";
}

function headingOf(line: string): { readonly rank: number; readonly text: string } | null {
  let rank = 0;
  while (rank < 6 && line[rank] === "#") rank += 1;
  if (rank === 0 || line[rank] !== " ") return null;
  const text = line.slice(rank).trim();
  return text === "" ? null : { rank, text };
}

function normalized(text: string): string {
  const bare = text.split("**").join("").trim().toLowerCase();
  const end = bare.endsWith(":") || bare.endsWith(".") ? bare.length - 1 : bare.length;
  return bare.slice(0, end).trim();
}
