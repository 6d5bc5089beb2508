import type { DatabaseStore, DatabaseStoreOptions } from "../src/databases/table-store.ts";
import { type ContractCase, rejectsWith, ruled, sameOrThrow } from "../src/testing/contract.ts";
import { listed, START, said } from "../src/testing/session-writers-contract.ts";

/** Makes an empty store with the options given. */
export type MakeStore = (options?: DatabaseStoreOptions) => Promise<DatabaseStore>;

/** More entries than are asked for at once. */
const MANY = 450;

/** Rules of stores in databases in addition to every store's contract. Each rule makes its own store with the lease that it needs. */
export const DATABASE_STORE_RULES: readonly ContractCase<MakeStore>[] = [
  ruled("a log whose lease has run out can be taken over, and who was overtaken is refused without a loss", async (make) => {
    const { sessions } = await make({ leaseMs: 0 });
    const first = await sessions.create(START);
    await first.append([said("h1")]);
    const second = (await sessions.open("one")).writer;
    await rejectsWith("session-conflict", () => first.append([said("h2")]));
    await second.append([said("h3")]);
    // The first one closes late, and takes nothing from the second.
    await first.close();
    await second.append([said("h4")]);
    await second.close();
    sameOrThrow("log", (await sessions.read("one"))?.entries, [START, said("h1"), said("h3"), said("h4")]);
  }),
  ruled("who finds a log held, or lost it, is told by which process and since when", async (make) => {
    const [{ sessions }, passing] = [await make(), await make({ leaseMs: 0 })];
    const held = await sessions.create(START);
    const lost = await passing.sessions.create({ ...START, id: "two" });
    const taken = await passing.sessions.open("two");
    const asks = [
      () => sessions.open("one"),
      () => sessions.create(START),
      () => sessions.delete("one"),
      () => lost.append([said("h")]),
    ];
    const told = await Promise.all(asks.map((ask) => ask().then(() => "", String)));
    const isNamed = (text: string) => new RegExp(` by process ${process.pid} on .+, since \\d{4}-\\d\\d-\\d\\dT`).test(text);
    sameOrThrow("told", told.map(isNamed), [true, true, true, true]);
    await Promise.all([held.close(), taken.writer.close()]);
  }),
  ruled("a log of many entries is read, branched and gone on with", async (make) => {
    const { sessions } = await make();
    const entries = Array.from({ length: MANY }, (_, index) => said(`h${index}`));
    const writer = await sessions.create(START);
    await writer.append(entries);
    await writer.close();
    const source = { sessionId: "one", throughEntryId: `h${MANY - 2}`, newSessionId: "two", nowMs: 7 };
    const branch = await sessions.branch(source);
    await branch.writer.append([said("next")]);
    const places = await Promise.all([0, MANY - 1, MANY].map((index) => branch.writer.entryAt(index)));
    const start = { ...START, id: "two", createdMs: 7 };
    sameOrThrow("places", places, [start, said(`h${MANY - 2}`), said("next")]);
    await branch.writer.close();
    sameOrThrow("log", (await sessions.read("two"))?.entries, [start, ...entries.slice(0, MANY - 1), said("next")]);
  }),
  ruled("text that a database cannot hold comes back as it was, and shows in lists", async (make) => {
    const { sessions } = await make();
    const odd = said("h\u0000\ud800", "title\u0000 \udc00 '; drop table plimsoll_log; --\nrest");
    const writer = await sessions.create(START);
    await writer.append([odd]);
    await writer.close();
    sameOrThrow("log", (await sessions.read("one"))?.entries, [START, odd]);
    sameOrThrow("title", (await sessions.list())[0]?.title, "title \ufffd '; drop table plimsoll_log; --");
  }),
  ruled("lists say how large a log is, when it began, and that it was written", async (make) => {
    const { sessions } = await make();
    const writer = await sessions.create({ ...START, createdMs: 1_700_000_000_000 });
    await writer.append([said("h1")]);
    await writer.close();
    const [summary] = await sessions.list();
    const bytes = [{ ...START, createdMs: 1_700_000_000_000 }, said("h1")].reduce(
      (sum, entry) => sum + JSON.stringify(entry).length,
      0,
    );
    sameOrThrow("bytes", [summary?.bytes, summary?.createdMs], [bytes, 1_700_000_000_000]);
    // Later than this test was written: the database's clock counts from 1970.
    sameOrThrow("updated", (summary?.updatedMs ?? 0) > 1_790_000_000_000, true);
  }),
  ruled("a conversation is deleted with its sub-agents' logs and the artifacts that it alone names", async (make) => {
    const store = await make();
    const [own, shared] = [await store.artifacts.put("own"), await store.artifacts.put("shared")];
    const child = { ...START, id: "child", parent: { sessionId: "one", callId: "c1" } };
    const grandchild = { ...START, id: "grandchild", parent: { sessionId: "child", callId: "c2" } };
    for (const start of [START, child, grandchild, { ...START, id: "other" }])
      await (await store.sessions.create(start)).close();
    const writer = (await store.sessions.open("grandchild")).writer;
    await writer.append([said("h1", `see ${own} and ${shared}`)]);
    await writer.close();
    const other = (await store.sessions.open("other")).writer;
    await other.append([said("h1", `see ${shared}`)]);
    await rejectsWith("session-conflict", () => store.deleteConversation("other"));
    await other.close();
    await store.deleteConversation("one");
    await store.deleteConversation("one");
    sameOrThrow("left", await listed(store.sessions), ["other"]);
    // Too young to go: an entry that names it may be on its way.
    sameOrThrow("artifacts", [await store.artifacts.get(own), await store.artifacts.get(shared)], ["own", "shared"]);
  }),
  ruled("logs that nobody wrote to for so long are pruned, but not those that a writer has", async (make) => {
    const store = await make();
    for (const id of ["one", "two"]) await (await store.sessions.create({ ...START, id })).close();
    const writer = await store.sessions.create({ ...START, id: "held" });
    sameOrThrow("nothing is so old", await store.prune(3_600_000), []);
    sameOrThrow("pruned", [...(await store.prune(0))].sort(), ["one", "two"]);
    sameOrThrow("left", await listed(store.sessions), ["held"]);
    await writer.append([said("h1")]);
    await writer.close();
  }),
  ruled("a prune is refused for a time that is none, and removes nothing", async (make) => {
    const store = await make();
    await (await store.sessions.create(START)).close();
    for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) await rejectsWith("bad-input", () => store.prune(ms));
    sameOrThrow("left", await listed(store.sessions), ["one"]);
  }),
  ruled("a set-up that was made is left as it is", async (make) => {
    const store = await make();
    await (await store.sessions.create(START)).close();
    await store.setUp();
    sameOrThrow("left", await listed(store.sessions), ["one"]);
  }),
];
