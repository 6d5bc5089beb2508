import { formatCount, formatTokens, html, type Markup } from "@plimsoll/bench/internal";
import { textOf } from "@plimsoll/core";
import { editWords } from "./edit-words.ts";
import type { CompactionStory } from "./session-story.ts";
import { titleOf } from "./session-story.ts";
import { compactionHead } from "./story-text.ts";

/** What is shown of a new message: summaries are shorter. In characters; chosen. */
const TEXT_CHARS = 12_000;
/** What is listed; the rest is counted. Chosen. */
const LISTED = 40;

/** One compaction: what went by kind, whose messages, which files, and what stands instead. */
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
    ? html`<p class="soft">No message; shortened parts stand where they stood.</p>`
    : loss.newMessages.map((message) => html`<pre>${startOf(textOf(message))}</pre>`)
}
</div></div></details>`;
}

function kindTable(kinds: CompactionStory["loss"]["kinds"]): Markup {
  const rows = kinds.map(
    ({ what, parts, tokens }) =>
      html`<tr><td class="text">${what}</td><td>${formatCount(parts)}</td><td>${formatTokens(tokens)}</td></tr>`,
  );
  return html`<table class="figures"><thead><tr><th class="text">what</th><th>parts</th><th>tokens</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function listed(title: string, items: readonly string[]): Markup {
  if (items.length === 0) return html``;
  const more = items.length > LISTED ? html`<li>and ${items.length - LISTED} more</li>` : html``;
  return html`<h4>${title}</h4><ul class="items">${items.slice(0, LISTED).map((item) => html`<li>${item === "" ? "(no text)" : item}</li>`)}${more}</ul>`;
}

function startOf(text: string): string {
  return text.length <= TEXT_CHARS ? text : `${text.slice(0, TEXT_CHARS)}\n… ${formatCount(text.length)} characters in all`;
}
