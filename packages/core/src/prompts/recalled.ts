import { CONTEXT_FRAMING, nameInBrackets, quotedText, textOnOneLine } from "../message/framing.ts";

/** A passage of the log that stays readable after its message is gone, word for word. */
export interface RecalledPassage {
  /** The origin of the message: a tool's name, or who said it. */
  readonly source: string;
  /** The file that it shows; `null` if that is not known. */
  readonly path: string | null;
  /** The file's lines, if the tool had numbered them. */
  readonly fromLine: number | null;
  readonly throughLine: number | null;
  /** Finds the whole message again. */
  readonly handle: string;
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
  for (const passage of passages)
    lines.push(headOf(passage), passage.isPlain === true ? passage.text : quotedText(passage.text, CONTEXT_FRAMING));
  lines.push("</recalled>");
  return lines.join("\n");
}

function headOf({ source, path, fromLine, throughLine, handle }: RecalledPassage): string {
  const name = nameInBrackets(quotedText(source, CONTEXT_FRAMING));
  const file = path === null ? "" : ` ${quotedText(textOnOneLine(path), CONTEXT_FRAMING)}`;
  const lines = fromLine === null || throughLine === null ? "" : ` lines ${fromLine} to ${throughLine}`;
  return `[${name}${file}${lines}; handle ${handle}]`;
}
