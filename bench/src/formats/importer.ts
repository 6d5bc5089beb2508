import type { Transcript } from "../transcript.ts";

/**
 * Reads the session files of one agent. A file's content chooses it, never the name: `recognises` looks at the beginning of the file.
 * Importers of line formats read line by line, so that memory grows only with the largest line.
 */
export interface Importer {
  readonly format: string;
  /** One sentence for `--help` and the documentation: the agent, and the versions seen. */
  readonly description: string;
  /** The newest agent version whose log we read; left out if logs name no version. Logs of newer ones get a note. */
  readonly newestSeen?: string;
  /** True if the first lines or the first bytes of the file are of this format. Must be cheap and must never throw. */
  recognises(head: FileHead): boolean;
  /**
   * Reads the sessions in the file, main chain first, then sidechains, each as its own transcript.
   * Throws a {@link PlimsollError} `bad-input` with file and line if nothing can be read.
   */
  read(source: FileSource): Promise<readonly Transcript[]>;
}

/** The beginning of a file: its first bytes as text, and those of its first lines that parse as JSON objects. */
export interface FileHead {
  readonly text: string;
  readonly firstObjects: readonly { readonly [key: string]: unknown }[];
}

/** A line of a file, with its number from 1, without its line break. */
export interface FileLine {
  readonly number: number;
  readonly text: string;
}

/** A file to read: by line or whole. Built-in importers read only through it, so that a session's sources are known. */
export interface FileSource {
  readonly path: string;
  readonly displayName: string;
  /** The encoding in words, if it is another than plain UTF-8; `null` for that. */
  readonly encoding: string | null;
  lines(): Iterable<FileLine>;
  text(): Promise<string>;
  /** The text of another file that belongs to it, by its path from the folder of this one; `null` if it cannot be read. */
  beside(path: string): Promise<string | null>;
  /** The names in a folder that belongs to it, sorted; none if there is no such folder. */
  namesIn(folder: string): Promise<readonly string[]>;
  /** The whole file as one JSON value, parsed once however often it is asked for. Rejects with the parser's error if it is none. */
  document(): Promise<unknown>;
}
