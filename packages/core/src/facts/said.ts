import type { UserMessage } from "../message/message.ts";
import { textOf } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";
import { CANCELS, closedClass, LASTING, NEGATIVE } from "./closed-words.ts";

/**
 * A sentence of the person's, word for word, and whether it still holds. Nothing but the person's own messages has any: what a tool, a file or the model
 * says is never one.
 */
export interface Statement {
  readonly messageId: string;
  /** The name before a colon or in brackets at the beginning of the message, if several people write; `null` for one person. */
  readonly who: string | null;
  /** The white space and list mark between it and the sentence before; `null` if it is the first, or if something stands between that is not the person's own. */
  readonly lead: string | null;
  readonly text: string;
  /**
   * An `order` says how to work from then on; a `request` asks for something once, or tells something; an `aside` is a question or a word of consent.
   * It is read off closed classes of words (negations, quantifiers, modal verbs) and may err: it only says which sentences leave first.
   */
  readonly kind: "order" | "request" | "aside";
  /** True if it takes earlier words back and says little else: it is worth nothing once those are gone. */
  readonly isEnd: boolean;
  /** `answered` once the model has ended the turn: what was asked for there is done, or was given up. */
  readonly turn: "open" | "answered";
  /** `doubtful` if later words may have changed it: both stay. */
  readonly standing: "in-force" | "doubtful" | "revoked";
  /** The later words and their message, if it is not in force. */
  readonly by: { readonly messageId: string; readonly text: string } | null;
  /** Its subject: its words of open classes, folded. */
  readonly about: readonly string[];
}

/** The person's sentences, oldest first, and how many older ones are no longer known by their words. */
export interface Said {
  readonly statements: readonly Statement[];
  readonly forgotten: number;
}

/** Nothing was said. */
export const NOTHING_SAID: Said = { statements: [], forgotten: 0 };

/** Sentences that are remembered: ten times what any record shows. Of more the oldest asides leave first, then requests. Chosen. */
const MOST_STATEMENTS = 400;

/** UTF-16 units of a sentence at most: what is longer is cut, and is no order. Chosen. */
const SENTENCE_CHARS = 1_200;

/** Share of an order's subject that later words name, by weight, from which on they are about it; chosen on made sessions. */
const SAME_SUBJECT_RATIO = 0.5;

/** And from which on they may be. Chosen on the same. */
const NAMED_RATIO = 0.3;

/** Words of open classes that "forget that" has at most: a longer sentence names what it is about. Chosen. */
const POINTING_WORDS = 3;

/** The person's words after one more message of the person's. The last word counts; where it is doubtful whether it is about an earlier one, both stay. */
export function withSaid({ statements, forgotten }: Said, message: UserMessage): Said {
  const fresh = statementsOf(message);
  if (fresh.length === 0) return { statements, forgotten };
  const repeated = new Set(fresh.map(({ text }) => text));
  let before: readonly Statement[] = statements.filter(({ text }) => !repeated.has(text));
  const said = fresh.map((later) => {
    const after = afterLater(before, later);
    before = after.statements;
    return after.isEnd ? { ...later, isEnd: true } : later;
  });
  const all = [...before, ...said];
  const kept = all.length <= MOST_STATEMENTS ? all : worthiest(all);
  return { statements: kept, forgotten: forgotten + all.length - kept.length };
}

/** The same after the model ended its turn: nothing of it waits any more. */
export function answeredTurn(said: Said): Said {
  if (said.statements.every(({ turn }) => turn === "answered")) return said;
  return { ...said, statements: said.statements.map((each) => (each.turn === "open" ? { ...each, turn: "answered" } : each)) };
}

/** How much a sentence is worth keeping, the higher the better: orders in force, what was asked, what is doubtful or gone, asides. */
function worthOf({ kind, standing, isEnd }: Statement): number {
  const places = { order: 3, request: 2, aside: 0 } as const;
  return standing === "revoked" || isEnd ? 1 : places[kind];
}

function worthiest(all: readonly Statement[]): readonly Statement[] {
  const places = all.map((each, at) => ({ worth: worthOf(each), at })).sort((a, b) => b.worth - a.worth || b.at - a.at);
  const kept = new Set(places.slice(0, MOST_STATEMENTS).map(({ at }) => at));
  return all.filter((_, at) => kept.has(at));
}

/** Earlier statements after a later one: those that it takes back, or may; and whether it says little else. */
function afterLater(
  before: readonly Statement[],
  later: Statement,
): { readonly statements: readonly Statement[]; readonly isEnd: boolean } {
  const own = unquoted(later.text);
  const cancels = CANCELS.strong.test(own) ? "plainly" : CANCELS.weak.test(own) ? "maybe" : "not";
  const standing = before.filter((each) => each.standing !== "revoked" && each.kind !== "aside");
  if (standing.length === 0 || (later.kind === "aside" && cancels !== "plainly")) return { statements: before, isEnd: false };
  const about = cancels === "not" ? "some" : aboutAll(own);
  const weight = weightsOf(standing);
  const ratios = new Map(standing.map((each) => [each, Math.max(shareOf(each, later, weight), shareOf(later, each, weight))]));
  const best = Math.max(...ratios.values());
  const isOneAlone = [...ratios.values()].filter((ratio) => ratio === best).length === 1;
  const verdict = (each: Statement, ratio: number): Statement["standing"] | null => {
    if (about !== "some") return about;
    const isPlain = cancels === "plainly";
    if (best === 0) {
      const points = isPlain && later.about.length <= POINTING_WORDS;
      return points && each.messageId === before.at(-1)?.messageId ? "doubtful" : null;
    }
    if (ratio < best || ratio < NAMED_RATIO || (each.kind === "request" && !isPlain)) return null;
    if (cancels === "not" && shareOf(each, later, weight) < SAME_SUBJECT_RATIO) return null;
    const flips = NEGATIVE.test(unquoted(each.text)) !== NEGATIVE.test(own);
    const isSure = isOneAlone && each.kind === "order" && later.kind !== "aside" && isOneVoice(each, later);
    if (isSure && isPlain && ratio > SAME_SUBJECT_RATIO) return "revoked";
    // "You may push to docs" is an exception to what was forbidden, "you may push" is its end.
    if (isSure && cancels === "maybe" && flips && shareOf(later, each, weight) === 1) return "revoked";
    if (cancels !== "not" || (flips && later.kind === "order")) return "doubtful";
    return isOtherChoice(each, later, ratio) ? "doubtful" : null;
  };
  let isEnd = false;
  const statements = before.map((each): Statement => {
    const ratio = ratios.get(each);
    const found = ratio === undefined ? null : verdict(each, ratio);
    if (found === null) return each;
    isEnd ||= found === "revoked" && (about !== "some" || shareOf(later, each, weight) > SAME_SUBJECT_RATIO);
    return { ...each, standing: found, by: { messageId: later.messageId, text: later.text } };
  });
  return { statements, isEnd };
}

/** Several people may differ: nobody takes back for another what that one said. */
function isOneVoice(earlier: Statement, later: Statement): boolean {
  return earlier.who === later.who || earlier.who === null || later.who === null;
}

/** "Use spaces for indentation" after "use tabs for indentation". */
function isOtherChoice(earlier: Statement, later: Statement, ratio: number): boolean {
  const isShort = Math.max(earlier.about.length, later.about.length) <= CHOICE_WORDS;
  return earlier.kind === "order" && later.kind !== "aside" && isShort && ratio >= SAME_SUBJECT_RATIO && ratio < 1;
}

/** Words of open classes in a choice: what it is of, and what is chosen. Chosen. */
const CHOICE_WORDS = 5;

/** "Forget everything that I said" is about all; with an exception nobody can tell which. */
function aboutAll(text: string): "revoked" | "doubtful" | "some" {
  if (!ALL_SAID.test(text)) return "some";
  return EXCEPT.test(text) ? "doubtful" : "revoked";
}

const ALL_SAID =
  /\b(?:all|everything|any|every|alles?|tout(?:es)?|tod[oa]s?|tutt[oei]|все|всё)\b.{0,40}\b(?:said|told|rules?|instructions?|orders?|constraints?|gesagt|regeln|anweisungen|dit|règles|consignes|dije|dicho|reglas|instrucciones|disse|regras|detto|regole|сказал\w*|правила)\b|(?:之前|以前|所有|全部).{0,12}(?:规则|要求|指示|说的)|これまでの.{0,10}(?:指示|ルール)|지금까지.{0,10}(?:규칙|지시)/iu;
const EXCEPT = /\b(?:except|but|besides|außer|bis auf|sauf|salvo|exceto|tranne|кроме)\b|除了|以外|제외/iu;

/** The rarer a word is among what was said, the more it tells what a sentence is about. */
function weightsOf(statements: readonly Statement[]): (word: string) => number {
  const counts = new Map<string, number>();
  for (const { about } of statements) for (const word of about) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => 1 / (counts.get(word) ?? 1);
}

/** The share, by weight, of what one statement is about that the other names, too. */
function shareOf({ about }: Statement, other: Statement, weight: (word: string) => number): number {
  const sum = (words: readonly string[]) => words.reduce((total, word) => total + weight(word), 0);
  const named = about.filter((word) => other.about.some((each) => areAlike(word, each)));
  return about.length === 0 ? 0 : sum(named) / sum(about);
}

/** Forms of one word: "push" and "pushing", "semicolon" and "semicolons". */
function areAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < 3) return false;
  if (short.length >= 5) return long.startsWith(short.slice(0, -1));
  return long.length - short.length <= 4 && long.startsWith(short);
}

/** The sentences of a message that are the person's own: none of a quotation, a code block, a log or a list of changes. */
function statementsOf(message: UserMessage): readonly Statement[] {
  const text = textOf(message);
  const who = /^\s*(?:\[([^\]\n]{1,40})\]|<([^>\n]{1,40})>|@?([\p{Lu}][\p{L}\p{N}_.-]{0,30})(?=\s*:\s))/u.exec(text);
  const speaker = who === null ? null : (who[1] ?? who[2] ?? who[3] ?? null);
  const found: Statement[] = [];
  let last: OwnSentence | null = null;
  for (const own of ownSentences(text)) {
    const { start, end } = own;
    const sentence = text.slice(start, end);
    const lead = last?.part === own.part ? text.slice(last.end, start) : null;
    last = own;
    const about = subjectOf(sentence);
    if (about.length === 0 && !CANCELS.strong.test(sentence)) continue;
    const kind = kindOf(sentence);
    const rest = { isEnd: false, turn: "open", standing: "in-force", by: null, about } as const;
    found.push({ messageId: message.id, who: speaker, lead, text: sentence, kind, ...rest });
  }
  return found.length <= MOST_STATEMENTS ? found : worthiest(found);
}

function kindOf(sentence: string): Statement["kind"] {
  // "This is important: never push." is told by what stands behind the colon.
  const own = unquoted(sentence).replace(/^[^:：\n]{1,60}[:：]\s+(?=\S+\s)/u, "");
  if (sentence.length >= SENTENCE_CHARS) return "request";
  if (/[?？]\s*$/.test(own)) return "aside";
  if (LASTING.strong.test(own) && !LASTING.reports.test(own)) return "order";
  if (LASTING.quantified.test(own) && !LASTING.tells.test(own)) return "order";
  if (CANCELS.strong.test(own) && subjectOf(own).length > 0) return "order";
  return own.trim().split(/\s+/).length < 2 && !WIDE.test(own) ? "aside" : "request";
}

/** Scripts without spaces between words. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u;

/** Without what stands in quotation marks: who quotes an order gives none. */
function unquoted(text: string): string {
  return text.replace(/"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|「[^」\n]*」|`[^`\n]*`/gu, " ");
}

/** Words of open classes, folded, each once; pairs of characters where words have no spaces between them. */
export function subjectOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+(?:[.'’-][\p{L}\p{N}_]+)*/gu) ?? [];
  const parts = words.flatMap((word) =>
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{3,}$/u.test(word) ? pairsOf(word) : [word],
  );
  return [...new Set(parts.filter((word) => (word.length > 2 || /[^a-z]/.test(word)) && !closedClass(word)))];
}

function pairsOf(word: string): readonly string[] {
  const chars = [...word];
  const pairs = chars.slice(0, -1).map((char, at) => `${char}${chars[at + 1] ?? ""}`);
  return pairs.filter((pair) => !CLOSED_CHARS.test(pair));
}

/** Characters of Chinese and Japanese that are mostly grammar. */
const CLOSED_CHARS = /[的了在是我你您请不要可以用使现再也就和都把被个这那别没有会能\p{Script=Hiragana}]/u;

interface OwnSentence {
  /** Number of the part of the message between what is quoted. */
  readonly part: number;
  readonly start: number;
  readonly end: number;
}

/** A line that quotes, or is of a log, a diff, a table or a prompt. */
const QUOTED_LINE =
  /^\s*(?:>|\||[+-]{1,3}[^\s\d-]|[+-] {2,}|[$❯➜#%] \S|at \S+ ?\(|File "|Traceback|\{|\}|\d{4}-\d\d-\d\d[T ]\d|time=|error:|[\w./-]+:\d+[: ])/u;

/** Sentences outside of what is quoted, in order. Linear. */
function* ownSentences(text: string): Generator<OwnSentence> {
  let isFenced = false;
  let part = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isFenced = !isFenced;
    if (isFence || isFenced || QUOTED_LINE.test(line)) part += 1;
    else for (const sentence of sentencesOf(text, start, end)) yield { part, ...sentence };
    start = end + 1;
  }
}

/** The end of a sentence in any script: its mark, and white space behind it where words have spaces. */
const SENTENCE_END = /[.!?…]["'”»)]*(?=\s)|[。！？]/gu;

function* sentencesOf(text: string, from: number, to: number): Generator<{ readonly start: number; readonly end: number }> {
  const line = text.slice(from, to);
  const ends = [...[...line.matchAll(SENTENCE_END)].map((match) => match.index + match[0].length), line.length];
  let start = 0;
  for (const end of ends) {
    const sentence = line.slice(start, end);
    const lead =
      sentence.length - sentence.trimStart().length + (/^\s*(?:[-*•]|\d+[.)])\s+/.exec(sentence)?.[0].trimStart().length ?? 0);
    const trimmed = Math.min(sentence.trimEnd().length, characterBoundaryAtOrBefore(sentence, lead + SENTENCE_CHARS));
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
