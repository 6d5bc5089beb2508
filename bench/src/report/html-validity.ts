import type { BenchReport } from "../results.ts";
import { summarizeCalibration } from "./calibration-summary.ts";
import { commonFolder } from "./common-folder.ts";
import { formatNumberOf, formatPercent } from "./figures.ts";
import { cacheSection } from "./html-sections.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { sizeValidity, validityLines } from "./validity.ts";

/**
 * What must be known before any figure is believed, and so the first section: how far the sizes, the cache reads and the estimators
 * of the replay are off what the recordings report.
 */
export function validitySection(report: BenchReport): Markup {
  const size = sizeValidity(report);
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const recorded = report.rows.flatMap(({ metrics }) => metrics?.calibration ?? []);
  const calibration = summarizeCalibration(recorded);
  const listed = size.listed.map(
    ({ session, sizeModel }) =>
      html`<tr><td class="wide">${session.slice(folder.length)}</td><td>${formatPercent(sizeModel.mapePercent)}</td><td>${formatPercent(sizeModel.maxPercent)}</td></tr>`,
  );
  return html`<h2 id="validity">Validity: the replay against the recordings</h2>
<ul>${validityLines(report).map((line) => html`<li>${line}</li>`)}${
    calibration === null
      ? html`<li>no estimator was held against reports: add the policy <code>recorded</code> to the run</li>`
      : html`<li>estimator on recorded requests, ${formatNumberOf(recorded.length, "session")}: mean error ${formatPercent(calibration.mapePercent)} %, largest ${formatPercent(calibration.worstPercent)} %</li>`
  }</ul>
${
  listed.length === 0
    ? html``
    : html`<div class="scroll"><table class="figures"><thead><tr><th class="name">prompt sizes beyond 5 %</th><th>MAPE, %</th><th>largest, %</th></tr></thead><tbody>${listed}</tbody></table></div>`
}
${cacheSection(report)}`;
}
