import { createHash } from "node:crypto";
import type { Importer } from "../formats/importer.ts";
import { importFile } from "../formats/registry.ts";
import { type SessionMarks, sessionMarks } from "../lineage.ts";
import { type PreparedSession, prepareSession } from "../replay/prepared-session.ts";
import type { Transcript } from "../transcript.ts";
import type { InputFile } from "./file-task.ts";

/** An imported file; what takes time is done once, and not before it is asked for. */
export interface LoadedFile {
  readonly path: string;
  transcripts(): Promise<readonly Transcript[]>;
  sessions(): Promise<readonly PreparedSession[]>;
  /** SHA-256 of everything that was read of it, wherever the importer found it. */
  contentHash(): Promise<string>;
}

/** Loads a file when something of it is needed. What it rejects with is a line for a person. */
export function loadFile({ path, displayName }: InputFile, importers: readonly Importer[]): LoadedFile {
  const transcripts = once(() => importFile(path, displayName, importers));
  return {
    path,
    transcripts,
    sessions: once(async () => (await transcripts()).map(prepareSession)),
    contentHash: once(async () => hashOf(await transcripts())),
  };
}

/** Makes a value when it is asked for first. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** Collects the marks that the sessions in a file may share with others; none if it cannot be read, which its replay says. */
export async function marksOfFile(input: InputFile, importers: readonly Importer[]): Promise<readonly SessionMarks[]> {
  return (await importFile(input.path, input.displayName, importers).catch(() => [])).map(sessionMarks);
}

function hashOf(transcripts: readonly Transcript[]): string {
  const hash = createHash("sha256");
  for (const { entries, ...rest } of transcripts) {
    hash.update(JSON.stringify(rest));
    for (const entry of entries) hash.update(JSON.stringify(entry)).update("\n");
  }
  return hash.digest("hex");
}
