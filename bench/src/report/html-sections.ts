import { SAFETY } from "../metrics/safety.ts";
import type { BenchReport, SessionDescription } from "../results.ts";
import { columnLegend, type FigureColumn, fact, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatNumberOf, formatTokens } from "./figures.ts";
import { foldedSection } from "./folded-section.ts";
import { commonFolder } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { groupNotes, type NoteGroup } from "./note-groups.ts";
import type { SessionNames } from "./session-names.ts";

/** Sessions of the run with what their recordings state, each a way to its charts. */
export function sessionsSection(report: BenchReport, shownName: SessionNames): Markup {
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const places = new Map(report.sessions.map((session, index) => [session, index]));
  const nameOf = ({ session }: SessionDescription) => shownName(session);
  const table = figureTable({
    name: "sessions",
    rowTitle: "session",
    nameOf,
    nameMarkup: (session) =>
      html`<button class="link" type="button" data-session="${places.get(session) ?? 0}"><bdi>${nameOf(session)}</bdi></button>`,
    columns: [...SESSION_COLUMNS, fileColumn(folder)],
    isTall: true,
    rows: report.sessions,
  });
  return html`<h2 id="sessions">Sessions</h2>
<p class="note">Choose one to see how its context grows${folder === "" ? "" : html`. All of them are in <code>${folder}</code>`}.</p>
${table}${columnLegend("sessions", [...SESSION_COLUMNS, fileColumn(folder)])}`;
}

const fileColumn = (folder: string) => textColumn<SessionDescription>("file", ({ session }) => session.slice(folder.length));

const SESSION_COLUMNS: readonly FigureColumn<SessionDescription>[] = [
  textColumn("format", ({ format }) => format),
  textColumn("model", ({ modelIds }) => modelIds.join(", ")),
  textColumn("sizes", ({ isEstimated }) => (isEstimated ? "estimated" : "reported")),
  numberColumn({
    title: "messages",
    meaning: fact(
      "messages",
      "Messages of the recording.",
      "Some are moved or made up where no provider takes them as recorded.",
    ),
    value: ({ messages }) => messages,
    format: formatCount,
  }),
  numberColumn({ title: "calls", meaning: SAFETY.figures.calls, value: ({ calls }) => calls, format: formatCount }),
  numberColumn({
    title: "largest prompt (tokens)",
    meaning: fact("tokens", "The largest prompt that was reported."),
    value: (session) => (session.isEstimated ? null : session.maxReportedPromptTokens),
    format: formatTokens,
  }),
  numberColumn({
    title: "all prompts (tokens)",
    meaning: fact("tokens", "Sum of the prompts that were reported."),
    value: (session) => (session.isEstimated ? null : session.sumReportedPromptTokens),
    format: formatTokens,
  }),
  numberColumn({
    title: "recorded compactions",
    meaning: fact("compactions", "Times at which the recorded agent itself put something else in place of its history."),
    value: ({ recordedBoundaries }) => recordedBoundaries,
    format: formatCount,
  }),
  numberColumn({
    title: "repairs",
    meaning: fact(
      "messages",
      "Messages moved, left out, made up or changed, because no provider takes them as recorded.",
      "0 is best.",
    ),
    value: ({ repairs }) => repairs,
    format: formatCount,
  }),
];

/** Inputs that were not replayed, each with its reason; nothing if all were. */
export function skippedSection({ skipped }: BenchReport): Markup {
  if (skipped.length === 0) return html``;
  const columns = [textColumn<BenchReport["skipped"][number]>("reason", ({ reason }) => reason)];
  const table = figureTable({ name: "skipped", rowTitle: "file", nameOf: ({ file }) => file, columns, rows: skipped });
  return foldedSection("skipped", "Skipped inputs", table);
}

/** Shows the notes of importers, one row a file and kind; nothing if there are none. */
export function notesSection(report: BenchReport): Markup {
  if (report.notes.length === 0) return html``;
  const nameOf = ({ file, firstLine }: NoteGroup) => (firstLine === null ? file : `${file}:${firstLine}`);
  const rows = groupNotes(report.notes);
  const table = figureTable({ name: "notes", rowTitle: "first place", nameOf, columns: NOTE_COLUMNS, rows });
  return foldedSection("notes", `What the importers met: ${formatNumberOf(report.notes.length, "note")}`, table);
}

const NOTE_COLUMNS: readonly FigureColumn<NoteGroup>[] = [
  textColumn("kind", ({ code }) => code),
  numberColumn({
    title: "times",
    meaning: fact("notes", "Notes of this kind about this file.", "The first of them is shown."),
    value: ({ count }) => count,
    format: formatCount,
  }),
  textColumn("the first one", (group) => group.text),
];

/** Every policy of the run as data, so that the run can be repeated. Points of a sweep are named by their settings alone. */
export function policiesSection({ policies }: BenchReport): Markup {
  const swept = policies.filter(({ sweep }) => sweep !== null);
  const whole = policies.filter(({ sweep }) => sweep === null);
  const content = html`${whole.map(({ name, policy }) => html`<details><summary>${name}</summary><pre tabindex="0">${JSON.stringify(policy, null, 2)}</pre></details>`)}
${
  swept.length === 0
    ? html``
    : html`<details><summary>${formatNumberOf(swept.length, "point")} of a sweep</summary><ul>${swept.map(({ name, sweep }) => html`<li>${name}: ${sweep?.base ?? ""} with ${(sweep?.settings ?? []).map(({ path, value }) => `${path}=${value}`).join(", ")}</li>`)}</ul><p class="note">The JSON report has each whole.</p></details>`
}`;
  return foldedSection("settings", "Settings of the policies", content);
}
