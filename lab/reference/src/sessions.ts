import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The workspace's root folder. */
export const ROOT: string = fileURLToPath(new URL("../../../", import.meta.url));

/** A recorded session's file, and what tables call it. */
export interface SessionFile {
  readonly path: string;
  readonly displayName: string;
}

/** The folders of recorded sessions: `PLIMSOLL_TRANSCRIPTS` and the folder `compactions` next to it; the bundled sessions if neither is there. */
export function sessionFolders(): readonly string[] {
  const transcripts = process.env.PLIMSOLL_TRANSCRIPTS ?? join(ROOT, "../shared/transcripts");
  const compactions = process.env.PLIMSOLL_COMPACTIONS ?? join(dirname(transcripts), "compactions");
  const recorded = [transcripts, compactions].filter((folder) => existsSync(folder));
  return recorded.length === 0 ? [join(ROOT, "fixtures/sessions")] : recorded;
}

/** All session files below the folders, in the order of their names. */
export function sessionFiles(folders: readonly string[] = sessionFolders()): readonly SessionFile[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(jsonl?|traj)$/.test(entry.name) && !/^calls\.jsonl$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => ({ path, displayName: path.slice(folder.length + 1) })),
  );
}

/** So many of the files as `--sample N` says, evenly from the first to the last; all without it. */
export function sampled(files: readonly SessionFile[], args: readonly string[]): readonly SessionFile[] {
  const at = args.indexOf("--sample");
  const count = at < 0 ? files.length : Number(args[at + 1]);
  if (!Number.isInteger(count) || count <= 0) throw new Error("--sample takes a number of session files");
  const every = Math.max(1, files.length / count);
  return files.filter((_, place) => Math.floor(place / every) !== Math.floor((place - 1) / every));
}
