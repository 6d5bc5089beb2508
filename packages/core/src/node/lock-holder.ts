import { randomUUID } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { isRecord } from "../json.ts";
import { hasCode } from "./own-file.ts";

/** Who holds a lock. `startedAt` tells a process from a later one with the same id, if the system says it. */
export interface LockHolder {
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

/** This process as the holder of a lock. */
export async function thisHolder(): Promise<LockHolder> {
  return { pid: process.pid, startedAt: await startOf(process.pid), token: randomUUID(), place: await thisPlace() };
}

/** The holder that a lock file names; `null` for a text that is not a whole lock of ours. */
export function parseHolder(text: string): LockHolder | null {
  const value = parsed(text);
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
 * What can be said of a holder's process from here. `unseen`: it may run on another machine, or in another container. A machine of the same name and
 * namespace that was started anew since has none of its old processes.
 */
export async function stateOfHolder({ pid, startedAt, place }: LockHolder): Promise<"alive" | "gone" | "unseen"> {
  if (place !== null) {
    const here = await thisPlace();
    if (place.host !== here.host || place.pidNamespace !== here.pidNamespace) return "unseen";
    if (place.bootId !== here.bootId) return "gone";
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return hasCode(error, "EPERM") ? "alive" : "gone";
  }
  return startedAt === null || startedAt === (await startOf(pid)) ? "alive" : "gone";
}

async function thisPlace(): Promise<ProcessPlace> {
  const [bootId, pidNamespace] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => null),
    readlink("/proc/self/ns/pid").catch(() => null),
  ]);
  return { host: hostname(), bootId: bootId?.trim() ?? null, pidNamespace };
}

/** When a process started, as Linux says it (field 22 of its stat line, after the name in parentheses); `null` elsewhere. */
async function startOf(pid: number): Promise<string | null> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (line === null) return null;
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields[19] ?? null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
