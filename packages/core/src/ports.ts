import type { Message, StopReason } from "./message/message.ts";
import type { Usage } from "./usage.ts";

/** A request for one summary: what is covered, in order, and how it is to be written. */
export interface SummaryRequest {
  /** One part a span; each names the prompt that its text is written with. */
  readonly parts: readonly { readonly promptId: string; readonly messages: readonly Message[] }[];
  /** Section titles that the summary must have, in order. */
  readonly sections: readonly string[];
  readonly maxTokens: number;
  /** What the person asked the summary to concentrate on. */
  readonly focus: string | null;
  /** Cap of each tool result in a serialised request, in characters; `null` for none. */
  readonly resultCapChars: number | null;
}

/** A summary as it came back. It is validated before it becomes part of a context. */
export interface Summary {
  readonly text: string;
  /** Usage of the summary's own request; `null` where no model was asked. */
  readonly usage: Usage | null;
  readonly stopReason: StopReason;
}

/** Writes summaries. Rejects on failure: an error never becomes text. */
export type Summarizer = (request: SummaryRequest, signal: AbortSignal) => Promise<Summary>;

/** Keeps output that was cut before it entered history. A handle is the hash of the content, so the same text has one handle. */
export interface ArtifactStore {
  /** Stores the text and answers with its handle. Storing the same text again changes nothing. */
  put(text: string): Promise<string>;
  /** The text that a handle names; `null` for a handle that the store does not know. */
  get(handle: string): Promise<string | null>;
}

/** The live state of something that compaction must not forget (a todo list, running sub-agents); `null` where there is none. */
export type StateProvider = () => { readonly title: string; readonly text: string } | null;

/** A file that the agent tracks besides its calls. `state` is what it last knew of it (a version, a time), as text. */
export interface TrackedFile {
  readonly path: string;
  readonly access: "read" | "modify";
  readonly state: string | null;
}

/** Asked for all tracked files at each compaction. */
export type FileTracker = () => readonly TrackedFile[];
