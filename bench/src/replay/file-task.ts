import { createHash } from "node:crypto";
import type { EnginePolicy, ModelPrices } from "@plimsoll/core/extend";
import type { WindowRequest } from "../drive/cell.ts";
import type { Importer } from "../formats/importer.ts";
import { importFile } from "../formats/registry.ts";
import { type SessionLineage, type SessionMarks, sessionMarks } from "../lineage.ts";
import { type PreparedSession, prepareSession } from "../open/prepared-session.ts";
import type { ReplayRow } from "../results.ts";
import type { SummarizerChoice } from "../summaries/open-source.ts";
import type { Transcript } from "../transcript.ts";
import type { ReplayState } from "./replay.ts";

/** A file to import, with its name as the user gave it. */
export interface InputFile {
  readonly path: string;
  readonly displayName: string;
}

/** Some cells of one file: plain data, so that a worker can be given it. */
export interface FileTask {
  readonly file: InputFile;
  readonly policies: readonly EnginePolicy[];
  readonly windows: readonly WindowRequest[];
  /** Cells by number: window × count of policies + policy. */
  readonly cells: readonly number[];
  /** Prices by model id that come before those of the catalog. */
  readonly prices: ReadonlyMap<string, ModelPrices>;
  readonly summarizer: SummarizerChoice;
  /** Of the file's sessions those that share answers with others: what they share counts once. */
  readonly shared: readonly SessionLineage[];
  /** Where finished cells are kept; `null` keeps none. */
  readonly state: ReplayState | null;
}

/** A row with its place: the file's session, and the cell's number. */
export interface PlacedRow {
  readonly session: number;
  readonly cell: number;
  readonly row: ReplayRow;
}

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
