import { statSync } from "node:fs";
import { human, sessionStart } from "@plimsoll/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { DATABASE_STORE_RULES, type MakeStore } from "../../testing/store-rules.ts";
import { ARTIFACT_STORE_CONTRACT } from "../testing/artifact-store-contract.ts";
import { SESSION_STORE_CONTRACT } from "../testing/session-store-contract.ts";
import { createSqliteStore } from "./sqlite.ts";

type SqliteStore = Awaited<ReturnType<typeof createSqliteStore>>;
type SqliteStoreOptions = Parameters<typeof createSqliteStore>[0];

const folder = freshFolder(beforeEach);
let open: SqliteStore[] = [];
afterEach(() => {
  for (const store of open) store.close();
  open = [];
});

const made = async (options: Omit<SqliteStoreOptions, "file"> = {}): Promise<SqliteStore> => {
  const store = await createSqliteStore({ file: folder("sessions.db"), ...options });
  open.push(store);
  await store.setUp();
  return store;
};

describe("a store in SQLite by libsql", () => {
  const make: MakeStore = (options) => made({ driver: "libsql", ...options });

  test.each(SESSION_STORE_CONTRACT)("$rule", ({ run }) => run(async () => (await make()).sessions));
  test.each(ARTIFACT_STORE_CONTRACT)("$rule", ({ run }) => run(async () => (await make()).artifacts));
  test.each(DATABASE_STORE_RULES)("$rule", ({ run }) => run(async () => make));

  test("what was written is there for another connection, and its owner's alone", async () => {
    const [one, two] = [await make(), await make()];
    const start = { ...sessionStart("system"), id: "one" };
    const writer = await one.sessions.create(start);
    const texts = Array.from({ length: 20 }, (_, index) => human(`h${index}`, "text"));
    const other = await two.sessions.create({ ...start, id: "two" });
    const append = (to: typeof writer) => texts.map((message) => to.append([{ type: "message", message }]));
    await Promise.all([...append(writer), ...append(other)]);
    expect((await two.sessions.read("one"))?.entries).toHaveLength(21);
    expect((await one.sessions.read("two"))?.entries).toHaveLength(21);
    expect((statSync(folder("sessions.db")).mode & 0o777).toString(8)).toBe("600");
  });

  test("a branch of a log that is removed meanwhile is refused and leaves nothing", async () => {
    const { sessions } = await make();
    await (await sessions.create({ ...sessionStart("system"), id: "one" })).close();
    const source = { sessionId: "one", throughEntryId: "one", newSessionId: "two", nowMs: null };
    const branch = sessions.branch(source, () => void sessions.delete("one"));
    await expect(branch).rejects.toMatchObject({ code: "bad-session", message: "there is no session one" });
    expect(await sessions.list()).toEqual([]);
  });
});

test("a file that cannot be opened is told by its name", async () => {
  const file = folder("none", "sessions.db");
  await expect(createSqliteStore({ file })).rejects.toMatchObject({ code: "bad-input", details: { file } });
});
