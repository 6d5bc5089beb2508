import type { Framing } from "./framing.ts";

/** Tags that stand around what survives beside a summary or notice. */
const CONTEXT_TAGS = [
  "excerpts",
  "pinned-instructions",
  "first-request",
  "modified-files",
  "read-files",
  "last-errors",
] as const;

/**
 * What is ours in a context: the header of a summary, notices, stubs and the lines in the place of what was left out, excerpts under their
 * handles, facts. Outside text that is written in between (a summary, a digest, facts, excerpts, a result as it enters history) must not
 * read as any of it.
 */
export const CONTEXT_FRAMING: Framing = {
  lines: ["[conversationsummary:", "[notice:thehistory", "[compacted", "[requestoftheprogram", "[\u2026"],
  bracketWords: [";handle"],
  tags: CONTEXT_TAGS,
};
