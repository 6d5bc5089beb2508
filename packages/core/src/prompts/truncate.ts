import type { Message } from "../message/message.ts";

/** What is put in the place of messages that were dropped if no model summarised them, with who said how much. */
export const TRUNCATE_NOTICE = { id: "truncate-notice", version: 1 } as const;

/**
 * The notice's text, e.g. `[Compacted 5 messages: 2 user, 2 assistant, 1 tool result; handle …]`. The files that were touched are listed with it, as they
 * are with every summary.
 */
export function truncateText(messages: readonly Message[], handle: string): string {
  const counts = [
    counted(messages, "user", "user"),
    counted(messages, "assistant", "assistant"),
    counted(messages, "tool-result", "tool result"),
  ].filter((count) => count !== null);
  const noun = messages.length === 1 ? "message" : "messages";
  return `[Compacted ${messages.length} ${noun}: ${counts.join(", ")}; handle ${handle}]`;
}

function counted(messages: readonly Message[], role: Message["role"], label: string): string | null {
  const count = messages.filter((message) => message.role === role).length;
  return count === 0 ? null : `${count} ${label}`;
}
