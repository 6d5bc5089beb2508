import type { Message } from "../message/message.ts";
import { logTexts } from "../recall/log-text.ts";

/** Words that a focus is looked for by: of three characters at least, names of files and functions whole. */
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]+[\p{L}\p{N}_]/gu;

/** Characters that a line keeps before the first word that matches; chosen. */
const LEAD_CHARS = 120;

/**
 * Lines of what was said, written and shown that hold words of the focus, the best last: a word counts the more, the fewer lines have it, and of
 * equals the newest is the best. None if no word is found. Linear in the texts.
 */
export function focusLines(messages: readonly Message[], focus: string): readonly string[] {
  const words = [...new Set(focus.toLowerCase().match(WORD) ?? [])];
  if (words.length === 0) return [];
  const found = new Map<string, { readonly line: string; readonly words: readonly string[]; place: number }>();
  const linesWith = new Map<string, number>();
  let place = 0;
  for (const message of messages) {
    for (const { text } of logTexts(message)) {
      const lower = text.toLowerCase();
      if (!words.some((word) => lower.includes(word))) continue;
      for (const line of text.split("\n")) {
        place += 1;
        const ofLine = line.toLowerCase();
        const held = words.filter((word) => ofLine.includes(word));
        if (held.length === 0) continue;
        const first = Math.min(...held.map((word) => ofLine.indexOf(word)));
        const shown = line.slice(Math.max(0, first - LEAD_CHARS)).trim();
        if (!found.has(shown)) for (const word of held) linesWith.set(word, (linesWith.get(word) ?? 0) + 1);
        found.set(shown, { line: shown, words: held, place });
      }
    }
  }
  const worth = (held: readonly string[]) => held.reduce((sum, word) => sum + 1 / (linesWith.get(word) ?? 1), 0);
  return [...found.values()]
    .map((each) => ({ ...each, worth: each.words.length + worth(each.words) }))
    .sort((a, b) => a.worth - b.worth || a.place - b.place)
    .map(({ line }) => line);
}
