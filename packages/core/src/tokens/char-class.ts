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
import { toolTexts } from "../tool.ts";
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
  // One object for all characters: one for each was a fifth of all that a replay allocates.
  const scan = { kind: WIDE as number, run: 0, before: 0 };
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const now = unit < KINDS.length ? (KINDS[unit] ?? MARK) : WIDE;
    // Small letters go on with a run of capitals.
    scan.run = scan.kind === now || (scan.kind === UPPER && now === LOWER) ? scan.run + 1 : 1;
    const at = now === WIDE ? wideClass(unit, scan.before) : asciiClass(unit, now, scan);
    if (at !== NO_CLASS) counts[at] = (counts[at] ?? 0) + 1;
    scan.kind = now;
    scan.before = unit;
  }
}

/** Kinds of code units: neighbours of one kind are a run. */
const [LOWER, UPPER, DIGIT, SPACE, NEWLINE, MARK, WIDE] = [0, 1, 2, 3, 4, 5, 6] as const;

/** By ASCII code. */
const KINDS: Uint8Array = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  return [/[a-z]/, /[A-Z]/, /\d/, / /, /[\n\t\r]/, /[\s\S]/].findIndex((kind) => kind.test(char));
});

/**
 * Letters of a longer run are of no word that tokenizers merge: words without spaces cost 0.3 tokens a letter, random letters 0.5 (four vendors' tokenizers,
 * docs/evidence.md). They are counted with letters among digits, which cost as much. Chosen: the longest words in common use have some twenty letters.
 */
const LONGEST_WORD = 20;

const NO_CLASS = -1;
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

/** The class of an ASCII unit of this kind, by its place in a run of that, and the kind and the unit before. */
function asciiClass(
  unit: number,
  now: number,
  { run, kind, before }: Readonly<Record<"run" | "kind" | "before", number>>,
): number {
  if (now <= UPPER) {
    if (run === 1) return kind === DIGIT ? AFTER_DIGIT : 2 * now + (kind === SPACE ? 0 : 1);
    if (run > LONGEST_WORD && unit !== before) return AFTER_DIGIT;
    if (now === UPPER) return UPPER_RUN;
    return run <= 4 ? 4 : run <= 8 ? 5 : 6;
  }
  const more = run === 1 ? 0 : 1;
  if (now === DIGIT) return DIGIT_START + more;
  if (now === SPACE) return SPACE_START + more;
  if (now === NEWLINE) return unit === 0x0a ? NEWLINE_START + more : TAB;
  // A text that begins with a zero has been counted as one that repeats it.
  if (unit === before) return REPEATED;
  return run === 1 ? (MARKS[unit] ?? OTHER) : REPEATED + 1;
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
  const opaques = parts.flatMap((part) => (part.type === "reasoning" ? [part.opaque] : []));
  const reasoning = opaques.some((opaque) => opaque !== null) ? "opaque" : opaques.length > 0 ? "readable" : "none";
  return { counts, reasoningCounts, reasoning, images, isUnseen, loadedTools };
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
  const names = new Set<string>();
  for (const part of parts)
    if (part.type === "reasoning")
      for (const name of loadedToolsIn(part.opaque)) if (TOOL_SEARCH.test(JSON.stringify(part.opaque))) names.add(name);
  return names.size;
}

const TOOL_SEARCH = /tool_?(?:search|reference)/i;

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

/** The kind of {@link CharClassSpec}. */
export const CHAR_CLASS: EstimatorKind = defineMeasure<CharClassSpec>({
  kind: "char-class",
  schema: z.strictObject({ kind: z.literal("char-class") }),
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
    toolsTokens: (tools) => tools.flatMap(toolTexts).reduce((sum, text) => sum + textTokens(text), 0),
  };
}
