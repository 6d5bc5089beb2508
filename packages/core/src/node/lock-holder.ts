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

/** The system's knowledge of its processes. */
export interface ProcessSystem {
  readonly host: string;
  /** A file, or what a link leads to, below Linux's `/proc`; `null` on a system without. */
  readonly proc: (kind: "file" | "link", path: string) => Promise<string | null>;
  /** Throws as `process.kill` does if the process is not there (ESRCH) or is somebody else's (EPERM). */
  readonly probe: (pid: number) => void;
}

const THIS_SYSTEM: ProcessSystem = {
  host: hostname(),
  // What is not there tells nothing.
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
 * Tells the state of a holder's process, as far as it can be told from here. `unseen`: it may run on another machine, or in another container. A
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
