import { z } from "zod";
import { loadedToolsIn } from "../message/loaded-tools.ts";
import {
  type ImagePart,
  isSummary,
  type Message,
  oncePerMessage,
  type Part,
  partTexts,
  sentParts,
} from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import { defineMeasure, type EstimatorKind } from "./estimator.ts";
import type { ClassCounts, ContentSum, CountTokens, ImageRule, MessageMeasure, WorkCounter } from "./measure.ts";
import { addCounts, imageTokensOf, POOLED_PRIOR, weighCounts } from "./measure.ts";

/**
 * The classes of a text's characters, in the order of the vectors that count them: word starts (after a space or not; lower or upper case), the letters
 * that follow by their place in the word, digits, white space, punctuation and scripts. Tokenizers that merge bytes cut at these places, so that a
 * weight for each says most of a text's size.
 */
export const CHAR_CLASSES = [
  "spaced-lower-start",
  "lower-start",
  "spaced-upper-start",
  "upper-start",
  "letters-2-to-4",
  "letters-5-to-8",
  "letters-from-9",
  "upper-run",
  "digit-start",
  "digit-run",
  "space",
  "space-run",
  "newline",
  "newline-run",
  "tab",
  "underscore",
  "dot-comma",
  "quote",
  "bracket",
  "slash",
  "hyphen",
  "assignment",
  "other-punctuation",
  "repeated-punctuation",
  "punctuation-run",
  "latin",
  "alphabet",
  "drawing-run",
  "symbol",
  "astral",
  "ideograph",
  "letter-after-digit",
] as const;

/** No text. */
export const NO_COUNTS: ClassCounts = CHAR_CLASSES.map(() => 0);

/** Adds the classes of a text to `counts`. One pass over its UTF-16 code units. */
export function countClasses(text: string, counts: number[]): void {
  let row = START_ROW;
  let before = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // A step is the class of a unit in its lower bits, and above them the row of the next state.
    const step = unit < ASCII_UNITS ? (STEPS[row + unit] ?? 0) : wideClass(unit, before) | (WIDE_ROW << ROW_SHIFT);
    const at = step & CLASS_BITS;
    if (at !== NO_CLASS) counts[at] = (counts[at] ?? 0) + 1;
    row = step >> ROW_SHIFT;
    before = unit;
  }
}

/** The kind of the code unit before. */
type Kind = "start" | "lower" | "upper" | "digit" | "space" | "newline" | "punctuation" | "wide";

/** The state before the next unit: the kind of the last one, its place in its word, and which mark it was, or which letter of a long run. */
interface State {
  readonly kind: Kind;
  readonly letters: number;
  readonly mark: number;
}

const ASCII_UNITS = 0x80;
/**
 * Letters of a longer run are of no word that tokenizers merge: words without spaces cost 0.3 tokens a letter, random letters 0.5 (four vendors' tokenizers,
 * docs/evidence.md). They are counted with letters among digits, which cost as much. Chosen: the longest words in common use have some twenty letters.
 */
const LONGEST_WORD = 20;
/** Places in a word that are distinguished; behind them a state has the letter itself. */
const MOST_LETTERS = LONGEST_WORD - 1;

/** A state's number: five kinds that have but one, the places in a word of each case, and all marks with the letters of long runs. */
const START_STATE = 0;
const WIDE_STATE = 1;
const DIGIT_STATE = 2;
const SPACE_STATE = 3;
const NEWLINE_STATE = 4;
const LOWER_STATE = 4;
const UPPER_STATE = LOWER_STATE + MOST_LETTERS;
const MARK_STATE = UPPER_STATE + MOST_LETTERS + 1;

const ROW_SHIFT = 6;
const CLASS_BITS = 2 ** ROW_SHIFT - 1;
/** The value for no class in a step. */
const NO_CLASS = CLASS_BITS;
const START_ROW = START_STATE * ASCII_UNITS;
const WIDE_ROW = WIDE_STATE * ASCII_UNITS;

const SPACE = 0x20;

const UPPER_RUN = 7;
const DIGIT_START = 8;
const SPACE_START = 10;
const NEWLINE_START = 12;
const TAB = 14;
const OTHER = 22;
const REPEATED = 23;
const AFTER_DIGIT = 31;

/** The class of each ASCII punctuation mark by code unit; marks without a class of their own are `OTHER`. */
const MARKS: readonly number[] = Array.from({ length: 0x80 }, (_, unit) => {
  const groups = ["_", ".,", "\"'`", "()[]{}", "/\\", "-", "=:;"];
  const group = groups.findIndex((marks) => marks.includes(String.fromCharCode(unit)));
  return group < 0 ? OTHER : 15 + group;
});

/** The steps of each ASCII unit after each state, by the state's number. */
const STEPS: Int32Array = stepTable();

function stepTable(): Int32Array {
  const steps = new Int32Array((MARK_STATE + ASCII_UNITS) * ASCII_UNITS);
  const rowOf = (kind: Kind, { letters = 0, mark = -1 }: Partial<State> = {}) =>
    Int32Array.from({ length: ASCII_UNITS }, (_, unit) => stepOf({ kind, letters, mark }, unit));
  const put = (number: number, row: Int32Array) => steps.set(row, number * ASCII_UNITS);
  // A text that begins with a zero has been counted as one that repeats it.
  put(START_STATE, rowOf("start", { mark: 0 }));
  put(WIDE_STATE, rowOf("wide"));
  put(DIGIT_STATE, rowOf("digit"));
  put(SPACE_STATE, rowOf("space"));
  put(NEWLINE_STATE, rowOf("newline"));
  for (let letters = 1; letters <= MOST_LETTERS; letters++) {
    put(LOWER_STATE + letters, rowOf("lower", { letters }));
    put(UPPER_STATE + letters, rowOf("upper", { letters }));
  }
  const letters = LONGEST_WORD;
  const rows = { punctuation: rowOf("punctuation"), lower: rowOf("lower", { letters }), upper: rowOf("upper", { letters }) };
  for (let mark = 0; mark < ASCII_UNITS; mark++) {
    const kind = kindOf(mark);
    if (kind === "digit" || kind === "space" || kind === "newline") continue;
    // These rows differ in one step: where the mark, or the letter of a long run, is repeated.
    put(MARK_STATE + mark, rows[kind]);
    steps[(MARK_STATE + mark) * ASCII_UNITS + mark] = stepOf({ kind, letters, mark }, mark);
  }
  return steps;
}

function kindOf(unit: number): Exclude<Kind, "start" | "wide"> {
  if (unit >= 0x61 && unit <= 0x7a) return "lower";
  if (unit >= 0x41 && unit <= 0x5a) return "upper";
  if (unit >= 0x30 && unit <= 0x39) return "digit";
  if (unit === SPACE) return "space";
  return unit === 0x0a || unit === 0x09 || unit === 0x0d ? "newline" : "punctuation";
}

function stepOf(before: State, unit: number): number {
  const { kind, letters, mark } = before;
  const letterStep = (place: number, at: number, first: number) => {
    const isOfNoWord = place > LONGEST_WORD && unit !== mark;
    return step(isOfNoWord ? AFTER_DIGIT : at, place > MOST_LETTERS ? MARK_STATE + unit : first + place);
  };
  const step = (at: number, next: number) => at | ((next * ASCII_UNITS) << ROW_SHIFT);
  switch (kindOf(unit)) {
    case "lower": {
      const place = kind === "lower" || kind === "upper" ? letters + 1 : 1;
      return letterStep(place, place > 1 ? letterClass(place) : startClass(kind, 0), LOWER_STATE);
    }
    case "upper": {
      const place = kind === "upper" ? letters + 1 : 1;
      return letterStep(place, place > 1 ? UPPER_RUN : startClass(kind, 2), UPPER_STATE);
    }
    case "digit":
      return step(kind === "digit" ? DIGIT_START + 1 : DIGIT_START, DIGIT_STATE);
    case "space":
      return step(kind === "space" ? SPACE_START + 1 : SPACE_START, SPACE_STATE);
    case "newline":
      return step(unit !== 0x0a ? TAB : kind === "newline" ? NEWLINE_START + 1 : NEWLINE_START, NEWLINE_STATE);
    case "punctuation":
      return step(markClass(unit, before), MARK_STATE + unit);
  }
}

function markClass(unit: number, { kind, mark }: State): number {
  if (unit === mark) return REPEATED;
  return kind === "punctuation" ? REPEATED + 1 : (MARKS[unit] ?? OTHER);
}

function startClass(kind: Kind, base: 0 | 2): number {
  if (kind === "space") return base;
  return kind === "digit" ? AFTER_DIGIT : base + 1;
}

function letterClass(letters: number): number {
  if (letters <= 4) return 4;
  return letters <= 8 ? 5 : 6;
}

/** The class of a code unit beyond ASCII; none for the second half of a pair, whose first half counts for both. */
function wideClass(unit: number, previous: number): number {
  if (unit < 0x250) return 25;
  if (unit < 0x1100) return 26;
  if (unit >= 0x2000 && unit < 0x2500) return 28;
  if (unit >= 0x2500 && unit < 0x2c00) return unit === previous ? 27 : 28;
  if (unit >= 0xd800 && unit < 0xdc00) return 29;
  if (unit >= 0xdc00 && unit < 0xe000) return NO_CLASS;
  return 30;
}

/** The content of one message: read once, weighed as often as needed. */
export interface MessageContent {
  /** Classes of sent text: text parts, names and arguments of calls. */
  readonly counts: ClassCounts;
  /** Classes of reasoning that is readable. */
  readonly reasoningCounts: ClassCounts;
  /** Whether a vendor's own form of reasoning is there to be sent back; "none" if the message has no reasoning. */
  readonly reasoning: "none" | "readable" | "opaque";
  readonly images: readonly ImagePart[];
  /** True for a summary whose text a vendor keeps to itself. */
  readonly isUnseen: boolean;
  /** Tools that a search loads: their definitions are in the next prompt, and not in the texts. */
  readonly loadedTools: number;
}

/** The content of a message; each message is scanned once. */
export type ContentOf = (message: Message) => MessageContent;

/** A {@link ContentOf} that counts each message as work when it is first asked for, and its tokens if it has a counter. */
export function contentReader(work: WorkCounter, countTokens?: CountTokens): ContentOf {
  const known = oncePerMessage((message) => {
    work.visited(1);
    work.scanned(messageChars(message));
    const content = readContent(message);
    if (countTokens === undefined) return content;
    const { texts, reasoningTexts } = textsOf(sentParts(message));
    const counts = withTokens(content.counts, texts, countTokens);
    return { ...content, counts, reasoningCounts: withTokens(content.reasoningCounts, reasoningTexts, countTokens) };
  });
  // A message that is new is asked for twice in a row, and a look into a table of all messages takes as long as all else that is done with it.
  let newest: { readonly message: Message; readonly content: MessageContent } | null = null;
  return (message) => {
    if (newest?.message !== message) newest = { message, content: known(message) };
    return newest.content;
  };
}

/** Read once for all sessions that hold the message. */
const readContent: ContentOf = oncePerMessage((message) => {
  const parts = sentParts(message);
  const { texts, reasoningTexts } = textsOf(parts);
  const images = parts.filter((part) => part.type === "image");
  const isUnseen = isSummary(message) && messageChars({ parts }) < LEAST_SUMMARY_CHARS;
  const [counts, reasoningCounts] = [classesOf(texts), classesOf(reasoningTexts)];
  const loadedTools =
    message.role === "tool-result" ? texts.filter((text) => LOADED_TOOL.test(text)).length : loadedByVendor(parts);
  return { counts, reasoningCounts, reasoning: reasoningOf(parts), images, isUnseen, loadedTools };
});

function textsOf(parts: readonly Part[]) {
  const texts: string[] = [];
  const reasoningTexts: string[] = [];
  for (const part of parts)
    if (part.type !== "image") (part.type === "reasoning" ? reasoningTexts : texts).push(...partTexts(part));
  return { texts, reasoningTexts };
}

/** The classes of some texts together, and their tokens if it has a counter. */
export function countTexts(texts: readonly string[], work: WorkCounter, countTokens?: CountTokens): ClassCounts {
  for (const text of texts) work.scanned(text.length);
  const classes = classesOf(texts);
  return countTokens === undefined ? classes : withTokens(classes, texts, countTokens);
}

function withTokens(classes: ClassCounts, texts: readonly string[], countTokens: CountTokens): ClassCounts {
  return [...classes, texts.reduce((sum, text) => sum + countTokens(text), 0)];
}

function classesOf(texts: readonly string[]): ClassCounts {
  if (texts.length === 0) return NO_COUNTS;
  const counts = [...NO_COUNTS];
  for (const text of texts) countClasses(text, counts);
  return counts;
}

/** The tools of searches that the vendor ran inside a reply. A list of tools that is no search's was in the prompt before. */
function loadedByVendor(parts: readonly Part[]): number {
  const names = parts.flatMap((part) => {
    const found = part.type === "reasoning" ? loadedToolsIn(part.opaque) : [];
    return part.type === "reasoning" && found.length > 0 && TOOL_SEARCH.test(JSON.stringify(part.opaque)) ? found : [];
  });
  return new Set(names).size;
}

const TOOL_SEARCH = /tool_?(?:search|reference)/i;

function reasoningOf(parts: readonly Part[]): MessageContent["reasoning"] {
  if (parts.some((part) => part.type === "reasoning" && part.opaque !== null)) return "opaque";
  return parts.some((part) => part.type === "reasoning") ? "readable" : "none";
}

/** A readable summary is longer: its header by itself has twice as many characters. */
const LEAST_SUMMARY_CHARS = 60;

/** The assumed size of a summary that a vendor sends back encrypted: the recorded ones were some 1,900 and 2,200 tokens. */
const UNSEEN_SUMMARY_TOKENS = 2000;

/** A block that replaces a tool's definition, as a log has it: the vendor puts the definition there, which the log lacks. */
const LOADED_TOOL = /^\{(?=[^{}]*"type":\s*"tool_reference")[^{}]*\}$/;

/** The assumed size of a loaded tool's definition until a report gives it: recorded searches added 700 to 1,700 tokens a tool. */
export const LOADED_TOOL_TOKENS = 1200;

/** Tokens of a message that no weight gives: its images, a summary that cannot be read, and the definitions of tools that it loads. */
export function fixedTokensOf(
  { images, isUnseen, loadedTools }: MessageContent,
  rule: ImageRule,
  toolTokens: number = LOADED_TOOL_TOKENS,
): number {
  return imageTokensOf(images, rule) + (isUnseen ? UNSEEN_SUMMARY_TOKENS : 0) + loadedTools * toolTokens;
}

/** True for two readings of the same content: a log that is read again has other values of the same messages. */
export function isSameContent(a: MessageContent, b: MessageContent): boolean {
  if (a === b) return true;
  return (
    a.images.length === b.images.length &&
    a.loadedTools === b.loadedTools &&
    isSameCounts(a.counts, b.counts) &&
    isSameCounts(a.reasoningCounts, b.reasoningCounts)
  );
}

function isSameCounts(a: ClassCounts, b: ClassCounts): boolean {
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** No message. */
export const NO_CONTENT: ContentSum = { counts: NO_COUNTS, messages: 0, fixedTokens: 0 };

/**
 * The sum with one more message. Readable reasoning is left out: it is sent only together with a vendor's own form of it, and then the report
 * of its reply counts it.
 */
export function withContent(sum: ContentSum, { counts }: MessageContent, fixedTokens: number): ContentSum {
  return addSums(sum, { counts, messages: 1, fixedTokens });
}

/** Both sums together. */
export function addSums(a: ContentSum, b: ContentSum): ContentSum {
  return {
    counts: addCounts(a.counts, b.counts),
    messages: a.messages + b.messages,
    fixedTokens: a.fixedTokens + b.fixedTokens,
  };
}

/** The overhead as counts: system text with dynamic context, tools, and the hidden tokens as they are. */
export interface OverheadCounts {
  readonly counts: ClassCounts;
  readonly toolCounts: ClassCounts;
  readonly hiddenTokens: number;
}

/** Tokens by a text's characters: a weight for each of some thirty character classes, fitted over all recorded models. */
export interface CharClassSpec {
  readonly kind: "char-class";
}

const charClassSchema: z.ZodType<CharClassSpec> = z.strictObject({ kind: z.literal("char-class") });

/** The kind of {@link CharClassSpec}. */
export const CHAR_CLASS: EstimatorKind = defineMeasure({
  kind: "char-class",
  schema: charClassSchema,
  measure: (_, { work }) => charClass(work),
});

/** Makes a {@link MessageMeasure} by character classes. It reads each message once, in one pass. */
export function charClass(work: WorkCounter, contentOf: ContentOf = contentReader(work)): MessageMeasure {
  const { weights, messageTokens, image } = POOLED_PRIOR;
  const textTokens = (text: string) => Math.ceil(weighCounts(countTexts([text], work), weights));
  return {
    name: "char-class",
    messageTokens: (message: Message) => {
      const content = contentOf(message);
      const tokens = weighCounts(content.counts, weights) + weighCounts(content.reasoningCounts, weights) + messageTokens;
      return Math.ceil(tokens + fixedTokensOf(content, image));
    },
    textTokens,
    toolsTokens: (tools) =>
      tools.reduce(
        (sum, tool) => sum + textTokens(tool.name) + textTokens(tool.description) + textTokens(tool.parametersJson),
        0,
      ),
  };
}
