import { textOf, type UserMessage } from "../message/message.ts";
import { CANCELS, closedClass, LASTING, NEGATIVE } from "./closed-words.ts";
import { LONGEST_CHARS, type OwnSentence, wholeSentences } from "./sentences.ts";

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
  /** `answered` once the model has ended the turn, `done` if it spoke of it in that turn: then it is done, or was given up. */
  readonly turn: "open" | "answered" | "done";
  /** `doubtful` if later words may have changed it: both stay. */
  readonly standing: "in-force" | "doubtful" | "revoked";
  /** The later words and their message, if it is not in force. */
  readonly by: { readonly messageId: string; readonly text: string } | null;
  /** Its subject: its words of open classes, folded. */
  readonly about: readonly string[];
  /** Those of them that the model has not named in the turn. */
  readonly unnamed: readonly string[];
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

/** Share of an order's subject that later words name, by weight, from which on they are about it; chosen on made sessions. */
const SAME_SUBJECT_RATIO = 0.5;

/** And from which on they may be, if they name two words of it or speak of what was said. Chosen on the same. */
const NAMED_RATIO = 0.3;

/** Share of its subject that a turn may leave unnamed in which it was done: of a request, and of what may be an order. Chosen on recordings. */
const UNNAMED_RATIO = { request: 0.5, order: 0.25, aside: 1 } as const;

/** UTF-16 units at both ends of a text of the model's in which it says what it does. Chosen. */
const REPLY_CHARS = 2_000;

/** The person's words after one more message of the person's. The last word counts; where it is doubtful whether it is about an earlier one, both stay. */
export function withSaid({ statements, forgotten }: Said, message: UserMessage): Said {
  const fresh = statementsOf(message);
  if (fresh.length === 0) return { statements, forgotten };
  const repeated = new Set(fresh.map(({ text }) => text));
  let before: readonly Statement[] = statements.filter(({ text }) => !repeated.has(text));
  const said = fresh.map((later) => {
    const after = afterLater(before, later);
    before = after.statements;
    return after.later;
  });
  const all = [...before, ...said];
  const kept = all.length <= MOST_STATEMENTS ? all : worthiest(all);
  return { statements: kept, forgotten: forgotten + all.length - kept.length };
}

/** The same after words of the model's, its calls among them; and after it ended its turn: nothing of it waits any more. */
export function withReplyTo(said: Said, texts: readonly string[], isEnd: boolean): Said {
  if (said.statements.every(({ turn }) => turn !== "open")) return said;
  const reply = texts.map((text) =>
    `${text.slice(0, REPLY_CHARS)} ${text.slice(REPLY_CHARS).slice(-REPLY_CHARS)}`.toLowerCase(),
  );
  const statements = said.statements.map((each): Statement => {
    if (each.turn !== "open") return each;
    const unnamed = each.unnamed.filter((word) => !reply.some((text) => isNamedIn(text, word)));
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
  const places = all.map((each, at) => ({ worth: worthOf(each), at })).sort((a, b) => b.worth - a.worth || b.at - a.at);
  const kept = new Set(places.slice(0, MOST_STATEMENTS).map(({ at }) => at));
  return all.filter((_, at) => kept.has(at));
}

/** Earlier statements after a later one: those that it takes back, or may; and what it is worth itself: an end says little else, a request took nothing back. */
function afterLater(
  before: readonly Statement[],
  later: Statement,
): { readonly statements: readonly Statement[]; readonly later: Statement } {
  const own = unquoted(later.text);
  const cancels = CANCELS.strong.test(own) ? "plainly" : CANCELS.weak.test(own) ? "maybe" : "not";
  const standing = before.filter((each) => each.standing !== "revoked" && each.kind !== "aside");
  if (standing.length === 0 || (later.kind === "aside" && cancels !== "plainly")) return { statements: before, later };
  const about = cancels === "not" ? "some" : aboutAll(own);
  // Words in which somebody likes to put things tell nothing of what two sentences are about, unless one takes the other back.
  const weight = weightsOf(cancels === "plainly" ? standing : [...standing, later]);
  const ratios = new Map(standing.map((each) => [each, Math.max(shareOf(each, later, weight), shareOf(later, each, weight))]));
  const best = Math.max(...ratios.values());
  const isOneAlone = [...ratios.values()].filter((ratio) => ratio === best).length === 1;
  const verdict = (each: Statement, ratio: number): Statement["standing"] | null => {
    if (about !== "some") return about;
    const isPlain = cancels === "plainly";
    if (best === 0) return isPlain && isPointing(own) && each.messageId === before.at(-1)?.messageId ? "doubtful" : null;
    if (!isPlain && isOtherChoice(each, later)) return "doubtful";
    if (
      ratio < best ||
      ratio < NAMED_RATIO ||
      !isNamed(each, { later, isPlain, ratio }) ||
      (each.kind === "request" && !isPlain)
    )
      return null;
    if (cancels === "not" && shareOf(each, later, weight) < SAME_SUBJECT_RATIO) return null;
    const flips = NEGATIVE.test(unquoted(each.text)) !== NEGATIVE.test(own);
    const isSure = isOneAlone && each.kind === "order" && later.kind !== "aside" && isOneVoice(each, later);
    if (isSure && isPlain && ratio > SAME_SUBJECT_RATIO) return "revoked";
    // "You may push to docs" is an exception to what was forbidden, "you may push" is its end.
    if (isSure && cancels === "maybe" && flips && shareOf(later, each, weight) === 1) return "revoked";
    return cancels !== "not" || (flips && later.kind === "order") ? "doubtful" : null;
  };
  let isEnd = false;
  let isChange = false;
  const statements = before.map((each): Statement => {
    const ratio = ratios.get(each);
    const found = ratio === undefined ? null : verdict(each, ratio);
    if (found === null) return each;
    isChange = true;
    isEnd ||= found === "revoked" && (about !== "some" || shareOf(later, each, weight) > SAME_SUBJECT_RATIO);
    return { ...each, standing: found, by: { messageId: later.messageId, text: later.text } };
  });
  const isIdle = !isChange && later.kind === "order" && cancels === "plainly" && !isDemand(later.text);
  return { statements, later: { ...later, isEnd, kind: isIdle ? "request" : later.kind } };
}

/** "Never mind that" says nothing of what it takes back. */
function isPointing(text: string): boolean {
  return subjectOf(text.replace(CANCELS.strong, " ")).length === 0;
}

/** One word may be there by chance: unless words that take something back speak of what was said, they have to name more, or little else. */
function isNamed(
  each: Statement,
  { later, isPlain, ratio }: { readonly later: Statement; readonly isPlain: boolean; readonly ratio: number },
): boolean {
  if (!isPlain) return ratio >= SAME_SUBJECT_RATIO;
  const named = each.about.filter((word) => later.about.some((other) => areAlike(word, other)));
  return named.length > 1 || SAYING.test(later.text) || ratio > SAME_SUBJECT_RATIO;
}

/** Words for what somebody said. */
const SAYING =
  /\b(?:said|told|asked|rules?|orders?|instructions?|mind|matter|constraints?|regel|règle|lo de(?:l| la)?|regla)\b|规则|要求|件|指示/iu;

/** Several people may differ: nobody takes back for another what that one said. */
function isOneVoice(earlier: Statement, later: Statement): boolean {
  return earlier.who === later.who || earlier.who === null || later.who === null;
}

/** "Use spaces for indentation" after "use tabs for indentation". */
function isOtherChoice(earlier: Statement, later: Statement): boolean {
  if (earlier.kind !== "order" || later.kind !== "order" || Math.max(earlier.about.length, later.about.length) > CHOICE_WORDS)
    return false;
  const ratio = shareOf(earlier, later, () => 1);
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
  for (const own of wholeSentences(text)) {
    const { start, end } = own;
    const sentence = text.slice(start, end);
    const lead = last?.part === own.part ? text.slice(last.end, start) : null;
    last = own;
    const about = subjectOf(sentence);
    if (about.length === 0 && !CANCELS.strong.test(sentence)) continue;
    const kind = kindOf(sentence);
    const rest = { isEnd: false, turn: "open", standing: "in-force", by: null, about, unnamed: about } as const;
    found.push({ messageId: message.id, who: speaker, lead, text: sentence, kind, ...rest });
  }
  return found.length <= MOST_STATEMENTS ? found : worthiest(found);
}

function kindOf(sentence: string): Statement["kind"] {
  if (sentence.length >= LONGEST_CHARS) return "request";
  const own = saidIn(sentence);
  if (/[?？]\s*$/.test(own) && !LASTING.asks.test(own)) return "aside";
  if (isDemand(sentence)) return "order";
  if (CANCELS.strong.test(own) && subjectOf(own).length > 0 && (!isReport(own) || SAYING.test(own))) return "order";
  return own.trim().split(/\s+/).length < 2 && !WIDE.test(own) ? "aside" : "request";
}

/** Without quotations. "This is important: never push." is told by what stands behind the colon. */
function saidIn(sentence: string): string {
  return unquoted(sentence).replace(/^[^:：\n]{1,60}[:：]\s+(?=\S+\s)/u, "");
}

/** True for a sentence that says how to work. */
function isDemand(sentence: string): boolean {
  const own = saidIn(sentence);
  if (STARTS.test(own)) return true;
  if (isReport(own)) return false;
  if (LASTING.lasting.test(own)) return true;
  if (/[?？]\s*$/.test(own)) return false;
  return LASTING.demands.test(own) || (LASTING.recurs.test(own) && !LASTING.tells.test(own.replace(LASTING.clause, "")));
}

/** True for a sentence whose main clause describes, and addresses nobody. */
function isReport(own: string): boolean {
  const main = own.replace(LASTING.clause, "");
  return LASTING.reports.test(main) || ((LASTING.tells.test(main) || LASTING.describes.test(main)) && !ADDRESSES.test(main));
}

/** A clause that begins with a prohibition or a preference is said to somebody. */
const STARTS =
  /^\W*no (?!more|longer|need|idea|problem|worries|rush|one|matter|thanks|changes?\b)\p{L}+|(?:^|[,;:–—]\s+(?:\w+\s+)?|\b(?:and|so|but|please)\s+)\W{0,3}(?:please |just )?(?:do not|don['’]?t|never|avoid|prefer|stick to)\s+(?!know|think|see|understand|remember|care\b)\p{L}/iu;

/** Words for who is to do it, and modal verbs: without one, a sentence that begins with its subject tells something. */
const ADDRESSES =
  /(?<![\p{L}])(?:you|your|we|must|should|shall|ought|needs? to|ha(?:ve|s) to|never mind|want|would (?:be|rather|like|prefer)|i['’]d|forbidden|off.limits|du|ihr|sie|dein\w*|tu|vous|usted|muss|soll\w*|darf|doi[st]|deb\w+|должн\w+)(?![\p{L}])|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]{2}/iu;

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
