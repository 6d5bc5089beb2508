import { formatCount, formatNumberOf, formatTokens } from "@plimsoll/bench/internal";
import { type Message, textOf, toolCallsOf } from "@plimsoll/core";
import { coverageOf } from "@plimsoll/core/build";
import type { AppliedEdit, AppliedReplaceSpans } from "@plimsoll/core/internal";
import { messageShares } from "../chat/context-table.ts";
import { beginningOf, type LineStarts, shortened, wrapped } from "../terminal/printable.ts";

/** Parts that a compaction took out of the next request; the log still has all of them. */
export interface CompactionLoss {
  /** By kind and tool, largest first: parts that went whole or were shortened, with the tokens that they no longer take. */
  readonly kinds: readonly { readonly what: string; readonly parts: number; readonly tokens: number }[];
  /** The person's own messages that are no longer sent. */
  readonly humanMessages: readonly Message[];
  /** Files that calls which are no longer sent had read or changed, in order, each once. */
  readonly paths: readonly string[];
  /** Messages that took their place and were not there before. */
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

/** Says which edits were made, like ones counted together. */
export function editWords(edits: readonly AppliedEdit[]): readonly string[] {
  const cleared = edits.filter((edit) => edit.kind === "replace-part");
  const others = edits.flatMap((edit): string[] => {
    switch (edit.kind) {
      case "replace-spans":
        return [spansWords(edit)];
      case "replace-history":
        return [`replaced ${formatNumberOf(edit.covered.messages, "message")} by ${edit.messages.length}`];
      case "replace-part":
        return [];
      default:
        return edit satisfies never;
    }
  });
  const removedChars = cleared.reduce((sum, edit) => sum + edit.removedChars, 0);
  return cleared.length === 0
    ? others
    : [`shortened ${formatNumberOf(cleared.length, "part")} (${formatCount(removedChars)} characters fewer)`, ...others];
}

function spansWords({ by, message, covered }: AppliedReplaceSpans): string {
  const what = `${formatNumberOf(covered.messages, "message")} (${formatCount(covered.chars)} characters)`;
  const isWritten = message !== null && (by === "summary" || by === "digest");
  return isWritten ? `summarised ${what} as ${formatCount(coverageOf([message]).chars)}` : `dropped ${what}`;
}

/** Kinds of losses that are listed; the rest is counted. Chosen. */
const KINDS_LISTED = 4;
const MESSAGES_LISTED = 3;
const PATHS_LISTED = 4;
const LISTED_CHARS = 60;

/** Shows the losses of a compaction, as lines of 80 columns. Tokens are estimates. */
export function lossText({ kinds, humanMessages, paths }: CompactionLoss, starts: LineStarts): readonly string[] {
  const kindTexts = kinds.map(
    ({ what, parts, tokens }) => `${shortened(what, LISTED_CHARS)} ${parts} (${formatTokens(tokens)})`,
  );
  const pathTexts = paths.map((path) => shortened(path, LISTED_CHARS));
  const further = humanMessages.length - MESSAGES_LISTED;
  return [
    ...(kinds.length === 0 ? [] : wrapped(`no longer sent: ${listed(kindTexts, KINDS_LISTED)}`, starts)),
    ...(paths.length === 0 ? [] : wrapped(`with files ${listed(pathTexts, PATHS_LISTED)}`, starts)),
    ...humanMessages
      .slice(0, MESSAGES_LISTED)
      .map((message) => `${starts.first}yours: ${beginningOf(titleOf(message), LISTED_CHARS)}`),
    ...(further > 0 ? [`${starts.first}and ${formatNumberOf(further, "more message")} of yours`] : []),
  ];
}

function listed(items: readonly string[], most: number): string {
  return `${items.slice(0, most).join(", ")}${items.length > most ? ` and ${items.length - most} more` : ""}`;
}

/** The first line of a message that says something. */
export function titleOf(message: Message): string {
  return textOf(message).trim().split("\n", 1)[0] ?? "";
}
