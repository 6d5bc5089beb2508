import type { UserMessage } from "../message/message.ts";
import { CANCELS, LASTING, NEGATIVE } from "./closed-words.ts";
import { isDemand, SAYING, STARTS, type Statement, statementsOf, subjectOf, unquoted } from "./statement.ts";

/** The person's sentences, oldest first, and how many older ones are no longer known by their words. */
export interface Said {
  readonly statements: readonly Statement[];
  readonly forgotten: number;
}

/** Nothing was said. */
export const NOTHING_SAID: Said = { statements: [], forgotten: 0 };

/** Sentences that are remembered: ten times what any record shows. Of more the oldest asides leave first, then requests. Chosen. */
const MOST_STATEMENTS = 400;

/** Share of its subject that a turn may leave unnamed in which it was done: of a request, and of what may be an order. Chosen on recordings. */
const UNNAMED_RATIO = { request: 0.5, order: 0.25, aside: 1 } as const;

/** UTF-16 units at both ends of a text of the model's in which it says what it does. Chosen. */
const REPLY_CHARS = 2_000;

/** Words that one reply is searched for, those of the oldest sentences of its turn first. Chosen: sixty sentences have as many. */
const MOST_WORDS = 500;

/** The person's words after one more message of the person's. The last word counts; where it is doubtful whether it is about an earlier one, both stay. */
export function withSaid({ statements, forgotten }: Said, message: UserMessage): Said {
  const own = [...new Map(statementsOf(message).map((each) => [each.text, each])).values()];
  const fresh = worthiest(own);
  if (fresh.length === 0) return { statements, forgotten };
  const repeated = new Set(fresh.map(({ text }) => text));
  const after = afterLater(
    statements.filter(({ text }) => !repeated.has(text)),
    fresh,
  );
  const all = [...after.before, ...after.fresh];
  const kept = worthiest(all);
  return { statements: kept, forgotten: forgotten + own.length - fresh.length + all.length - kept.length };
}

/** The same after words of the model's, its calls among them; and after it ended its turn: nothing of it waits any more. */
export function withReplyTo(said: Said, texts: readonly string[], isEnd: boolean): Said {
  if (said.statements.every(({ turn }) => turn !== "open")) return said;
  const reply = texts.map((text) =>
    `${text.slice(0, REPLY_CHARS)} ${text.slice(REPLY_CHARS).slice(-REPLY_CHARS)}`.toLowerCase(),
  );
  let words = 0;
  const statements = said.statements.map((each): Statement => {
    if (each.turn !== "open") return each;
    words += each.unnamed.length;
    const isHeard = words <= MOST_WORDS;
    const unnamed = isHeard ? each.unnamed.filter((word) => !reply.some((text) => isNamedIn(text, word))) : each.unnamed;
    const heard = unnamed.length === each.unnamed.length ? each : { ...each, unnamed };
    return isEnd ? ended(heard) : heard;
  });
  return { ...said, statements };
}

/** A sentence after its turn: done if the turn spoke of it; then what only might have held from then on was the task at hand. */
function ended(each: Statement): Statement {
  const isDone = each.unnamed.length <= each.about.length * UNNAMED_RATIO[each.kind];
  const isLasting = each.kind === "order" && (LASTING.lasting.test(each.text) || STARTS.test(each.text));
  if (!isDone || isLasting) return { ...each, turn: "answered" };
  return { ...each, turn: "done", kind: each.kind === "order" ? "request" : each.kind };
}

/** A word as a word of its own if it is short, and any form of it if it is long. */
function isNamedIn(text: string, whole: string): boolean {
  const word = whole.replace(/['’]s$/, "");
  if (word.length >= 6) return text.includes(word.slice(0, -1));
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isWhole = !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + word.length));
    if (isWhole || WIDE_CHAR.test(word)) return true;
  }
  return false;
}

const WIDE_CHAR = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** How much a sentence is worth keeping, the higher the better: orders in force, what was asked, what is doubtful or gone, asides. */
function worthOf({ kind, standing, isEnd }: Statement): number {
  const places = { order: 3, request: 2, aside: 0 } as const;
  return standing === "revoked" || isEnd ? 1 : places[kind];
}

function worthiest(all: readonly Statement[]): readonly Statement[] {
  if (all.length <= MOST_STATEMENTS) return all;
  const places = all.map((each, at) => ({ worth: worthOf(each), at })).sort((a, b) => b.worth - a.worth || b.at - a.at);
  const kept = new Set(places.slice(0, MOST_STATEMENTS).map(({ at }) => at));
  return all.filter((_, at) => kept.has(at));
}

/** Share of an order's subject that later words name, by weight, from which on they are about it; chosen on made sessions. */
const SAME_SUBJECT_RATIO = 0.5;

/** And from which on they may be, if they name two words of it or speak of what was said. Chosen on the same. */
const NAMED_RATIO = 0.3;

/**
 * Holds the sentences of one message, in their order, against earlier ones: tells which of those they take back, or may, and what each is worth itself. An end
 * says little else, a request took nothing back. A sentence that neither orders nor takes back is looked at alone; the others look at so many earlier ones together.
 */
function afterLater(
  before: readonly Statement[],
  fresh: readonly Statement[],
): { readonly before: readonly Statement[]; readonly fresh: readonly Statement[] } {
  const readings = fresh.map(readingOf);
  const readers = new Set(readings.filter(isReader));
  const most = Math.floor(MOST_PAIRS / Math.max(1, readers.size));
  let statements = before;
  let standing = standingIn(before);
  const said = readings.map((reading) => {
    if (!readers.has(reading)) return reading.later;
    const after = afterOne({ ...standing, standing: standing.standing.slice(-most) }, reading);
    if (after.changed.size > 0) {
      statements = statements.map((each) => after.changed.get(each) ?? each);
      standing = standingIn(statements);
    }
    return after.later;
  });
  return { before: statements, fresh: said };
}

/** Pairs of an earlier and a later sentence that one message is read for: all that are remembered for each of fifty sentences, the newest for each of more. Chosen. */
const MOST_PAIRS = 20_000;

/** True for a sentence that may change an earlier one. */
function isReader({ later, cancels }: Reading): boolean {
  return cancels === "plainly" || later.kind === "order" || (cancels === "maybe" && later.kind === "request");
}

/** A later sentence without its quotations, and whether it takes something back. */
interface Reading {
  readonly later: Statement;
  readonly own: string;
  readonly cancels: "plainly" | "maybe" | "not";
}

function readingOf(later: Statement): Reading {
  const own = unquoted(later.text);
  const found = CANCELS.strong.exec(own);
  const before = own
    .slice(0, found?.index ?? 0)
    .trim()
    .split(/\s+/)
    .slice(-2)
    .join(" ");
  // "Forget it" takes back. "Don't forget it", whose negation stands right before, says the rest once more.
  if (found !== null && !NEGATIVE.test(found[0]) && NEGATIVE.test(before))
    return { later, own: own.slice(found.index + found[0].length), cancels: "not" };
  return { later, own, cancels: found !== null ? "plainly" : CANCELS.weak.test(own) ? "maybe" : "not" };
}

/** Earlier sentences that may be changed, and how many of them have each word. */
interface Standing {
  readonly standing: readonly Statement[];
  readonly counts: ReadonlyMap<string, number>;
  /** The newest message of all that are remembered. */
  readonly newest: string | undefined;
}

function standingIn(statements: readonly Statement[]): Standing {
  const standing = statements.filter((each) => each.standing !== "revoked" && each.kind !== "aside");
  const counts = new Map<string, number>();
  for (const { about } of standing) for (const word of about) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { standing, counts, newest: statements.at(-1)?.messageId };
}

/** An earlier sentence and how much of what each of the two is about the other names, by weight. */
interface Pair {
  readonly each: Statement;
  readonly namedCount: number;
  /** Share of the earlier one, and of the later one. */
  readonly ofEach: number;
  readonly ofLater: number;
}

function afterOne(
  { standing, counts, newest }: Standing,
  { later, own, cancels }: Reading,
): { readonly changed: ReadonlyMap<Statement, Statement>; readonly later: Statement } {
  const isPlain = cancels === "plainly";
  const about = isPlain ? aboutAll(own) : "some";
  // Words in which somebody likes to put things tell nothing of what two sentences are about, unless one takes the other back.
  const pairs = about === "some" ? pairsOf(standing, later, weightsOf(counts, isPlain ? [] : later.about)) : [];
  const best = pairs.reduce((most, pair) => Math.max(most, pair.ofEach, pair.ofLater), 0);
  const isOneAlone = pairs.filter(({ ofEach, ofLater }) => Math.max(ofEach, ofLater) === best).length === 1;
  const verdict = (pair: Pair): Statement["standing"] | null => {
    const { each, ofEach, ofLater } = pair;
    const ratio = Math.max(ofEach, ofLater);
    if (!isPlain && isOtherChoice(pair, later)) return "doubtful";
    if (ratio < best || ratio < NAMED_RATIO || !isNamed(pair, { later, isPlain }) || (each.kind === "request" && !isPlain))
      return null;
    // What was asked for and done is history.
    if (each.kind === "request" && each.turn === "done") return null;
    if (cancels === "not" && ofEach < SAME_SUBJECT_RATIO) return null;
    const flips = NEGATIVE.test(unquoted(each.text)) !== NEGATIVE.test(own);
    const isSure = isOneAlone && each.kind === "order" && later.kind !== "aside" && isOneVoice(each, later);
    if (isSure && isPlain && ratio > SAME_SUBJECT_RATIO) return "revoked";
    // "You may push to docs" is an exception to what was forbidden, "you may push" is its end.
    if (isSure && cancels === "maybe" && flips && ofLater === 1) return "revoked";
    return cancels !== "not" || (flips && later.kind === "order") ? "doubtful" : null;
  };
  const by = { messageId: later.messageId, text: later.text };
  const changed = new Map<Statement, Statement>();
  const change = (each: Statement, standing: Statement["standing"] | null) =>
    standing === null ? null : changed.set(each, { ...each, standing, by });
  let isEnd = false;
  if (about !== "some") for (const each of standing) change(each, isOneVoice(each, later) ? about : "doubtful");
  else if (pairs.length === 0 && isPlain && isPointing(own))
    for (const each of standing) change(each, each.messageId === newest ? "doubtful" : null);
  for (const pair of pairs) {
    const found = verdict(pair);
    change(pair.each, found);
    isEnd ||= found === "revoked" && pair.ofLater > SAME_SUBJECT_RATIO;
  }
  isEnd ||= about === "revoked" && changed.size > 0;
  const isIdle = changed.size === 0 && standing.length > 0 && later.kind === "order" && isPlain && !isDemand(later.text);
  return { changed, later: { ...later, isEnd, kind: isIdle ? "request" : later.kind } };
}

/** Each earlier sentence that has a word of the later one, with it; words are looked up by how they begin. */
function pairsOf(standing: readonly Statement[], later: Statement, weight: (word: string) => number): readonly Pair[] {
  const sum = (words: readonly string[]) => {
    let total = 0;
    for (const word of words) total += weight(word);
    return total;
  };
  const byBeginning = new Map<string, string[]>();
  for (const word of later.about) byBeginning.set(beginningOf(word), [...(byBeginning.get(beginningOf(word)) ?? []), word]);
  const whole = sum(later.about);
  const pairs: Pair[] = [];
  for (const each of standing) {
    const named: string[] = [];
    const naming = new Set<string>();
    for (const word of each.about) {
      let isAlike = false;
      for (const other of byBeginning.get(beginningOf(word)) ?? []) {
        if (!areAlike(word, other)) continue;
        isAlike = true;
        naming.add(other);
      }
      if (isAlike) named.push(word);
    }
    if (named.length === 0) continue;
    pairs.push({ each, namedCount: named.length, ofEach: sum(named) / sum(each.about), ofLater: sum([...naming]) / whole });
  }
  return pairs;
}

/** Forms of one word begin alike. */
function beginningOf(word: string): string {
  return word.slice(0, 3);
}

/** "Never mind that" says nothing of what it takes back. */
function isPointing(text: string): boolean {
  return subjectOf(text.replace(CANCELS.strong, " ")).length === 0;
}

/** One word may be there by chance: unless words that take something back speak of what was said, they have to name more, or little else. */
function isNamed(
  { namedCount, ofEach, ofLater }: Pair,
  { later, isPlain }: { readonly later: Statement; readonly isPlain: boolean },
): boolean {
  const ratio = Math.max(ofEach, ofLater);
  if (!isPlain) return ratio >= SAME_SUBJECT_RATIO;
  return namedCount > 1 || SAYING.test(later.text) || ratio > SAME_SUBJECT_RATIO;
}

/** Several people may differ: nobody takes back for another what that one said. */
function isOneVoice(earlier: Statement, later: Statement): boolean {
  return earlier.who === later.who || earlier.who === null || later.who === null;
}

/** "Use spaces for indentation" after "use tabs for indentation". */
function isOtherChoice({ each, namedCount }: Pair, later: Statement): boolean {
  if (each.kind !== "order" || later.kind !== "order" || Math.max(each.about.length, later.about.length) > CHOICE_WORDS)
    return false;
  const ratio = namedCount / Math.max(1, each.about.length);
  return ratio >= SAME_SUBJECT_RATIO && ratio < 1;
}

/** Words of open classes in a choice: what it is of, and what is chosen. Chosen. */
const CHOICE_WORDS = 5;

/** "Forget everything that I said" is about all; with an exception nobody can tell which. */
function aboutAll(text: string): "revoked" | "doubtful" | "some" {
  if (!ALL_SAID.test(text)) return "some";
  return EXCEPT.test(text) ? "doubtful" : "revoked";
}

const ALL_SAID =
  /(?<![\p{L}\p{N}])(?:all|everything|any|every|alles?|tout(?:es)?|tod[oa]s?|tutt[oei]|все|всё)(?![\p{L}\p{N}]).{0,40}(?<![\p{L}\p{N}])(?:said|told|rules?|instructions?|orders?|constraints?|gesagt|regeln|anweisungen|dit|règles|consignes|dije|dicho|reglas|instrucciones|disse|regras|detto|regole|сказал\p{L}*|правила)(?![\p{L}\p{N}])|(?:之前|以前|所有|全部).{0,12}(?:规则|要求|指示|说的)|これまでの.{0,10}(?:指示|ルール)|지금까지.{0,10}(?:규칙|지시)/iu;
const EXCEPT =
  /(?<![\p{L}\p{N}])(?:except|but|besides|außer|bis auf|sauf|salvo|exceto|tranne|кроме)(?![\p{L}\p{N}])|除了|以外|제외/iu;

/** The rarer a word is among what was said, the more it tells what a sentence is about. */
function weightsOf(counts: ReadonlyMap<string, number>, more: readonly string[]): (word: string) => number {
  const extra = new Set(more);
  return (word) => 1 / Math.max(1, (counts.get(word) ?? 0) + (extra.has(word) ? 1 : 0));
}

/** Forms of one word: "push" and "pushing", "semicolon" and "semicolons". */
function areAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < 3) return false;
  if (short.length >= 5) return long.startsWith(short.slice(0, -1));
  return long.length - short.length <= 4 && long.startsWith(short);
}
