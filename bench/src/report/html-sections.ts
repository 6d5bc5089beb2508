import type { BenchReport, SessionDescription } from "../results.ts";
import { cacheValidities, medianErrorPercent } from "./cache-validity.ts";
import { commonFolder } from "./common-folder.ts";
import { formatCount, formatNumberOf, formatPercent, formatTokens } from "./figures.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { groupNotes } from "./note-groups.ts";

/** Sessions of the run with what their recordings state. */
export function sessionsSection(report: BenchReport): Markup {
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const rows = report.sessions.map((session, index) => sessionRow(session, index, folder));
  return html`<h2 id="sessions">Sessions</h2>
${folder === "" ? "" : html`<p class="note">All of them in <code>${folder}</code></p>`}
<div class="scroll"><table class="figures"><thead><tr><th class="name">session</th><th class="name">format</th><th class="name">model</th><th>messages</th><th>calls</th><th class="wrapped">largest prompt (tokens)</th><th class="wrapped">all prompts (tokens)</th><th class="wrapped">recorded compactions</th><th>repairs</th><th class="wrapped">size model, MAPE %</th><th class="wrapped">size model, largest %</th></tr></thead>
<tbody>${rows}</tbody></table></div>
<p class="note">The size model says what a prompt would have measured after edits. Its error is taken on calls that it was not fitted on.</p>`;
}

function sessionRow(session: SessionDescription, index: number, folder: string): Markup {
  const { sizeModel } = session;
  const size = session.isEstimated
    ? html`<span class="soft">estimated</span>`
    : html`${formatTokens(session.maxReportedPromptTokens)}`;
  return html`<tr><td class="wide"><button class="link" type="button" data-session="${index}">${session.session.slice(folder.length)}</button></td><td class="name">${session.format}</td><td class="name">${session.modelIds.join(", ")}</td><td>${formatCount(session.messages)}</td><td>${formatCount(session.calls)}</td><td>${size}</td><td>${formatTokens(session.isEstimated ? null : session.sumReportedPromptTokens)}</td><td>${formatCount(session.recordedBoundaries)}</td><td>${formatCount(session.repairs)}</td><td>${formatPercent(sizeModel.mapePercent)}</td><td>${formatPercent(sizeModel.maxPercent)}</td></tr>`;
}

/** Cache reads as the replay computes them against what the recordings report; nothing where none reports them. */
export function cacheSection(report: BenchReport): Markup {
  const validities = cacheValidities(report);
  if (validities.length === 0) return html``;
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const rows = validities.map(
    ({ session, reportedReadTokens, computedReadTokens, errorPercent, cause }) =>
      html`<tr><td class="wide">${session.slice(folder.length)}</td><td>${formatTokens(reportedReadTokens)}</td><td>${formatTokens(computedReadTokens)}</td><td>${formatPercent(errorPercent)}</td><td class="text">${cause ?? ""}</td></tr>`,
  );
  return html`<h2 id="cache">Cache reads against the recordings</h2>
<p>Median error ${formatPercent(medianErrorPercent(validities))} %.</p>
<div class="scroll"><table class="figures"><thead><tr><th class="name">session</th><th class="wrapped">reported (tokens)</th><th class="wrapped">computed (tokens)</th><th>error, %</th><th class="name">cause</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Inputs that were not replayed, each with its reason; nothing where all were. */
export function skippedSection(report: BenchReport): Markup {
  if (report.skipped.length === 0) return html``;
  const rows = report.skipped.map(
    ({ file, reason }) => html`<tr><td class="wide">${file}</td><td class="text">${reason}</td></tr>`,
  );
  return html`<h2 id="skipped">Skipped inputs</h2>
<div class="scroll"><table class="figures"><thead><tr><th class="name">file</th><th class="name">reason</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** What importers met, one row a file and kind; nothing where they met nothing. */
export function notesSection(report: BenchReport): Markup {
  if (report.notes.length === 0) return html``;
  const rows = groupNotes(report.notes).map(
    ({ file, code, count, firstLine, text }) =>
      html`<tr><td class="wide">${firstLine === null ? file : `${file}:${firstLine}`}</td><td class="name">${code}</td><td>${formatCount(count)}</td><td class="text">${text}</td></tr>`,
  );
  return html`<details><summary>What the importers met: ${formatNumberOf(report.notes.length, "note")}</summary>
<div class="scroll"><table class="figures"><thead><tr><th class="name">first place</th><th class="name">kind</th><th>times</th><th class="name">the first one</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

/** Every policy of the run as data, so that the run can be repeated. */
export function policiesSection(report: BenchReport): Markup {
  return html`<h2 id="settings">Settings of the policies</h2>
${report.policies.map(
  ({ name, policy }) => html`<details><summary>${name}</summary><pre>${JSON.stringify(policy, null, 2)}</pre></details>`,
)}`;
}
