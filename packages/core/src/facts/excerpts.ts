import { partHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";
import type { WordedLine } from "./best-lines.ts";
import { bestLines } from "./best-lines.ts";
import { linePieces } from "./line-pieces.ts";
import { forEachTellingWord } from "./telling-words.ts";

/** Lines of one message that stay readable when it is removed, word for word. */
export interface Excerpt {
  /** What the message was: a tool's name, or who said it. */
  readonly source: string;
  /** Finds the whole message again. */
  readonly handle: string;
  readonly lines: readonly string[];
}

/** What excerpts are chosen from. */
export interface ExcerptInput {
  /** Messages that leave the view, oldest first. */
  readonly covered: readonly Message[];
  /** Messages that stay: what they state needs no excerpt, what they use is worth one. */
  readonly kept: readonly Message[];
  /** Excerpts that a summary or notice among them carries. */
  readonly excerptsIn: (message: Message) => readonly Excerpt[];
  /** UTF-16 units that the lines may take with their heads. */
  readonly maximumChars: number;
}

/** What is known of one telling word. */
interface Word {
  /** The newest line that states it; `null` where it has none, or where what is kept states it. */
  line: WordedLine | null;
  /** Replies that used it. */
  uses: number;
  /** Where it was last stated or used, in characters from the beginning. */
  lastAtChars: number;
}

/** What a word counts that no reply has used: some hundredth of those are used later, of those that were used every tenth. Measured to matter little. */
const UNUSED_WORTH = 0.08;

/** Distance at which a word counts half, in characters; chosen, a window of 16k tokens. Measured to matter little. */
const HALF_WORTH_CHARS = 60_000;

/**
 * The lines worth keeping of what is removed. Of each telling word only the newest line that states it counts, and only where what is kept does
 * not state it too. A line is worth what its words are: those that replies used, often and lately. Each text is read once.
 */
export function chooseExcerpts(input: ExcerptInput): readonly Excerpt[] {
  const words = new Map<string, Word>();
  const lines: WordedLine[] = [];
  let atChars = 0;
  const meet = (found: string, uses: number, line: (word: Word) => WordedLine | null) => {
    const known = words.get(found);
    const word = known ?? { line: null, uses: 0, lastAtChars: 0 };
    if (known === undefined) words.set(found, word);
    word.uses += uses;
    word.lastAtChars = atChars;
    word.line = line(word);
  };
  const use = (text: string) => {
    const seen = new Set<string>();
    forEachTellingWord(text, (found) => {
      meet(found, seen.has(found) ? 0 : 1, (word) => word.line);
      seen.add(found);
    });
    atChars += text.length;
  };
  const state = (text: string, from: Pick<Excerpt, "source" | "handle"> | null) => {
    for (const piece of linePieces(text)) {
      const line = from === null ? null : { ...from, text: piece.text, order: lines.length, worth: 0 };
      forEachTellingWord(piece.text, (found, start) => {
        if (start >= piece.ownStart && start < piece.ownEnd) meet(found, 0, () => line);
      });
      if (line !== null) lines.push(line);
    }
    atChars += text.length;
  };
  const read = (message: Message, isCovered: boolean) => {
    const { source, handle } = { source: sourceOf(message), handle: partHandle(message.id, 0) };
    for (const excerpt of input.excerptsIn(message)) for (const line of excerpt.lines) state(line, isCovered ? excerpt : null);
    if (source === null) return;
    for (const part of message.parts) {
      if (part.type === "tool-call") use(part.argumentsJson);
      else if (part.type === "text" && message.role === "assistant") use(part.text);
      else if (part.type === "text") state(part.text, isCovered ? { source, handle } : null);
    }
  };
  for (const message of input.covered) read(message, true);
  for (const message of input.kept) read(message, false);
  for (const { line, uses, lastAtChars } of words.values()) {
    const worth = uses === 0 ? UNUSED_WORTH : 1 + Math.log2(uses);
    if (line !== null) line.worth += worth / (1 + (atChars - lastAtChars) / HALF_WORTH_CHARS);
  }
  return byMessage(bestLines(lines, input.maximumChars));
}

/** What a message is called; `null` for summaries and notices, of which only the excerpts are looked at. */
function sourceOf(message: Message): string | null {
  if (message.role === "tool-result") return message.toolName;
  return message.origin === "summary" || message.origin === "notice" ? null : message.origin;
}

function byMessage(lines: readonly WordedLine[]): readonly Excerpt[] {
  const excerpts = new Map<string, Excerpt & { readonly lines: string[] }>();
  for (const { source, handle, text } of lines) {
    const known = excerpts.get(handle);
    if (known === undefined) excerpts.set(handle, { source, handle, lines: [text] });
    else known.lines.push(text);
  }
  return [...excerpts.values()];
}
