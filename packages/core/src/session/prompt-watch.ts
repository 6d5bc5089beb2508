import type { SessionEntry, UsageEntry } from "../entry.ts";
import { isHuman, type Message } from "../message/message.ts";
import { type Sequence, sequenceOf } from "../sequence.ts";
import type { Prediction } from "../tokens/estimator.ts";
import type { SilentTruncationEvent } from "./events.ts";
import type { SessionView } from "./view.ts";

/** A message that came after the newest report: the characters that its request cannot leave out. */
interface Arrival {
  readonly id: string;
  readonly chars: number;
  readonly isHuman: boolean;
}

/** A floor for the next prompt, folded entry by entry, to notice a server that leaves the oldest messages out and says nothing. */
export interface PromptWatch {
  /** The newest report of this epoch (the same model, system and tools, no edit since); `null` before the first. */
  readonly reported: { readonly tokens: number; readonly modelId: string; readonly overheadHash: string | null } | null;
  /** Of an epoch without a report: characters of the view when it began; 0 after one. */
  readonly startChars: number;
  readonly arrivals: Sequence<Arrival>;
  /** Tokens by which reports of this epoch fell short of the floor, less those that later ones made up for. */
  readonly missingTokens: number;
  /** Whether this epoch's shortfall was told. */
  readonly isTold: boolean;
}

/** The watch of an empty log. */
export const EMPTY_PROMPT_WATCH: PromptWatch = {
  reported: null,
  startChars: 0,
  arrivals: sequenceOf(),
  missingTokens: 0,
  isTold: false,
};

/**
 * Characters a token at most: what a text surely measures. Half of what the densest of our recorded sessions measured (4.3), so that only
 * text that is made of runs falls below.
 */
const MAXIMUM_CHARS_PER_TOKEN = 8;

/** The share that a vendor may leave out at a new turn: its own reasoning of turns before; recorded sessions lost up to 20 % at once. */
const REASONING_RATIO = 0.25;

/** A shortfall counts from this part of the prompt on, and from so many tokens: smaller ones were seen when a thinking mode was switched (850). */
const SHORTFALL_RATIO = 0.05;
const SHORTFALL_TOKENS = 1_000;

/** A watch after one more entry, and the shortfall if this entry is the report that shows it. */
export interface WatchedPrompt {
  readonly watch: PromptWatch;
  /** Tokens that are missing at least; `null` for nothing to tell. */
  readonly missingTokens: number | null;
}

/** Folds an entry; `view` is the view after it. Only an edit walks the view. */
export function foldPromptWatch(watch: PromptWatch, entry: SessionEntry, view: SessionView): WatchedPrompt {
  switch (entry.type) {
    case "message": {
      const arrival = { id: entry.message.id, chars: certainChars(entry.message), isHuman: isHuman(entry.message) };
      const { reported, startChars, arrivals, missingTokens, isTold } = watch;
      const next = { reported, startChars, arrivals: arrivals.append(arrival), missingTokens, isTold };
      return { watch: next, missingTokens: null };
    }
    case "usage":
      return watchReport(watch, entry);
    case "attempt":
      return { watch, missingTokens: null };
    case "session":
    case "setup-change":
    case "model-change":
    case "compaction":
    case "revert":
      return { watch: epochOf(view), missingTokens: null };
    default:
      return entry satisfies never;
  }
}

function epochOf(view: SessionView): PromptWatch {
  let startChars = view.system.length;
  for (const tool of view.tools) startChars += tool.description.length + tool.parametersJson.length;
  for (const message of view.messages) startChars += certainChars(message);
  return { ...EMPTY_PROMPT_WATCH, startChars };
}

/** Characters without reasoning, which a vendor need not count again, and without images. */
function certainChars(message: Message): number {
  let chars = 0;
  for (const part of message.parts) {
    if (part.type === "text") chars += part.text.length;
    if (part.type === "tool-call") chars += part.argumentsJson.length;
  }
  return chars;
}

function watchReport(watch: PromptWatch, entry: UsageEntry): WatchedPrompt {
  const tokens = entry.usage.input.totalTokens;
  const { modelId, overheadHash } = entry;
  if (tokens === null) return { watch, missingTokens: null };
  const { reported } = watch;
  const now = { tokens, modelId, overheadHash };
  const isSameEpoch = reported === null || (reported.modelId === modelId && reported.overheadHash === overheadHash);
  if (!isSameEpoch) return { watch: { ...EMPTY_PROMPT_WATCH, reported: now }, missingTokens: null };
  const arrivals = watch.arrivals.slice();
  // A report of a message that is not among them says nothing of them.
  const end = arrivals.findIndex(({ id }) => id === entry.throughMessageId) + 1;
  const measured = arrivals.slice(0, end);
  const chars = measured.reduce((sum, arrival) => sum + arrival.chars, watch.startChars);
  const knownTokens = reported?.tokens ?? 0;
  const allowedTokens = measured.some((arrival) => arrival.isHuman) ? knownTokens * REASONING_RATIO : 0;
  const shortTokens = knownTokens + chars / MAXIMUM_CHARS_PER_TOKEN - allowedTokens - tokens;
  const missingTokens = Math.max(0, watch.missingTokens + shortTokens);
  const isShort = missingTokens > Math.max(SHORTFALL_TOKENS, tokens * SHORTFALL_RATIO);
  return {
    watch: {
      reported: now,
      startChars: 0,
      arrivals: sequenceOf(end === 0 ? [] : arrivals.slice(end)),
      missingTokens,
      isTold: watch.isTold || isShort,
    },
    missingTokens: isShort && !watch.isTold ? Math.round(missingTokens) : null,
  };
}

/** Makes the event of a shortfall; the prediction is the one of the request that was reported. */
export function silentTruncation(
  { modelId, requestId, usage }: UsageEntry,
  missingTokens: number,
  { expectedTokens, basis }: Prediction,
): SilentTruncationEvent {
  const reportedTokens = usage.input.totalTokens ?? 0;
  return { type: "silent-truncation", modelId, requestId, reportedTokens, expectedTokens, estimator: basis, missingTokens };
}
