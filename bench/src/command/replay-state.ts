import { readdir, rm, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { canonicalJson, shortHash } from "@plimsoll/core/extend";
import { type BenchParts, BUILT_IN_PARTS } from "../extension.ts";
import { codeVersion } from "../replay/code-version.ts";
import { openRowsFile } from "../replay/rows-file.ts";
import type { KeptRows } from "../replay/run-bench.ts";
import { createSerialPool, createThreadPool, threadsLoad, type WorkerPool } from "../replay/worker-pool.ts";
import { formatNumberOf } from "../show/figures.ts";
import type { CliIo } from "../terminal/io.ts";
import { tell } from "../terminal/printable.ts";

/** Where a run keeps finished rows. */
export interface OpenState {
  readonly kept: KeptRows;
  /** Reports the rows that existed. Deletes the rows kept only for this run; not to be called if the run did not get to its end. */
  finish(): Promise<void>;
}

/** A description of a run, by which the same command finds the rows that it left. */
export interface StateRequest {
  /** `--state`; a file of its own below the home folder's cache if it is left out. */
  readonly file: string | undefined;
  readonly run: unknown;
  /** True if the rows stay for the next run of any folder: `run` is then the file's name. */
  readonly isLasting?: boolean;
  /** The parts that replays are made with; the built-in ones if they are left out. */
  readonly parts?: BenchParts;
}

/** The workers of a run with so many jobs; one, which is said, if threads cannot load its modules. */
export async function poolOf(jobs: number, io: CliIo, parts: BenchParts = BUILT_IN_PARTS): Promise<WorkerPool> {
  const { modules } = parts;
  if (jobs > 1 && (await threadsLoad(modules))) return createThreadPool(jobs, { modules });
  if (jobs > 1) tell(io, "--with: threads cannot load this module, so one replay runs at a time; built to JavaScript, several");
  return createSerialPool({ parts });
}

/** Below the system's folder for data that can be made again. */
const REPLAYS = "plimsoll/replays";
/** The age at which kept rows are removed, and the size at which lasting ones are: a fortnight, a quarter of a gigabyte (chosen). */
const LONGEST_MS = 14 * 24 * 3_600_000;
const MOST_BYTES = 256e6;

/** Opens the file of rows of a run: of the same command with the same code, or the file that is named. Throws `bad-input` if that cannot be written. */
export async function openState(
  { file, run, isLasting = false, parts = BUILT_IN_PARTS }: StateRequest,
  io: CliIo,
): Promise<OpenState> {
  const version = `${io.version} ${await codeVersion()}`;
  // Its specification demands an absolute path.
  const { XDG_CACHE_HOME: named = "" } = io.environment ?? {};
  const replays = join(isAbsolute(named) ? named : join(io.homeFolder, ".cache"), REPLAYS);
  const name = isLasting ? run : shortHash(canonicalJson({ run: JSON.parse(JSON.stringify(run)), cwd: io.cwd }));
  const own = join(replays, `${name}.jsonl`);
  if (file === undefined) await removeOld(replays, io.nowMs(), isLasting ? own : null);
  const rows = file === undefined ? openRowsFile(own, own, { isSpare: true }) : openRowsFile(resolve(io.cwd, file), file);
  let cells = 0;
  return {
    kept: {
      ...{ rows, version, parts },
      onKept: (count) => {
        cells += count;
      },
    },
    finish: async () => {
      rows.close();
      if (cells > 0) tell(io, `${formatNumberOf(cells, "replay")} ${cells === 1 ? "was" : "were"} already finished`);
      if (file === undefined && !isLasting) await rm(own, { force: true });
    },
  };
}

async function removeOld(cache: string, nowMs: number, lasting: string | null): Promise<void> {
  // Most machines have none.
  for (const name of await readdir(cache).catch(() => [])) {
    const path = join(cache, name);
    const changed = await stat(path).catch(() => null);
    const isOld = changed !== null && (nowMs - changed.mtimeMs > LONGEST_MS || (path === lasting && changed.size > MOST_BYTES));
    if (isOld) await rm(path, { recursive: true, force: true });
  }
}
