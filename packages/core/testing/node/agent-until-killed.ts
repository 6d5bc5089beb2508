import { writeSync } from "node:fs";
import { entryIdOf } from "../../src/entry.ts";
import { createFileSessionStore } from "../../src/node/file-session-store.ts";
import type { SyncPolicy } from "../../src/node/file-session-writer.ts";
import type { SessionStore, SessionWriter } from "../../src/ports.ts";
import { endlessAgent } from "./endless-agent.ts";

/**
 * A process of its own for the kill test: goes on with a session and never ends. Says `< type:id` before an entry is written and `> type:id` once
 * the store said that it is. Arguments: folder, session id, when to sync.
 */
const [folder = "", sessionId = "", sync = ""] = process.argv.slice(2);
const policy: SyncPolicy = sync === "on-close" ? "on-close" : "every-append";

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function reporting(store: SessionStore): SessionStore {
  const reportingWriter = (writer: SessionWriter): SessionWriter => ({
    ...writer,
    append: async (entries) => {
      const names = entries.map((entry) => `${entry.type}:${entryIdOf(entry)}`);
      for (const name of names) say(`< ${name}`);
      await writer.append(entries);
      for (const name of names) say(`> ${name}`);
    },
  });
  return {
    ...store,
    open: async (id, onEntry) => {
      const opened = await store.open(id, onEntry);
      return { ...opened, writer: reportingWriter(opened.writer) };
    },
  };
}

say("opens");
const agent = await endlessAgent({ folder, sessionId, sessions: reporting(createFileSessionStore({ folder, sync: policy })) });
await agent.submit("Go on.");
