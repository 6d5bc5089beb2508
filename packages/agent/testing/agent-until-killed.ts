import { writeSync } from "node:fs";
import type { SessionStore, SessionWriter } from "@plimsoll/core";
import { entryIdOf } from "@plimsoll/core/extend";
import { createFileSessionStore } from "@plimsoll/stores";
import { endlessAgent } from "./endless-agent.ts";

/**
 * A process of its own for the kill test: goes on with a session and never ends. Says `< type:id` before an entry is written and `> type:id` once
 * the store said that it is. Arguments: folder, session id, when to sync.
 */
const [folder = "", sessionId = "", sync = ""] = process.argv.slice(2);
const policy = sync === "on-close" ? "on-close" : "every-append";

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
