import type { SessionEntry, UsageEntry } from "../entry.ts";
import type { Message, Part } from "../message/message.ts";
import type { Sequence } from "../sequence.ts";
import { sequenceOf } from "../sequence.ts";
import { utf8Bytes } from "../text.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { isRejectedUsage } from "../usage.ts";
import type { UsageRefusedEvent } from "./events.ts";

/**
 * Whether a session's usage can be what it says: reports that add up a whole session, or are a multiple of the truth, rise by more than what came between them
 * could ever measure. One such rise is possible (a server-side tool); several in a row are not.
 */
export interface UsageWatch {
  /** The newest report, without an edit since; `null` for none. */
  readonly reported: { readonly modelId: string; readonly promptTokens: number; readonly outputTokens: number } | null;
  /** The messages that came since. */
  readonly arrived: Sequence<Message>;
  /** Rises in a row that cannot be. */
  readonly impossibleRises: number;
  /** True from the report on that showed it: what this model's provider reports is no evidence. */
  readonly isRefused: boolean;
}

/** The watch of an empty log. */
export const EMPTY_USAGE_WATCH: UsageWatch = {
  reported: null,
  arrived: sequenceOf<Message>(),
  impossibleRises: 0,
  isRefused: false,
};

/** So many rises in a row are refused: a search or two in a turn was seen, and the prompt fell again. Chosen. */
const REFUSED_RISES = 3;

/** Tokens that framing, a prompt's own changes and a few words of a server may add to a request and to a message. Chosen. */
const FRAMING_TOKENS = 1000;
const MESSAGE_TOKENS = 50;

/** The watch after one more entry. */
export function foldUsageWatch(watch: UsageWatch, entry: SessionEntry): UsageWatch {
  switch (entry.type) {
    case "message":
      return watch.reported === null ? watch : { ...watch, arrived: watch.arrived.append(entry.message) };
    case "usage":
      return isRejectedUsage(entry.usage) ? watch : afterReport(watch, entry);
    case "model-change":
      return EMPTY_USAGE_WATCH;
    case "setup-change":
    case "compaction":
    case "revert":
      return { ...watch, reported: null, arrived: sequenceOf<Message>() };
    case "session":
    case "attempt":
      return watch;
    default:
      return entry satisfies never;
  }
}

function afterReport({ reported, arrived, ...watch }: UsageWatch, { modelId, usage }: UsageEntry): UsageWatch {
  const promptTokens = usage.input.totalTokens;
  if (promptTokens === null) return { ...watch, reported, arrived };
  const now = {
    reported: { modelId, promptTokens, outputTokens: usage.output.totalTokens ?? 0 },
    arrived: sequenceOf<Message>(),
  };
  if (reported === null || reported.modelId !== modelId) return { ...watch, ...now };
  const leftTokens = promptTokens - reported.promptTokens - reported.outputTokens - FRAMING_TOKENS;
  const impossibleRises = exceeds(leftTokens, arrived) ? watch.impossibleRises + 1 : 0;
  return { ...now, impossibleRises, isRefused: watch.isRefused || impossibleRises >= REFUSED_RISES };
}

/** Makes the event of a refused report; the prediction is that of the next request, without the report. */
export function usageRefused(
  { modelId, requestId, usage }: UsageEntry,
  { expectedTokens, basis }: Prediction,
): UsageRefusedEvent {
  const reportedTokens = usage.input.totalTokens ?? 0;
  return { type: "usage-refused", modelId, requestId, reportedTokens, expectedTokens, estimator: basis };
}

/** Whether so many tokens are more than the messages can measure: no tokenizer makes two tokens of one byte. */
function exceeds(tokens: number, messages: Iterable<Message>): boolean {
  let left = tokens;
  for (const message of messages) {
    if (left <= 0) return false;
    left -= MESSAGE_TOKENS;
    for (const part of message.parts) left -= bytesOf(part);
  }
  return left > 0;
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
