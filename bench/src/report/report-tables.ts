import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport, ReportProblem, SkippedInput, SourceNote } from "../results.ts";
import { type WindowAnswer, windowAnswers } from "./answer.ts";
import { formatCount } from "./figures.ts";
import { markedReport, modelSummaryNote } from "./model-summaries.ts";
import { type PolicySummary, summarizePolicies } from "./policy-summary.ts";
import { furtherPolicyTables, policyTables, tablesByWay } from "./policy-tables.ts";
import { reportProblems } from "./problems.ts";
import { type SessionNames, sessionNames } from "./session-names.ts";
import { fact, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";
import { sessionTable } from "./validity.ts";
import { type Verdict, verdicts } from "./verdict.ts";

/** A report as people read it: made once from the rows, drawn by the terminal, Markdown and the page. */
export interface ShownReport {
  /** Policies that ask a model for summaries have their mark. */
  readonly report: BenchReport;
  readonly summaries: readonly PolicySummary[];
  readonly answers: readonly WindowAnswer[];
  readonly problems: readonly ReportProblem[];
  readonly verdicts: readonly Verdict[];
  /** The tables that the verdicts are read from, one a window. */
  readonly first: readonly ReportTable[];
  /** All others, made when they are asked for. */
  further(): readonly ReportTable[];
  /** Sentences that every output has below the first tables. */
  readonly notes: readonly string[];
}

/** Makes the answers, tables and notes that every output shows of a report. Give the metrics that its run had; `names` names sessions, by day and first words if left out. */
export function shownReport(plain: BenchReport, metrics: RunMetrics, names?: SessionNames): ShownReport {
  const report = markedReport(plain);
  const nameOf = names ?? sessionNames(report);
  const summaries = summarizePolicies(report, metrics);
  const answers = windowAnswers(report, summaries);
  const found = verdicts(report, answers);
  const mark = modelSummaryNote(plain);
  return {
    report,
    summaries,
    answers,
    problems: reportProblems(plain),
    verdicts: found,
    first: policyTables(report, summaries, found),
    further: () =>
      [
        ...furtherPolicyTables(report, summaries, metrics),
        ...tablesByWay(report),
        sessionTable(plain, nameOf),
        skippedTable(plain.skipped),
        noteTable(plain.notes),
      ].filter(({ rows }) => rows.length > 0),
    notes: [...(mark === null ? [] : [mark]), OPEN_LOOP, PUBLIC_EVIDENCE],
  };
}

const OPEN_LOOP = "Open loop: recorded replies do not react to compaction; no figure says whether a task succeeds.";

function skippedTable(skipped: readonly SkippedInput[]): ReportTable {
  const columns = [textColumn<SkippedInput>("reason", ({ reason }) => reason)];
  return tableOf({ title: "Inputs that were left out", rowTitle: "file", columns, rows: skipped, nameOf: ({ file }) => file });
}

/** Notes of one kind about one file. */
export interface NoteGroup {
  readonly file: string;
  readonly code: string;
  readonly count: number;
  readonly firstLine: number | null;
  /** The first note's text, without the place that `file` and `firstLine` give. */
  readonly text: string;
}

/** Counts notes by file and kind, in the order in which they first come. */
export function groupNotes(notes: readonly SourceNote[]): readonly NoteGroup[] {
  const groups = new Map<string, NoteGroup>();
  for (const { file, line, code, text } of notes) {
    const key = `${code}\n${file}`;
    const group = groups.get(key) ?? { file, code, count: 0, firstLine: line, text: withoutPlace(text, file, line) };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()];
}

/** Importers write notes as lines for a terminal, with the place in front. */
function withoutPlace(text: string, file: string, line: number | null): string {
  const place = `${line === null ? file : `${file}:${line}`}: `;
  return text.startsWith(place) ? text.slice(place.length) : text;
}

function noteTable(notes: readonly SourceNote[]): ReportTable {
  return tableOf({
    title: "Notes about the logs",
    notes: ["They need nothing: each says how a line was read. The first of each kind and file is shown."],
    rowTitle: "first place",
    columns: [
      textColumn<NoteGroup>("kind", ({ code }) => code),
      numberColumn<NoteGroup>({
        title: "times",
        meaning: fact("notes", "Notes of this kind about this file."),
        value: ({ count }) => count,
        format: formatCount,
      }),
      textColumn<NoteGroup>("note", ({ text }) => text),
    ],
    rows: groupNotes(notes),
    nameOf: ({ file, firstLine }) => (firstLine === null ? file : `${file}:${firstLine}`),
  });
}

/** Findings on public data, by a protocol that was written first (docs/evidence.md, 26 November 2026). */
const PUBLIC_EVIDENCE =
  "On public data (docs/evidence.md): where a chat still had a passage after its compaction, a question about it was answered right more often (passages, area 0.71 [0.68, 0.75]); in SWE-agent, edits of lines that are gone from the context fail more often (× 1.86 [1.54, 2.19]), and files that are gone are read again more often (× 1.74 [1.05, 2.77]); no measure predicts that a run fails (passages 0.49 [0.44, 0.53]).";
