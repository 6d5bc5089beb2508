import { readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SessionEntry } from "@plimsoll/core";
import { sessionStart } from "@plimsoll/core/testing";
import { createFileArtifactStore } from "../../src/files/file-artifact-store.ts";
import { createFileSessionStore } from "../../src/files/file-session-store.ts";

/**
 * A process of its own for effects that the heap or the umask of a test's process would hide. Arguments: task, folder. Prints its findings as JSON:
 * with `stream` and `keep` how many entries the log `one` has, with `modes` the modes of all that the stores make.
 */
const [task = "", folder = ""] = process.argv.slice(2);

async function stream(): Promise<number> {
  let count = 0;
  const session = await createFileSessionStore({ folder }).open("one", () => {
    count += 1;
  });
  await session.writer.close();
  return count;
}

async function keep(): Promise<number> {
  const { writer, entries } = await createFileSessionStore({ folder }).open("one");
  await writer.close();
  return entries.length;
}

async function modes(): Promise<readonly string[]> {
  process.umask(0);
  const home = join(folder, "new");
  const sessions = createFileSessionStore({ folder: join(home, "sessions") });
  const start: SessionEntry = { ...sessionStart(), id: "one" };
  const writer = await sessions.create(start);
  const branch = await sessions.branch({ sessionId: "one", throughEntryId: "one", newSessionId: "two", nowMs: null });
  const artifacts = createFileArtifactStore(join(home, "artifacts"));
  await artifacts.put("a text");
  const piecewise = await artifacts.begin();
  await piecewise.write("another");
  await piecewise.finish();
  const names = readdirSync(home, { recursive: true, encoding: "utf8" }).sort();
  const found = names.map((name) => `${(statSync(join(home, name)).mode & 0o777).toString(8)} ${name}`);
  await Promise.all([writer.close(), branch.writer.close()]);
  return found;
}

const tasks = new Map<string, () => Promise<unknown>>([
  ["stream", stream],
  ["keep", keep],
  ["modes", modes],
]);
writeSync(1, JSON.stringify(await tasks.get(task)?.()));
