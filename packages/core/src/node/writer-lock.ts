import { randomUUID } from "node:crypto";
import { link, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PlimsollError } from "../error.ts";
import type { JsonObject } from "../json.ts";
import { type LockHolder, parseHolder, stateOfHolder, thisHolder } from "./lock-holder.ts";
import { hasCode, OWNER_ONLY_FILE_MODE } from "./own-file.ts";
import { readSmallFile } from "./regular-file.ts";

/** The log that a lock is for. */
export interface LockedLog {
  readonly sessionId: string;
  readonly path: string;
}

/** Writes a file that is not there yet. */
type WriteNew = (path: string, text: string) => Promise<void>;

/** Takes the lock of a log: see {@link takeLock}. */
export function takeWriterLock({ sessionId, path }: LockedLog, writeNew?: WriteNew): Promise<() => Promise<void>> {
  const rule = "a session has one writer at a time";
  return takeLock({ path, lockFile: `${path}.lock`, rule, details: { sessionId } }, writeNew);
}

/**
 * Takes a folder for this process alone, as far as others ask for the same use of it: see {@link takeLock}. The rule is told to whoever is refused.
 *
 * @throws PlimsollError `session-conflict`
 */
export function takeFolder(
  folder: string,
  { use, rule }: { readonly use: string; readonly rule: string },
): Promise<() => Promise<void>> {
  return takeLock({ path: folder, lockFile: join(folder, `.${use}.lock`), rule, details: {} });
}

/** The purpose and place of a lock. */
interface Lock {
  readonly path: string;
  readonly lockFile: string;
  /** Why there is one, for whoever finds it taken. */
  readonly rule: string;
  readonly details: JsonObject;
}

/**
 * Takes a lock and answers with the function that gives it back. A lock whose process is gone is taken over, one whose process cannot be seen
 * from here never is. What processes that were killed left next to the lock is removed.
 *
 * @throws PlimsollError `session-conflict` naming the process that holds it, its host and what can be done.
 */
async function takeLock(lock: Lock, writeNew: WriteNew = writeOwnerOnly): Promise<() => Promise<void>> {
  const { lockFile } = lock;
  const mine = await thisHolder();
  const text = JSON.stringify(mine);
  // A lock appears whole or not at all: it is written under another name and linked.
  const draft = `${lockFile}.${mine.token}`;
  try {
    await writeNew(draft, text);
    for (let attempt = 0; attempt < MAXIMUM_ATTEMPTS; attempt++) {
      const result = await linked(draft, lockFile);
      if (result === "no-draft") await writeNew(draft, text);
      if (result === "linked") {
        await removeDrafts(lockFile, draft);
        return () => giveBack(lockFile, mine.token);
      }
      const holder = await holderOf(lockFile);
      if (holder === null) continue;
      const state = await stateOfHolder(holder);
      if (state !== "gone") throw inUse(lock, { holder, state });
      await removeStale(lockFile, holder.token);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new PlimsollError("bad-session", `${lock.path}: its lock changes hands too often; try again`, { file: lock.path });
}

/** Each attempt but the last follows a lock that vanished or was stale; chosen. */
const MAXIMUM_ATTEMPTS = 20;

function writeOwnerOnly(path: string, text: string): Promise<void> {
  return writeFile(path, text, { flag: "wx", mode: OWNER_ONLY_FILE_MODE });
}

async function linked(from: string, to: string): Promise<"linked" | "taken" | "no-draft"> {
  try {
    await link(from, to);
    return "linked";
  } catch (error) {
    if (hasCode(error, "EEXIST")) return "taken";
    // Whoever has the lock removes drafts that are not whole yet.
    if (hasCode(error, "ENOENT")) return "no-draft";
    throw error;
  }
}

/** A lock names one process; chosen. */
const LOCK_SIZE = { maximumBytes: 4_096 } as const;

async function holderOf(lockFile: string): Promise<LockHolder | null> {
  const lock = readSmallFile(lockFile, LOCK_SIZE);
  if (lock.kind === "absent") return null;
  const holder = lock.kind === "text" ? parseHolder(lock.text) : null;
  if (holder !== null) return holder;
  throw new PlimsollError("bad-session", `${lockFile}: not a lock of ours; remove it if no process uses the session`);
}

const DRAFT_TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes what killed processes left: drafts of locks, and stale locks on their way out. One that stays does no harm. */
async function removeDrafts(lockFile: string, own: string): Promise<void> {
  const names = await readdir(dirname(lockFile)).catch(() => []);
  const start = `${basename(lockFile)}.`;
  const drafts = names.filter((name) => name.startsWith(start) && DRAFT_TOKEN.test(name.slice(start.length)));
  for (const draft of drafts.map((name) => join(dirname(lockFile), name))) {
    if (draft === own) continue;
    const file = readSmallFile(draft, LOCK_SIZE);
    if (file.kind === "absent") continue;
    // What is too long for a lock is a log that was not written to its end.
    const holder = file.kind === "text" ? parseHolder(file.text) : null;
    if (holder === null || (await stateOfHolder(holder)) === "gone") await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** Takes a stale lock out of the way. If another process was faster and the lock is a new one, that one is put back. */
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

function inUse(
  { path, lockFile, rule, details }: Lock,
  { holder, state }: { readonly holder: LockHolder; readonly state: "alive" | "unseen" },
): PlimsollError {
  const { pid, place } = holder;
  const host = place?.host ?? null;
  const rest = state === "alive" ? rule : `that process cannot be seen from here; if it is gone, remove ${lockFile}`;
  const where = state === "alive" ? "" : ` on ${host}`;
  return new PlimsollError("session-conflict", `${path}: in use by process ${pid}${where}; ${rest}`, {
    ...details,
    file: path,
    lockFile,
    pid,
    host,
  });
}
