import { createHash } from "node:crypto";
import { fileSource } from "../formats/file-source.ts";
import type { Importer } from "../formats/importer.ts";
import { IMPORTERS, importSource } from "../formats/registry.ts";
import { keptSession, openSession, type PreparedSession, prepareSession } from "../replay/prepared-session.ts";
import type { Transcript } from "../transcript.ts";
import type { InputFile } from "./file-task.ts";
import { type KeptSessions, NO_SESSIONS_KEPT, watchedSource } from "./kept-sessions.ts";
import { once } from "./once.ts";

/** An imported file; what takes time is done once, and not before it is asked for. */
export interface LoadedFile {
  readonly path: string;
  transcripts(): Promise<readonly Transcript[]>;
  sessions(): Promise<readonly PreparedSession[]>;
  /** SHA-256 of everything that was read of it, wherever the importer found it. */
  contentHash(): Promise<string>;
  /** Whether its sessions were prepared here, and not taken from those that are kept. */
  isPrepared(): boolean;
}

/**
 * Loads a file when something of it is needed: from what is kept of it, else it is imported, prepared and kept. What it rejects with is a
 * line for a person.
 */
export function loadFile(input: InputFile, importers: readonly Importer[], kept: KeptSessions = NO_SESSIONS_KEPT): LoadedFile {
  const { path, displayName } = input;
  const unwatched = fileSource(path, displayName);
  const { source, neighbours } = watchedSource(unwatched);
  const ofFile = kept(input);
  const before = once(() => ofFile.read(unwatched));
  let isPrepared = false;
  const transcripts = once(async () => {
    const sessions = (await before())?.sessions;
    return sessions?.map(({ transcript }) => transcript) ?? (await importSource(source, importers));
  });
  const contentHash = once(async () => (await before())?.contentHash ?? hashOf(await transcripts()));
  const sessions = once(async () => {
    const opened = (await before())?.sessions.map(openSession);
    if (opened !== undefined) return opened;
    const prepared = (await transcripts()).map(prepareSession);
    isPrepared = true;
    // What an importer reads that is not built in, nobody knows.
    if (prepared.every(({ transcript: { format } }) => IMPORTERS.some((importer) => importer.format === format)))
      await ofFile.keep(neighbours, async () => ({ sessions: prepared.map(keptSession), contentHash: await contentHash() }));
    return prepared;
  });
  return { path, transcripts, sessions, contentHash, isPrepared: () => isPrepared };
}

function hashOf(transcripts: readonly Transcript[]): string {
  const hash = createHash("sha256");
  for (const { entries, ...rest } of transcripts) {
    hash.update(JSON.stringify(rest));
    for (const entry of entries) hash.update(JSON.stringify(entry)).update("\n");
  }
  return hash.digest("hex");
}
