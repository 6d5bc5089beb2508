import { createHash, type Hash } from "node:crypto";
import { stat } from "node:fs/promises";
import { readRegularFile } from "@plimsoll/stores";
import { fileSource } from "../formats/file-source.ts";
import type { FileSource, Importer } from "../formats/importer.ts";
import { storedSession, storedSessionText } from "../formats/opencode/database.ts";
import { importSource } from "../formats/registry.ts";
import { type Lineages, lineagesOf, type SessionMarks, sessionMarks } from "../lineage.ts";
import type { Transcript } from "../transcript.ts";
import { type PreparedSession, prepareSession } from "./prepared-session.ts";
import { type SessionFacts, sessionFacts } from "./session-facts.ts";

/** A file to import, with its name as the user gave it. */
export interface InputFile {
  readonly path: string;
  readonly displayName: string;
}

/** A file that was imported. */
export interface OpenedFile {
  readonly transcripts: readonly Transcript[];
  /** SHA-256 of everything that was read of it, wherever the importer found it. */
  readonly source: string;
  sessions(): readonly PreparedSession[];
}

/** Opens files, and keeps those that it opened: within its bound each is imported and prepared once, however often it is asked for. */
export interface Opener {
  /** Rejects with `bad-input`, a line for a person, if the file cannot be imported. */
  open(file: InputFile): Promise<OpenedFile>;
  counts(): { readonly imports: number; readonly preparations: number };
}

/** Logs of so many bytes stay open in a process; any above are opened again. Chosen: prepared, they take some ten times as much memory. */
const KEPT_BYTES = 64_000_000;

/** Opens files by these importers. */
export function createOpener(importers: readonly Importer[], keptBytes: number = KEPT_BYTES): Opener {
  const counts = { imports: 0, preparations: 0 };
  const kept = new Map<string, { readonly bytes: number; readonly opened: Promise<OpenedFile> }>();
  const makeRoom = () => {
    let bytes = [...kept.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [key, oldest] of kept) {
      if (bytes <= keptBytes || kept.size === 1) return;
      kept.delete(key);
      bytes -= oldest.bytes;
    }
  };
  const opened = async (file: InputFile): Promise<OpenedFile> => {
    counts.imports += 1;
    const { transcripts, source } = await importedFile(file, importers);
    let sessions: readonly PreparedSession[] | null = null;
    return {
      transcripts,
      source,
      sessions: () => {
        sessions ??= transcripts.map((transcript) => {
          counts.preparations += 1;
          return prepareSession(transcript);
        });
        return sessions;
      },
    };
  };
  return {
    open: async (file) => {
      const key = `${file.displayName}\n${file.path}`;
      // A session of a database has no size of its own, and is one of many alike.
      const bytes = (await stat(file.path).catch(() => null))?.size ?? 0;
      const known = kept.get(key) ?? { bytes, opened: opened(file) };
      kept.delete(key);
      kept.set(key, known);
      makeRoom();
      return known.opened;
    },
    counts: () => ({ ...counts }),
  };
}

/** The most bytes of a file that are hashed at once; importers read no longer text. */
const MOST_BYTES = 2_000_000_000;

async function importedFile({ path, displayName }: InputFile, importers: readonly Importer[]) {
  const hash = createHash("sha256");
  const transcripts = await importSource(hashedBeside(await fileSource(path, displayName), hash), importers);
  hash.update(storedSession(path) === null ? readRegularFile(path, MOST_BYTES) : storedSessionText(path, displayName));
  return { transcripts, source: hash.digest("hex") };
}

/** The source, with a hash of everything read from other files that belong to it. */
function hashedBeside(source: FileSource, hash: Hash): FileSource {
  return {
    ...source,
    beside: async (other) => {
      const text = await source.beside(other);
      hash.update(`${other}\n${text?.length ?? -1}\n${text ?? ""}`);
      return text;
    },
  };
}

/** Marks that a file's sessions may share with those of other files, the facts that their logs state, and the hash of the bytes read. */
export interface FileMarks {
  readonly marks: readonly SessionMarks[];
  readonly facts: readonly SessionFacts[];
  readonly source: string;
}

/** The marks of an opened file. */
export function marksOf({ transcripts, source }: OpenedFile): FileMarks {
  return { marks: transcripts.map(sessionMarks), facts: transcripts.map(sessionFacts), source };
}

/** Files that were opened together, with their shared answers and their hashes. Their sessions stay with the processes that opened them. */
export interface Corpus {
  readonly files: readonly InputFile[];
  readonly lineages: Lineages;
  readonly facts: readonly SessionFacts[];
  /** By displayed name; a file that cannot be read has none, which its replay says. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The processes or threads that open files for a corpus. */
export interface CorpusReader {
  readonly jobs: number;
  open(file: InputFile): Promise<FileMarks>;
}

/** Opens every file once. Files that cannot be read are passed over: their replays say why. */
export async function openCorpus(files: readonly InputFile[], reader: CorpusReader): Promise<Corpus> {
  const opened = await eachAtMost(files, reader.jobs, (file) => reader.open(file).catch(() => null));
  const sources = files.flatMap(({ displayName }, place) => {
    const source = opened[place]?.source;
    return source === undefined ? [] : [[displayName, source] as const];
  });
  const lineages = lineagesOf(opened.flatMap((each) => each?.marks ?? []));
  return { files, lineages, facts: opened.flatMap((each) => each?.facts ?? []), sources: new Map(sources) };
}

/**
 * The results of items in their order, with at most so many under way at a time, begun in their order. After the first failure none is begun; rejects
 * with that failure.
 */
export async function eachAtMost<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item, place: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  let hasFailed = false;
  const runner = async () => {
    for (const [place, item] of left) {
      if (hasFailed) return;
      results[place] = await run(item, place);
    }
  };
  const runners = Array.from({ length: Math.min(atOnce, items.length) }, runner);
  try {
    await Promise.all(runners);
  } finally {
    hasFailed = true;
  }
  return results;
}
