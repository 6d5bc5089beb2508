/** Sentences shorter than this are met by chance, longer ones are no sentences; chosen. */
const SENTENCE_CHARS = { atLeast: 15, atMost: 400 } as const;

/** The sentences of a text: what ends with a full stop, a question or an exclamation mark, or with its line. */
function sentences(text: string): readonly string[] {
  return text
    .split("\n")
    .flatMap((line) => line.split(/(?<=[.!?]) /))
    .map((sentence) => sentence.trim())
    .filter(({ length }) => length >= SENTENCE_CHARS.atLeast && length <= SENTENCE_CHARS.atMost);
}

const DECIDES = /\b(?:must|never|always|do not|don['’]t|should not|instead of|decided|only use|make sure)\b/i;

/** The sentences of a text that decide, demand or forbid something. */
export function decisionsIn(text: string): readonly string[] {
  return sentences(text).filter((sentence) => DECIDES.test(sentence));
}

const INTENDS = /^(?:let me|let['’]s|i['’]ll|i will|now i|next,? i|now let|next:|next step)/i;

/** The last sentence of a reply's text that says what comes next; `null` if none does. */
export function nextStepIn(text: string): string | null {
  return sentences(text).findLast((sentence) => INTENDS.test(sentence)) ?? null;
}
