import type { CalibrationRecord } from "../results/calibration-record.ts";
import { calibrationStrip } from "./calibration-strip.ts";
import { fileTable, methodTable } from "./calibration-tables.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

/** How far each method's predictions were off what was reported; nothing where no recording reports sizes. */
export function calibrationSection(records: readonly CalibrationRecord[], shownName: (session: string) => string): Markup {
  if (records.length === 0) return html``;
  return html`<h2 id="calibration">Calibration error: the next prompt's size, predicted and reported</h2>
<p class="note">Each call is predicted from what came before it. Below zero is too little: the direction that overflows. The upper bound is what safety takes.</p>
${calibrationStrip(records)}
${methodTable(records)}
<h3>Call by call</h3>
<div class="pickers">
<label class="grow">session<select id="calibration-session"></select></label>
<label>method of the bound and of the misses<select id="calibration-method"></select></label>
<label class="tick"><input id="calibration-all" type="checkbox">full height</label>
</div>
<figure><div id="calibration-chart" class="chart" role="img"><noscript>The chart needs scripts; the tables work without.</noscript></div>
<figcaption><span class="key"><b>●</b> one call</span><span class="key"><b class="cross">×</b> report above the upper bound</span><span class="key"><b>│</b> something hidden before the call: a fall without a mark, a cut, a switch</span><span id="calibration-note"></span></figcaption></figure>
<h3>Misses of the upper bound, all sessions</h3>
<p class="note" id="misses-note"></p>
<div class="table"><div class="scroll tall"><table class="figures" data-name="calibration-misses"><thead><tr>${MISS_HEADS.map(
    (title, index) =>
      html`<th class="${index < TEXT_HEADS ? "name" : "wrapped"}" scope="col"><button class="sort" type="button">${title}</button></th>`,
  )}</tr></thead><tbody id="misses"></tbody></table></div></div>
<h3>File by file</h3>
${fileTable(records, shownName)}`;
}

const MISS_HEADS = [
  "file",
  "model",
  "before it",
  "call",
  "reported (tokens)",
  "expected (tokens)",
  "upper bound (tokens)",
  "above the bound, %",
];
const TEXT_HEADS = 3;
