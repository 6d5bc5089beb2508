import type { CalibrationRecord } from "../results/calibration-record.ts";
import { logAxis, tickText } from "./axis.ts";
import { formatPercent } from "./figures.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

const WIDTH = 1180;
const ROW_HEIGHT = 26;
const NAMES_WIDTH = 190;
const AXIS_HEIGHT = 40;
/** Errors below lie at the axis's beginning (chosen: a hundredth of a percent). */
const LEAST_PERCENT = 0.01;

/** One dot a session and model on a line a method: how far off it is on average, and its middle. */
export function calibrationStrip(records: readonly CalibrationRecord[]): Markup {
  const methods = records[0]?.methods.map(({ method }) => method) ?? [];
  const rows = methods.map((method, index) => ({
    method,
    dots: records.flatMap(({ session, methods: own }) =>
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
  return html`<figure class="xy strip"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Mean error of each method, a dot for each session">${grid}${lines}
<text class="axis" text-anchor="middle" x="${(NAMES_WIDTH + WIDTH) / 2}" y="${height - 6}">mean error of a session's predictions (% of the reported prompt, logarithmic)</text></svg>
<figcaption><span class="key"><span class="dot c1">●</span> one session</span><span class="key"><b>┃</b> the middle one</span></figcaption></figure>`;
}
