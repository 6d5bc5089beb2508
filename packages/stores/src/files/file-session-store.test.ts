import { appendFileSync, chmodSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { decodeLog, encodeLog, type SessionEntry } from "@plimsoll/core";
import { MAXIMUM_LINE_BYTES } from "@plimsoll/core/extend";
import { human, sessionStart } from "@plimsoll/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { SESSION_STORE_CONTRACT } from "../testing/session-store-contract.ts";
import { createFileSessionStore } from "./file-session-store.ts";
import { encodeBatch } from "./file-session-writer.ts";
import { MAXIMUM_LOG_BYTES } from "./log-reader.ts";

const folder = freshFolder(beforeEach);

const encodeEntry = (entry: SessionEntry) => encodeLog([entry]);
const START = { ...sessionStart("system"), id: "one" };
const messageEntry = (id: string, text = id): SessionEntry => ({ type: "message", message: human(id, text) });
const store = () => createFileSessionStore({ folder: folder() });
/** Bytes that are read at once. */
const CHUNK_BYTES = 1024 * 1024;
/** An entry's line that has so many bytes, its line end included. */
const lineOf = (id: string, bytes: number) =>
  encodeEntry(messageEntry(id, "x".repeat(bytes - Buffer.byteLength(encodeEntry(messageEntry(id, ""))))));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const logFile = () => folder("one.jsonl");

describe("file session store", { timeout: 30_000 }, () => {
  test.each(SESSION_STORE_CONTRACT)("$rule", ({ run }) => run(async () => store()));

  test.each(["", ".", "..", "../one", "a/b", ".hidden", "a\u0000b"])("no file is named by the id %j", async (id) => {
    await expect(store().open(id)).rejects.toMatchObject({ code: "bad-input" });
  });

  test("a last line that was cut off at any byte is removed, told, and written over", async () => {
    const whole = encodeLog([START, messageEntry("h1")]);
    const last = Buffer.from(encodeEntry(messageEntry("h2", "ünï🦊")));
    const cuts = Array.from({ length: last.length - 2 }, (_, index) => index + 1);
    for (const bytes of cuts) {
      writeFileSync(logFile(), Buffer.concat([Buffer.from(whole), last.subarray(0, bytes)]));
      const { writer, entries, cutOff } = await store().open("one");
      expect({ entries, cutOff }).toEqual({ entries: [START, messageEntry("h1")], cutOff: { line: 3, bytes } });
      await writer.append([messageEntry("h3")]);
      await writer.close();
      expect(readFileSync(logFile(), "utf8")).toBe(`${whole}${encodeEntry(messageEntry("h3"))}`);
    }
  });

  test("a last line that only lacks its line end is kept", async () => {
    writeFileSync(logFile(), encodeLog([START, messageEntry("h1")]).trimEnd());
    const { writer, entries, cutOff } = await store().open("one");
    await writer.append([messageEntry("h2")]);
    await writer.close();
    expect({ count: entries.length, cutOff }).toEqual({ count: 2, cutOff: null });
    expect(readFileSync(logFile(), "utf8")).toBe(encodeLog([START, messageEntry("h1"), messageEntry("h2")]));
  });

  test("a batch that was cut off at any byte is not there, and one that only lacks its line end is", async () => {
    const whole = encodeLog([START, messageEntry("h1")]);
    const batch = Buffer.from(encodeBatch(["h2", "h3", "ünï🦊"].map((id) => messageEntry(id))).join(""));
    const cutOffs = Array.from({ length: batch.length - 2 }, (_, index) => index + 1);
    for (const bytes of cutOffs) {
      const cut = Buffer.concat([Buffer.from(whole), batch.subarray(0, bytes)]);
      writeFileSync(logFile(), cut);
      const expected = { entries: [START, messageEntry("h1")], cutOff: { line: 3, bytes } };
      expect(await store().read("one")).toEqual(expected);
      expect(decodeLog(cut.toString("utf8"), "one.jsonl").entries).toEqual(expected.entries);
      const { writer, entries, cutOff } = await store().open("one");
      expect({ entries, cutOff }).toEqual(expected);
      await writer.close();
      expect(readFileSync(logFile(), "utf8")).toBe(whole);
    }
    writeFileSync(logFile(), Buffer.concat([Buffer.from(whole), batch.subarray(0, -1)]));
    const { writer, entries, cutOff } = await store().open("one");
    expect({ count: entries.length, cutOff }).toEqual({ count: 5, cutOff: null });
    expect(await Promise.all([2, 4].map((index) => writer.entryAt(index)))).toEqual([entries[2], entries[4]]);
    await writer.close();
  });

  test("a batch of any length that was cut off is not there", async () => {
    const lines = encodeBatch([messageEntry("h1", "x".repeat(CHUNK_BYTES * 2)), messageEntry("h2", "x".repeat(70_000)), START]);
    for (const [count, bytes] of [2, 3].flatMap((each) => [0, 9].map((less) => [each, less] as const))) {
      const torn = lines
        .slice(0, count)
        .join("")
        .slice(0, -1 - bytes);
      writeFileSync(logFile(), `${encodeLog([START])}${torn}`);
      const isWhole = count === 3 && bytes === 0;
      expect((await store().read("one"))?.entries.length).toBe(isWhole ? 4 : 1);
    }
  });

  test("a branch that ends within a batch is whole", async () => {
    const created = await store().create(START);
    await created.append(["h1", "h2", "h3"].map((id) => messageEntry(id)));
    await created.close();
    const source = { sessionId: "one", throughEntryId: "h2", newSessionId: "two", nowMs: 7 };
    await (await store().branch(source)).writer.close();
    const entries = [{ ...START, id: "two", createdMs: 7 }, messageEntry("h1"), messageEntry("h2")];
    expect(await store().read("two")).toEqual({ entries, cutOff: null });
  });

  test("a log that was killed while it was begun is not there, and leaves nothing", async () => {
    const draft = `${logFile()}.lock.00000000-0000-4000-8000-000000000000`;
    writeFileSync(draft, `${encodeLog([START])}${lineOf("h1", 10_000)}`.slice(0, -5));
    expect([await store().read("one"), await store().list()]).toEqual([null, []]);
    await (await store().create(START)).close();
    expect(readdirSync(folder())).toEqual(["one.jsonl"]);
  });

  test("a damaged line in the middle is an error with file and line, and leaves no lock", async () => {
    writeFileSync(logFile(), `${encodeLog([START])}{"type":\n${encodeEntry(messageEntry("h1"))}`);
    await expect(store().open("one")).rejects.toThrow(/one\.jsonl:2: not JSON/);
    expect(readdirSync(folder())).toEqual(["one.jsonl"]);
  });

  test("the second writer is told which process has the log", async () => {
    const writer = await store().create(START);
    await expect(store().open("one")).rejects.toThrow(`in use by process ${process.pid}`);
    await writer.close();
  });

  test.each([
    ["a process that is gone", { pid: 2 ** 30, startedAt: "1", token: "t" }],
    ["an earlier process with the same id", { pid: process.pid, startedAt: "0", token: "t" }],
  ])("the lock of %s is taken over", async (_who, holder) => {
    writeFileSync(logFile(), encodeLog([START]));
    writeFileSync(`${logFile()}.lock`, JSON.stringify(holder));
    const opened = await Promise.allSettled([store().open("one"), store().open("one"), store().open("one")]);
    expect(opened.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    await Promise.all(opened.map((each) => (each.status === "fulfilled" ? each.value.writer.close() : undefined)));
  });

  test("a lock that is not ours is an error that says what to do", async () => {
    writeFileSync(logFile(), encodeLog([START]));
    writeFileSync(`${logFile()}.lock`, "{}");
    await expect(store().open("one")).rejects.toThrow("not a lock of plimsoll; remove it");
  });

  test("a writer that got past the lock is a conflict at its first append, and nothing is lost", async () => {
    const first = await store().create(START);
    rmSync(`${logFile()}.lock`);
    const second = (await store().open("one")).writer;
    await first.append([messageEntry("h1")]);
    await expect(second.append([messageEntry("h2")])).rejects.toMatchObject({
      code: "session-conflict",
      details: { sessionId: "one", expected: encodeLog([START]).length, found: encodeLog([START, messageEntry("h1")]).length },
    });
    await first.append([messageEntry("h3")]);
    await Promise.all([first.close(), second.close()]);
    expect(readFileSync(logFile(), "utf8")).toBe(encodeLog([START, messageEntry("h1"), messageEntry("h3")]));
  });

  test("a log that an earlier version let others read is its owner's alone once it is opened", async () => {
    writeFileSync(logFile(), encodeLog([START]));
    chmodSync(logFile(), 0o644);
    await (await store().open("one")).writer.close();
    expect(modeOf(logFile())).toBe("600");
  });

  test("a delete leaves nothing of the log", async () => {
    await (await store().create(START)).close();
    writeFileSync(`${logFile()}.lock.00000000-0000-4000-8000-000000000000`, "");
    await store().delete("one");
    expect(readdirSync(folder())).toEqual([]);
    await createFileSessionStore({ folder: folder("none") }).delete("one");
  });

  test("lines of any length are read and found again, those that fill what is read at once too", async () => {
    const lengths = [-1, 0, 1].flatMap((more) => [CHUNK_BYTES + more, 2 * CHUNK_BYTES + more]);
    const lines = lengths.map((bytes, index) => lineOf(`h${index}`, bytes));
    for (const log of [lines, [...lines].reverse(), lines.slice(0, 1), lines.slice(1, 2)]) {
      writeFileSync(logFile(), [encodeLog([START]), ...log].join(""));
      const { writer, entries, cutOff } = await store().open("one");
      expect(cutOff).toBeNull();
      expect(entries.slice(1).map(encodeEntry)).toEqual(log);
      const read = await Promise.all(log.map((_, index) => writer.entryAt(index + 1)));
      expect(read.map(encodeEntry)).toEqual(log);
      await writer.close();
    }
  });

  test("empty lines are no entries, and shift no entry's place", async () => {
    const lines = [START, messageEntry("h1", "ünï🦊"), messageEntry("h2")].map(encodeEntry);
    writeFileSync(logFile(), `\n${lines.join("\n \n")}`);
    const { writer, entries } = await store().open("one");
    await writer.append([messageEntry("h3")]);
    const read = await Promise.all([0, 1, 2, 3].map((index) => writer.entryAt(index)));
    expect(read).toEqual([...entries, messageEntry("h3")]);
    await writer.close();
  });

  test.each([1, 2, 3])("a branch through entry %i has its lines, also without the last line end", async (through) => {
    const log = [START, messageEntry("h1", "ünï🦊"), messageEntry("h2"), messageEntry("h3", "x".repeat(3_000_000))];
    writeFileSync(logFile(), encodeLog(log).trimEnd());
    const source = { sessionId: "one", throughEntryId: `h${through}`, newSessionId: "b", nowMs: 7 };
    const { writer, entries } = await store().branch(source);
    const expected = [{ ...START, id: "b", createdMs: 7 }, ...log.slice(1, through + 1)];
    expect(entries).toEqual(expected);
    await writer.append([messageEntry("h4")]);
    const read = await Promise.all(expected.map((_, index) => writer.entryAt(index)));
    expect(read).toEqual(expected);
    await writer.close();
    expect(readFileSync(folder("b.jsonl"), "utf8")).toBe(encodeLog([...expected, messageEntry("h4")]));
  });

  test("a log that is larger than what is opened is a typed error, and is left as it is", async () => {
    writeFileSync(logFile(), encodeLog([START]));
    truncateSync(logFile(), MAXIMUM_LOG_BYTES + 1);
    const error = { code: "session-limit", details: { limit: "log-bytes", found: MAXIMUM_LOG_BYTES + 1 } };
    await expect(store().open("one")).rejects.toMatchObject(error);
    await expect(store().read("one")).rejects.toMatchObject(error);
    expect(readdirSync(folder())).toEqual(["one.jsonl"]);
    expect(statSync(logFile()).size).toBe(MAXIMUM_LOG_BYTES + 1);
  });

  test("a line that is longer than what is read is a typed error with file and line", async () => {
    writeFileSync(logFile(), encodeLog([START]));
    truncateSync(logFile(), MAXIMUM_LINE_BYTES + 2 * CHUNK_BYTES);
    await expect(store().open("one")).rejects.toMatchObject({
      code: "session-limit",
      message: `${logFile()}:2: a line of more than ${MAXIMUM_LINE_BYTES} bytes`,
    });
  });

  test("a log that was removed under its writer is an error, not a loss that nobody notices", async () => {
    const writer = await store().create(START);
    rmSync(logFile());
    await expect(writer.append([messageEntry("h1")])).rejects.toThrow("was removed while it was in use");
    await writer.close();
  });

  test("a file that vanished under a reader is no session", async () => {
    const writer = await store().create(START);
    rmSync(logFile());
    expect(await store().read("one")).toBeNull();
    await writer.close();
  });

  test("a log with damage is still listed", async () => {
    writeFileSync(logFile(), "not a log\n");
    appendFileSync(folder("notes.txt"), "no log");
    expect((await store().list()).map(({ sessionId, title }) => ({ sessionId, title }))).toEqual([
      { sessionId: "one", title: null },
    ]);
  });
});
