import type { CoverageCount } from "../applied-edit.ts";

/** What is put in the place of messages that were dropped without a summary. */
export const DROPPED_NOTICE = { id: "dropped-notice", version: 1 } as const;

/** The notice's text; it counts what went and names the handle that finds it again. */
export function droppedText(covered: CoverageCount, handle: string): string {
  const messages = covered.messages === 1 ? "1 earlier message was" : `${covered.messages} earlier messages were`;
  return `[Notice: the history was emergency-compacted. ${messages} (${covered.chars} characters) dropped from the context without a summary; they remain in the session log, handle ${handle}. Ask for what you need or read files again.]`;
}
