import { existsSync, readdirSync, rmSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import { type BenchParts, BUILT_IN_PARTS, createSerialPool, createThreadPool, type WorkerPool } from "@plimsoll/bench";
import { codeVersion, formatNumberOf, type ReplayState } from "@plimsoll/bench/extend";
import { canonicalJson, shortHash } from "@plimsoll/core/extend";
import { type CliIo, plimsollVersion } from "../io.ts";
import { tell } from "../terminal/printable.ts";

/** Where a run keeps finished replays. */
export interface OpenState {
  readonly state: ReplayState;
  /** Counts replays that were there already. */
  readonly onKept: (cells: number) => void;
  /** Says what was there. Takes away what was kept for this run alone; not to be called if the run did not get to its end. */
  finish(): Promise<void>;
}

/** A description of a run, by which the same command finds the replays that it left. */
export interface StateRequest {
  /** `--state`; a folder of its own below the home folder's cache if it is left out. */
  readonly folder: string | undefined;
  /** Everything that the command was given. */
  readonly run: unknown;
}

/** A file's cells become so many tasks for each job, so that jobs end at about the same time (chosen). */
const TASKS_PER_JOB = 4;

/** The workers of a run with so many jobs, and the tasks that a file is cut into. */
export function poolOf(
  jobs: number,
  parts: BenchParts = BUILT_IN_PARTS,
): { readonly pool: WorkerPool; readonly tasksPerFile: number } {
  const pool = jobs === 1 ? createSerialPool({ parts }) : createThreadPool(jobs, parts);
  return { pool, tasksPerFile: TASKS_PER_JOB * jobs };
}

/** Below the folder that the system keeps for what can be made anew. */
const REPLAYS = "plimsoll/replays";
/** The age at which kept replays are removed: a fortnight (chosen). */
const LONGEST_MS = 14 * 24 * 3_600_000;

/** Opens the state of a run: of the same command with the same code, or of any run if a folder is named. After Ctrl-C it has nothing unfinished. */
export async function openState({ folder, run }: StateRequest, io: CliIo): Promise<OpenState> {
  const version = `${plimsollVersion()} ${await codeVersion()}`;
  const replays = join(cacheFolder(io), REPLAYS);
  const own = join(replays, shortHash(canonicalJson({ run: JSON.parse(JSON.stringify(run)), cwd: io.cwd })));
  if (folder === undefined) await removeOld(replays, io.nowMs());
  let cells = 0;
  const state = { folder: folder === undefined ? own : resolve(io.cwd, folder), version };
  const stopListening = io.onInterrupt?.(() => removeUnfinished(state.folder));
  return {
    state,
    onKept: (count) => {
      cells += count;
    },
    finish: async () => {
      stopListening?.();
      if (cells > 0) {
        // The other run may be one that was broken off, or one that goes on right now.
        tell(io, `took ${formatNumberOf(cells, "replay")} that another run had finished`);
      }
      if (folder === undefined) await rm(own, { recursive: true, force: true });
    },
  };
}

/** Where the system keeps what can be made anew: `XDG_CACHE_HOME` if it is set to a path that is absolute, as its specification demands. */
function cacheFolder({ homeFolder, environment }: CliIo): string {
  const { XDG_CACHE_HOME: named = "" } = environment ?? {};
  return isAbsolute(named) ? named : join(homeFolder, ".cache");
}

/** Removes the files that this process was writing. */
function removeUnfinished(folder: string): void {
  const own = `.${process.pid}.`;
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names) if (name.endsWith(".tmp") && name.includes(own)) rmSync(join(folder, name), { force: true });
}

async function removeOld(cache: string, nowMs: number): Promise<void> {
  // Most machines have none.
  for (const name of await readdir(cache).catch(() => [])) {
    const path = join(cache, name);
    const changed = await stat(path).catch(() => null);
    if (changed !== null && nowMs - changed.mtimeMs > LONGEST_MS) await rm(path, { recursive: true, force: true });
  }
}
