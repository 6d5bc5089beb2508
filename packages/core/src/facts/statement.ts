import { textOf, type UserMessage } from "../message/message.ts";
import { CANCELS, closedClass, LASTING } from "./closed-words.ts";
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

/** The sentences of a message that are the person's own: none of a quotation, a code block, a log or a list of changes. */
export function statementsOf(message: UserMessage): readonly Statement[] {
  const text = textOf(message);
  const who = /^\s*(?:\[([^\]\n]{1,40})\]|<([^>\n]{1,40})>|@?([\p{Lu}][\p{L}\p{N}_.-]{0,30})(?=\s*:\s))/u.exec(text);
  const speaker = who === null ? null : (who[1] ?? who[2] ?? who[3] ?? null);
  const found: Statement[] = [];
  let last: OwnSentence | null = null;
  let isUnderOrder = false;
  for (const own of wholeSentences(text)) {
    const { start, end } = own;
    const sentence = text.slice(start, end);
    const between = last?.part === own.part ? text.slice(last.end, start) : "x";
    const lead = LEAD.test(between) ? between : null;
    last = own;
    const about = subjectOf(sentence).slice(0, SUBJECT_WORDS);
    if (about.length === 0 && !CANCELS.strong.test(sentence)) continue;
    const isItem = lead !== null && LIST_ITEM.test(lead);
    if (!isItem) isUnderOrder = false;
    const kind: Statement["kind"] = isItem && isUnderOrder ? "order" : kindOf(sentence);
    isUnderOrder ||= /[:：]$/.test(sentence) && (kind === "order" || SCOPE.test(sentence));
    const rest = { isEnd: false, turn: "open", standing: "in-force", by: null, about, unnamed: about } as const;
    found.push({ messageId: message.id, who: speaker, lead, text: sentence, kind, ...rest });
  }
  return found;
}

/** Text between two sentences that is white space and a list mark: what else stands there was pasted. */
const LEAD = /^\s*(?:[-*•]\s*|\d+[.)]\s+)?$/;

/** Of such text: a list mark on a line of its own. */
const LIST_ITEM = /^[^\n]*\n[^-*•\d]*[-*•\d]/;

/** A line that says for what the list below it holds: "For each reply:". */
const SCOPE = /^\W*(?:for|in|on|at|before|after|with|when|whenever)\b[^.!?]*\b(?:each|every|any|all)\b[^.!?]*[:：]$/iu;

/** Words of open classes that a sentence is known by: its first. Chosen, for lists of thirty names. */
const SUBJECT_WORDS = 24;

function kindOf(sentence: string): Statement["kind"] {
  if (sentence.length >= LONGEST_CHARS) return "request";
  const own = saidIn(sentence);
  if (/[?？]\s*$/.test(own) && !LASTING.asks.test(own) && !WISH.test(own)) return "aside";
  if (isDemand(sentence)) return "order";
  if (CANCELS.strong.test(own) && subjectOf(own).length > 0 && (!isReport(own) || SAYING.test(own))) return "order";
  return own.trim().split(/\s+/).length < 2 && !WIDE.test(own) ? "aside" : "request";
}

/** Without quotations. "This is important: never push." is told by what stands behind the colon, if the other words are no order themselves. */
function saidIn(sentence: string): string {
  const own = unquoted(sentence);
  const head = /^[^:：\n]{1,60}[:：]\s+(?=\S+\s)/u.exec(own)?.[0] ?? "";
  return STARTS.test(head) || LASTING.asks.test(head) ? own : own.slice(head.length);
}

/** True for a sentence that says how to work from then on, or may. */
export function isDemand(sentence: string): boolean {
  const own = saidIn(sentence);
  if (isOfTheMoment(own) && !LASTING.keeps.test(own)) return false;
  if (STARTS.test(own) || WISH.test(own)) return true;
  if (LASTING.asks.test(own)) return [LASTING.lasting, LASTING.keeps, LASTING.limits, BURDEN].some((words) => words.test(own));
  const main = own.replace(LASTING.clause, "");
  if (OUGHT.test(main) || NORM.test(own)) return true;
  if (isReport(own)) return false;
  if (LASTING.lasting.test(own) || [own, main].some((text) => LASTING.keeps.test(text))) return true;
  if (/[?？]\s*$/.test(own)) return false;
  if (LASTING.stresses.test(own) || LASTING.demands.test(own)) return true;
  if ((LASTING.limits.test(own) || CHOICE.test(own.replace(/\([^()]*\)/g, ""))) && !TOLD.test(own) && !LASTING.tells.test(main))
    return true;
  if (main !== own && TO_ME.test(main)) return true;
  return LASTING.recurs.test(own) && !LASTING.tells.test(main) && !isOfTheMoment(main);
}

/** True for a sentence whose main clause describes or supposes, and addresses nobody, or is about one thing at hand. */
function isReport(own: string): boolean {
  const main = own.replace(LASTING.clause, "");
  if (AT_MINE.test(own) || LASTING.reports.test(main) || LASTING.supposes.test(main)) return true;
  const isOpenClause = main === own && SUBORDINATE.test(own);
  return !ADDRESSES.test(main) && (isOpenClause || LASTING.tells.test(main) || LASTING.describes.test(main));
}

/** Somebody who tells what happens on their own machine, in other languages than English. */
const AT_MINE = /(?<![\p{L}])(?:bei mir|chez moi|en mi (?:máquina|equipo)|na minha máquina|у меня)(?![\p{L}])/iu;

/** "Don't do that", "put it there": about what was just spoken of. "Never do that again" is not. */
function isOfTheMoment(own: string): boolean {
  return (
    POINTS.test(own) && !LASTING.lasting.test(own.replace(/^\W*(?:\w+\W+)?never\b/iu, "")) && !/\b(?:again|ever)\b/iu.test(own)
  );
}

/** A verb whose object is a word that points. */
const POINTS =
  /^\W*(?:(?:no|yes|ok|okay|and|but|so|also|please|just|now|then)\b\W+)*(?:(?:do not|don['’]?t|never)\s+)?(?!keep|leave)\p{L}+ (?:(?:it|this|that|these|those|them)(?=\s*(?:[,.;!]|$|yet|now|for now|here|in|to|into|at|on|back))|yet\b|now\b)/iu;

/** Somebody who says what they do not want, or want alone. */
const WISH =
  /(?<![\p{L}])(?:(?:i|we) (?:do not|don['’]?t|only|just) want|ich (?:will|möchte|brauche) (?:nicht|nur|keine?\p{L}*)|(?:je|on) ne veux? pas|no quiero|non voglio|não quero|не хочу)(?![\p{L}])/iu;

/** Tells what has to stay as it is, what matters, whom to ask when in doubt, or in which language to write. */
const NORM =
  /(?<!\bi )\b(?:must|should|needs? to|ha(?:s|ve) to) (?:also |still |always )?(?:stay|keep|remain|continue|still)\b|^\W*(?:but )?it(?:['’]s| is) (?:very |really )?(?:important|essential|crucial|critical|vital) (?:that|to (?!note|know|understand|see|say))|\bkeep (?:it|them|this|that) (?:that way|like (?:that|this)|so|as (?:is|it is))\b|^\W*(?:if|when|whenever) (?:you|in doubt|unsure|unclear)\b[^.!?]*\s(?:ask|tell|warn|show|consult) (?:me|us)\b|^\W*(?:please )?(?:write|answer|reply|respond|speak|talk|comment)\b[^.!?]*\bin (?:\p{L}+ )?(?:english|german|french|spanish|italian|portuguese|japanese|chinese|russian|dutch|polish|korean)\b/iu;

/** Tells what to use, or a choice with what was not chosen; and a first word that tells what there is not, or what somebody or something does. */
const CHOICE =
  /, (?:and )?not \p{L}|^\W*(?:(?:please|just|also|always) )*use (?!it\b|this\b|that\b|your\b|attached|the attached)/iu;
const TOLD = /^\W*(?:no|\p{L}+[^su]s(?! (?:go|belong|live)s?\b))(?![\p{L}])/iu;

/** A thing and what is required of it. */
const OUGHT =
  /^\W*(?:(?:only )?(?:the|all|any|every|each|both|other|new|existing|no)|only \p{L}+) (?:(?!is |are |was |were |has |have )[^\s.;]+ ){1,6}?(?:should|must|needs? to|has to|have to) /iu;

/** A sentence that begins with a condition; and what to do under it, if that is to turn to the person. */
const SUBORDINATE = /^\W*(?:if|when|while|before|after|unless|as|since|because|once|until)(?![\p{L}])/iu;
const TO_ME = /^(?:please )?\p{L}*[^s\s] me(?![\p{L}])/iu;

/** Says what its writer wants to be spared from then on. */
const BURDEN = /\bso (?:that )?i (?:won['’]t|don['’]t|(?:['’]ll )?only|never) (?:have|need)/iu;

/** A clause that begins with a prohibition or a preference is said to somebody; one without a verb forbids by "no" alone. */
export const STARTS: RegExp =
  /^\W*(?:let['’]?s not (?!\p{L}+ (?:it|this|that|now|yet)\b)|non \p{L}+[aei]re(?![\p{L}])|bitte (?:nicht|nie|nur|keine?\p{L}*)|\p{L}+ bitte (?:nicht|nie|nur|keine?\p{L}*)(?![\p{L}])|por favor,? no )|^\W*(?:we(?:['’]re| are| use| have| support| target| want) [^.;]{1,120}, so )?no (?!more|longer|need|idea|problem|worries|rush|one|matter|thanks|changes?\b|i\b|we\b|you\b|it\b|that|this)(?:[\p{L}\p{N}'’.-]+ ?){1,5}(?:[.!]*\s*$|, (?:they|it|we|you) (?:have|has|need|needs|must|should)\b)|(?:^|[,;:–—]\s+(?:\w+\s+)?|\b(?:and|so|but|please)\s+)\W{0,3}(?:please |just )?(?:do not|don['’]?t|never|avoid|prefer|stick to|stop(?= \p{L}+ing\b))\s+(?!know|think|see|understand|remember|care\b|mind\b)\p{L}/iu;

/** Somebody who is to do it, with a modal verb or a negation; or a thing of which something is required. What points ("that should never happen") tells of one thing. */
const ADDRESSES =
  /(?<![\p{L}])(?:(?:you|we|i want|i need) (?:\p{L}+ )??(?:must|should|shall|ought|may|need(?: not| to)|have to|are (?:not )?(?:to|allowed)|never|always|only|don['’]?t|do not|cannot|can['’]t|to)(?![\p{L}])|your(?: \S+){1,3}? (?:should|must|needs? to|ha(?:s|ve) to|may not)|never mind|ensure|make sure|be sure|(?:want|would (?:be|rather|like|prefer|only)|i['’]d|forbidden|off.limits)(?![\p{L}])|du|ihr|sie|dein\p{L}*|tu|vous|usted|muss|müssen|soll\p{L}*|darf|dürfen|doi[st]|doivent|deb\p{L}+|dev(?:[eio]|em|ono)|hay que|должн\p{L}+)(?![\p{L}])|(?<!\b(?:this|that|it|these|those|they|which|he|she|i|we)(?: \p{L}+){0,1} )\b(?:must|shall|should (?:not|never|always|only)|shouldn['’]t)\b|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]{2}/iu;

/** Scripts without spaces between words. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u;

/** Words for what somebody said. */
export const SAYING: RegExp =
  /\b(?:said|told|asked|rules?|orders?|instructions?|mind|matter|constraints?|regel|règle|lo de(?:l| la)?|regla)\b|规则|要求|件|指示/iu;

/** Without what stands in quotation marks, and without what somebody else says: who quotes an order gives none. */
export function unquoted(text: string): string {
  return text.replace(OF_OTHERS, "$1 ").replace(/"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|「[^」\n]*」|`[^`\n]*`/gu, " ");
}

/** Words of a file, a program or a third person, told by a verb of speech that has neither "I" nor "we" before it. */
const OF_OTHERS =
  /^([^:"“«\n]{0,80}(?<!(?<![\p{L}])(?:i|we|i['’]ve|ich|yo|je|eu|я|just|already|as)) (?:says?|said|states?|reads?|wrote|writes|claims?|sagt|schreibt|dice|dit|diz|говорит|пишет)(?: that(?![\p{L}])|,? dass(?![\p{L}])|,? que(?![\p{L}])|,? что(?![\p{L}])|\s?:)).*$/isu;

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
