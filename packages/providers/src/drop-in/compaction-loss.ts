import { type Message, type Part, type SessionEntry, toolCallsOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry, messageChars } from "@plimsoll/core/extend";

/** Parts that a compaction took out of the next request; the log still has all of them. */
export interface CompactionLoss {
  /** Removed and shortened messages, calls, results and images by kind and tool, largest first, with the tokens that they no longer take. */
  readonly kinds: readonly { readonly what: string; readonly parts: number; readonly tokens: number }[];
  /** The person's own messages that are no longer sent. */
  readonly humanMessages: readonly Message[];
  /** Files that calls which are no longer sent had read or changed, in order, each once. */
  readonly paths: readonly string[];
  /** New messages that took their place. */
  readonly newMessages: readonly Message[];
}

/** Measures or estimates a message, in tokens. */
export type TokensOf = (message: Message) => number;

/** Lists the parts that one compaction removed, from the messages before and after it. `tokensOf` measures each message. */
export function compactionLoss(before: readonly Message[], after: readonly Message[], tokensOf: TokensOf): CompactionLoss {
  const kept = new Map(after.map((message) => [message.id, message]));
  const known = new Set(before.map(({ id }) => id));
  const kinds = new Map<string, { parts: number; tokens: number }>();
  const add = ({ what, count }: MessageShare, tokens: number) => {
    const sum = kinds.get(what) ?? { parts: 0, tokens: 0 };
    kinds.set(what, { parts: sum.parts + count, tokens: sum.tokens + tokens });
  };
  const gone = before.filter(({ id }) => !kept.has(id));
  for (const message of gone) for (const share of messageShares(message, tokensOf)) add(share, share.tokens);
  for (const message of before) {
    const now = kept.get(message.id);
    if (now === undefined || now === message) continue;
    const after = messageShares(now, tokensOf);
    for (const [index, share] of messageShares(message, tokensOf).entries())
      if (message.parts[index] !== now.parts[index]) add({ ...share, count: 1 }, share.tokens - (after[index]?.tokens ?? 0));
  }
  const paths = gone.flatMap((message) => toolCallsOf(message)).flatMap((call) => call.paths.map(({ path }) => path));
  return {
    kinds: [...kinds].map(([what, sum]) => ({ what, ...sum })).sort((a, b) => b.tokens - a.tokens),
    humanMessages: gone.filter((message) => message.role === "user" && message.origin === "human"),
    paths: [...new Set(paths)],
    newMessages: after.filter(({ id }) => !known.has(id)),
  };
}

/** A share of a message: one part, by kind and tool. */
interface MessageShare {
  readonly what: string;
  /** 0 for a further text of the same message, which counts once. */
  readonly count: number;
  readonly tokens: number;
}

/** Splits a message into its parts by kind: images share the tokens of a message that has only them, the others share the rest by their length. */
export function messageShares(message: Message, tokensOf: TokensOf): readonly MessageShare[] {
  const { id, parts } = message;
  const [tokens, totalChars] = [tokensOf(message), messageChars(message)];
  const images = parts.filter((part) => part.type === "image");
  const onlyImages: Message = { role: "user", id, origin: "human", parts: images, atMs: null };
  const imageTokens = images.length === 0 ? 0 : totalChars === 0 ? tokens : Math.min(tokens, tokensOf(onlyImages));
  const first = new Set((["text", "reasoning"] as const).map((type) => parts.findIndex((part) => part.type === type)));
  return parts.map((part, index) => {
    const chars = messageChars({ parts: [part] });
    const ratio = totalChars === 0 ? 1 / parts.length : chars / totalChars;
    const isCounted = part.type === "tool-call" || part.type === "image" || first.has(index);
    return {
      what: kindOf(message, part),
      count: isCounted ? 1 : 0,
      tokens: part.type === "image" ? imageTokens / images.length : (tokens - imageTokens) * ratio,
    };
  });
}

function kindOf(message: Message, part: Part): string {
  if (part.type === "image") return "images";
  if (part.type === "reasoning") return "reasoning";
  if (part.type === "tool-call") return `calls of ${part.toolName}`;
  if (message.role === "tool-result") return `results of ${message.toolName}`;
  if (message.origin === "model") return "the model's words";
  return ORIGIN_NAMES[message.origin];
}

const ORIGIN_NAMES = {
  human: "your messages",
  command: "commands that you ran",
  injected: "text added by the agent",
  declared: "system prompt and tools declared later",
  summary: "summaries",
  notice: "notices of removed text",
} as const;

/** The messages that a compaction found and left, and their tokens by its own measure. */
export interface Cut {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
}

/** Divides the tokens that a compaction recorded as freed by the estimate for the same messages, which may be off by half. 1 if either is unknown or not above 0. */
export function takenRatio(
  { tokensBefore, tokensAfter }: Pick<Cut, "tokensBefore" | "tokensAfter">,
  estimatedTokens: number,
): number {
  const takenTokens = tokensBefore === null || tokensAfter === null ? 0 : tokensBefore - tokensAfter;
  return takenTokens <= 0 || estimatedTokens <= 0 ? 1 : takenTokens / estimatedTokens;
}

/** The newest compaction of a log that holds; `null` for none. */
export function newestCut(entries: readonly SessionEntry[]): Cut | null {
  const newest = entries.reduce(foldEntry, EMPTY_VIEW).activeCompactions.at(-1);
  const index = entries.findLastIndex((entry) => entry.type === "compaction" && entry.id === newest?.id);
  const entry = entries[index];
  if (newest === undefined || entry === undefined) return null;
  const before = entries.slice(0, index).reduce(foldEntry, EMPTY_VIEW);
  const { tokensBefore, tokensAfter } = newest.record;
  return { before: before.messages.slice(), after: foldEntry(before, entry).messages.slice(), tokensBefore, tokensAfter };
}
