import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importFile, type Transcript } from "@plimsoll/bench";

/** The workspace's root folder. */
export const ROOT: string = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * Recorded sessions of other agents, a folder for each format. They are not part of the project: code that needs them runs only if the folder is
 * there. `PLIMSOLL_TRANSCRIPTS` names another one.
 */
export const RECORDED_FOLDER: string = process.env.PLIMSOLL_TRANSCRIPTS ?? join(ROOT, "../shared/transcripts");

/** More recorded sessions, each with a compaction: the folder `compactions` beside the first one; `PLIMSOLL_COMPACTIONS` names another. */
export const COMPACTIONS_FOLDER: string = process.env.PLIMSOLL_COMPACTIONS ?? join(RECORDED_FOLDER, "../compactions");

/** A recorded session's file, and its path from the folder. */
export interface RecordedFile {
  readonly path: string;
  readonly displayName: string;
}

/** The recorded sessions' files, those of one format side by side; none if there is no folder. */
export function recordedFiles(formats: readonly string[] = formatsIn(RECORDED_FOLDER)): readonly RecordedFile[] {
  return recordedFilesOf(RECORDED_FOLDER, formats);
}

/** The same with the sessions that were compacted. */
export function allRecordedFiles(): readonly RecordedFile[] {
  return [...recordedFiles(), ...recordedFilesOf(COMPACTIONS_FOLDER, formatsIn(COMPACTIONS_FOLDER))];
}

/** The files of a folder that has a folder for each format. */
export function recordedFilesOf(folder: string, formats: readonly string[]): readonly RecordedFile[] {
  const there = formats.filter((format) => existsSync(join(folder, format)));
  return there.flatMap((format) =>
    readdirSync(join(folder, format))
      .toSorted()
      .map((name) => ({ path: join(folder, format, name), displayName: `${format}/${name}` })),
  );
}

/** The sessions of these files, in their order. */
export async function recordedTranscripts(files: readonly RecordedFile[] = recordedFiles()): Promise<readonly Transcript[]> {
  return (await Promise.all(files.map(({ path, displayName }) => importFile(path, displayName)))).flat();
}

function formatsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
