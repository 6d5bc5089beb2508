import { formatNumberOf, formatTokens } from "@plimsoll/bench/internal";
import { beginningOf, shortened } from "../terminal/printable.ts";
import type { LineStarts } from "../terminal/wrapped.ts";
import { wrapped } from "../terminal/wrapped.ts";
import type { CompactionLoss } from "./compaction-loss.ts";
import { titleOf } from "./session-story.ts";

/** What is listed of a loss; the rest is counted. Chosen. */
const KINDS_LISTED = 4;
const MESSAGES_LISTED = 3;
const PATHS_LISTED = 4;
const LISTED_CHARS = 60;

/** What a compaction took out, as lines of 80 columns. Tokens are estimates. */
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
