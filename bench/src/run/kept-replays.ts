import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";
import { canonicalJson } from "@plimsoll/core/extend";
import { readRegularFile, temporaryName } from "@plimsoll/core/node";

/** Where finished replays are kept, so that a run that was broken off goes on where it was. Plain data. */
export interface ReplayState {
  readonly folder: string;
  /** The version of everything but the input that a replay depends on; replays of another version are not found. */
  readonly version: string;
}

/** A value under what it was made from. A value that was not kept, or not wholly, is absent. */
export interface KeptReplays {
  /** The value, if there is one that the guard accepts. */
  read<Value>(made: unknown, isValue: (value: unknown) => value is Value): Promise<Value | null>;
  keep(made: unknown, value: unknown): Promise<void>;
}

/** Keeps nothing. */
export const NOTHING_KEPT: KeptReplays = { read: () => Promise.resolve(null), keep: () => Promise.resolve() };

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** The most bytes of a kept value; chosen. */
const MAXIMUM_BYTES = 500_000_000;

/** Opens the folder of finished replays. Each is a file named by the hash of its input; a damaged one counts as absent, and a failed write is ignored. */
export function openKeptReplays({ folder, version }: ReplayState): KeptReplays {
  const fileOf = (made: unknown) => {
    const key = createHash("sha256").update(canonicalJson({ version, made })).digest("hex");
    return join(folder, `${key}.json.gz`);
  };
  return {
    read: async (made, isValue) => {
      try {
        const value: unknown = JSON.parse((await unpack(readRegularFile(fileOf(made), MAXIMUM_BYTES))).toString("utf8"));
        return isValue(value) ? value : null;
      } catch {
        // Absent, damaged or of another form: it is replayed again.
        return null;
      }
    },
    keep: async (made, value) => {
      const file = fileOf(made);
      const temporary = temporaryName(file);
      try {
        const packed = await pack(JSON.stringify(value), { level: constants.Z_BEST_SPEED });
        await writeFile(temporary, packed, { flag: "wx" }).catch(async () => {
          // It has not been there yet.
          await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
          await writeFile(temporary, packed, { flag: "wx" });
        });
        await rename(temporary, file);
      } catch {
        // A full disk costs the going on, not the run.
        await rm(temporary, { force: true }).catch(() => undefined);
      }
    },
  };
}

/** The mode of kept files: they quote the sessions. */
const OWNER_ONLY = 0o700;
