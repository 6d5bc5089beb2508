import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { takeWriterLock } from "./writer-lock.ts";

const folder = freshFolder(beforeEach);

const log = () => ({ sessionId: "one", path: folder("one.jsonl") });
const lockFile = () => `${log().path}.lock`;
const TOKEN = "00000000-0000-4000-8000-000000000000";
const GONE_PID = 2 ** 30;

function systemText(read: () => string): string | null {
  try {
    return read().trim();
  } catch {
    return null;
  }
}

const HERE = {
  host: hostname(),
  bootId: systemText(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
  pidNamespace: systemText(() => readlinkSync("/proc/self/ns/pid")),
};
const heldBy = (place: object, pid: number = GONE_PID) => JSON.stringify({ pid, startedAt: null, token: TOKEN, place });

describe("the writer's lock", () => {
  test.each([
    ["another host", { ...HERE, host: "elsewhere" }, "elsewhere"],
    ["another container of this host", { ...HERE, pidNamespace: "pid:[1]" }, HERE.host],
    ["another container, before a restart", { ...HERE, pidNamespace: "pid:[1]", bootId: "before" }, HERE.host],
  ])("held on %s is never taken over, and the error says what to do", async (_place, place, host) => {
    const text = heldBy(place, process.pid);
    writeFileSync(lockFile(), text);
    await expect(takeWriterLock(log())).rejects.toMatchObject({
      code: "session-conflict",
      message: `${log().path}: in use by process ${process.pid} on ${host}; that process cannot be seen from here; if it is gone, remove ${lockFile()}`,
      details: { sessionId: "one", pid: process.pid, host, lockFile: lockFile() },
    });
    expect(readdirSync(folder())).toEqual(["one.jsonl.lock"]);
    expect(readFileSync(lockFile(), "utf8")).toBe(text);
  });

  test.each([
    ["a process that is gone", { ...HERE }, GONE_PID],
    ["a process from before this machine was started anew", { ...HERE, bootId: "before" }, process.pid],
  ])("of %s is taken over", async (_who, place, pid) => {
    writeFileSync(lockFile(), heldBy(place, pid));
    const release = await takeWriterLock(log());
    expect(JSON.parse(readFileSync(lockFile(), "utf8"))).toMatchObject({ pid: process.pid, place: HERE });
    await release();
    expect(readdirSync(folder())).toEqual([]);
  });

  test("a live process's lock is a conflict", async () => {
    const release = await takeWriterLock(log());
    await expect(takeWriterLock(log())).rejects.toMatchObject({
      code: "session-conflict",
      details: { sessionId: "one", pid: process.pid, host: HERE.host },
    });
    await release();
    expect(readdirSync(folder())).toEqual([]);
  });

  test.each([
    ["before a byte is written", 0],
    ["after half of it", 40],
  ])("a disk that is full %s leaves no draft", async (_when, chars) => {
    const fullDisk = async (path: string, text: string): Promise<never> => {
      await writeFile(path, text.slice(0, chars));
      throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    };
    await expect(takeWriterLock(log(), fullDisk)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(readdirSync(folder())).toEqual([]);
  });

  test("a draft that another process took for a dead one's is written again", async () => {
    let writes = 0;
    const losingFirst = async (path: string, text: string) => {
      writes += 1;
      await [async () => undefined, writeFile][Math.min(writes, 2) - 1]?.(path, text);
    };
    const release = await takeWriterLock(log(), losingFirst);
    expect(writes).toBe(2);
    await release();
  });

  test.each([
    ["a draft of a killed process goes", `one.jsonl.lock.${TOKEN}`, heldBy(HERE), []],
    ["a draft that a killed process had half written goes", `one.jsonl.lock.${TOKEN}`, '{"pid":', []],
    ["a live process's draft stays", `one.jsonl.lock.${TOKEN}`, heldBy(HERE, process.pid), [`one.jsonl.lock.${TOKEN}`]],
    ["a draft of another host stays", `one.jsonl.lock.${TOKEN}`, heldBy({ ...HERE, host: "x" }), [`one.jsonl.lock.${TOKEN}`]],
    ["another log's draft stays", `two.jsonl.lock.${TOKEN}`, "", [`two.jsonl.lock.${TOKEN}`]],
    ["a log whose id looks like a lock stays", "one.jsonl.lock.jsonl", "", ["one.jsonl.lock.jsonl"]],
  ])("%s when the lock is next taken", async (_rule, name, text, left) => {
    writeFileSync(folder(name), text);
    const release = await takeWriterLock(log());
    await release();
    expect(readdirSync(folder())).toEqual(left);
  });
});
