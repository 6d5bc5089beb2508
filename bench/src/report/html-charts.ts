import type { ShownFigure } from "../metrics/columns.ts";
import type { ChartIndex } from "./chart-index.ts";
import { columnLegend, numberColumn, scrollFrame } from "./figure-table.ts";
import { NO_FIGURE } from "./figures.ts";
import { html, type Markup } from "./markup.ts";

/** The pickers, the chart of context size, and the table beside it; filled by the page's script. */
export function chartSection({ sessions, windows, policies }: ChartIndex, figures: readonly ShownFigure[]): Markup {
  const options = (labels: readonly string[]) => labels.map((label, index) => html`<option value="${index}">${label}</option>`);
  const columns = figures.map(({ title, figure }) =>
    numberColumn<null>({ title, meaning: figure, value: () => null, format: () => NO_FIGURE }),
  );
  return html`<h2 id="charts">Context size at each model call</h2>
<div class="pickers">
<label class="grow">session<select id="session-picker">${options(sessions)}</select></label>
<label>context window<select id="window-picker">${options(windows)}</select></label>
<label>policy looked at<select id="policy-picker">${options(policies.map(({ name }) => name))}</select></label>
<button id="previous-session" type="button">Previous</button>
<button id="next-session" type="button">Next</button>
<label class="tick"><input id="show-all-lines" type="checkbox">all policies</label>
<label class="tick" id="show-all-label" hidden><input id="show-all" type="checkbox">full height</label>
</div>
<figure>
<div id="chart" class="chart" role="group" aria-label="Prompt size over calls"><noscript>The chart needs scripts; all tables below work without.</noscript></div>
<figcaption><span class="key"><b>○</b>compaction right before this call (click: what it did)</span><span class="key"><b class="cross">×</b>request above the context window</span><span class="key"><b>▾</b>prompt cache broken, <b>▿</b>expired (policy looked at)</span><span id="chart-note"></span></figcaption>
</figure>
<p class="note">Click a policy in the legend to hide or show it; drag across the chart to zoom in, double-click to zoom out. By keyboard, with the chart in focus: <kbd>←</kbd> <kbd>→</kbd> go from call to call, <kbd>Page Up</kbd> <kbd>Page Down</kbd> from compaction to compaction of the policy looked at, <kbd>Enter</kbd> opens what it did, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom.</p>
<div class="table">${scrollFrame("the chosen session")}<table class="figures" data-name="session"><thead><tr><th class="name" scope="col"><button class="sort" type="button">policy</button></th>${figures.map(
    ({ title }, index) =>
      html`<th class="wrapped" scope="col"><button class="sort" type="button" data-meaning="legend-session-${index}">${title}</button></th>`,
  )}</tr></thead><tbody id="cell-rows"></tbody></table></div></div>
${columnLegend("session", columns)}`;
}

/** Makes the section of the window's content and of each compaction; filled by the page's script for the session that is chosen above. */
export function detailSection({ leftOut }: ChartIndex): Markup {
  return html`<h2 id="details">What fills the window, and what each compaction did</h2>
<p class="note" id="detail-title"></p>
<figure><div id="composition" class="chart" role="group" aria-label="What fills the context"></div><figcaption>Tokens of the size model by kind of message and tool, at evenly spread calls; the dashed line is the input budget.</figcaption></figure>
<h3 id="compactions-title">Compactions</h3>
<p class="note" id="detail-note"></p>
${leftOut === null ? html`` : html`<p class="note">${leftOut}</p>`}
<div id="compactions" class="compactions"></div>`;
}
