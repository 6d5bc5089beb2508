import { PlimsollError, type SessionEntry, type SessionStore } from "@plimsoll/core";
import { human, reply } from "@plimsoll/core/testing";
import { CLOSE_CONTRACT } from "./close-contract.ts";
import { type ContractCase, rejectsWith, ruled, sameOrThrow } from "./contract.ts";
import { listed, SESSION_WRITERS_CONTRACT, START, said, written } from "./session-writers-contract.ts";

const FIRST: SessionEntry = { type: "message", message: human("h1", "first question\nwith a second line") };
const SECOND: SessionEntry = { type: "message", message: reply("a1", "an answer 🦊") };
const THIRD: SessionEntry = { type: "message", message: human("h2", "next") };

/** Test cases that every session store must pass, for tests of your own store. */
export const SESSION_STORE_CONTRACT: readonly ContractCase<SessionStore>[] = [
  ruled("gives back what was appended, in order", async (store) => {
    const writer = await store.create(START);
    await Promise.all([writer.append([FIRST, SECOND]), writer.append([THIRD])]);
    await writer.close();
    sameOrThrow("log", await store.read("one"), { entries: [START, FIRST, SECOND, THIRD], cutOff: null });
  }),
  ruled("goes on with a log that was closed", async (store) => {
    await written(store, FIRST);
    const { writer, entries } = await store.open("one");
    sameOrThrow("opened", entries, [START, FIRST]);
    await writer.append([SECOND]);
    await writer.close();
    sameOrThrow("log", (await store.read("one"))?.entries, [START, FIRST, SECOND]);
  }),
  ruled("reads an entry back by its index, those just appended too", async (store) => {
    await written(store, FIRST, SECOND);
    const { writer } = await store.open("one");
    await writer.append([THIRD]);
    const found = await Promise.all([3, 0, 2, 1].map((index) => writer.entryAt(index)));
    sameOrThrow("entries", found, [THIRD, START, SECOND, FIRST]);
    for (const index of [-1, 4, 0.5]) await rejectsWith("bad-input", () => writer.entryAt(index));
    await writer.close();
    await rejectsWith("bad-session", () => writer.entryAt(0));
  }),
  ruled("hands entries over as it reads them, and keeps none then", async (store) => {
    await written(store, FIRST, SECOND, THIRD);
    const [read, opened, branched]: [SessionEntry[], SessionEntry[], SessionEntry[]] = [[], [], []];
    const stored = await store.read("one", (entry) => read.push(entry));
    const session = await store.open("one", (entry) => opened.push(entry));
    const source = { sessionId: "one", throughEntryId: "h1", newSessionId: "branch", nowMs: 7 };
    const branch = await store.branch(source, (entry) => branched.push(entry));
    sameOrThrow("kept", [stored?.entries, session.entries, branch.entries], [[], [], []]);
    sameOrThrow(
      "handed over",
      [read, opened],
      [
        [START, FIRST, SECOND, THIRD],
        [START, FIRST, SECOND, THIRD],
      ],
    );
    sameOrThrow("branch", branched, [{ ...START, id: "branch", createdMs: 7 }, FIRST]);
    await Promise.all([session.writer.close(), branch.writer.close()]);
  }),
  ruled("passes on what the taker of entries throws, and leaves the log free", async (store) => {
    await (await store.create(START)).close();
    const refuse = () => {
      throw new PlimsollError("bad-edit", "does not fold");
    };
    await rejectsWith("bad-edit", () => store.open("one", refuse));
    await rejectsWith("bad-edit", () => store.read("one", refuse));
    await (await store.open("one")).writer.close();
  }),
  ruled("takes any id that is a name, and any text in ids of entries", async (store) => {
    const ids = ["a", "A.b-c_d", "0", "x.jsonl", "x.jsonl.lock", "__proto__", "a".repeat(200)];
    const odd = ["x#1", "../up", "a..b", "ünï 🦊", "\n", "__proto__"].map((id) => said(id));
    for (const id of ids) {
      const writer = await store.create({ ...START, id });
      await writer.append(odd);
      await writer.close();
    }
    sameOrThrow("list", await listed(store), [...ids].sort());
    for (const id of ids) {
      sameOrThrow(id, (await store.read(id))?.entries, [{ ...START, id }, ...odd]);
      await store.delete(id);
    }
    sameOrThrow("list", await listed(store), []);
  }),
  ruled("takes nothing after the writer was closed", async (store) => {
    const writer = await store.create(START);
    await writer.close();
    await rejectsWith("bad-session", () => writer.append([FIRST]));
    sameOrThrow("log", (await store.read("one"))?.entries, [START]);
  }),
  ruled("creates each log once", async (store) => {
    await (await store.create(START)).close();
    await rejectsWith("bad-session", () => store.create(START));
    await (await store.open("one")).writer.close();
  }),
  ruled("has no log that was not created", async (store) => {
    sameOrThrow("log", await store.read("other"), null);
    await rejectsWith("bad-session", () => store.open("other"));
    sameOrThrow("list", await store.list(), []);
  }),
  ruled("lists logs with their parent and title", async (store) => {
    await written(store, FIRST);
    const child = { ...START, id: "two", parent: { sessionId: "one", callId: "c1" } };
    await (await store.create(child)).close();
    const listed = (await store.list()).map(({ sessionId, parentId, title }) => ({ sessionId, parentId, title }));
    const sorted = listed.sort((a, b) => a.sessionId.localeCompare(b.sessionId));
    sameOrThrow("list", sorted, [
      { sessionId: "one", parentId: null, title: "first question" },
      { sessionId: "two", parentId: "one", title: null },
    ]);
  }),
  ruled("branches a log through an entry", async (store) => {
    await written(store, FIRST, SECOND, THIRD);
    const source = { sessionId: "one", throughEntryId: "a1", newSessionId: "branch", nowMs: 7 };
    const branch = await store.branch(source);
    await branch.writer.append([THIRD]);
    await branch.writer.close();
    const start = { ...START, id: "branch", createdMs: 7 };
    sameOrThrow("branch", (await store.read("branch"))?.entries, [start, FIRST, SECOND, THIRD]);
    await rejectsWith("bad-session", () => store.branch(source));
    await rejectsWith("bad-input", () => store.branch({ ...source, throughEntryId: "no-such", newSessionId: "other" }));
  }),
  ...SESSION_WRITERS_CONTRACT,
  ...CLOSE_CONTRACT,
];
