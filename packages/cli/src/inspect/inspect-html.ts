import { readFileSync } from "node:fs";
import {
  formatCount,
  formatTokens,
  groupNotes,
  html,
  renderPage,
  scrollFrame,
  shareTexts,
  shortTokens,
  sumOf,
  transcriptNames,
} from "@plimsoll/bench/extend";
import { textOf } from "@plimsoll/core";
import { measuredHow, sharesOf } from "../chat/context-table.ts";
import { costWords, editWords, neededLine, neededWords, titleOf } from "./compaction-loss.ts";
import { type ChartData, chartData } from "./context-plot.ts";
import { compactionHead, compactionSizes, contextAtEnd, isPutBack, PUT_BACK, workText } from "./inspect-text.ts";
import { type InspectedSession, sessionFacts, timeText } from "./session-facts.ts";
import type { CompactionStory, SessionStory } from "./session-story.ts";

type Markup = ReturnType<typeof html>;

/** Sessions as a page of its own, in the light or dark scheme of its reader: no scripts, nothing loaded, all text of the log escaped. */
export function inspectHtml(sessions: readonly InspectedSession[]): string {
  const transcripts = sessions.map(({ transcript }) => transcript);
  const [first] = transcripts;
  const names = transcriptNames(transcripts);
  return renderPage({
    title: `${first === undefined ? "no session" : names(first.name)}: plimsoll inspect`,
    style: readFileSync(new URL("./inspect-page.css", import.meta.url), "utf8"),
    main: html`${transcripts.length < 2 ? "" : html`<nav aria-label="Sessions">${transcripts.map(({ name }, index) => html`<a href="#session-${index + 1}"><bdi>${names(name)}</bdi></a>`)}</nav>`}
${sessions.map((session, index) => sessionSection(session, index, names(session.transcript.name)))}`,
  });
}

function sessionSection(session: InspectedSession, index: number, name: string): Markup {
  const { transcript, story } = session;
  const facts = sessionFacts(session);
  const notes = groupNotes(transcript.notes.map((note) => ({ file: transcript.file, ...note }))).map(
    ({ count, firstLine, text }) =>
      html`<li>${firstLine === null ? "" : `line ${firstLine}: `}${text}${count === 1 ? "" : ` (the first of ${count})`}</li>`,
  );
  return html`<section id="session-${index + 1}">
<h1><bdi>${name}</bdi></h1>
<p class="soft">${transcript.format} log, ${transcript.file}</p>
<dl class="facts">${facts.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${chartSection(story)}
${compactionsSection(session)}
<h2>Timeline</h2>
${timelineSection(story)}
<h2>The context at the end</h2>
${endTable(session)}
${notes.length === 0 ? html`` : html`<h2>Notes on this log</h2><ul>${notes}</ul>`}
</section>`;
}

function chartSection(story: SessionStory): Markup {
  const { calls, compactions, contextWindowTokens } = story;
  if (calls.length === 0) return html`<p class="note">The log has no model call.</p>`;
  const data = chartData(calls);
  const isReported = data.reportedTokens.some((tokens) => tokens !== null);
  const key = data.layers.map(
    ({ name, colour }) => html`<span class="key"><span class="dot c${colour}">●</span> ${name}</span>`,
  );
  return html`<h2>Context size at each model call, in tokens</h2>
<figure><div class="pan" role="region" aria-label="Chart: context size at each model call" tabindex="0">${contextSvg({ data, compactions, callCount: calls.length, contextWindowTokens })}</div>
<figcaption>${isReported ? html`<span class="key"><b>━</b> reported by the provider</span>` : html``}${
    compactions.length === 0 ? html`` : html`<span class="key"><b class="mark">◆</b> compaction</span>`
  }${key}</figcaption></figure>
<p class="note">Areas are estimates of the log's content${
    isReported
      ? "; a gap below the line was sent but not logged (system prompt, tools, files attached again); areas above it are the estimate's error"
      : ", because it has no provider's counts"
  }. Point at a call for its figures.</p>`;
}

function compactionsSection(session: InspectedSession): Markup {
  const { compactions } = session.story;
  if (compactions.length === 0) return html`<p class="note">Nothing was compacted.</p>`;
  return html`<h2>Compactions, with their cost and losses</h2>${compactions.map((story, index) => compactionSection(story, session, index + 1))}`;
}

const BAR_WIDTH = 240;

function endTable(session: InspectedSession): Markup {
  const { context, by } = contextAtEnd(session);
  const shares = sharesOf(context, by);
  const percents = shareTexts(shares, ({ tokens }) => tokens, 0);
  const largest = Math.max(1, shares[0]?.tokens ?? 0);
  const rows = shares.map(
    ({ what, count, tokens }, place) =>
      html`<tr><td class="text">${what}</td><td>${count === 0 ? "" : formatCount(count)}</td><td>${formatTokens(tokens)}</td><td>${percents[place] ?? ""}</td><td class="text"><svg class="bar wide" viewBox="0 0 ${BAR_WIDTH} 10"><rect class="c1" width="${Math.round((tokens / largest) * BAR_WIDTH)}" height="10" rx="2"/></svg></td></tr>`,
  );
  if (rows.length === 0) return html`<p class="soft">It is empty.</p>`;
  return html`${scrollFrame("the context at the end")}<table class="figures"><thead><tr><th class="name" scope="col">content</th><th scope="col">count</th><th scope="col">tokens</th><th scope="col">share</th><td></td></tr></thead><tbody>${rows}</tbody></table></div>
<p class="note">About ${formatTokens(sumOf(shares, ({ tokens }) => tokens))} tokens. ${measuredHow(by)}</p>`;
}

const CHART_BAR_WIDTH = 160;

/** The story as a table: turns, the work between them with the size of its last prompt, compactions. */
function timelineSection({ lines, calls, ...story }: SessionStory): Markup {
  const largest = calls.reduce((most, { promptTokens }) => Math.max(most, promptTokens ?? 0), 1);
  let compactions = 0;
  const rows = lines.map((line) => {
    if (line.kind === "compaction") compactions += 1;
    switch (line.kind) {
      case "turn":
        return html`<tr class="turn"><td class="text">› <bdi>${shownTitle(line.title)}</bdi></td><td class="soft">${line.atMs === null ? "" : timeText(line.atMs)}</td></tr>`;
      case "work": {
        const { promptTokens } = line.work;
        const bar =
          promptTokens === null
            ? html``
            : html`<svg class="bar" viewBox="0 0 ${CHART_BAR_WIDTH} 10" role="img" aria-label="${formatTokens(promptTokens)} tokens"><rect class="c1" width="${Math.round((promptTokens / largest) * CHART_BAR_WIDTH)}" height="10" rx="2"/></svg>`;
        return html`<tr><td class="text work">${workText(line.work)}</td><td>${bar}</td></tr>`;
      }
      case "compaction": {
        return html`<tr><td class="text mark"><a href="#compaction-${compactions}">◆ compaction ${compactions}</a>${line.story.isReverted ? ", undone later" : ""}</td><td>${compactionSizes(line.story, { calls, ...story })}</td></tr>`;
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
  });
  return html`${scrollFrame("timeline")}<table class="figures timeline"><tbody>${rows}</tbody></table></div>`;
}

/** Characters of a new message that are shown: summaries are shorter. In characters; chosen. */
const TEXT_CHARS = 12_000;
/** Rows that are listed; the rest is counted. Chosen. */
const LISTED = 40;

/** One compaction: the removed messages by kind and speaker, the files, and their replacement. */
function compactionSection(story: CompactionStory, session: InspectedSession, number: number): Markup {
  const { loss, entry, callsBefore } = story;
  const figures = session.recorded.compactions.get(entry.id);
  const steps = entry.record.steps.map(
    ({ strategy, outcome, detail }) => html`<li>${strategy}: ${outcome}${detail === null ? "" : ` (${detail})`}</li>`,
  );
  return html`<details class="compaction" id="compaction-${number}"${number === 1 ? html` open` : html``}><summary><b>◆ ${number}</b> before call ${callsBefore + 1}: ${compactionHead(story, session)}</summary>
<div class="pair"><div>
${figures === undefined ? html`` : neededList(figures, story)}${isPutBack(story, session) ? html`<p class="note">${PUT_BACK}.</p>` : html``}
<h3>No longer sent</h3>
${loss.kinds.length === 0 ? html`<p class="soft">Nothing.</p>` : kindTable(loss.kinds)}
<p class="note">${editWords(entry.edits).join("; ")}. Tokens are estimates; the log still has all of it.</p>
${listed("Your messages", loss.humanMessages.map(titleOf))}
${listed("Files that the removed calls had read or changed", loss.paths)}
${steps.length === 0 ? html`` : html`<h3>Steps tried</h3><ul class="items">${steps}</ul>`}
</div><div>
<h3>In its place</h3>
${
  loss.newMessages.length === 0
    ? html`<p class="soft">No message; shortened parts are where they were.</p>`
    : loss.newMessages.map((message) => html`<pre tabindex="0">${startOf(textOf(message))}</pre>`)
}
</div></div></details>`;
}

/** Needed passages that are not folded; chosen. */
const LISTED_NEEDED = 6;

function neededList(figures: Parameters<typeof neededWords>[0], story: CompactionStory): Markup {
  const { examples, neededLater } = figures;
  const rest = neededLater - examples.length;
  const items = examples.map((each) => html`<li>call ${each.call}: <bdi>${neededLine(each)}</bdi></li>`);
  const last = rest > 0 ? html`<li>and ${rest} more, not listed</li>` : html``;
  const more =
    items.length > LISTED_NEEDED
      ? html`<li><details><summary>${neededLater - LISTED_NEEDED} more</summary><ul class="items">${items.slice(LISTED_NEEDED)}${last}</ul></details></li>`
      : html``;
  return html`<h3>Cost and losses</h3><p class="note">${[...costWords(figures, story), neededWords(figures)].join("; ")}.</p>${neededLater === 0 ? html`` : html`<ul class="items">${items.slice(0, LISTED_NEEDED)}${more}</ul>`}`;
}

function kindTable(kinds: CompactionStory["loss"]["kinds"]): Markup {
  const rows = kinds.map(
    ({ what, parts, tokens }) =>
      html`<tr><td class="text">${what}</td><td>${formatCount(parts)}</td><td>${formatTokens(tokens)}</td></tr>`,
  );
  return html`<table class="figures"><thead><tr><th class="name" scope="col">content</th><th scope="col">count</th><th scope="col">tokens</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function listed(title: string, items: readonly string[]): Markup {
  if (items.length === 0) return html``;
  const more = items.length > LISTED ? html`<li>and ${items.length - LISTED} more</li>` : html``;
  return html`<h3>${title}</h3><ul class="items">${items.slice(0, LISTED).map((item) => html`<li><bdi>${shownTitle(item)}</bdi></li>`)}${more}</ul>`;
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

interface ContextChart {
  readonly data: ChartData;
  readonly compactions: readonly CompactionStory[];
  readonly callCount: number;
  readonly contextWindowTokens: number | null;
}

const WIDTH = 1200;
const HEIGHT = 360;
const MARGIN = { left: 62, right: 16, top: 26, bottom: 40 } as const;
const FLOOR = HEIGHT - MARGIN.bottom;
/** Horizontal lines: about so many (chosen). */
const TICKS = 5;
const HEADROOM_RATIO = 1.06;

/** The context's size over the calls as inline SVG without a script: areas by kind, the reported size, compactions; colours come from the page's style. */
function contextSvg({ data, compactions, callCount, contextWindowTokens }: ContextChart): Markup {
  const { calls, layers, reportedTokens } = data;
  const sums = calls.map((_, index) => layers.reduce((sum, { tokens }) => sum + (tokens[index] ?? 0), 0));
  const highest =
    [...sums, ...reportedTokens].reduce<number>((most, tokens) => Math.max(most, tokens ?? 0), 1) * HEADROOM_RATIO;
  const x = (call: number) => round(MARGIN.left + (call / Math.max(1, callCount - 1)) * (WIDTH - MARGIN.left - MARGIN.right));
  const y = (tokens: number) => round(FLOOR - (tokens / highest) * (FLOOR - MARGIN.top));
  const grid = ticksTo(highest, TICKS).map(
    (tick) =>
      html`<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="tick" text-anchor="end" x="${MARGIN.left - 8}" y="${y(tick) + 4}">${shortTokens(tick)}</text>`,
  );
  const numbers = ticksTo(callCount, 2 * TICKS)
    .filter((tick) => tick > 0 && Number.isInteger(tick))
    .map((tick) => html`<text class="tick" text-anchor="middle" x="${x(tick - 1)}" y="${FLOOR + 18}">${tick}</text>`);
  const base = calls.map(() => 0);
  const areas = layers.map(({ name, colour, tokens }) => {
    const lower = [...base];
    for (const [index, value] of tokens.entries()) base[index] = (base[index] ?? 0) + value;
    const edge = (values: readonly number[]) => calls.map((call, index) => `${x(call)} ${y(values[index] ?? 0)}`);
    return html`<path class="area c${colour}" d="M${[...edge(base), ...edge(lower).reverse()].join("L")}Z"><title>${name}</title></path>`;
  });
  const line = calls.flatMap((call, index) => {
    const tokens = reportedTokens[index] ?? null;
    return tokens === null ? [] : [`${x(call)} ${y(tokens)}`];
  });
  const marks = compactions.map(({ callsBefore, isReverted }, index) => {
    const at = x(Math.min(callCount - 1, Math.max(0, callsBefore - 0.5)));
    return html`<a href="#compaction-${index + 1}" aria-label="Compaction ${index + 1}, before call ${callsBefore + 1}"><line class="compaction${isReverted ? " undone" : ""}" x1="${at}" x2="${at}" y1="${MARGIN.top - 4}" y2="${FLOOR}"/><text class="mark" text-anchor="middle" x="${at}" y="${MARGIN.top - 9}">◆${compactions.length > MOST_NUMBERED ? "" : index + 1}</text></a>`;
  });
  return html`<svg class="context" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="Tokens of the prompt at each of ${callCount} model calls, up to ${formatTokens(highest / HEADROOM_RATIO)}">${grid}${numbers}${areas}
${line.length < 2 ? html`` : html`<path class="reported" d="M${line.join("L")}"/>`}${windowLine(contextWindowTokens, { highest, y })}${marks}${hovers(data, { x, sums })}
<text class="axis" text-anchor="middle" x="${(WIDTH + MARGIN.left) / 2}" y="${HEIGHT - 4}">model call</text></svg>`;
}

/** More numbers than these would run into each other. */
const MOST_NUMBERED = 25;

function windowLine(
  tokens: number | null,
  { highest, y }: { readonly highest: number; readonly y: (tokens: number) => number },
): Markup {
  if (tokens === null || tokens > highest) return html``;
  return html`<line class="window" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(tokens)}" y2="${y(tokens)}"/><text class="tick" text-anchor="end" x="${WIDTH - MARGIN.right}" y="${y(tokens) - 5}">context window ${shortTokens(tokens)}, by the log</text>`;
}

/** Invisible columns that show a call's content under the pointer. */
function hovers(
  { calls, reportedTokens, layers }: ChartData,
  { x, sums }: { readonly x: (call: number) => number; readonly sums: readonly number[] },
): readonly Markup[] {
  return calls.map((call, index) => {
    const left = index === 0 ? x(call) : (x(calls[index - 1] ?? call) + x(call)) / 2;
    const right = index === calls.length - 1 ? x(call) : (x(call) + x(calls[index + 1] ?? call)) / 2;
    const reported = reportedTokens[index] ?? null;
    const shares = layers.flatMap(({ name, tokens }) =>
      (tokens[index] ?? 0) >= 1 ? [`${name}: ${formatTokens(tokens[index] ?? 0)}`] : [],
    );
    const head = `call ${call + 1}: ${reported === null ? "" : `${formatTokens(reported)} reported, `}${formatTokens(sums[index] ?? 0)} in the log`;
    return html`<rect class="hover" x="${round(left)}" y="${MARGIN.top}" width="${round(Math.max(1, right - left))}" height="${FLOOR - MARGIN.top}"><title>${[head, ...shares].join("\n")}</title></rect>`;
  });
}

/** Round numbers from 0 up to a highest one: 1, 2 or 5 times a power of ten apart. */
function ticksTo(highest: number, count: number): readonly number[] {
  const rough = highest / count;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? 10 * power;
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, index) => index * step);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
