import type { MessageSpan } from "../entry.ts";

/** What a strategy answers with: plain data that names messages by id. `execute` turns it into an applied edit. */
export type Edit = SummarizeEdit | DropEdit | ReplacePartEdit;

/** Spans to replace by one summary message. Several spans, one message: a turn that was split keeps its human message between them. */
export interface SummarizeEdit {
  readonly kind: "summarize";
  readonly spans: readonly (MessageSpan & { readonly promptId: string })[];
}

/** A span to remove; a notice that counts what went takes its place. */
export interface DropEdit extends MessageSpan {
  readonly kind: "drop";
}

/** A part to replace by shorter text, or by a stub where `text` is `null`. `handle` finds the original again. */
export interface ReplacePartEdit {
  readonly kind: "replace-part";
  readonly messageId: string;
  readonly partIndex: number;
  readonly text: string | null;
  readonly handle: string;
}
