import type { SessionEntry, SessionStartEntry } from "../entry.ts";
import type { SessionStore } from "../ports.ts";
import { human, reply, sessionStart } from "./builders.ts";
import type { ContractCase } from "./contract.ts";
import { rejectsWith, sameOrThrow } from "./contract.ts";

const START: SessionStartEntry = { ...sessionStart("system"), id: "one" };
const FIRST: SessionEntry = { type: "message", message: human("h1", "first question\nwith a second line") };
const SECOND: SessionEntry = { type: "message", message: reply("a1", "an answer 🦊") };
const THIRD: SessionEntry = { type: "message", message: human("h2", "next") };

/** What every session store does. */
export const SESSION_STORE_CONTRACT: readonly ContractCase<SessionStore>[] = [
  {
    rule: "gives back what was appended, in order",
    run: async (make) => {
      const store = await make();
      const writer = await store.create(START);
      await Promise.all([writer.append([FIRST, SECOND]), writer.append([THIRD])]);
      await writer.close();
      sameOrThrow("log", await store.read("one"), { entries: [START, FIRST, SECOND, THIRD], cutOff: null });
    },
  },
  {
    rule: "goes on with a log that was closed",
    run: async (make) => {
      const store = await make();
      const created = await store.create(START);
      await created.append([FIRST]);
      await created.close();
      const { writer, entries } = await store.open("one");
      sameOrThrow("opened", entries, [START, FIRST]);
      await writer.append([SECOND]);
      await writer.close();
      sameOrThrow("log", (await store.read("one"))?.entries, [START, FIRST, SECOND]);
    },
  },
  {
    rule: "has one writer a log",
    run: async (make) => {
      const store = await make();
      const writer = await store.create(START);
      await rejectsWith("bad-session", () => store.open("one"));
      await writer.close();
      await writer.close();
      await (await store.open("one")).writer.close();
    },
  },
  {
    rule: "takes nothing after the writer was closed",
    run: async (make) => {
      const store = await make();
      const writer = await store.create(START);
      await writer.close();
      await rejectsWith("bad-session", () => writer.append([FIRST]));
      sameOrThrow("log", (await store.read("one"))?.entries, [START]);
    },
  },
  {
    rule: "creates each log once",
    run: async (make) => {
      const store = await make();
      await (await store.create(START)).close();
      await rejectsWith("bad-session", () => store.create(START));
      await (await store.open("one")).writer.close();
    },
  },
  {
    rule: "has no log that was not created",
    run: async (make) => {
      const store = await make();
      sameOrThrow("log", await store.read("other"), null);
      await rejectsWith("bad-session", () => store.open("other"));
      sameOrThrow("list", await store.list(), []);
    },
  },
  {
    rule: "lists logs with their parent and title",
    run: async (make) => {
      const store = await make();
      const parent = await store.create(START);
      await parent.append([FIRST]);
      await parent.close();
      const child = { ...START, id: "two", parent: { sessionId: "one", callId: "c1" } };
      await (await store.create(child)).close();
      const listed = (await store.list()).map(({ sessionId, parentId, title }) => ({ sessionId, parentId, title }));
      const sorted = listed.sort((a, b) => a.sessionId.localeCompare(b.sessionId));
      sameOrThrow("list", sorted, [
        { sessionId: "one", parentId: null, title: "first question" },
        { sessionId: "two", parentId: "one", title: null },
      ]);
    },
  },
  {
    rule: "branches a log through an entry",
    run: async (make) => {
      const store = await make();
      const writer = await store.create(START);
      await writer.append([FIRST, SECOND, THIRD]);
      await writer.close();
      const source = { sessionId: "one", throughEntryId: "a1", newSessionId: "branch", nowMs: 7 };
      const branch = await store.branch(source);
      await branch.writer.append([THIRD]);
      await branch.writer.close();
      const start = { ...START, id: "branch", createdMs: 7 };
      sameOrThrow("branch", (await store.read("branch"))?.entries, [start, FIRST, SECOND, THIRD]);
      await rejectsWith("bad-session", () => store.branch(source));
      await rejectsWith("bad-input", () => store.branch({ ...source, throughEntryId: "no-such", newSessionId: "other" }));
    },
  },
];
