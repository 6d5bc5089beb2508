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
