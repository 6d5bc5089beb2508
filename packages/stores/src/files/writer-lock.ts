import { randomUUID } from "node:crypto";
import { link, readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { isRecord, jsonIn } from "@plimsoll/core/extend";
import { hasCode, OWNER_ONLY_FILE_MODE, readSmallFile } from "./regular-file.ts";

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
 * Locks a folder for one use by this process, and resolves to the function that unlocks it. A refused process gets an error that names `rule`.
 *
 * @throws PlimsollError `session-conflict` while another process has the folder for this use.
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
  /** The reason for the lock, for a process that finds it taken. */
  readonly rule: string;
  readonly details: PlimsollError["details"];
}

/**
 * Takes a lock and answers with the function that gives it back. A lock whose process is gone is taken over, one whose process cannot be seen from
 * here never is. Remains of killed processes next to the lock are removed.
 *
 * @throws PlimsollError `session-conflict` naming the process that holds it, its host and the remedy.
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
    // The lock's holder removes drafts that are not whole yet.
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
  throw new PlimsollError("bad-session", `${lockFile}: not a lock of plimsoll; remove it if no process uses the session`);
}

const DRAFT_TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes remains of killed processes: drafts of locks, and stale locks on their way out. One that stays does no harm. */
async function removeDrafts(lockFile: string, own: string): Promise<void> {
  const names = await readdir(dirname(lockFile)).catch(() => []);
  const start = `${basename(lockFile)}.`;
  const drafts = names.filter((name) => name.startsWith(start) && DRAFT_TOKEN.test(name.slice(start.length)));
  for (const draft of drafts.map((name) => join(dirname(lockFile), name))) {
    if (draft === own) continue;
    const file = readSmallFile(draft, LOCK_SIZE);
    if (file.kind === "absent") continue;
    // A text too long for a lock is a log that was not written to its end.
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

/** The holder of a lock. `startedAt` distinguishes a process from a later one with the same id, if the system gives it. */
interface LockHolder {
  readonly pid: number;
  readonly startedAt: string | null;
  readonly token: string;
  /** Where its process id means something; `null` in locks of earlier versions, which did not say: this place. */
  readonly place: ProcessPlace | null;
}

/** A set of processes that see each other: a machine since its last start, and there a namespace (a container has its own). `null` if the system does not say. */
interface ProcessPlace {
  readonly host: string;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
}

/** The system's knowledge of its processes. */
export interface ProcessSystem {
  readonly host: string;
  /** A file, or a link's target, below Linux's `/proc`; `null` on a system without. */
  readonly proc: (kind: "file" | "link", path: string) => Promise<string | null>;
  /** Throws as `process.kill` does if the process is not there (ESRCH) or is another user's (EPERM). */
  readonly probe: (pid: number) => void;
}

const THIS_SYSTEM: ProcessSystem = {
  host: hostname(),
  // A missing file is no evidence.
  proc: (kind, path) => (kind === "file" ? readFile(path, "utf8") : readlink(path)).catch(() => null),
  probe: (pid) => void process.kill(pid, 0),
};

/** This process as the holder of a lock. */
export async function thisHolder(system: ProcessSystem = THIS_SYSTEM): Promise<LockHolder> {
  const [startedAt, place] = await Promise.all([startOf(process.pid, system), placeOn(system)]);
  return { pid: process.pid, startedAt, token: randomUUID(), place };
}

/** The holder that a lock file names; `null` for a text that is not a whole lock of ours. */
export function parseHolder(text: string): LockHolder | null {
  const value = jsonIn(text);
  if (!isRecord(value) || typeof value.pid !== "number" || typeof value.token !== "string") return null;
  const { place } = value;
  return {
    pid: value.pid,
    token: value.token,
    startedAt: textOrNull(value.startedAt),
    place:
      isRecord(place) && typeof place.host === "string"
        ? { host: place.host, bootId: textOrNull(place.bootId), pidNamespace: textOrNull(place.pidNamespace) }
        : null,
  };
}

/**
 * Finds the state of a holder's process, as far as it can be seen from here. `unseen`: it may run on another machine, or in another container. A
 * machine of the same name and namespace that was started anew since has none of its old processes.
 */
export async function stateOfHolder(
  { pid, startedAt, place }: LockHolder,
  system: ProcessSystem = THIS_SYSTEM,
): Promise<"alive" | "gone" | "unseen"> {
  if (place !== null) {
    const here = await placeOn(system);
    if (place.host !== here.host || place.pidNamespace !== here.pidNamespace) return "unseen";
    if (place.bootId !== here.bootId) return "gone";
  }
  try {
    system.probe(pid);
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return hasCode(error, "EPERM") ? "alive" : "gone";
  }
  return startedAt === null || startedAt === (await startOf(pid, system)) ? "alive" : "gone";
}

async function placeOn({ host, proc }: ProcessSystem): Promise<ProcessPlace> {
  const [bootId, pidNamespace] = await Promise.all([
    proc("file", "/proc/sys/kernel/random/boot_id"),
    proc("link", "/proc/self/ns/pid"),
  ]);
  return { host, bootId: bootId?.trim() ?? null, pidNamespace };
}

/** When a process started, as Linux says it (field 22 of its stat line, after the name in parentheses); `null` elsewhere. */
async function startOf(pid: number, { proc }: ProcessSystem): Promise<string | null> {
  const line = await proc("file", `/proc/${pid}/stat`);
  if (line === null) return null;
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields[19] ?? null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
