import type { CalibrationRecord } from "../calibrate/calibration-record.ts";
import { type CalibrationErrors, calibrationErrors } from "./calibration-errors.ts";
import { fileTable, methodTable } from "./calibration-tables.ts";
import { chartFrame, scrollFrame } from "./figure-table.ts";
import { formatPercent } from "./figures.ts";
import { html, type Markup } from "./markup.ts";
import { logAxis, tickText } from "./xy-chart.ts";

/** The section's title. */
export const CALIBRATION_TITLE = "Calibration error: the next prompt's size, predicted and reported";

/** How far each method's predictions were off what was reported; nothing if no recording reports sizes. */
export function calibrationSection(records: readonly CalibrationRecord[], shownName: (session: string) => string): Markup {
  if (records.length === 0) return html``;
  const errors = calibrationErrors(records);
  return html`<p class="note">Each call is predicted from what came before it. Below zero is too little: the direction that overflows. The upper bound is what safety takes.</p>
${calibrationStrip(errors)}
${methodTable(errors)}
<h3>Call by call</h3>
<div class="pickers">
<label class="grow">session<select id="calibration-session"></select></label>
<label>method of the bound and of the misses<select id="calibration-method"></select></label>
<label class="tick"><input id="calibration-all" type="checkbox">full height</label>
</div>
<figure><div id="calibration-chart" class="chart" role="group" aria-label="Prediction errors over calls"><noscript>The chart needs scripts; the tables work without.</noscript></div>
<figcaption><span class="key"><b>●</b> one call</span><span class="key"><b class="cross">×</b> report above the upper bound</span><span class="key"><b>│</b> something hidden before the call: a fall without a mark, a cut, a switch</span><span id="calibration-note"></span></figcaption></figure>
<h3>Misses of the upper bound, all sessions</h3>
<p class="note" id="misses-note"></p>
<div class="table">${scrollFrame("misses of the upper bound", true)}<table class="figures" data-name="calibration-misses"><thead><tr>${MISS_HEADS.map(
    (title, index) =>
      html`<th class="${index < TEXT_HEADS ? "name" : "wrapped"}" scope="col"><button class="sort" type="button">${title}</button></th>`,
  )}</tr></thead><tbody id="misses"></tbody></table></div></div>
<h3>Session by session</h3>
${fileTable(errors, shownName)}`;
}

const MISS_HEADS = [
  "session",
  "model",
  "before it",
  "call",
  "reported (tokens)",
  "expected (tokens)",
  "upper bound (tokens)",
  "above the bound, %",
];
const TEXT_HEADS = 3;

const WIDTH = 1180;
const ROW_HEIGHT = 26;
const NAMES_WIDTH = 190;
const AXIS_HEIGHT = 40;
/** Errors below lie at the axis's beginning (chosen: a hundredth of a percent). */
const LEAST_PERCENT = 0.01;

/** One dot a session and model on a line a method: how far off it is on average, and its middle. */
function calibrationStrip({ sessions, methods }: CalibrationErrors): Markup {
  const rows = methods.map(({ method }, index) => ({
    method,
    dots: sessions.flatMap(({ session, methods: own }) =>
      (own[index]?.models ?? []).flatMap(({ modelId, errors }) =>
        errors.mapePercent === null
          ? []
          : [{ percent: errors.mapePercent, title: `${session}, ${modelId}: ${formatPercent(errors.mapePercent)} %` }],
      ),
    ),
  }));
  const x = logAxis(
    rows.flatMap(({ dots }) => dots.map(({ percent }) => percent)),
    LEAST_PERCENT,
    [NAMES_WIDTH, WIDTH - 20],
  );
  const height = rows.length * ROW_HEIGHT + AXIS_HEIGHT;
  const bottom = height - AXIS_HEIGHT;
  const grid = x.ticks.map(
    (tick) =>
      html`<line class="grid" x1="${x.at(tick)}" x2="${x.at(tick)}" y1="0" y2="${bottom}"/><text class="tick" text-anchor="middle" x="${x.at(tick)}" y="${bottom + 15}">${tickText(tick)}</text>`,
  );
  const lines = rows.map(({ method, dots }, index) => {
    const y = index * ROW_HEIGHT + ROW_HEIGHT / 2;
    const sorted = dots.map(({ percent }) => percent).toSorted((a, b) => a - b);
    const middle = sorted[Math.floor((sorted.length - 1) / 2)] ?? LEAST_PERCENT;
    return html`<text class="label" text-anchor="end" x="${NAMES_WIDTH - 12}" y="${y + 4}">${method}</text>${dots.map(
      ({ percent, title }) =>
        html`<circle class="faint c1" cx="${x.at(percent)}" cy="${y}" r="4.5"><title>${title}</title></circle>`,
    )}<line class="middle" x1="${x.at(middle)}" x2="${x.at(middle)}" y1="${y - 9}" y2="${y + 9}"><title>${method}, middle: ${formatPercent(middle)} %</title></line>`;
  });
  return html`<figure class="xy strip">${chartFrame("mean error of each method")}<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Mean error of each method, a dot for each session">${grid}${lines}
<text class="axis" text-anchor="middle" x="${(NAMES_WIDTH + WIDTH) / 2}" y="${height - 6}">mean error of a session's predictions (% of the reported prompt, logarithmic)</text></svg></div>
<figcaption><span class="key"><span class="dot c1">●</span> one session</span><span class="key"><b>┃</b> the middle one</span></figcaption></figure>`;
}
