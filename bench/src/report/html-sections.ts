import { SAFETY } from "../metrics/safety.ts";
import type { BenchReport, SessionDescription } from "../results.ts";
import { columnLegend, type FigureColumn, figureTable, type NumberColumn, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatNumberOf, formatTokens } from "./figures.ts";
import { commonFolder } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { groupNotes, type NoteGroup } from "./note-groups.ts";
import { SESSION_MEANINGS } from "./session-meanings.ts";

/** Sessions of the run with what their recordings state. */
export function sessionsSection(report: BenchReport): Markup {
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const places = new Map(report.sessions.map((session, index) => [session, index]));
  const nameOf = ({ session }: SessionDescription) => session.slice(folder.length);
  const table = figureTable({
    name: "sessions",
    rowTitle: "session",
    nameOf,
    nameMarkup: (session) =>
      html`<button class="link" type="button" data-session="${places.get(session) ?? 0}">${nameOf(session)}</button>`,
    columns: SESSION_COLUMNS,
    rows: report.sessions,
  });
  return html`<h2 id="sessions">Sessions</h2>
${folder === "" ? "" : html`<p class="note">All of them in <code>${folder}</code></p>`}
${table}${columnLegend("sessions", SESSION_COLUMNS)}`;
}

const text = <Row>(title: string, of: (row: Row) => string): FigureColumn<Row> =>
  textColumn({ group: "", title, meaning: SESSION_MEANINGS.text }, of);

const figure = <Row>(column: Omit<NumberColumn<Row>, "group">): FigureColumn<Row> => numberColumn({ group: "", ...column });

const SESSION_COLUMNS: readonly FigureColumn<SessionDescription>[] = [
  text("format", ({ format }) => format),
  text("model", ({ modelIds }) => modelIds.join(", ")),
  text("sizes", ({ isEstimated }) => (isEstimated ? "estimated" : "reported")),
  figure({ title: "messages", meaning: SESSION_MEANINGS.messages, value: ({ messages }) => messages, format: formatCount }),
  figure({ title: "calls", meaning: SAFETY.figures.calls, value: ({ calls }) => calls, format: formatCount }),
  figure({
    title: "largest prompt (tokens)",
    meaning: SESSION_MEANINGS.largestPrompt,
    value: (session) => (session.isEstimated ? null : session.maxReportedPromptTokens),
    format: formatTokens,
  }),
  figure({
    title: "all prompts (tokens)",
    meaning: SESSION_MEANINGS.allPrompts,
    value: (session) => (session.isEstimated ? null : session.sumReportedPromptTokens),
    format: formatTokens,
  }),
  figure({
    title: "recorded compactions",
    meaning: SESSION_MEANINGS.boundaries,
    value: ({ recordedBoundaries }) => recordedBoundaries,
    format: formatCount,
  }),
  figure({ title: "repairs", meaning: SESSION_MEANINGS.repairs, value: ({ repairs }) => repairs, format: formatCount }),
];

/** Inputs that were not replayed, each with its reason; nothing where all were. */
export function skippedSection({ skipped }: BenchReport): Markup {
  if (skipped.length === 0) return html``;
  const columns = [text<BenchReport["skipped"][number]>("reason", ({ reason }) => reason)];
  return html`<h2 id="skipped">Skipped inputs</h2>
${figureTable({ name: "skipped", rowTitle: "file", nameOf: ({ file }) => file, columns, rows: skipped })}`;
}

/** What importers met, one row a file and kind; nothing where they met nothing. */
export function notesSection(report: BenchReport): Markup {
  if (report.notes.length === 0) return html``;
  const nameOf = ({ file, firstLine }: NoteGroup) => (firstLine === null ? file : `${file}:${firstLine}`);
  const rows = groupNotes(report.notes);
  return html`<details><summary>What the importers met: ${formatNumberOf(report.notes.length, "note")}</summary>
${figureTable({ name: "notes", rowTitle: "first place", nameOf, columns: NOTE_COLUMNS, rows })}</details>`;
}

const NOTE_COLUMNS: readonly FigureColumn<NoteGroup>[] = [
  text("kind", ({ code }) => code),
  figure({ title: "times", meaning: SESSION_MEANINGS.notes, value: ({ count }) => count, format: formatCount }),
  text("the first one", (group) => group.text),
];

/** Every policy of the run as data, so that the run can be repeated. Points of a sweep are named by their settings alone. */
export function policiesSection({ policies }: BenchReport): Markup {
  const swept = policies.filter(({ sweep }) => sweep !== null);
  const whole = policies.filter(({ sweep }) => sweep === null);
  return html`<h2 id="settings">Settings of the policies</h2>
${whole.map(({ name, policy }) => html`<details><summary>${name}</summary><pre>${JSON.stringify(policy, null, 2)}</pre></details>`)}
${
  swept.length === 0
    ? html``
    : html`<details><summary>${formatNumberOf(swept.length, "point")} of a sweep</summary><ul>${swept.map(({ name, sweep }) => html`<li>${name}: ${sweep?.base ?? ""} with ${(sweep?.settings ?? []).map(({ path, value }) => `${path}=${value}`).join(", ")}</li>`)}</ul><p class="note">The JSON report has each whole.</p></details>`
}`;
}
