import type { CalibrationRecord } from "../calibrate/calibration-record.ts";
import { meanOf } from "../statistics.ts";
import { calibrationData } from "./calibration-data.ts";
import { CALIBRATION_TITLE, calibrationSection } from "./calibration-section.ts";
import { formatCount, formatNumberOf, formatPercent } from "./figures.ts";
import { commonFolder } from "./labels.ts";
import { html } from "./markup.ts";
import { packBlock, renderPage } from "./page.ts";
import type { SessionNames } from "./session-names.ts";

const SCRIPTS = [
  "page-data.js",
  "figure-tables.js",
  "column-meanings.js",
  "chart-theme.js",
  "chart-keys.js",
  "calibration-view.js",
  "calibration-page.js",
];

/** The calibration of every session and method as one HTML page that needs no network; sessions go by their files if they have no other names. */
export function renderCalibrationHtml(records: readonly CalibrationRecord[], names?: SessionNames): string {
  const folder = commonFolder(records.map(({ session }) => session));
  const shownName = names ?? ((session: string) => session.slice(folder.length));
  const main = html`<h1>How well the next prompt's size is predicted</h1>
<p>${calibrationAnswer(records)}</p>
${folder === "" ? html`` : html`<p class="note">All files are in <code>${folder}</code></p>`}
<h2 id="calibration">${CALIBRATION_TITLE}</h2>
${calibrationSection(records, shownName)}`;
  const blocks = [packBlock("calibration-data", calibrationData(records, shownName))];
  return renderPage({ title: "Plimsoll: calibration of prompt sizes", main, blocks, scripts: SCRIPTS });
}

/** Sums up the records in words: the method that errs least if nothing hidden happened, and how often its bound held. */
function calibrationAnswer(records: readonly CalibrationRecord[]): string {
  const methods = records[0]?.methods.map(({ method }) => method) ?? [];
  const judged = methods.map((method, index) => ({ method, ...calmFigures(records, index) }));
  const known = judged.flatMap((each) => (each.mapePercent === null ? [] : [{ ...each, mapePercent: each.mapePercent }]));
  const [best, ...others] = known.toSorted((a, b) => a.mapePercent - b.mapePercent);
  const calls = records.reduce((sum, { prompts }) => sum + prompts.length, 0);
  const over = `${formatNumberOf(records.length, "session")} with ${formatNumberOf(calls, "reported call")}.`;
  if (best === undefined) return over;
  const rest = others.map(({ method, mapePercent }) => `${method} ${formatPercent(mapePercent)} %`).join(", ");
  return `${over} Where nothing hidden came before a call, ${best.method} is off by ${formatPercent(best.mapePercent)} % of the prompt on average${rest === "" ? "" : ` (${rest})`}; its upper bound was exceeded at ${formatCount(best.misses)} of ${formatNumberOf(best.calls, "such call")}.`;
}

interface CalmFigures {
  readonly calls: number;
  readonly misses: number;
  readonly mapePercent: number | null;
}

function calmFigures(records: readonly CalibrationRecord[], index: number): CalmFigures {
  const calm = records.flatMap(({ prompts, methods }) =>
    prompts.flatMap(({ kind, reportedTokens }, call) => {
      const [expected, upper] = [methods[index]?.expectedTokens[call] ?? 0, methods[index]?.upperTokens[call] ?? 0];
      return kind === "calm"
        ? [{ percent: (100 * Math.abs(expected - reportedTokens)) / reportedTokens, isMissed: reportedTokens > upper }]
        : [];
    }),
  );
  return {
    calls: calm.length,
    misses: calm.filter(({ isMissed }) => isMissed).length,
    mapePercent: meanOf(calm.map(({ percent }) => percent)),
  };
}
