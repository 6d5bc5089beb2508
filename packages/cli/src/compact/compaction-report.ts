import { basename } from "node:path";
import type { Transcript } from "@plimsoll/bench";
import { formatNumberOf, formatTokens } from "@plimsoll/bench/internal";
import type { FitOutcome, Message, ModelLimits } from "@plimsoll/core";
import type { StepOutcome } from "@plimsoll/core/build";
import { compactionLoss, editWords, lossText } from "../inspect/compaction-loss.ts";
import { createCompositionCounter } from "../inspect/session-story.ts";
import { printable, shortened, wrapped } from "../terminal/printable.ts";

/** A compaction that was tried on a session, and its messages before and after. */
export interface TriedCompaction {
  readonly transcript: Transcript;
  readonly outcome: FitOutcome;
  readonly model: ModelLimits;
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

/** Longest name of a file that is shown. */
const NAME_CHARS = 50;
const BODY = { first: "  ", further: "    " } as const;
const PLAIN = { first: "", further: "" } as const;

/** What was or would be done, for a person: lines of 80 columns. */
export function compactionReport({ transcript, outcome, model, before, after }: TriedCompaction): string {
  const name = `${transcript.format} log ${shortened(basename(transcript.name), NAME_CHARS)}`;
  switch (outcome.kind) {
    case "unchanged":
      return `${name}: there is nothing to compact.`;
    case "cancelled":
      return `${name}: cancelled, ${printable(outcome.why)}.`;
    case "failed":
    case "irreducible":
      return [`${name}: cannot be compacted.`, ...stepLines(outcome.steps)].join("\n");
    case "compacted": {
      const { record, edits } = outcome.entry;
      const window = model.contextWindowTokens === null ? "" : `, window ${formatTokens(model.contextWindowTokens)}`;
      const sizes = `${record.messagesBefore} → ${record.messagesAfter} messages, ${formatTokens(record.tokensBefore)} → ${formatTokens(record.tokensAfter)} tokens, by ${printable(record.policy)}${window}; measured by ${record.estimator}`;
      return [
        ...wrapped(`${name}: ${sizes}`, PLAIN),
        ...stepLines(record.steps),
        ...editWords(edits).flatMap((words) => wrapped(words, BODY)),
        ...lossText(compactionLoss(before, after, createCompositionCounter().tokensOf), BODY),
        "Summaries are quotations made without a model.",
      ].join("\n");
    }
    default:
      return outcome satisfies never;
  }
}

/** What else is in a file of which one session is compacted. */
export function leftOutLine(transcripts: readonly Transcript[]): string | null {
  const further = transcripts.length - 1;
  return further < 1 ? null : `${formatNumberOf(further, "further session")} in this file: left out.`;
}

function stepLines(steps: readonly StepOutcome[]): readonly string[] {
  return steps.flatMap(({ strategy, outcome, detail }) =>
    wrapped(`${printable(strategy)}: ${outcome}${detail === null ? "" : ` (${printable(detail)})`}`, BODY),
  );
}
