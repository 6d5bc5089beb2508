import type { Message, Part } from "./message/message.ts";
import type { Usage } from "./usage.ts";

/** A span of messages of a view, both ends included, by message id. */
export interface MessageSpan {
  readonly from: string;
  readonly through: string;
}

/** A span and the prompt that its text is to be written with; `null` if no text is. */
export interface PromptedSpan extends MessageSpan {
  readonly promptId: string | null;
}

/**
 * The text that replaces spans: a summary that a model writes, a digest that needs none, a notice that counts the removed messages, or nothing, so that
 * the record alone counts them.
 */
export type SpanAnswer = "summary" | "digest" | "notice" | "nothing";

/** An edit as the log keeps it: it can be applied again without a model, a clock or a policy. */
export type AppliedEdit = AppliedReplaceSpans | AppliedReplacePart | AppliedReplaceHistory;

/** Spans replaced by nothing, or by one message in the place where the first span began. */
export interface AppliedReplaceSpans {
  readonly kind: "replace-spans";
  readonly spans: readonly PromptedSpan[];
  readonly by: SpanAnswer;
  /** `null` for `nothing` alone. */
  readonly message: Message | null;
  readonly covered: CoverageCount;
  /** Usage of the summary's own request; `null` for a message that no model wrote. */
  readonly usage: Usage | null;
  /** The prompts that it was written with, each as `id@version`; absent if none was used. */
  readonly prompts?: readonly string[] | undefined;
  /** Names of the repairs to the model's answer; absent if there were none. */
  readonly repairs?: readonly string[] | undefined;
}

/** One part replaced by a shorter one; `handle` finds the original again. */
export interface AppliedReplacePart {
  readonly kind: "replace-part";
  readonly messageId: string;
  readonly partIndex: number;
  readonly part: Part;
  readonly handle: string;
  readonly removedChars: number;
}

/** The whole view replaced: a compaction that another agent recorded, or a caller that supplied a new history. */
export interface AppliedReplaceHistory {
  readonly kind: "replace-history";
  /** The newest message that was replaced: what was appended after it stays. `null` replaces the whole view. */
  readonly through: string | null;
  readonly messages: readonly Message[];
  readonly covered: CoverageCount;
}

/** The count of an edit's losses in the view: whole messages, their parts, and UTF-16 code units of their text. */
export interface CoverageCount {
  readonly messages: number;
  readonly parts: number;
  readonly chars: number;
}

/** Lists the whole messages that an edit put into the context; none for an edit of one part of a message. */
export function messagesWrittenBy(edit: AppliedEdit): readonly Message[] {
  switch (edit.kind) {
    case "replace-spans":
      return edit.message === null ? [] : [edit.message];
    case "replace-history":
      return edit.messages;
    case "replace-part":
      return [];
    default:
      return edit satisfies never;
  }
}
