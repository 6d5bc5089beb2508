import { formatCount, formatTokens, html, type Markup, scrollFrame } from "@plimsoll/bench/internal";
import { textOf } from "@plimsoll/core";
import { editWords, titleOf } from "./compaction-loss.ts";
import { compactionHead, workText } from "./inspect-text.ts";
import { timeText } from "./session-facts.ts";
import type { CompactionStory, SessionStory, StoryLine } from "./session-story.ts";

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
  return html`${scrollFrame("timeline")}<table class="figures timeline"><tbody>${rows}</tbody></table></div>`;
}

function row(line: StoryLine, { largest, number }: { readonly largest: number; readonly number: number }): Markup {
  switch (line.kind) {
    case "turn":
      return html`<tr class="turn"><td class="text">› <bdi>${shownTitle(line.title)}</bdi></td><td class="soft">${line.atMs === null ? "" : timeText(line.atMs)}</td></tr>`;
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
    case "rolled-back":
      return html`<tr><td class="text mark">◇ ${line.messages} messages taken back by the person</td><td></td></tr>`;
    case "model":
      return html`<tr><td class="text soft">model ${line.modelId}</td><td></td></tr>`;
    default:
      return line satisfies never;
  }
}

/** Characters of a new message that are shown: summaries are shorter. In characters; chosen. */
const TEXT_CHARS = 12_000;
/** Rows that are listed; the rest is counted. Chosen. */
const LISTED = 40;

/** One compaction: what went by kind, whose messages, which files, and what took its place. */
export function compactionSection(story: CompactionStory, number: number): Markup {
  const { loss, entry, callsBefore } = story;
  const steps = entry.record.steps.map(
    ({ strategy, outcome, detail }) => html`<li>${strategy}: ${outcome}${detail === null ? "" : ` (${detail})`}</li>`,
  );
  return html`<details class="compaction" id="compaction-${number}"${number === 1 ? html` open` : html``}><summary><b>◆ ${number}</b> before call ${callsBefore + 1}: ${compactionHead(story)}</summary>
<div class="pair"><div>
<h4>No longer sent</h4>
${loss.kinds.length === 0 ? html`<p class="soft">Nothing.</p>` : kindTable(loss.kinds)}
<p class="note">${editWords(entry.edits).join("; ")}. Tokens are estimates; the log still has all of it.</p>
${listed("Your messages", loss.humanMessages.map(titleOf))}
${listed("Files that these calls had read or changed", loss.paths)}
${steps.length === 0 ? html`` : html`<h4>What was tried</h4><ul class="items">${steps}</ul>`}
</div><div>
<h4>In its place</h4>
${
  loss.newMessages.length === 0
    ? html`<p class="soft">No message; shortened parts are where they were.</p>`
    : loss.newMessages.map((message) => html`<pre>${startOf(textOf(message))}</pre>`)
}
</div></div></details>`;
}

function kindTable(kinds: CompactionStory["loss"]["kinds"]): Markup {
  const rows = kinds.map(
    ({ what, parts, tokens }) =>
      html`<tr><td class="text">${what}</td><td>${formatCount(parts)}</td><td>${formatTokens(tokens)}</td></tr>`,
  );
  return html`<table class="figures"><thead><tr><th class="name" scope="col">what</th><th scope="col">parts</th><th scope="col">tokens</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function listed(title: string, items: readonly string[]): Markup {
  if (items.length === 0) return html``;
  const more = items.length > LISTED ? html`<li>and ${items.length - LISTED} more</li>` : html``;
  return html`<h4>${title}</h4><ul class="items">${items.slice(0, LISTED).map((item) => html`<li><bdi>${shownTitle(item)}</bdi></li>`)}${more}</ul>`;
}

/** Characters of a title; a line may have a megabyte. Chosen. */
const TITLE_CHARS = 400;

function shownTitle(title: string): string {
  if (title === "") return "(no text)";
  return title.length <= TITLE_CHARS ? title : `${title.slice(0, TITLE_CHARS).toWellFormed()}…`;
}

function startOf(text: string): string {
  return text.length <= TEXT_CHARS ? text : `${text.slice(0, TEXT_CHARS)}\n… ${formatCount(text.length)} characters in all`;
}
