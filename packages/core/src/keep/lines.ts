import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import { defineKeepRule, type KeepRuleKind, type Passage, type ReadableText } from "./keep-rule.ts";
import { forEachRareWord } from "./rare-words.ts";

/** Single lines of what leaves, up to an amount. */
export interface LinesSpec {
  readonly kind: "lines";
  readonly atMost: Amount;
}

const schema: z.ZodType<LinesSpec> = z.strictObject({
  kind: z.literal("lines"),
  atMost: amountSchema.describe("The most of it that stays."),
});

/** Characters that each short line is charged more, so that such lines do not crowd out those that say something of their words; chosen. */
const LINE_COST_CHARS = 12;

/** Keeps the lines that state the rare words in use, those that are worth most for their length first, of equal ones the newest. */
export const LINES: KeepRuleKind = defineKeepRule({
  kind: "lines",
  schema,
  rule: ({ atMost }) => ({
    keeps: "passages",
    atMost,
    choose: (texts) => {
      const lines = statedLines(texts).flatMap((line, order) => (line.worth > 0 ? [{ order, ...line }] : []));
      const ratioOf = ({ start, end, worth }: StatedLine) => worth / (end - start + LINE_COST_CHARS);
      return lines.sort((a, b) => ratioOf(b) - ratioOf(a) || b.order - a.order);
    },
  }),
});

/** A line of a text that leaves, and what it is worth. */
export interface StatedLine extends Passage {
  worth: number;
}

/** Knowledge of one rare word. */
interface Word {
  /** The newest line that states it; `null` if it has none, or if what stays states it. */
  line: StatedLine | null;
  /** Texts of the model that used it. */
  uses: number;
  /** Where it was last stated or used, in characters from the beginning. */
  lastAtChars: number;
}

/** The worth of a word that no reply has used: some hundredth of those are used later, of those that were used every tenth. Measured to matter little. */
const UNUSED_WORTH = 0.08;

/** Distance at which a word counts half, in characters; chosen, a window of 16k tokens. Measured to matter little. */
const HALF_WORTH_CHARS = 60_000;

/**
 * All lines of the texts that leave, in order, with their worth. Of each rare word only the newest line that states it counts, and only if
 * no text that stays states it later. A line is worth what its words are: those that the model used, often and lately. Each text is read once.
 */
export function statedLines(texts: readonly ReadableText[]): readonly StatedLine[] {
  const words = new Map<string, Word>();
  const lines: StatedLine[] = [];
  let atChars = 0;
  for (const [index, read] of texts.entries()) {
    if (read.by === "model") readUses(read.text, words, atChars);
    else for (const line of readStatements(read, { index, words, atChars })) lines.push(line);
    atChars += read.by === "excerpt" ? excerptChars(read.text) : read.text.length;
  }
  for (const { line, uses, lastAtChars } of words.values()) {
    const worth = uses === 0 ? UNUSED_WORTH : 1 + Math.log2(uses);
    if (line !== null) line.worth += worth / (1 + (atChars - lastAtChars) / HALF_WORTH_CHARS);
  }
  return lines;
}

/** A word that a text of the model says twice is used once. */
function readUses(text: string, words: Map<string, Word>, atChars: number): void {
  const seen = new Set<string>();
  forEachRareWord(text, (found) => {
    const word = words.get(found) ?? { line: null, uses: 0, lastAtChars: 0 };
    words.set(found, word);
    if (!seen.has(found)) word.uses += 1;
    word.lastAtChars = atChars;
    seen.add(found);
  });
}

/** Each line of an excerpt has a place of its own, those of any other text have the text's. */
function readStatements(
  { text, by, leaves }: ReadableText,
  { index, words, atChars }: { readonly index: number; readonly words: Map<string, Word>; readonly atChars: number },
): readonly StatedLine[] {
  const lines: StatedLine[] = [];
  let lineAtChars = atChars;
  for (const { start, end, ownStart, ownEnd } of linePieces(text)) {
    const line = leaves ? { text: index, start, end, worth: 0 } : null;
    forEachRareWord(text.slice(start, end), (found, at) => {
      if (start + at < ownStart || start + at >= ownEnd) return;
      const word = words.get(found) ?? { line: null, uses: 0, lastAtChars: 0 };
      words.set(found, word);
      word.line = line;
      word.lastAtChars = lineAtChars;
    });
    if (line !== null) lines.push(line);
    if (by === "excerpt") lineAtChars += end - start;
  }
  return lines;
}

/** Line ends of an excerpt are ours. */
function excerptChars(text: string): number {
  return text.split("\n").reduce((sum, line) => sum + line.length, 0);
}

/** Lines up to this length are taken whole; chosen, about four lines of a terminal. */
const WHOLE_LINE_CHARS = 320;

/** Longer ones come in pieces of this length, each with so much around it: no longer than a whole line, so that a piece stays one. Chosen. */
const PIECE_CHARS = 160;
const MARGIN_CHARS = 80;

/** A line without the white space around it, or a piece of a long one, by its place in the text. */
export interface LinePiece {
  readonly start: number;
  readonly end: number;
  /** The beginning of the piece's own text; the rest is context, which its neighbours have too. */
  readonly ownStart: number;
  readonly ownEnd: number;
}

/** The lines of a text that are not empty, in order. A piece of a long line may begin and end inside a word. One pass. */
export function* linePieces(text: string): Generator<LinePiece> {
  for (let lineStart = 0; lineStart <= text.length; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    const line = text.slice(lineStart, lineEnd);
    const start = lineEnd - line.trimStart().length;
    const end = start + line.trim().length;
    if (end - start > WHOLE_LINE_CHARS) yield* piecesOf(start, end);
    else if (end > start) yield { start, end, ownStart: start, ownEnd: end };
    lineStart = lineEnd + 1;
  }
}

function* piecesOf(start: number, end: number): Generator<LinePiece> {
  for (let ownStart = start; ownStart < end; ownStart += PIECE_CHARS) {
    const ownEnd = ownStart + PIECE_CHARS;
    yield { start: Math.max(start, ownStart - MARGIN_CHARS), end: Math.min(end, ownEnd + MARGIN_CHARS), ownStart, ownEnd };
  }
}
