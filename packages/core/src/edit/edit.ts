import type { AppliedReplaceSpans, PromptedSpan, SpanAnswer } from "../applied-edit.ts";

/** A change of the context that a strategy asks for, as plain data that names messages by id. The engine turns it into an applied edit. */
export type Edit = ReplaceSpansEdit | ReplacePartEdit;

/**
 * Spans to replace by one message, or by nothing. The message takes the place where the first span began: a turn that was split keeps its human
 * message between two spans.
 */
export interface ReplaceSpansEdit {
  readonly kind: "replace-spans";
  readonly spans: readonly PromptedSpan[];
  readonly by: SpanAnswer;
  /** Whether a notice counts the messages that went in all (`count`, if absent) or by role. */
  readonly noticeForm?: "count" | "roles";
  /** The summary, if it was written beforehand: then no model is asked. */
  readonly written?: WrittenSummary;
}

/** A summary's own text, without what the engine adds to it, and what it took. */
export interface WrittenSummary extends Pick<AppliedReplaceSpans, "usage" | "prompts" | "repairs"> {
  readonly text: string;
}

/** A part to replace by the text given: a stub, or the part's own head and tail. `handle` finds the original again. */
export interface ReplacePartEdit {
  readonly kind: "replace-part";
  readonly messageId: string;
  readonly partIndex: number;
  readonly text: string;
  readonly handle: string;
}
