/** Matches whole words of scripts with spaces between words, or a run of characters of those without. */
function anyOf(spaced: string, wide: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_.])(?:${spaced})(?![\\p{L}\\p{N}_(/-])|${wide}`, "iu");
}

/**
 * Words of closed classes by which a sentence is told that says how to work: `lasting` from then on, `demands` and `recurs` from then on or for the task at
 * hand, which the turn that follows tells; `hints` stand in more sentences than those. In the languages that are written most. They err; nothing is dropped by them while there is room.
 */
export const LASTING: Readonly<
  Record<
    | "lasting"
    | "demands"
    | "recurs"
    | "keeps"
    | "limits"
    | "stresses"
    | "supposes"
    | "hints"
    | "tells"
    | "reports"
    | "describes"
    | "asks"
    | "clause",
    RegExp
  >
> = {
  lasting: anyOf(
    [
      "never(?! ?mind)|always|from now on|going forward|from here on(?:wards?)?|henceforth|at all times|in all cases|no exceptions?|whenever|every time|each time|for the rest of|now and later|by default|for as long as|until (?:i|we|further notice)|unless i|keep in mind|(?:is|are) (?:forbidden|not allowed)|off.limits",
      "must(?:n['’]t)?|(?:may|shall) not|(?:i['’]?d|i would|i) (?:rather|prefer)|i['’]?d be happier",
      "nie(?:mals)?|immer|stets|ab jetzt|ab sofort|künftig|grundsätzlich|darf(?:st)? nicht|dürfen nicht",
      "jamais|toujours|désormais|dorénavant|interdit",
      "nunca|siempre|jamás|a partir de ahora|prohibido|prefiero|sempre|a partir de agora|soltanto|d'ora in poi|mai",
      "no (?:l[aeo]s? |te |se |me |lo )?\\p{L}+(?:[ae]s|[ae]n|e|a)(?![\\p{L}])(?=.*\\s(?:el|la|los|las|del|que|una?|en|por|para|hasta)\\s)",
      "никогда|всегда|нельзя|впредь|запрещено|nooit|altijd|voortaan|nigdy|zawsze|asla|daima|her zaman",
      "دائما|أبدا|हमेशा|कभी",
    ].join("|"),
    "不要|不能|不得|不许|总是|總是|永远|永遠|始终|禁止|请勿|別|别|务必|每次|以后|一律|必ず|決して|常に|しないで|ないでください|いけない|いけません|なりません|毎回|今後|항상|절대|반드시|하지 ?마|금지|말아|앞으로|매번",
  ),
  demands: anyOf(
    [
      "(?<!\\bi )(?:do not|don['’]?t)(?! (?:know|see|think|need|have|understand|care))|(?:you|we) cannot|(?<!to )avoid|(?:should|may|can|shall|will|would|to|you|we) only|i only want|shall|unless|only(?=[.,;!]|$)|prefer(?:ably|red)?|at most|no (?:more|longer)|until|you (?:should|need to|have to)|should(?:n['’]t| not)|your (?:\\S+ ){1,3}?(?:should|needs? to|ha(?:s|ve) to)|so (?:that )?i (?:won['’]t|don['’]t|(?:['’]ll )?only|never) (?:have|need)",
      "muss|müssen|darf|dürfen|nicht|kein(?:e[nrms]?)?|nur|soll(?:en|st|te)?|vermeide|ne|pas|seulement|uniquement|doi(?:s|t)|devez|évite[rz]?",
      "sól?o|solamente|debe[ns]?|hay que|tienes que|quiero que|te pido|evita[r]?|não|somente|apenas|deve[m]?|evite|dev(?:e|i|ono)",
      "только|должн[аоы]|должен|не|niet|geen|alleen|moet(?:en)?|tylko|musisz|sadece|لا|يجب|فقط|मत|केवल",
    ].join("|"),
    "必须|必須|只能|只用|只准|のみ|だけ|べき|ほしい|欲しい|お願い|만 사용",
  ),
  /** In what asks for something: that it comes again, or waits for what somebody does. */
  recurs: anyOf(
    "(?<!ing )(?:every|each)(?! of )|(?<!(?:see|check|know|wonder|verify|ask|sure|out|whether) )(?:(?:when|before|after|unless) (?:you|we|an?|any|each|every)|if you)|jede[rsnm]?|bevor|wenn|falls|chaque|avant|quand|si|cada|todos|antes|cuando|quando|ogni|prima|каждый|каждую|каждое|перед|если|elke|każd\\w+",
    "每个|每条|所有|如果|之前|全ての|すべて|前に|場合|모든|전에",
  ),
  /** Verbs that ask for a state and for no event, at the beginning of a clause: what they ask for has no end. */
  keeps:
    /(?:^|[,;:–—]\s+|\b(?:and|so|but|please|also|then)\s+)\W{0,3}(?:please |just |also )?(?:follow|keep(?! (?:going|it up|on|\p{L}+ing)\b)|leave(?! (?:it|that|this)\b)|treat|stay|stick|remain|remember|respect)(?![\p{L}])|^\W*(?:please |just |also )?be (?!it|that|there)/iu,
  /** In what may be meant for later, too. */
  hints: anyOf(
    "all|no|when|before|after|if|while|both|should|ensure|make sure|at least|instead of|rather than|needs? to|have to|has to|i['’]?(?:d| would) (?:like|love)|i (?:want|wish|like|love|hate)|would be (?:nice|good|great|better)|such as|as in|like this|please|alle|tous|si|todos|все",
    "てください|请",
  ),
  /** Words of closed classes in capitals, among others that are not: somebody insists. */
  stresses: /(?:^|[^\p{L}])(?:ONLY|NOT|NEVER|ALWAYS|MUST|EXACTLY|ONE|ALL|EVERY|EACH|NO|ANY)(?![\p{L}])(?=.*\p{Ll}{3})/u,
  /** A finite verb that supposes: what might be is no order. */
  supposes:
    /(?<!\b(?:you|i|i['’]d|please|nice|happier) )\b(?:might|could|would)\b(?! (?:you|be (?:nice|good|great|better|happier)|like|love|prefer|rather|only want|want|please))/iu,
  /** A clause that begins with its subject, an article or a word of speech asks for nothing by itself. */
  tells:
    /^\W*(?:i|we|let['’]?s|it|this|that|these|those|there|the|a(?! partir)|an|he|she|they|my|our|its|so|but|and|or|ok|okay|yes|no(?=\W? ?(?:[,.!]|i|it|we|you|the|this|that|let)\b)|yeah|well|hmm+|hm|then|because|what|why|how|is|are|was|were|does|did|can|could|would|will|has|have|got|now|here|maybe|in|on|at|for|after you|same|also|like|sometimes|often|usually|currently|sooo*|any|all|nobody|no one|everybody|everyone|everything|ich|es|er|wir haben|je|il|elle|yo|eu|io|я|у меня|not (?:sure|all|every\p{L}*))\b/iu,
  /** Somebody who tells what happened, or that they do not know, gives no order. */
  reports:
    /^\W*(?:(?:and|but|so|hmm|well|ok|also)[, ]+)*(?:i (?:don['’]?t|do not|never|cannot|can['’]t|only|have to|need|didn['’]t|thought|guess|suspect|wonder)|i['’]?m |i was|i have|it (?:was|is|says|only|does|should)|this (?:is|was)|there (?:is|are|was)|why|how|what|we (?:don['’]?t|never|only))(?![\p{L}])(?!.*(?:want|would|only want))/iu,
  /** A finite verb of a sentence that describes. */
  describes:
    /^\W*(?:\S+\s+){1,7}?(?:is|are|was|were|has(?! to)|had|does|did|isn['’]t|doesn['’]t|didn['’]t|wasn['’]t|looks|seems|=|:=|already)\s/iu,
  /** A limit of a task: "without touching the parser", "except in tests". */
  limits: anyOf(
    "without \\p{L}+ing|(?<=[\\p{L}\\p{N},] )(?:except|apart from|other than|nowhere else)|(?<=[\\p{L},] )(?:as|so) long as|belongs? (?:in|into|under|next)|one \\p{L}+ per|ohne .{1,80} zu \\p{L}+|außer|solange|sans \\p{L}+(?:er|ir|re)|sauf|sin \\p{L}+[aei]r|salvo|excepto|sem \\p{L}+[aei]r|exceto|senza \\p{L}+re|tranne|(?<=, )не \\p{L}+[аяу]я|кроме",
    "除了|以外|不改变|しないまま|せずに|제외하고|않고",
  ),
  /** A question that asks somebody to do something. */
  asks: anyOf(
    "(?:could|can|would|will) you|please|(?:könn|würd)te?(?:st|n sie)|bitte|pou(?:rr|v)(?:iez|ez|rais)[- ](?:vous|tu)|peux-tu|podrías?|puedes|por favor|poderia|potresti|пожалуйста|zou je",
    "请|能不能|くれますか|もらえますか|くださいませんか|주세요|주시겠",
  ),
  /** A condition, a place or a reason before the clause that says what to do. */
  clause:
    /^\W*(?:(?:and|but|so|also|then|ok|no|yes|hm+)\W+)*(?:(?:(?:if|when|whenever|while|before|after|unless|as|since|because|once|until|wenn|bevor|si|cuando|quand|antes|avant)\b[^,.;]{1,120}|(?:for|in|on|at|during|from|by|with|given)\b(?![^,.;]*\b(?:we|you) (?:never|always|must|don['’]?t|do not|only)\b)[^,.;]{1,120})(?:,\s*(?:then\s+)?|\s+then\s+)|[^.;]{1,120},\s+(?:so|therefore|hence|also|deshalb|donc|así que)\s+)/iu,
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

/** True for words that allow somebody something, in no question and with no negation. */
export function isGrant(text: string): boolean {
  return GRANTS.test(text) && !NEGATIVE.test(text) && !/[?？]\s*$/.test(text);
}

const GRANTS = anyOf(
  "you (?:may|can)|go ahead|(?:fine|ok|okay|allowed|free|welcome) (?:to|for you to)|du darfst|ihr dürft|tu peux|vous pouvez|puedes|você pode|puoi|можешь|możesz",
  "可以|允许|してもいい|해도 (?:돼|됩니다)",
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
      "ya no|olvida|ignora|cancela|retir[oae]|não precisa|esquece|esqueça|já não|cancele|dimentica|annulla|non serve più",
      "больше не|забудь(?:те)?|отмен\\p{L}+|уже не",
      "niet meer|vergeet|już nie|zapomnij|artık|unut",
    ].join("|"),
    "不用了|不用再|不再|取消|忘掉|忘记|作废|算了|不需要|取り消|忘れて|撤回|しなくて|더 이상|취소|잊어|안 해도",
  ),
  weak: anyOf(
    [
      "instead|actually|after all|replaces?|revert|stop|remove|is over|relax(?:ed)?|from now on|(?:you|we|they|it) (?:may|can)|(?:is|are|be)(?: now| again)? (?:fine|ok|okay|allowed|permitted|welcome|acceptable)|again|now|back to|switch(?:ed)? to|correction|expired?",
      "stattdessen|doch|wieder|ab jetzt|jetzt|finalement|à la place|de nouveau|maintenant|en vez de|en lugar de|ya puedes|de nuevo|ahora|em vez|agora|di nuovo|invece|adesso|вместо|теперь|снова|можно|in plaats|toch|zamiast|teraz|yerine",
    ].join("|"),
    "改为|改成|可以|もう|やめ|ても(?:構|かま|いい|よい)|代わりに|대신|이제",
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

const GRAMMAR: readonly RegExp[] = [
  LASTING.lasting,
  LASTING.demands,
  LASTING.recurs,
  LASTING.hints,
  CANCELS.strong,
  CANCELS.weak,
  PERMITS,
];

/** True for a word that tells nothing of what a sentence is about. */
export function closedClass(word: string): boolean {
  const written = word.split("’").join("'");
  return CLOSED.has(written) || GRAMMAR.some((words) => words.test(written));
}
