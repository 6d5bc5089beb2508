import type { CalibrationRecord } from "../results/calibration-record.ts";
import { calibrationData } from "./calibration-data.ts";
import { calibrationAnswer } from "./calibration-words.ts";
import { commonFolder } from "./common-folder.ts";
import { calibrationSection } from "./html-calibration.ts";
import { html } from "./markup.ts";
import { packBlock } from "./packed-block.ts";
import { renderPage } from "./page.ts";

const SCRIPTS = [
  "page-data.js",
  "figure-tables.js",
  "column-meanings.js",
  "chart-theme.js",
  "calibration-view.js",
  "calibration-page.js",
];

/** The calibration of every session and method as one HTML page that needs no network. */
export function renderCalibrationHtml(records: readonly CalibrationRecord[]): string {
  const folder = commonFolder(records.map(({ session }) => session));
  const shownName = (session: string) => session.slice(folder.length);
  const main = html`<h1>How well the next prompt's size is predicted</h1>
<p>${calibrationAnswer(records)}</p>
${folder === "" ? html`` : html`<p class="note">All files are in <code>${folder}</code></p>`}
${calibrationSection(records, shownName)}`;
  const blocks = [packBlock("calibration-data", calibrationData(records, shownName))];
  return renderPage({ title: "Plimsoll: calibration of prompt sizes", main, blocks, scripts: SCRIPTS });
}
