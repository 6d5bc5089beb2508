import { writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isPlimsollError, type SessionStore } from "@plimsoll/core";
import { human } from "@plimsoll/core/testing";
import { createSqliteStore } from "../../src/databases/sqlite.ts";
import { createFileSessionStore } from "../../src/files/file-session-store.ts";

/**
 * A process of its own for tests that kill it: takes a log whenever it is free, appends some batches and gives it free again, without end. Says
 * `< id` for each entry of a batch before it is written, and `> id` once the store said that it is. Arguments: kind of store, folder, session id.
 */
const [kind = "", folder = "", sessionId = ""] = process.argv.slice(2);

/** So short that a killed writer is soon followed. */
const LEASE_MS = 200;
const PAUSE_MS = 2;
const BATCHES_PER_TURN = 3;
const MOST_ENTRIES = 4;
const LARGEST_CHARS = 40_000;
const PRIME = 24_499;

const say = (mark: string, ids: readonly string[]) => writeSync(1, ids.map((id) => `${mark} ${id}\n`).join(""));

async function storeOf(): Promise<SessionStore> {
  if (kind === "files") return createFileSessionStore({ folder, sync: "on-close" });
  const driver = kind === "node:sqlite" ? "node" : "libsql";
  return (await createSqliteStore({ file: join(folder, "sessions.db"), driver, leaseMs: LEASE_MS })).sessions;
}

/** Nothing instead of a conflict: another writer is at work. */
async function unlessInUse<T>(work: Promise<T>): Promise<T | null> {
  return await work.catch((error: unknown) => {
    if (isPlimsollError(error, "session-conflict")) return null;
    throw error;
  });
}

const store = await storeOf();
for (let batch = process.pid; ; ) {
  const opened = await unlessInUse(store.open(sessionId, () => undefined));
  if (opened === null) {
    await setTimeout(PAUSE_MS);
    continue;
  }
  for (let turn = 0; turn < BATCHES_PER_TURN; turn++) {
    batch += 1;
    const count = 1 + (batch % MOST_ENTRIES);
    const ids = Array.from({ length: count }, (_, index) => `${process.pid}.${batch}:${index + 1}/${count}`);
    const messages = ids.map((id, index) => human(id, "x".repeat(((batch + index) * PRIME) % LARGEST_CHARS)));
    say("<", ids);
    const written = await unlessInUse(opened.writer.append(messages.map((message) => ({ type: "message", message }))));
    if (written === null) break;
    say(">", ids);
  }
  await opened.writer.close();
}
