import { writeSync } from "node:fs";
import type { SessionEntry } from "../../entry.ts";
import { createFileSessionStore } from "../file-session-store.ts";

/**
 * A process of its own for the kill test: opens the logs and appends to all of them at once until it is killed. Says log and message on its
 * output once the store said that the message is written. Arguments: folder, largest message in characters, session ids.
 */
const [folder = "", maximumChars = "1", ...sessionIds] = process.argv.slice(2);
const store = createFileSessionStore({ folder, sync: "on-close" });
const opened = await Promise.all(sessionIds.map((sessionId) => store.open(sessionId)));
for (const { writer, entries } of opened) void appendForEver(writer, entries.length);

async function appendForEver(writer: (typeof opened)[number]["writer"], first: number): Promise<never> {
  for (let number = first; ; number++) {
    const chars = (number * 245_489) % Number(maximumChars);
    const id = `m${number}`;
    const entry: SessionEntry = {
      type: "message",
      message: { role: "user", id, origin: "human", parts: [{ type: "text", text: "é".repeat(chars) }], atMs: null },
    };
    await writer.append([entry]);
    writeSync(1, `${writer.sessionId} ${id}\n`);
  }
}
