import { type Judgement, judge } from "../judge/judge.ts";
import { METRICS, type RunMetrics } from "../metrics/registry.ts";
import type { SourceNote } from "../open/session-description.ts";
import type { BenchReport, ReportProblem, SkippedInput } from "../results.ts";
import { formatCount } from "./figures.ts";
import { MODEL_MARK, type PolicyNames, VENDOR_MARK } from "./policy-names.ts";
import { furtherPolicyTables, policyTable, readingOf } from "./policy-tables.ts";
import { reportProblems } from "./problems.ts";
import { type SessionNames, sessionNames } from "./session-names.ts";
import { fact, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";
import { sessionTable } from "./validity.ts";
import { verdictLines } from "./verdict.ts";

/** A report as people read it: made once from the rows, drawn by the terminal, Markdown, the page and JSON. */
export interface ShownReport {
  readonly report: BenchReport;
  readonly metrics: RunMetrics;
  readonly judged: Judgement;
  readonly problems: readonly ReportProblem[];
  /** Of each window the answer in words and the table that it is read from. */
  readonly windows: readonly ShownWindow[];
  /** Explains the columns of these tables. */
  readonly reading: string;
  /** All other tables, made when they are asked for; `names` names the sessions, by day and first words if left out. */
  further(names?: SessionNames): readonly ReportTable[];
  readonly notes: readonly string[];
  readonly policyName: PolicyNames;
}

interface ShownWindow {
  readonly judged: Judgement["windows"][number];
  readonly lines: readonly string[];
  readonly table: ReportTable;
}

/** Makes the answers, tables and notes that every output shows of a report. Give the metrics that its run had. */
export function shownReport(report: BenchReport, metrics: RunMetrics = METRICS): ShownReport {
  const judged = judge(report, metrics);
  const { asking, unpriced } = judged;
  const policyName: PolicyNames = (policy) =>
    `${policy}${asking.has(policy) ? MODEL_MARK : unpriced.has(policy) ? VENDOR_MARK : ""}`;
  const mark = modelSummaryNote(report, judged);
  return {
    report,
    metrics,
    judged,
    problems: reportProblems(report),
    windows: judged.windows.map((window) => ({
      judged: window,
      lines: verdictLines(report, window, policyName),
      table: policyTable(report, window, policyName),
    })),
    reading: readingOf(judged.windows),
    further: (names = sessionNames(report)) =>
      [
        ...furtherPolicyTables(judged.windows, metrics, policyName, names),
        sessionTable(report, names),
        skippedTable(report.skipped),
        noteTable(report.notes),
      ].filter(({ rows }) => rows.length > 0),
    notes: [RULE, mark, judged.unpriced.size > 0 && VENDOR_NOTE, OPEN_LOOP, PUBLIC_EVIDENCE].flatMap((note) => note || []),
    policyName,
  };
}

/** How bench chooses, and how tune does otherwise. */
const RULE =
  "Of these policies, bench picks the best trade of cost for kept text, if none of up to 5% more cost keeps a point more of any measure, or from eight projects on surely more; tune allows no loss of a point against your setting.";

const OPEN_LOOP = "Limit: recorded replies do not react to compaction; no figure shows whether a task succeeds.";

function skippedTable(skipped: readonly SkippedInput[]): ReportTable {
  const columns = [textColumn<SkippedInput>("reason", ({ reason }) => reason)];
  return tableOf({ title: "Inputs left out", rowTitle: "file", columns, rows: skipped, nameOf: ({ file }) => file });
}

/** Notes of one kind about one file. */
interface NoteGroup {
  readonly file: string;
  readonly code: string;
  readonly count: number;
  readonly firstLine: number | null;
  /** The first note's text, without the place that `file` and `firstLine` give. */
  readonly text: string;
}

/** Counts notes by file and kind, in order of first appearance. */
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
    notes: ["No action needed: each says how a line was read. The first of each kind and file is shown."],
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

const VENDOR_NOTE = `${VENDOR_MARK} A replay asks no vendor for a summary: a digest stands in for its size, and the vendor's call, whose price is not known, is not charged. So the policy is never recommended.`;

/** Findings on public data, by a protocol that was written first (docs/evidence.md, 26 November 2026). */
const PUBLIC_EVIDENCE =
  "On public data (docs/evidence.md): where a chat still had a passage after its compaction, a question about it was answered right more often (passages, area under the ROC curve 0.71 [0.68, 0.75]); in SWE-agent, edits of lines that are gone from the context fail more often (× 1.86 [1.54, 2.19]), and files that are gone are read again more often (× 1.74 [1.05, 2.77]); no measure predicts that a run fails (passages 0.49 [0.44, 0.53]).";

/** Explains the mark, and says whose summaries each marked policy is scored by; `null` if no policy asked for one. */
export function modelSummaryNote({ summarizer }: BenchReport, { asking }: Pick<Judgement, "asking">): string | null {
  if (asking.size === 0) return null;
  const total = (key: "asked" | "recorded" | "model") => [...asking.values()].reduce((sum, counts) => sum + counts[key], 0);
  const [asked, recorded] = [formatCount(total("asked")), formatCount(total("recorded"))];
  const quoted = "stand in for the model's text";
  const written =
    summarizer !== "digest" && summarizer !== "recorded"
      ? `${summarizer} wrote ${formatCount(total("model"))} of ${asked} summaries.`
      : recorded === "0"
        ? `In all ${asked} summaries, quotations from the log ${quoted}.`
        : `${recorded} of ${asked} summaries are the recorded agent's own; in the others, quotations ${quoted}.`;
  return `${MODEL_MARK} pays for summaries by a model, and is compared apart from policies that do not. ${written}`;
}
