import { isHuman, type SessionEntry, textOf } from "@plimsoll/core";

/** How a session began: what a person knows it by. */
export interface SessionOpening {
  /** The first time that its log tells, in milliseconds since 1970; `null` if it tells none. */
  readonly startedMs: number | null;
  /** The person's first words, on one line and cut to 80 characters; `null` without a word. */
  readonly firstWords: string | null;
}

/** Characters of the first words that are kept (chosen: a line of a table). */
const FIRST_WORDS_CHARS = 80;

/** Characters of the text that are looked at (chosen). */
const LOOKED_AT_CHARS = 8_000;

/** Control characters, marks that turn the direction of text, line ends and halves of pairs: none of them belongs in a title. */
const NOT_IN_TITLES = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}]+/gu;

/** Reads off a log when it began and what the person said first. */
export function sessionOpening(entries: readonly SessionEntry[]): SessionOpening {
  const startedMs = entries.reduce<number | null>((first, entry) => first ?? timeOf(entry), null);
  for (const entry of entries) {
    if (entry.type !== "message" || !isHuman(entry.message)) continue;
    const words = titleWords(textOf(entry.message));
    if (words !== "") return { startedMs, firstWords: words };
  }
  return { startedMs, firstWords: null };
}

/** The beginning of a text, fit for a title. */
function titleWords(text: string): string {
  // A line may have a megabyte; what is not for titles at its beginning must leave enough for one.
  const plain = text.slice(0, LOOKED_AT_CHARS).replaceAll(NOT_IN_TITLES, " ").trim();
  const letters = [...plain.slice(0, 2 * FIRST_WORDS_CHARS + 1)];
  return letters.length <= FIRST_WORDS_CHARS
    ? letters.join("")
    : `${letters
        .slice(0, FIRST_WORDS_CHARS - 1)
        .join("")
        .trimEnd()}…`;
}

function timeOf(entry: SessionEntry): number | null {
  if (entry.type === "message") return entry.message.atMs;
  return entry.type === "usage" ? entry.atMs : null;
}
