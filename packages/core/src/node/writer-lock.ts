import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import { hasCode } from "./file-failure.ts";

/** Who holds a lock. `startedAt` tells a process from a later one with the same id, where the system says it. */
interface Holder {
  readonly pid: number;
  readonly startedAt: string | null;
  readonly token: string;
}

/**
 * Takes the lock of a file and answers with the function that gives it back. A lock whose process is gone is taken over.
 *
 * @throws PlimsollError `session-conflict` naming the process that holds it.
 */
export async function takeWriterLock(file: string): Promise<() => Promise<void>> {
  const lockFile = `${file}.lock`;
  const mine: Holder = { pid: process.pid, startedAt: await startOf(process.pid), token: randomUUID() };
  // A lock appears whole or not at all: it is written under another name and linked.
  const draft = `${lockFile}.${mine.token}`;
  await writeFile(draft, JSON.stringify(mine), { flag: "wx" });
  try {
    for (let attempt = 0; attempt < MAXIMUM_ATTEMPTS; attempt++) {
      if (await linked(draft, lockFile)) return () => giveBack(lockFile, mine.token);
      const holder = await holderOf(lockFile);
      if (holder !== null && (await isAlive(holder))) throw inUse(file, holder.pid);
      if (holder !== null) await removeStale(lockFile, holder.token);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new PlimsollError("bad-session", `${file}: its lock changes hands too often; try again`, { file });
}

/** Each attempt but the last follows a lock that vanished or was stale; chosen. */
const MAXIMUM_ATTEMPTS = 20;

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function holderOf(lockFile: string): Promise<Holder | null> {
  const text = await readFile(lockFile, "utf8").catch(() => null);
  if (text === null) return null;
  const value: unknown = parsed(text);
  if (!isRecord(value) || typeof value.pid !== "number" || typeof value.token !== "string") {
    throw new PlimsollError("bad-session", `${lockFile}: not a lock of ours; remove it if no process uses the session`);
  }
  return { pid: value.pid, token: value.token, startedAt: typeof value.startedAt === "string" ? value.startedAt : null };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Takes a stale lock out of the way. Where another process was faster and the lock is a new one, that one is put back. */
async function removeStale(lockFile: string, token: string): Promise<void> {
  const aside = `${lockFile}.${randomUUID()}`;
  try {
    await rename(lockFile, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  const moved = await holderOf(aside);
  if (moved?.token !== token) await linked(aside, lockFile);
  await rm(aside, { force: true });
}

async function giveBack(lockFile: string, token: string): Promise<void> {
  const holder = await holderOf(lockFile);
  if (holder?.token === token) await rm(lockFile, { force: true });
}

async function isAlive(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return hasCode(error, "EPERM");
  }
  return holder.startedAt === null || holder.startedAt === (await startOf(holder.pid));
}

/** When a process started, as Linux says it (field 22 of its stat line, after the name in parentheses); `null` elsewhere. */
async function startOf(pid: number): Promise<string | null> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (line === null) return null;
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields[19] ?? null;
}

function inUse(file: string, pid: number): PlimsollError {
  return new PlimsollError("session-conflict", `${file}: in use by process ${pid}; a session has one writer at a time`, {
    file,
    pid,
  });
}
