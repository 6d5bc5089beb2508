import type { createPostgresStore } from "@plimsoll/stores/postgres";

/** Where conversations live. */
export type Store = ReturnType<typeof createPostgresStore>;

/** Finds the person's messages in a log. */
export interface Said {
  /** Messages of the person. */
  readonly count: number;
  /** The model's last words to the message that was asked about; `null` while there are none. */
  readonly answer: string | null;
}

/** Reads a log, entry by entry, for the answer to the person's message of that number, counted from 1. Nothing of it stays in memory. */
export async function saidIn(sessions: Store["sessions"], sessionId: string, number: number): Promise<Said> {
  let count = 0;
  let answer: string | null = null;
  await sessions.read(sessionId, (entry) => {
    if (entry.type !== "message") return;
    const { message } = entry;
    if (message.role === "user" && message.origin === "human") count += 1;
    if (message.role !== "assistant" || message.origin !== "model" || count !== number) return;
    const hasCalls = message.parts.some((part) => part.type === "tool-call");
    answer = hasCalls ? null : message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  });
  return { count, answer };
}
