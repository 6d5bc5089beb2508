import { formatTokens } from "@plimsoll/bench";
import { printable, shortened } from "../terminal/printable.ts";
import type { StoryLine } from "./session-story.ts";

/** Longest title of a turn; chosen. */
const TITLE_CHARS = 90;

/** A line of the story as text. */
export function storyText(line: StoryLine): readonly string[] {
  switch (line.kind) {
    case "turn":
      return [`› ${shortened(line.title, TITLE_CHARS)}`];
    case "calls": {
      const size = line.lastPromptTokens === null ? "" : `, the last prompt ${formatTokens(line.lastPromptTokens)} tokens`;
      return [`    ${line.requests} model calls, ${line.toolCalls} tool results${size}`];
    }
    case "model":
      return [`    model ${printable(line.modelId)}`];
    case "compaction": {
      const { entry, isReverted, messagesBefore, messagesAfter, charsBefore, charsAfter, edits } = line.story;
      const { reason, policy, steps } = entry.record;
      const strategies = steps.filter(({ outcome }) => outcome === "applied").map(({ strategy }) => strategy);
      const by = strategies.length === 0 ? "" : `, by ${printable(strategies.join(" and "))}`;
      return [
        `  ◆ compaction (${reason}, ${printable(policy)}${by})${isReverted ? ", undone later" : ""}: ${messagesBefore} → ${messagesAfter} messages, ${charsBefore} → ${charsAfter} characters`,
        ...edits.map((words) => `      ${words}`),
      ];
    }
    default:
      return line satisfies never;
  }
}
