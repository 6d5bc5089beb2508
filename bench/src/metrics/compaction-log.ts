import type { CompactionEntry, Message } from "@plimsoll/core";
import type { AppliedEdit } from "@plimsoll/core/extend";
import type { ReplayedCall } from "../replay/replayed-call.ts";

/** One compaction of a replay. Sizes are by the policy's own measure; `null` if it had none. */
export interface CompactionDetail {
  /** The call before which it happened, from 0. */
  readonly call: number;
  readonly reason: string;
  /** Each step that was tried with its outcome. */
  readonly steps: readonly string[];
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly summarisedMessages: number;
  readonly droppedMessages: number;
  readonly shortenedParts: number;
  /** The beginning of the summaries' text; `null` without one. */
  readonly summary: string | null;
  /** Passages that later replies needed and that left with it, and what the first few of them are about. */
  readonly neededLater: number;
  readonly examples: readonly NeededLater[];
}

/** A reference that a reply used after its passage had left. */
interface NeededLater {
  readonly call: number;
  readonly text: string;
}

/** Characters of a summary that are shown; the whole text is in no report. Chosen. */
const SUMMARY_CHARS = 400;
/** Needed passages that are named for each compaction; all are counted. Chosen. */
const MOST_EXAMPLES = 6;

/** The effect of each compaction, and the losses that a later reply needed. */
export interface CompactionLog {
  add(sent: Pick<ReplayedCall, "call" | "compactions">): void;
  /** A reply at `call` used a reference whose passage left the context before `leftAtCall`; -1 for one that was never there. */
  needed(call: number, text: string, leftAtCall: number): void;
  result(): readonly CompactionDetail[];
}

/** A log without compactions. What was lost between two compactions counts for the one before. */
export function createCompactionLog(): CompactionLog {
  const details: { readonly detail: CompactionDetail; neededLater: number; readonly examples: NeededLater[] }[] = [];
  return {
    add: ({ call, compactions }) => {
      for (const compaction of compactions) details.push({ detail: detailOf(call, compaction), neededLater: 0, examples: [] });
    },
    needed: (call, text, leftAtCall) => {
      const from = details.findLast(({ detail }) => detail.call <= leftAtCall);
      if (from === undefined) return;
      from.neededLater += 1;
      if (from.examples.length < MOST_EXAMPLES && from.examples.every((example) => example.text !== text))
        from.examples.push({ call, text });
    },
    result: () => details.map(({ detail, neededLater, examples }) => ({ ...detail, neededLater, examples })),
  };
}

function detailOf(call: number, { edits, record }: CompactionEntry): CompactionDetail {
  const dropped = edits.filter(isDrop);
  const summarised = edits.filter((edit) => edit.kind !== "replace-part" && !isDrop(edit));
  const covered = (of: readonly AppliedEdit[]) =>
    of.reduce((sum, edit) => sum + ("covered" in edit ? edit.covered.messages : 0), 0);
  const summaries = summarised.flatMap((edit) => (edit.kind === "replace-spans" && edit.message ? [edit.message] : []));
  return {
    call,
    reason: record.reason,
    steps: record.steps.map((step) => `${step.strategy}: ${step.outcome}`),
    tokensBefore: record.tokensBefore,
    tokensAfter: record.tokensAfter,
    messagesBefore: record.messagesBefore,
    messagesAfter: record.messagesAfter,
    summarisedMessages: covered(summarised),
    droppedMessages: covered(dropped),
    shortenedParts: edits.filter(({ kind }) => kind === "replace-part").length,
    summary: summaries.length === 0 ? null : beginningOf(summaries),
    neededLater: 0,
    examples: [],
  };
}

/** The beginning of what summaries say. A whole text need not be put together for it. */
function beginningOf(summaries: readonly Message[]): string {
  let beginning = "";
  for (const [place, text] of summaries.flatMap(textsOf).entries()) {
    if (beginning.length >= SUMMARY_CHARS) break;
    beginning += `${place === 0 ? "" : "\n"}${text.slice(0, SUMMARY_CHARS)}`;
  }
  return beginning.slice(0, SUMMARY_CHARS);
}

function textsOf({ parts }: Message): readonly string[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? [""] : texts;
}

/** True for spans in whose place no text of what they said stands. */
function isDrop(edit: AppliedEdit): boolean {
  return edit.kind === "replace-spans" && (edit.by === "notice" || edit.by === "nothing");
}
