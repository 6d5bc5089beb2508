import { formatNumberOf, formatTokens } from "@plimsoll/bench/internal";
import { beginningOf, printable, shortened } from "../terminal/printable.ts";
import { wrapped } from "../terminal/wrapped.ts";
import { editWords } from "./edit-words.ts";
import { lossText } from "./loss-text.ts";
import type { CompactionStory, StoryLine, WorkStory } from "./session-story.ts";

/** Longest title of a turn, so that a line fits 80 columns. */
const TITLE_CHARS = 76;
/** Longest name of a tool that is listed. */
const LISTED_CHARS = 60;

/** A line of the story as text, each at most 80 columns wide. */
export function storyText(line: StoryLine): readonly string[] {
  switch (line.kind) {
    case "turn":
      return [`› ${beginningOf(line.title, TITLE_CHARS)}`];
    case "work":
      return wrapped(workText(line.work), { first: "    ", further: "      " });
    case "model":
      return [`    model ${shortened(line.modelId, TITLE_CHARS)}`];
    case "revert":
      return ["  ◇ the newest compaction was undone"];
    case "compaction":
      return compactionText(line.story);
    default:
      return line satisfies never;
  }
}

/** What was done, in words. */
export function workText({ calls, results, failures, promptTokens }: WorkStory): string {
  const tools = results.map(({ toolName, count }) => `${shortened(toolName, LISTED_CHARS)} ${count}`);
  const pieces = [
    formatNumberOf(calls, "call"),
    tools.length === 0 ? "no tools" : tools.join(", "),
    ...(failures === 0 ? [] : [`${failures} failed`]),
    ...(promptTokens === null ? [] : [`last prompt ${formatTokens(promptTokens)}`]),
  ];
  return pieces.join("; ");
}

function compactionText(story: CompactionStory): readonly string[] {
  const body = { first: "      ", further: "        " };
  return [
    ...wrapped(`◆ ${compactionHead(story)}`, { first: "  ", further: "    " }),
    ...editWords(story.entry.edits).flatMap((words) => wrapped(words, body)),
    ...lossText(story.loss, body),
  ];
}

/** Reason, policy, strategies and sizes of a compaction. Sizes are estimates. */
export function compactionHead({ entry, isReverted, ...sizes }: CompactionStory): string {
  const { reason, policy, steps } = entry.record;
  const strategies = steps.filter(({ outcome }) => outcome === "applied").map(({ strategy }) => printable(strategy));
  const by = strategies.length === 0 ? "" : ` by ${strategies.join(" and ")}`;
  const tokens = `about ${formatTokens(sizes.tokensBefore)} → ${formatTokens(sizes.tokensAfter)} tokens`;
  const undone = isReverted ? ", undone later" : "";
  const who = policy === reason ? "" : `, ${printable(policy)}`;
  return `compaction (${reason}${who}${by}${undone}): ${tokens}, ${sizes.messagesBefore} → ${sizes.messagesAfter} messages`;
}
