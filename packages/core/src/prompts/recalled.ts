import { CONTEXT_FRAMING, nameInBrackets, quotedText } from "../message/framing.ts";

/** A passage of the log that stays readable after its message is gone, word for word. */
export interface RecalledPassage {
  /** The origin of the message: a tool's name, or who said it. */
  readonly source: string;
  /** The file that it shows, else what its call does; `null` if neither is known. */
  readonly shows: string | null;
  /** The file's lines, if the tool had numbered them. */
  readonly fromLine: number | null;
  readonly throughLine: number | null;
  /** Finds the whole message again. */
  readonly handle: string;
  /** Changes of the file, or of any file, since then; `null` for words. */
  readonly editsSince: number | null;
  /** Without the numbers that a tool put before its lines. */
  readonly text: string;
  /** True if each line of it is known to be plain (see {@link isPlain}): it is not looked through again. */
  readonly isPlain?: boolean | undefined;
}

/** True if nothing in a text reads as ours, so that it is recalled as it is. Lines are looked at one by one: plain texts are plain together. */
export function isPlain(text: string): boolean {
  return quotedText(text, CONTEXT_FRAMING) === text;
}

/** Recalled passages as one text; `null` if there are none. Lines of them that would read as a head, a notice or a tag of ours are quoted. */
export function recalledText(passages: readonly RecalledPassage[]): string | null {
  if (passages.length === 0) return null;
  const lines = ["<recalled>"];
  let before: string | null = null;
  for (const passage of passages) {
    const { handle, text } = passage;
    lines.push(handle === before ? `[…${linesOf(passage)}]` : headOf(passage));
    lines.push(passage.isPlain === true ? text : quotedText(text, CONTEXT_FRAMING));
    before = handle;
  }
  lines.push("</recalled>");
  return lines.join("\n");
}

/** UTF-16 units of a file's path or a call's words in a head; chosen. */
const SHOWN_CHARS = 200;

function headOf(passage: RecalledPassage): string {
  const { source, shows, handle, editsSince } = passage;
  const name = nameInBrackets(quotedText(source, CONTEXT_FRAMING));
  const shown = shows === null ? "" : ` ${quotedText(nameInBrackets(shows, SHOWN_CHARS), CONTEXT_FRAMING)}`;
  const age = editsSince === null ? "" : `; ${editsSince} ${editsSince === 1 ? "edit" : "edits"} since`;
  return `[${name}${shown}${linesOf(passage)}; handle ${handle}${age}]`;
}

function linesOf({ fromLine, throughLine }: RecalledPassage): string {
  return fromLine === null || throughLine === null ? "" : ` lines ${fromLine} to ${throughLine}`;
}
