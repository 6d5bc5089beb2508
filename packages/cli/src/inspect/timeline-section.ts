import { formatTokens, html, type Markup } from "@plimsoll/bench/internal";
import { timeText } from "./session-facts.ts";
import type { SessionStory, StoryLine } from "./session-story.ts";
import { workText } from "./story-text.ts";

/** Width of a full bar. */
const BAR_WIDTH = 160;

/** The story as a table: turns, the work between them with the size of its last prompt, compactions. */
export function timelineSection({ lines, calls }: SessionStory): Markup {
  const largest = Math.max(1, ...calls.map(({ promptTokens }) => promptTokens ?? 0));
  let compactions = 0;
  const rows = lines.map((line) => {
    if (line.kind === "compaction") compactions += 1;
    return row(line, { largest, number: compactions });
  });
  return html`<div class="scroll"><table class="figures timeline"><tbody>${rows}</tbody></table></div>`;
}

function row(line: StoryLine, { largest, number }: { readonly largest: number; readonly number: number }): Markup {
  switch (line.kind) {
    case "turn":
      return html`<tr class="turn"><td class="text">› ${line.title === "" ? "(no text)" : line.title}</td><td class="soft">${line.atMs === null ? "" : timeText(line.atMs)}</td></tr>`;
    case "work": {
      const { promptTokens } = line.work;
      const bar =
        promptTokens === null
          ? html``
          : html`<svg class="bar" viewBox="0 0 ${BAR_WIDTH} 10" role="img" aria-label="${formatTokens(promptTokens)} tokens"><rect class="c1" width="${Math.round((promptTokens / largest) * BAR_WIDTH)}" height="10" rx="2"/></svg>`;
      return html`<tr><td class="text work">${workText(line.work)}</td><td>${bar}</td></tr>`;
    }
    case "compaction": {
      const { tokensBefore, tokensAfter, isReverted } = line.story;
      return html`<tr><td class="text mark"><a href="#compaction-${number}">◆ compaction ${number}</a>${isReverted ? ", undone later" : ""}</td><td>${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)}</td></tr>`;
    }
    case "revert":
      return html`<tr><td class="text mark">◇ the newest compaction was undone</td><td></td></tr>`;
    case "model":
      return html`<tr><td class="text soft">model ${line.modelId}</td><td></td></tr>`;
    default:
      return line satisfies never;
  }
}
