import { isOfView, messagesWrittenBy, type SessionEntry, type UsageEntry } from "../entry.ts";
import { isHuman, type Message, type Part, partTexts } from "../message/message.ts";
import { type Sequence, sequenceOf } from "../sequence.ts";
import { utf8Bytes } from "../text.ts";
import { isRejectedUsage } from "../usage.ts";
import type { SessionView } from "./view.ts";

/**
 * Whether a session's usage is possible: reports that add up a whole session, or are a multiple of the truth, rise by more than the messages between them could ever
 * measure. One such rise is possible (a server-side tool); several in a row are not, and neither are reports that swing, as many large ones soon after each other.
 */
export interface UsageWatch {
  /** The newest report, without anything put back since; `null` for none. */
  readonly reported: { readonly modelId: string; readonly promptTokens: number; readonly outputTokens: number } | null;
  /** Parts that came since, in messages and by edits. Their tokens can only make the next report smaller. */
  readonly arrived: Sequence<readonly Part[]>;
  /** Rises in a row that cannot be, and how much of them nothing explains. */
  readonly impossibleRises: number;
  readonly unexplainedTokens: number;
  /** Impossible rises that make a report a multiple of the one before, regardless of falls between them; and reports since the newest of them. */
  readonly swings: number;
  readonly calmReports: number;
  /** True from the report on that showed it: the reports of this model's provider are no evidence. */
  readonly isRefused: boolean;
}

/** The watch of an empty log. */
export const EMPTY_USAGE_WATCH: UsageWatch = {
  reported: null,
  arrived: sequenceOf<readonly Part[]>(),
  impossibleRises: 0,
  unexplainedTokens: 0,
  swings: 0,
  calmReports: 0,
  isRefused: false,
};

/** So many rises in a row are refused: a search or two in a turn was seen, and the prompt fell again. Chosen. */
const REFUSED_RISES = 3;

/** A rise to such a multiple is a swing: no lane of a provider was seen to report as much more than another. So many other reports end its effect. Chosen. */
const SWING_RATIO = 4;
const CALM_REPORTS = 8;

/** Tokens that framing, a prompt's own changes and a few words of a server may add to a request, on the average of such rises, and to a message. Chosen. */
const FRAMING_TOKENS = 1000;
const MESSAGE_TOKENS = 50;

/** The watch after one more entry. */
export function foldUsageWatch(watch: UsageWatch, entry: SessionEntry): UsageWatch {
  if (entry.type === "message")
    return watch.reported === null ? watch : { ...watch, arrived: watch.arrived.append(entry.message.parts) };
  if (entry.type === "usage") return isRejectedUsage(entry.usage) ? watch : afterReport(watch, entry);
  if (entry.type === "model-change") return EMPTY_USAGE_WATCH;
  // The texts that another agent puts back are not known.
  const isKnown =
    entry.type === "compaction" &&
    entry.record.reason !== "recorded" &&
    entry.edits.every(({ kind }) => kind !== "replace-history");
  if (!isKnown) return isOfView(entry) ? forgotten(watch) : watch;
  let { arrived } = watch;
  for (const edit of entry.edits)
    for (const { parts } of edit.kind === "replace-part" ? [{ parts: [edit.part] }] : messagesWrittenBy(edit))
      arrived = arrived.append(parts);
  return { ...watch, arrived };
}

function forgotten(watch: UsageWatch): UsageWatch {
  return { ...watch, reported: null, arrived: EMPTY_USAGE_WATCH.arrived };
}

function afterReport(watch: UsageWatch, { modelId, usage }: UsageEntry): UsageWatch {
  const { reported, arrived } = watch;
  const promptTokens = usage.input.totalTokens;
  if (promptTokens === null) return watch;
  const now = { modelId, promptTokens, outputTokens: usage.output.totalTokens ?? 0 };
  if (reported === null || reported.modelId !== modelId) return { ...forgotten(watch), reported: now };
  const leftTokens = leftOf(promptTokens - reported.promptTokens - reported.outputTokens, arrived);
  const impossibleRises = leftTokens > 0 ? watch.impossibleRises + 1 : 0;
  const unexplainedTokens = leftTokens > 0 ? watch.unexplainedTokens + leftTokens : 0;
  const isSwing = leftTokens > FRAMING_TOKENS && promptTokens > reported.promptTokens * SWING_RATIO;
  const calmReports = isSwing ? 0 : watch.calmReports + 1;
  const swings = isSwing ? watch.swings + 1 : calmReports < CALM_REPORTS ? watch.swings : 0;
  const isImpossible = impossibleRises >= REFUSED_RISES && unexplainedTokens > REFUSED_RISES * FRAMING_TOKENS;
  const isRefused = watch.isRefused || isImpossible || swings >= REFUSED_RISES;
  const nothing = EMPTY_USAGE_WATCH.arrived;
  return { reported: now, arrived: nothing, impossibleRises, unexplainedTokens, swings, calmReports, isRefused };
}

/** So many tokens without those that the arrived parts can measure: no tokenizer makes two of one byte. Bytes are counted only where characters leave a rest. */
function leftOf(tokens: number, arrived: UsageWatch["arrived"]): number {
  let left = tokens;
  for (const measure of [charsOf, bytesOf]) {
    left = tokens;
    for (const parts of arrived) {
      left -= MESSAGE_TOKENS;
      for (const part of parts) left -= measure(part);
      if (left <= 0) return 0;
    }
  }
  return Math.max(0, left);
}

function charsOf(part: Part): number {
  return part.type === "text" ? part.text.length : part.type === "tool-call" ? part.argumentsJson.length : 0;
}

/** Bytes of a part's content; of an image or a document those of its data, or no bound if it lies elsewhere. */
function bytesOf(part: Part): number {
  if (part.type === "image") return part.source.kind === "base64" ? part.source.data.length : Number.POSITIVE_INFINITY;
  const opaque = part.type === "reasoning" ? [JSON.stringify(part.opaque)] : [];
  return [...partTexts(part), ...opaque].reduce((sum, text) => sum + utf8Bytes(text), 0);
}

/** A floor for the next prompt, folded entry by entry, to notice a server that leaves the oldest messages out and says nothing. */
export interface PromptWatch {
  /** The newest report of this epoch (the same model, system and tools, no edit since); `null` before the first. */
  readonly reported: { readonly tokens: number; readonly modelId: string; readonly overheadHash: string | null } | null;
  /** Of an epoch without a report: characters of the view when it began; 0 after one. */
  readonly startChars: number;
  readonly arrivals: Sequence<{ readonly id: string; readonly chars: number; readonly isHuman: boolean }>;
  /** Tokens by which reports of this epoch fell short of the floor, less those that later ones made up for. */
  readonly missingTokens: number;
  /** Whether this epoch's shortfall was reported: by the entry that makes it true. */
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
 * Characters a token at most: a text surely measures this. Half of the densest of our recorded sessions (4.3), so that only text that is made of runs
 * falls below.
 */
const MAXIMUM_CHARS_PER_TOKEN = 8;

/** The share that a vendor may leave out at a new turn: its own reasoning of turns before; recorded sessions lost up to 20% at once. */
const REASONING_RATIO = 0.25;

/** A shortfall counts from this part of the prompt on, and from so many tokens: smaller ones were seen when a thinking mode was switched (850). */
const SHORTFALL_RATIO = 0.05;
const SHORTFALL_TOKENS = 1_000;

/** Folds an entry; `view` is the view after it. A message or report does not walk it. */
export function foldPromptWatch(watch: PromptWatch, entry: SessionEntry, view: SessionView): PromptWatch {
  if (entry.type === "message") {
    const arrival = { id: entry.message.id, chars: certainChars(entry.message), isHuman: isHuman(entry.message) };
    return { ...watch, arrivals: watch.arrivals.append(arrival) };
  }
  if (entry.type === "usage") return watchReport(watch, entry);
  if (entry.type !== "session" && entry.type !== "model-change" && !isOfView(entry)) return watch;
  let startChars = view.system.length;
  for (const tool of view.tools) startChars += tool.description.length + tool.parametersJson.length;
  for (const message of view.messages) startChars += certainChars(message);
  return { ...EMPTY_PROMPT_WATCH, startChars };
}

/** Characters without reasoning, which a vendor need not count again, and without images. */
function certainChars(message: Message): number {
  let chars = 0;
  for (const part of message.parts) chars += charsOf(part);
  return chars;
}

function watchReport(watch: PromptWatch, entry: UsageEntry): PromptWatch {
  const tokens = entry.usage.input.totalTokens;
  const { modelId, overheadHash } = entry;
  if (tokens === null) return watch;
  const { reported } = watch;
  const now = { tokens, modelId, overheadHash };
  const isSameEpoch = reported === null || (reported.modelId === modelId && reported.overheadHash === overheadHash);
  if (!isSameEpoch) return { ...EMPTY_PROMPT_WATCH, reported: now };
  const arrivals = watch.arrivals.slice();
  // A report of a message that is not among them says nothing of them.
  const end = arrivals.findIndex(({ id }) => id === entry.throughMessageId) + 1;
  const measured = arrivals.slice(0, end);
  const chars = measured.reduce((sum, arrival) => sum + arrival.chars, watch.startChars);
  const knownTokens = reported?.tokens ?? 0;
  const allowedTokens = measured.some((arrival) => arrival.isHuman) ? knownTokens * REASONING_RATIO : 0;
  const shortTokens = knownTokens + chars / MAXIMUM_CHARS_PER_TOKEN - allowedTokens - tokens;
  const missingTokens = Math.max(0, watch.missingTokens + shortTokens);
  const isTold = watch.isTold || missingTokens > Math.max(SHORTFALL_TOKENS, tokens * SHORTFALL_RATIO);
  return { reported: now, startChars: 0, arrivals: sequenceOf(end === 0 ? [] : arrivals.slice(end)), missingTokens, isTold };
}
