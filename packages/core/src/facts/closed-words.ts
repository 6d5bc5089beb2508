/** Matches whole words of scripts with spaces between words, or a run of characters of those without. */
function anyOf(spaced: string, wide: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${spaced})(?![\\p{L}\\p{N}_])|${wide}`, "iu");
}

/**
 * Words of closed classes by which a sentence is told that says how to work from then on: negations, adverbs of frequency, modal verbs, quantifiers and
 * conjunctions, in the languages that are written most. They err; nothing is dropped by them while there is room.
 */
export const LASTING: Readonly<Record<"strong" | "reports" | "quantified" | "tells", RegExp>> = {
  strong: anyOf(
    [
      "never|always|must(?:n['’]t| not)?|do not|don['’]?t|cannot|avoid|only|should(?:n['’]t| not)?|shall|without|unless|ensure|make sure|at all times|from now on|going forward|from here on|no exceptions?|prefer(?:ably|red)?|whenever|every time|each time|stick to|at (?:most|least)|no (?:more|longer)|instead of|rather than|until|as long as|needs? to|have to|has to|keep in mind|remember(?: to| that)?|for the rest of|by default|i['’]?(?:d| would) (?:rather|like|love)|i (?:want|wish|like|love|hate)|would be (?:nice|good|great|better)|such as|as in|like this|is forbidden|are forbidden|(?:is|are) not allowed|off.limits",
      "nie(?:mals)?|immer|muss|müssen|darf|dürfen|nicht|kein(?:e[nrms]?)?|nur|soll(?:en|st|te)?|stets|ohne|vermeide|ab jetzt|ab sofort|künftig|grundsätzlich",
      "jamais|toujours|ne|pas|seulement|uniquement|doi(?:s|t)|devez|sans|évite[rz]?|désormais|dorénavant|interdit",
      "nunca|siempre|sól?o|solamente|deben?|sin|evita[r]?|jamás|a partir de ahora|prohibido|não|sempre|somente|apenas|deve[m]?|sem|evite|mai|soltanto|dev(?:e|i|ono)|senza|d'ora in poi",
      "никогда|всегда|нельзя|только|должн[аоы]|должен|без|впредь|не|запрещено",
      "nooit|altijd|niet|geen|alleen|moet(?:en)?|zonder|voortaan|nigdy|zawsze|tylko|musisz|bez|asla|daima|sadece|her zaman",
      "دائما|أبدا|لا|يجب|فقط|हमेशा|कभी|मत|केवल",
    ].join("|"),
    "不要|不能|不得|不许|必须|必須|总是|總是|永远|永遠|始终|只能|只用|只准|禁止|请勿|別|别|务必|每次|以后|一律|必ず|決して|常に|しないで|ないでください|のみ|だけ|毎回|今後|べき|항상|절대|반드시|하지 ?마|금지|만 사용|말아|앞으로|매번",
  ),
  /** Somebody who tells what happened, or that they do not know, gives no order. */
  reports:
    /^\W*(?:(?:and|but|so|hmm|well|ok|also)[, ]+)*(?:i (?:don['’]?t|do not|never|cannot|can['’]t|only|have to|need|didn['’]t|thought|guess|suspect|wonder)|i['’]?m |i was|i have|it (?:was|is|says|only|does|should)|this (?:is|was)|there (?:is|are|was)|why|how|what|we (?:don['’]?t|never|only))(?![\p{L}])(?!.*(?:want|would|only want))/iu,
  /** A quantifier or a condition in what asks for something. */
  quantified: anyOf(
    "every|each|all|any|no|when|before|after|if|while|during|both|jede[rsnm]?|alle|bevor|wenn|falls|chaque|tous|avant|quand|si|cada|todos|antes|cuando|si|quando|ogni|prima|se|каждый|каждую|каждое|все|перед|если|elke|każd\\w+",
    "每个|每条|所有|如果|之前|全ての|すべて|前に|場合|모든|전에",
  ),
  /** A sentence that begins with its subject, an article or a word of speech asks for nothing. */
  tells:
    /^\W*(?:i|we|let['’]?s|it|this|that|there|the|a|an|he|she|they|my|our|so|but|and|or|ok|okay|yes|no|yeah|well|hmm|then|because|what|why|how|is|are|was|were|does|did|can|could|would|will|has|have|got|now|here|maybe|in|on|at|for|after you|same)\b/iu,
};

/** Negations and prohibitions. */
export const NEGATIVE: RegExp = anyOf(
  "never|not|no|none|without|avoid|stop|don['’]?t|mustn['’]t|shouldn['’]t|can['’]t|cannot|nie|niemals|nicht|kein(?:e[nrms]?)?|ohne|jamais|pas|sans|nunca|sin|não|sem|mai|senza|non|никогда|не|нельзя|без|nooit|niet|geen|zonder|nigdy|bez",
  "不|别|別|勿|禁止|ない|禁|말|금지|마세요",
);

/** Modal words that allow something: a permission is history, and grants nothing. */
const PERMITS: RegExp = anyOf(
  "may|can|allowed|fine|okay|ok|go ahead|free to|darfst|dürfen|erlaubt|in ordnung|peux|pouvez|puedes|podéis|pode|puoi|можно|можешь|mag|kunt|możesz",
  "可以|允许|もいい|して良い|해도",
);

/**
 * Words by which somebody takes back, replaces or lifts what was said, and words that do so only if what is said now is the opposite. Alone they decide
 * nothing: the later words must name the subject, or point at the newest.
 */
export const CANCELS: { readonly strong: RegExp; readonly weak: RegExp } = {
  strong: anyOf(
    [
      "no longer|any ?more|never ?mind|forget|ignore|disregard|drop|scrap|scratch|cancel(?:led)?|revoke[ds]?|undo|lift(?:ed)?|withdraw|withdrawn|take (?:that |it )?back|taking back|changed? (?:my|our) minds?|change of plans?|not needed|no need|need not|needn['’]t|(?:do not|don['’]?t) (?:need|have) to|(?:doesn['’]t|does not) (?:apply|matter)|not necessary|unnecessary|off the table|overrule[ds]?|supersedes?|obsolete|outdated|no more|void|waive[ds]?|rescind(?:ed)?|scrapped|dropped|retire[ds]?|was wrong|i was mistaken",
      "nicht mehr|vergiss|ignoriere|aufgehoben|gilt nicht|streich(?:e|en)?|zurücknehmen|hinfällig",
      "ne plus|n['’]\\w+ plus|oublie[zr]?|ignore[zr]?|annule[rz]?|plus besoin",
      "ya no|olvida|ignora|cancela|não precisa|esquece|esqueça|já não|cancele|dimentica|annulla|non serve più",
      "больше не|забудь(?:те)?|отмен\\w+|уже не",
      "niet meer|vergeet|już nie|zapomnij|artık|unut",
    ].join("|"),
    "不用了|不用再|不再|取消|忘掉|忘记|作废|算了|不需要|取り消|忘れて|撤回|しなくて|더 이상|취소|잊어|안 해도",
  ),
  weak: anyOf(
    [
      "instead|actually|after all|replaces?|revert|stop|remove|over|relax(?:ed)?|from now on|(?:you|we|they|it) (?:may|can)|(?:is|are|be)(?: now| again)? (?:fine|ok|okay|allowed|permitted|welcome|acceptable)|again|now|back to|switch(?:ed)? to|correction|expired?",
      "stattdessen|doch|wieder|ab jetzt|jetzt|finalement|à la place|de nouveau|maintenant|en vez de|en lugar de|ya puedes|de nuevo|ahora|em vez|agora|di nuovo|invece|adesso|вместо|теперь|снова|можно|in plaats|toch|zamiast|teraz|yerine",
    ].join("|"),
    "改为|改成|可以|もう|やめ|代わりに|대신|이제",
  ),
};

/** Words of closed classes, and of speech, that tell nothing of what a sentence is about; most have two or three letters and are left out by that. */
const CLOSED = new Set(
  `the and for with that this these those you your our are was were will would could should shall have has had not but from into onto out off all any each every some more most only just also then than when what which who why how where there here they them their its let can may might must does did done doing being been never always please make sure want need like use using used before after while until unless without about over under again now still yet very too own same other another both such per via because though although rule rules said say says tell told earlier before previous last thing things way get got give given
anymore longer forget ignore drop scrap instead actually fine okay allowed back stop keep avoid ensure from going forward rest session don't doesn't didn't isn't aren't can't won't you're i'm it's let's that's
regel regeln anweisung règle regla regra regola правило kural reguła
der die das den dem des und oder nicht mehr kein keine nur ein eine einen ich wir ihr sie mit von für auf bei nach vor immer nie bitte wieder jetzt doch wird werden sind hat haben kann muss soll
les des une est pas plus jamais toujours dans avec pour sur que qui vous nous sont
los las una que por para con sin nunca siempre como más pero esta este
não uma com para por que mais como
che non una per con sono della nel
это что как для при или его она они все больше никогда всегда
het een niet van voor met`.split(/\s+/),
);

const GRAMMAR: readonly RegExp[] = [LASTING.strong, LASTING.quantified, CANCELS.strong, CANCELS.weak, PERMITS];

/** True for a word that tells nothing of what a sentence is about. */
export function closedClass(word: string): boolean {
  const written = word.split("’").join("'");
  return CLOSED.has(written) || GRAMMAR.some((words) => words.test(written));
}
