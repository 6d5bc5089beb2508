import type { MessageSpan } from "../entry.ts";

/** What a strategy answers with: plain data that names messages by id. `execute` turns it into an applied edit. */
export type Edit = SummarizeEdit | DropEdit | ReplacePartEdit;

/** Spans to replace by one summary message. Several spans, one message: a turn that was split keeps its human message between them. */
export interface SummarizeEdit {
  readonly kind: "summarize";
  /** Who writes the summary: the model, or the deterministic digest that needs none. */
  readonly writer: "model" | "digest";
  readonly spans: readonly (MessageSpan & { readonly promptId: string })[];
}

/** A span to remove. A notice that counts what all drops of a plan took out stands where the first of them began, if asked for. */
export interface DropEdit extends MessageSpan {
  readonly kind: "drop";
  readonly notice: "count" | "roles" | "none";
}

/** A part to replace by the text given: a stub, or the part's own head and tail. `handle` finds the original again. */
export interface ReplacePartEdit {
  readonly kind: "replace-part";
  readonly messageId: string;
  readonly partIndex: number;
  readonly text: string;
  readonly handle: string;
}
