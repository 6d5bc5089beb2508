import type { SessionEntry } from "@plimsoll/core";

/**
 * A recorded session from an importer: a session log of ours (one `session` entry first, then messages, one
 * `usage` entry before the reply of each model call, and the recorded agent's own compactions as `compaction` entries
 * with the reason `recorded`), with where it comes from.
 */
export interface Transcript {
  /** Stable name: the file's path as given, with `#n` or `#<sidechain id>` for the further sessions of one file. */
  readonly name: string;
  readonly file: string;
  /** The importer's name, e.g. `claude-code`. */
  readonly format: string;
  readonly entries: readonly SessionEntry[];
  /** For a sidechain: the name of its main transcript. */
  readonly parentName: string | null;
  /** Ids of the recorded compactions that the agent surely made by itself; left out if the format does not say. */
  readonly automaticCompactionIds?: readonly string[];
  /** Texts that the agent put back after compactions without logging them, as far as they can be rebuilt; left out if nothing is known. */
  readonly putBack?: readonly PutBack[];
  /** The outcome of the run, by its recorded grades; left out if there are none. */
  readonly outcome?: Outcome;
  /** US dollars of the whole run by the recording; left out if it states only the price of each call. */
  readonly statedUsd?: number;
  /** Ids of its reports and compactions that are another session's and count there: a fork repeats its beginning. Left out if all are its own. */
  readonly copiedIds?: readonly string[];
  /** The first session of those that share answers with it or belong to it; left out if there are no others, or no search was made. */
  readonly lineage?: string;
  /** A hash of the project that the log names: its repository, else its folder; left out if it names none. */
  readonly project?: string;
  /** The subscription that paid for it, as the log names it; left out if it names none. */
  readonly plan?: string;
  /** False if the recording reports no sizes, so that a replay runs on estimates. */
  readonly hasUsage: boolean;
  /** Notes of the importer for the reader; never fatal. */
  readonly notes: readonly ImportNote[];
}

/** The step of a recorded entry by which turns were taken back that the person did not want: no compaction, and it holds under every policy. */
export const ROLLED_BACK = "rolled back";

/** The step of a recorded compaction that asked no model: a short text is in the place of old results. */
export const CLEARED = "clearing old results";

const isMadeBy = (step: string) => (entry: SessionEntry) =>
  entry.type === "compaction" && entry.record.steps[0]?.strategy === step;

/** True for an entry by which the person took back earlier turns. */
export const isRollBack: (entry: SessionEntry) => boolean = isMadeBy(ROLLED_BACK);

/** True for an entry by which the agent cleared old results, without a summary. */
export const isClearing: (entry: SessionEntry) => boolean = isMadeBy(CLEARED);

/** Text that is in every prompt from a recorded compaction to the next one, and in no entry of the log: files and skills. */
export interface PutBack {
  readonly compactionId: string;
  readonly text: string;
}

/** How many sessions and lineages were read. Sessions that share a beginning are one lineage. */
export interface LineageCounts {
  readonly files: number;
  readonly sessions: number;
  readonly lineages: number;
  /** Answers in more than one session; each counts once. */
  readonly repeatedAnswers: number;
}

/** Grades of a recorded run, from its recording or a table of grades. */
export interface Outcome {
  /** The grades in the order of the recording; only the first counts. */
  readonly grades: readonly { readonly name: string; readonly value: number }[];
}

/** One line about a place in a file. `line` counts from 1; `null` if a whole document is meant. */
export interface ImportNote {
  readonly code: ImportNoteCode;
  readonly line: number | null;
  readonly text: string;
  /** Names of lines, items or tools that were not read; left out for notes of another kind. */
  readonly unread?: UnreadNames;
}

/** Names of unread items in one log, and the agent with its version that wrote it. */
export interface UnreadNames {
  /** `null` if the log does not say. */
  readonly writtenBy: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

/** Kinds of notes, so that a summary can count them. */
export type ImportNoteCode =
  | "cut-off-line"
  | "several-objects-on-a-line"
  | "unreadable-line"
  | "unknown-line-type"
  | "unknown-tool"
  | "unseen-version"
  | "encoding"
  | "result-without-call"
  | "call-without-result"
  | "duplicate-usage"
  | "no-usage"
  | "usage-in-total"
  | "unmatched-reference"
  | "abandoned-branch"
  | "missing-history"
  | "unfinished-output"
  | "unread-script";
