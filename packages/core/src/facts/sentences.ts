import { characterBoundaryAtOrBefore } from "../text.ts";

/**
 * English words by which a sentence is told: each a whole word, of any case. `but` are words with which the others do not count. Those of
 * rules and choices are in the protocol's line on decisions; beginnings of next steps were seen in recorded sessions.
 */
const WORDS = {
  rule: {
    has: ["must", "never", "always", "do not", "don't", "instead of", "decided"],
    but: ["i don't", "i do not", "i never", "never mind", "why"],
  },
  choice: { has: ["decided", "instead of"], but: ["not decided", "haven't decided"] },
  nextStep: {
    begins: [
      "next i will",
      "next i'll",
      "next i'm",
      "now let me",
      "now i'll",
      "now i will",
      "let me",
      "i'll",
      "i will",
      "i'm going to",
    ],
    but: ["let me know"],
  },
} as const;

/** UTF-16 units of a sentence: a shorter one says too little by itself, a longer one is data; chosen. */
const SENTENCE_CHARS = { atLeast: 12, atMost: 400 } as const;

/** UTF-16 units that the beginning of a sentence, or a line that says that there is nothing, has at most; chosen. */
const BEGINNING_CHARS = 40;

/** Sentences of a text that decide, demand or forbid something. A question does not. Linear. */
export function rulesIn(text: string): readonly string[] {
  return sentencesWith(text, WORDS.rule);
}

/** Sentences of a text that say what was chosen. Linear. */
export function choicesIn(text: string): readonly string[] {
  return sentencesWith(text, WORDS.choice);
}

/** The last sentence of a text that says what its speaker does next; `null` if none does. Linear. */
export function nextStepIn(text: string): string | null {
  return sentencesOf(text).findLast(isNextStep) ?? null;
}

/** True for a text that says what its speaker does next, and nothing else. Linear. */
export function isAnnouncement(text: string): boolean {
  return isNextStep(text) && sentencesOf(text).every(isNextStep);
}

/** True for a line that says that there is nothing, as models write it under a heading. */
export function isNothing(line: string): boolean {
  if (line.length > BEGINNING_CHARS || LONGER_WORD.test(line)) return false;
  const words = wordsOf(line);
  return words === " none " || words === " n a ";
}

/** A word that is longer than those that say nothing: most lines have one, and are not taken apart. */
const LONGER_WORD = /[a-z]{5}/i;

function isNextStep(sentence: string): boolean {
  const words = wordsOf(sentence.trimStart().slice(0, BEGINNING_CHARS));
  const { begins, but } = WORDS.nextStep;
  return begins.some((beginning) => words.startsWith(` ${beginning} `)) && !but.some((each) => words.startsWith(` ${each} `));
}

interface Telling {
  readonly has: readonly string[];
  readonly but: readonly string[];
}

function sentencesWith(text: string, { has, but }: Telling): readonly string[] {
  const lower = folded(text);
  // Most texts have none of the words: they are not taken apart.
  if (!has.some((word) => lower.includes(word))) return [];
  return sentencesOf(text).filter((sentence) => {
    const words = wordsOf(sentence);
    const isTold = (each: string) => words.includes(` ${each} `);
    return !sentence.endsWith("?") && has.some(isTold) && !but.some(isTold);
  });
}

/** The sentences of a text that say enough, without a bullet. What is quoted or fenced has none. */
function sentencesOf(text: string): readonly string[] {
  const { atLeast, atMost } = SENTENCE_CHARS;
  const sentences = wholeSentences(text).map(({ start, end }) => text.slice(start, end));
  return sentences.filter(({ length }) => length >= atLeast && length <= atMost);
}

/** The words in lower case, a space before and after each. What is joined by hyphens is one word. */
function wordsOf(text: string): string {
  const words = folded(text).split(/[^\p{L}\p{N}'-]+/u);
  return ` ${words.filter((word) => /[\p{L}\p{N}]/u.test(word)).join(" ")} `;
}

function folded(text: string): string {
  return text.toLowerCase().split("’").join("'");
}

/** UTF-16 units of a sentence at most: what is longer is cut, and is no order. Chosen. */
export const LONGEST_CHARS = 1_200;

/** The place of a sentence in a message. */
export interface OwnSentence {
  /** Number of the part of the message between what is quoted. */
  readonly part: number;
  readonly start: number;
  readonly end: number;
}

/** The sentences of a message that are its writer's own: none of a quotation, a code block, a log or a list of changes. One may go on over the end of its line. */
export function wholeSentences(text: string): readonly OwnSentence[] {
  const whole: OwnSentence[] = [];
  for (const next of ownSentences(text)) {
    const last = whole.at(-1);
    const goesOn = last?.part === next.part && next.end - last.start <= WRAPPED_CHARS && isWrap(text, last.end, next.start);
    if (last !== undefined && goesOn) whole[whole.length - 1] = { ...last, end: next.end };
    else whole.push(next);
  }
  return whole;
}

/** Of a sentence with no mark at its end the next line is a part, if it begins with a small letter and no mark of a list. */
function isWrap(text: string, end: number, start: number): boolean {
  const between = text.slice(end, start);
  const isBetweenWords = /[\p{L}\p{N},]/u.test(text.charAt(end - 1)) && /\p{Ll}/u.test(text.charAt(start));
  return isBetweenWords && between.includes("\n") && between.trim() === "";
}

/** UTF-16 units of a sentence over several lines at most: a longer one is a list of lines. Chosen. */
const WRAPPED_CHARS = 400;

/** A line that quotes, or is of a log, a table, a prompt or a list of options, or is told to be of a diff by itself: one that begins with a hyphen is not. */
const QUOTED_LINE =
  /^\s*(?:>|\||\+{1,3}[^\s\d-]|--{1,2}[^\s\d-]|-\p{L}(?!\p{L})|\+ {2,}|\+ \d+ |\d+ [+-]\s|(?:---|\+\+\+) \S|\*{3} \p{L}|[$❯➜#%] \S|at (?:async |new )?\S+ ?\(|File "|Traceback|\{|\}|\d{4}-\d\d-\d\d[T ]\d|time=|error:|\/[/*]|<!--|[\w./-]+:\d+[: ])/u;

/** Sentences outside of what is quoted, in order. Linear. */
function* ownSentences(text: string): Generator<OwnSentence> {
  let close: string | null = null;
  let part = 0;
  let files = 0;
  const changed = changedLines(text);
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    const isInside: boolean = close !== null;
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (close !== null) close = (close === "" ? isFence : line.trim() === close) ? null : close;
    else if (isFence) close = "";
    else {
      const tag = FILE.exec(line)?.[1];
      if (tag !== undefined && files++ < MOST_FILES && text.includes(`\n</${tag}>`, end)) close = `</${tag}>`;
    }
    if (isInside || close !== null || changed.has(start) || QUOTED_LINE.test(line)) part += 1;
    else for (const sentence of sentencesBetween(text, start, end)) yield { part, ...sentence };
    start = end + 1;
  }
}

/** The tag before an attached file: it has attributes. So many are looked at; chosen. */
const FILE = /^\s*<([\w-]{1,40})\s[^<>=]{0,80}=[^<>]{0,400}>\s*$/;
const MOST_FILES = 20;

/** The end of a sentence in any script: its mark, and white space behind it where words have spaces. */
const SENTENCE_END = /(?<!\b(?:e\.g|i\.e|z\.B|vs|etc))[.!?…]["'”»)]*(?=\s)|[。！？]/gu;

function* sentencesBetween(
  text: string,
  from: number,
  to: number,
): Generator<{ readonly start: number; readonly end: number }> {
  const line = text.slice(from, to);
  const ends = [...[...line.matchAll(SENTENCE_END)].map((match) => match.index + match[0].length), line.length];
  let start = 0;
  for (const end of ends) {
    const sentence = line.slice(start, end);
    const lead =
      sentence.length -
      sentence.trimStart().length +
      (/^\s*(?:(?:[-*•]|\d+[.)])\s+|[-•](?=\p{L}))/u.exec(sentence)?.[0].trimStart().length ?? 0);
    const trimmed = Math.min(sentence.trimEnd().length, characterBoundaryAtOrBefore(sentence, lead + LONGEST_CHARS));
    if (trimmed > lead && isProse(sentence.slice(lead, trimmed)))
      yield { start: from + start + lead, end: from + start + trimmed };
    start = end;
  }
}

/** Share of characters that prose has in letters and spaces; code and logs have fewer. Chosen. */
const PROSE_RATIO = 0.7;

function isProse(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}\s]/gu)?.length ?? 0;
  return letters >= text.length * PROSE_RATIO && /\p{L}{2}/u.test(text);
}

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
function changedLines(text: string): ReadonlySet<number> {
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
