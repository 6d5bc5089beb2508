import { messagesWrittenBy } from "../applied-edit.ts";
import type { CompactionEntry, SessionEntry, UsageEntry } from "../entry.ts";
import type { Part } from "../message/message.ts";
import { type Sequence, sequenceOf } from "../sequence.ts";
import { utf8Bytes } from "../text.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { isRejectedUsage } from "../usage.ts";
import type { UsageRefusedEvent } from "./events.ts";

/**
 * Whether a session's usage can be what it says: reports that add up a whole session, or are a multiple of the truth, rise by more than what came between them
 * could ever measure. One such rise is possible (a server-side tool); several in a row are not.
 */
export interface UsageWatch {
  /** The newest report, without anything put back since; `null` for none. */
  readonly reported: { readonly modelId: string; readonly promptTokens: number; readonly outputTokens: number } | null;
  /** Parts that came since, in messages and by edits. What they took can only make the next report smaller. */
  readonly arrived: Sequence<readonly Part[]>;
  /** Rises in a row that cannot be, and how much of them nothing explains. */
  readonly impossibleRises: number;
  readonly unexplainedTokens: number;
  /** True from the report on that showed it: what this model's provider reports is no evidence. */
  readonly isRefused: boolean;
}

/** The watch of an empty log. */
export const EMPTY_USAGE_WATCH: UsageWatch = {
  reported: null,
  arrived: sequenceOf<readonly Part[]>(),
  impossibleRises: 0,
  unexplainedTokens: 0,
  isRefused: false,
};

/** So many rises in a row are refused: a search or two in a turn was seen, and the prompt fell again. Chosen. */
const REFUSED_RISES = 3;

/** Tokens that framing, a prompt's own changes and a few words of a server may add to a request, on the average of such rises, and to a message. Chosen. */
const FRAMING_TOKENS = 1000;
const MESSAGE_TOKENS = 50;

/** The watch after one more entry. */
export function foldUsageWatch(watch: UsageWatch, entry: SessionEntry): UsageWatch {
  switch (entry.type) {
    case "message":
      return watch.reported === null ? watch : { ...watch, arrived: watch.arrived.append(entry.message.parts) };
    case "usage":
      return isRejectedUsage(entry.usage) ? watch : afterReport(watch, entry);
    case "model-change":
      return EMPTY_USAGE_WATCH;
    case "compaction":
      return isOthers(entry) ? forgotten(watch) : { ...watch, arrived: writtenBy(entry).reduce(appended, watch.arrived) };
    case "setup-change":
    case "revert":
      return forgotten(watch);
    case "session":
    case "attempt":
      return watch;
    default:
      return entry satisfies never;
  }
}

function forgotten(watch: UsageWatch): UsageWatch {
  return { ...watch, reported: null, arrived: sequenceOf<readonly Part[]>() };
}

/** Tells whether a compaction is another agent's: the texts that such an agent puts back are not known. */
function isOthers({ record, edits }: CompactionEntry): boolean {
  return record.reason === "recorded" || edits.some(({ kind }) => kind === "replace-history");
}

function writtenBy({ edits }: CompactionEntry): readonly (readonly Part[])[] {
  return edits.flatMap((edit): readonly (readonly Part[])[] =>
    edit.kind === "replace-part" ? [[edit.part]] : messagesWrittenBy(edit).map(({ parts }) => parts),
  );
}

function appended(arrived: UsageWatch["arrived"], parts: readonly Part[]): UsageWatch["arrived"] {
  return arrived.append(parts);
}

function afterReport({ reported, arrived, ...watch }: UsageWatch, { modelId, usage }: UsageEntry): UsageWatch {
  const promptTokens = usage.input.totalTokens;
  if (promptTokens === null) return { ...watch, reported, arrived };
  const now = {
    reported: { modelId, promptTokens, outputTokens: usage.output.totalTokens ?? 0 },
    arrived: sequenceOf<readonly Part[]>(),
  };
  if (reported === null || reported.modelId !== modelId) return { ...watch, ...now };
  const leftTokens = leftOf(promptTokens - reported.promptTokens - reported.outputTokens, arrived);
  const impossibleRises = leftTokens > 0 ? watch.impossibleRises + 1 : 0;
  const unexplainedTokens = leftTokens > 0 ? watch.unexplainedTokens + leftTokens : 0;
  const isImpossible = impossibleRises >= REFUSED_RISES && unexplainedTokens > REFUSED_RISES * FRAMING_TOKENS;
  return { ...now, impossibleRises, unexplainedTokens, isRefused: watch.isRefused || isImpossible };
}

/** Makes the event of a refused report; the prediction is that of the next request, without the report. */
export function usageRefused(
  { modelId, requestId, usage }: UsageEntry,
  { expectedTokens, basis }: Prediction,
): UsageRefusedEvent {
  const reportedTokens = usage.input.totalTokens ?? 0;
  return { type: "usage-refused", modelId, requestId, reportedTokens, expectedTokens, estimator: basis };
}

/** Returns the rest of so many tokens if the parts that came measure as much as they can: no tokenizer makes two tokens of one byte. */
function leftOf(tokens: number, arrived: UsageWatch["arrived"]): number {
  let left = tokens;
  for (const parts of arrived) {
    if (left <= 0) return 0;
    left -= MESSAGE_TOKENS;
    for (const part of parts) left -= bytesOf(part);
  }
  return Math.max(0, left);
}

/** Bytes of what a part says; of an image or a document those of its data, or no bound if it lies elsewhere. */
function bytesOf(part: Part): number {
  switch (part.type) {
    case "text":
      return utf8Bytes(part.text);
    case "tool-call":
      return utf8Bytes(part.toolName) + utf8Bytes(part.argumentsJson);
    case "reasoning":
      return utf8Bytes(part.text) + utf8Bytes(JSON.stringify(part.opaque));
    case "image":
      return part.source.kind === "base64" ? part.source.data.length : Number.POSITIVE_INFINITY;
    default:
      return part satisfies never;
  }
}
