import type { Between, Played, PlayRequest } from "../play.ts";
import type { Program } from "../program.ts";
import type { PutBackFacts, RowKind } from "./facts.ts";

/** One row of the table before it is played. */
export interface AcceptanceCase {
  /** Its name on the command line and of its files. */
  readonly name: string;
  readonly title: string;
  readonly kind: RowKind;
  /** Packages of ours that its empty project gets from tarballs. */
  readonly ours: readonly string[];
  /** Other packages that the project gets from the registry; the version of the first is the row's. None for a published program, which is installed by itself. */
  readonly libraries: readonly string[];
  /** The program, with our packages in this project. */
  readonly program: (project: string) => Program;
  readonly windowTokens: number;
  readonly steps: number;
  /** Of the steps, those that print text; all if it is left out. */
  readonly calls?: number;
  /** How often a new process takes the session up. */
  readonly resumes: number;
  readonly request: Omit<PlayRequest, "between">;
  /** Starts the program in between; it is given the project. */
  readonly between?: (project: string) => (upstream: string, folder: string) => Promise<SpeakingBetween>;
  /** Where the program keeps its sessions; left out if it keeps none. */
  readonly sessions?: SessionPlace;
  /** Texts that hooks put back, by the requests and by the hooks' output. */
  readonly putBack?: (played: Played, home: string) => PutBackFacts;
}

/** How a program's stored sessions are read: lines of JSON in files below a folder of its home, or a column of a database. */
export type SessionPlace =
  | { readonly kind: "lines"; readonly folder: string }
  | { readonly kind: "sqlite"; readonly file: string; readonly query: string };

/** The go-between, with its account of its compactions. */
export interface SpeakingBetween extends Between {
  lines(): readonly string[];
  /** Questions that it was asked, and those that it answered as it has to. */
  asked?(): { readonly right: number; readonly of: number };
}

/** A window that is small, and large enough for the overhead of most programs. Chosen. */
export const SMALL_TOKENS = 32_000;

/** Text that a call prints: a hundred of them are more than the window. Chosen. */
export const CALL_TOKENS = 500;

/** The person's first request. */
export const FIRST_MESSAGE =
  "Please go through the log files, one after the other. Never touch the harbour folder, and keep every date as it is.";

/** The person's words to the session that was taken up again. */
export const LATER_MESSAGE = "Now go through the rest of them, and leave those of the old year.";

/** The task of a sub-agent. */
export const SUB_AGENT_MESSAGE = "Go through the second folder, and never open the letters in it.";
