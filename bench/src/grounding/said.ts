import { isRecord } from "@plimsoll/core/internal";

/**
 * The items of a plan or a list of tasks in a call's arguments, told by the list's shape and not by the tool's name: records that each have a
 * status and a text. `null` if the arguments hold no such list.
 */
export function planItems(argumentsJson: string): readonly string[] | null {
  if (!argumentsJson.includes('"status"')) return null;
  const parsed = parsedOrNull(argumentsJson);
  const lists = isRecord(parsed) ? Object.values(parsed).filter(Array.isArray) : [];
  for (const list of lists) {
    const items = list.filter(isRecord).filter(({ status }) => typeof status === "string");
    const texts = items.flatMap((item) => itemText(item) ?? []);
    if (texts.length > 0) return texts;
  }
  return null;
}

function itemText({ content, step, description, title, text }: Readonly<Record<string, unknown>>): string | null {
  const found = [content, step, description, title, text].find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? found : null;
}

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

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Arguments that a model cut off hold no list that could be trusted.
    return null;
  }
}
