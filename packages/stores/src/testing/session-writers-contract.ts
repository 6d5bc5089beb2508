import type { SessionEntry, SessionStore } from "@plimsoll/core";
import type { JsonValue } from "@plimsoll/core/extend";
import { assistant, human, sessionStart } from "@plimsoll/core/testing";
import { type ContractCase, rejectsWith, ruled, sameOrThrow } from "./contract.ts";

/** The first entry of the log that most rules write. */
export const START: Extract<SessionEntry, { readonly type: "session" }> = { ...sessionStart("system"), id: "one" };
/** A message for a log. */
export const said = (id: string, text = `text of ${id}`): SessionEntry => ({ type: "message", message: human(id, text) });
const [FIRST, SECOND, THIRD] = [said("h1"), said("h2"), said("h3")];

/** So deep that core could not read it back. */
const TOO_DEEP_NESTING_COUNT = 1_000;

/** As deep as a vendor never goes, and well below the limit. */
const DEEP_NESTING_COUNT = 900;

/** A reply with a value that is nested so deep, below the levels of the entry itself. */
function thought(id: string, levels: number): SessionEntry {
  let opaque: JsonValue = "signature";
  for (let level = 0; level < levels; level++) opaque = [opaque];
  return { type: "message", message: assistant(id, [{ type: "reasoning", text: "hm", opaque }]) };
}

/** Writes a log of these entries behind the first, and closes it. */
export async function written(store: SessionStore, ...entries: readonly SessionEntry[]): Promise<void> {
  const writer = await store.create(START);
  await writer.append(entries);
  await writer.close();
}

/** The ids of all logs, in order. */
export async function listed(store: SessionStore): Promise<readonly string[]> {
  return (await store.list()).map(({ sessionId }) => sessionId).sort();
}

/** Cases that every session store must pass when a log has several writers, is deleted, or is given too much. */
export const SESSION_WRITERS_CONTRACT: readonly ContractCase<SessionStore>[] = [
  ruled("refuses a second writer when it opens or at its first append, and loses nothing", async (store) => {
    const first = await store.create(START);
    const opening = store.open("one");
    await opening.catch(() => undefined);
    await first.append([FIRST]);
    await rejectsWith("session-conflict", async () => (await opening).writer.append([SECOND]));
    await first.append([THIRD]);
    await first.close();
    await first.close();
    sameOrThrow("log", (await store.read("one"))?.entries, [START, FIRST, THIRD]);
  }),
  ruled("goes on with a log after a conflict", async (store) => {
    const first = await store.create(START);
    const opening = store.open("one");
    await opening.catch(() => undefined);
    await first.append([FIRST]);
    await rejectsWith("session-conflict", async () => (await opening).writer.append([SECOND]));
    await first.close();
    await opening.then(({ writer }) => writer.close()).catch(() => undefined);
    const { writer, entries } = await store.open("one");
    sameOrThrow("opened", entries, [START, FIRST]);
    await writer.append([SECOND]);
    await writer.close();
    sameOrThrow("log", (await store.read("one"))?.entries, [START, FIRST, SECOND]);
  }),
  ruled("does not create or branch into a log that a writer has", async (store) => {
    const writer = await store.create(START);
    await (await store.create({ ...START, id: "two" })).close();
    await rejectsWith("session-conflict", () => store.create(START));
    const branch = { sessionId: "two", throughEntryId: "two", newSessionId: "one", nowMs: null };
    await rejectsWith("session-conflict", () => store.branch(branch));
    await writer.append([FIRST]);
    await writer.close();
    sameOrThrow("log", (await store.read("one"))?.entries, [START, FIRST]);
  }),
  ruled("keeps the order of appends that one writer makes at once", async (store) => {
    const writer = await store.create(START);
    const entries = Array.from({ length: 40 }, (_, index) => said(`h${index}`));
    await Promise.all(entries.map((entry) => writer.append([entry])));
    await writer.close();
    sameOrThrow("log", (await store.read("one"))?.entries, [START, ...entries]);
  }),
  ruled("deletes a log, so that its id is free again", async (store) => {
    const writer = await store.create(START);
    await writer.append([FIRST]);
    await writer.close();
    await (await store.create({ ...START, id: "two" })).close();
    await store.delete("one");
    await store.delete("one");
    sameOrThrow("read", await store.read("one"), null);
    sameOrThrow("list", await listed(store), ["two"]);
    await rejectsWith("bad-session", () => store.open("one"));
    await rejectsWith("bad-session", () => writer.append([SECOND]));
    await (await store.create(START)).close();
    sameOrThrow("created anew", (await store.read("one"))?.entries, [START]);
  }),
  ruled("does not delete a log that a writer has", async (store) => {
    const writer = await store.create(START);
    await rejectsWith("session-conflict", () => store.delete("one"));
    await writer.append([FIRST]);
    await writer.close();
    sameOrThrow("log", (await store.read("one"))?.entries, [START, FIRST]);
  }),
  ruled("deletes what is not there", async (store) => {
    await store.delete("other");
    sameOrThrow("list", await store.list(), []);
  }),
  ruled("writes nothing that is nested too deeply to read, and goes on", async (store) => {
    const writer = await store.create(START);
    await rejectsWith("session-limit", () => writer.append([FIRST, thought("a9", TOO_DEEP_NESTING_COUNT)]));
    await writer.append([FIRST, thought("a8", DEEP_NESTING_COUNT)]);
    await writer.close();
    sameOrThrow("log", (await store.read("one"))?.entries, [START, FIRST, thought("a8", DEEP_NESTING_COUNT)]);
  }),
];
