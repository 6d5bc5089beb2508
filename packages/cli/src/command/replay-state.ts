import { readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { codeVersion, formatNumberOf, type ReplayState } from "@plimsoll/bench/internal";
import { canonicalJson, shortHash } from "@plimsoll/core/internal";
import type { CliIo } from "../io.ts";

/** Where a run keeps finished replays. */
export interface OpenState {
  readonly state: ReplayState;
  /** Counts replays that were there already. */
  readonly onKept: (cells: number) => void;
  /** Says what was there. Takes away what was kept for this run alone; not to be called if the run did not get to its end. */
  finish(): Promise<void>;
}

/** What a run is, so that the same command finds what it left. */
export interface StateRequest {
  /** `--state`; a folder of its own below the home folder's cache if it is left out. */
  readonly folder: string | undefined;
  /** Everything that the command was given. */
  readonly run: unknown;
  readonly plimsollVersion: string;
}

/** Below the home folder. */
const CACHE_FOLDER = ".cache/plimsoll/replays";
/** What nobody came back to after a fortnight is taken away (chosen). */
const LONGEST_MS = 14 * 24 * 3_600_000;

/** Opens the state of a run: of the same command with the same code, or of any run if a folder is named. */
export async function openState({ folder, run, plimsollVersion }: StateRequest, io: CliIo): Promise<OpenState> {
  const version = `${plimsollVersion} ${await codeVersion()}`;
  const cache = join(io.homeFolder, CACHE_FOLDER);
  const own = join(cache, shortHash(canonicalJson({ run: JSON.parse(JSON.stringify(run)), cwd: io.cwd })));
  if (folder === undefined) await removeOld(cache, io.nowMs());
  let cells = 0;
  return {
    state: { folder: folder === undefined ? own : resolve(io.cwd, folder), version },
    onKept: (count) => {
      cells += count;
    },
    finish: async () => {
      if (cells > 0)
        io.stderr.write(`plimsoll: went on from an earlier run, which had finished ${formatNumberOf(cells, "replay")}\n`);
      if (folder === undefined) await rm(own, { recursive: true, force: true });
    },
  };
}

async function removeOld(cache: string, nowMs: number): Promise<void> {
  // Most machines have none.
  for (const name of await readdir(cache).catch(() => [])) {
    const path = join(cache, name);
    const changed = await stat(path).catch(() => null);
    if (changed !== null && nowMs - changed.mtimeMs > LONGEST_MS) await rm(path, { recursive: true, force: true });
  }
}
