import type { Message } from "@plimsoll/core";
import { toolCallsOf } from "@plimsoll/core";
import { messageShares } from "../chat/context-table.ts";

/** What a compaction took out of what is sent; the log still has all of it. */
export interface CompactionLoss {
  /** By kind and tool, largest first: parts that went whole or were shortened, with the tokens that they no longer take. */
  readonly kinds: readonly { readonly what: string; readonly parts: number; readonly tokens: number }[];
  /** The person's own messages that are no longer sent. */
  readonly humanMessages: readonly Message[];
  /** Files that calls which are no longer sent had read or changed, in order, each once. */
  readonly paths: readonly string[];
  /** What stands in the place of it: messages that were not there before. */
  readonly newMessages: readonly Message[];
}

/** Tokens of a message, by some measure. */
export type TokensOf = (message: Message) => number;

/** The difference between two views, the later of which came of one compaction. */
export function compactionLoss(before: readonly Message[], after: readonly Message[], tokensOf: TokensOf): CompactionLoss {
  const kept = new Map(after.map((message) => [message.id, message]));
  const known = new Set(before.map(({ id }) => id));
  const kinds = new Map<string, { parts: number; tokens: number }>();
  const add = (what: string, tokens: number) => {
    const sum = kinds.get(what) ?? { parts: 0, tokens: 0 };
    kinds.set(what, { parts: sum.parts + 1, tokens: sum.tokens + tokens });
  };
  const gone = before.filter(({ id }) => !kept.has(id));
  for (const message of gone) for (const { what, tokens } of messageShares(message, tokensOf(message))) add(what, tokens);
  for (const message of before) {
    const now = kept.get(message.id);
    if (now === undefined || now === message) continue;
    const after = messageShares(now, tokensOf(now));
    for (const [index, { what, tokens }] of messageShares(message, tokensOf(message)).entries())
      if (message.parts[index] !== now.parts[index]) add(what, tokens - (after[index]?.tokens ?? 0));
  }
  const paths = gone.flatMap((message) => toolCallsOf(message)).flatMap((call) => call.paths.map(({ path }) => path));
  return {
    kinds: [...kinds].map(([what, sum]) => ({ what, ...sum })).sort((a, b) => b.tokens - a.tokens),
    humanMessages: gone.filter((message) => message.role === "user" && message.origin === "human"),
    paths: [...new Set(paths)],
    newMessages: after.filter(({ id }) => !known.has(id)),
  };
}
