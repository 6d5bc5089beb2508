import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { encodeLog, type SessionEntry } from "@plimsoll/core";
import { human, sessionStart } from "@plimsoll/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { createFileSessionWriter, type LogHandle } from "./file-session-writer.ts";
import { createLogIndex, MAXIMUM_LOG_BYTES } from "./log-reader.ts";

const folder = freshFolder(beforeEach);

const START = { ...sessionStart("system"), id: "one" };
const messageEntry = (id: string): SessionEntry => ({ type: "message", message: human(id, id) });
const logFile = () => folder("one.jsonl");
const handleOf = (file: FileHandle): LogHandle => ({
  fd: file.fd,
  read: file.read.bind(file),
  appendFile: file.appendFile.bind(file),
  truncate: file.truncate.bind(file),
  datasync: file.datasync.bind(file),
  close: file.close.bind(file),
});
type Opened = Parameters<typeof createFileSessionWriter>[0];
/** A writer of an empty log that is forced to the disk when it is closed. */
const writerOf = (given: Partial<Opened> & Pick<Opened, "file">) =>
  createFileSessionWriter({
    ...{ sessionId: "one", path: logFile(), bytes: 0, index: createLogIndex(), sync: "on-close" },
    release: async () => undefined,
    ...given,
  });

describe("file session writer", () => {
  test("a disk that is full rejects, and what was there stays", async () => {
    // Linux has a device that is always full.
    const file = await open("/dev/full", "a");
    const writer = writerOf({ path: "/dev/full", file });
    await expect(writer.append([START])).rejects.toThrow("/dev/full: the disk is full");
    await writer.close();
  });

  test("a disk that fails when it is forced is told at the close, and the log is free", async () => {
    const file = await open(logFile(), "a+");
    const released: string[] = [];
    const writer = writerOf({
      file: {
        ...handleOf(file),
        datasync: () => Promise.reject(Object.assign(new Error("i/o error"), { code: "EIO" })),
      },
      release: async () => void released.push("one"),
    });
    await writer.append([START]);
    await expect(writer.close()).rejects.toMatchObject({ code: "bad-session", details: { errno: "EIO" } });
    expect(released).toEqual(["one"]);
  });

  test("an append that would make the log too large is refused, and the log stays as it was", async () => {
    writeFileSync(logFile(), "");
    truncateSync(logFile(), MAXIMUM_LOG_BYTES - 10);
    const writer = writerOf({ file: await open(logFile(), "a+"), bytes: MAXIMUM_LOG_BYTES - 10 });
    await expect(writer.append([START])).rejects.toMatchObject({ code: "session-limit", details: { limit: "log-bytes" } });
    expect(statSync(logFile()).size).toBe(MAXIMUM_LOG_BYTES - 10);
    await writer.close();
  });

  test.each([
    ["on-close", ["appendFile"]],
    ["every-append", ["appendFile", "datasync"]],
  ] as const)("an append waits for the disk as seldom as it can, forced to it %s", async (sync, expected) => {
    writeFileSync(logFile(), "");
    const file = await open(logFile(), "a+");
    const waits: PropertyKey[] = [];
    const counted = new Proxy(file, {
      get: (_, name) => {
        const value: unknown = Reflect.get(file, name, file);
        if (typeof value !== "function") return value;
        waits.push(name);
        return value.bind(file);
      },
    });
    const writer = writerOf({ file: counted, sync });
    await writer.append([START]);
    expect(waits).toEqual(expected);
    await writer.close();
  });

  test("what a full disk took of an append goes, if not at once then before the next one", async () => {
    writeFileSync(logFile(), encodeLog([START]));
    const file = await open(logFile(), "a+");
    const noSpace = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    const failures = [noSpace];
    const truncations = [noSpace];
    const failing: LogHandle = {
      ...handleOf(file),
      appendFile: async (data) => {
        const failure = failures.pop();
        await file.appendFile(failure === undefined ? data : data.slice(0, 20));
        await (failure === undefined ? undefined : Promise.reject(failure));
      },
      truncate: async (bytes) => {
        const failure = truncations.pop();
        await (failure === undefined ? file.truncate(bytes) : Promise.reject(failure));
      },
    };
    const index = createLogIndex();
    index.add(0, encodeLog([START]).length);
    const writer = writerOf({ file: failing, bytes: index.endByte(), index });
    await expect(writer.append([messageEntry("h1")])).rejects.toThrow("the disk is full");
    await writer.append([messageEntry("h2")]);
    expect(await writer.entryAt(1)).toEqual(messageEntry("h2"));
    await writer.close();
    expect(readFileSync(logFile(), "utf8")).toBe(encodeLog([START, messageEntry("h2")]));
  });
});
