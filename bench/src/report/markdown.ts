import { columnsOf } from "../metrics/columns.ts";
import { METRICS, type RunMetrics } from "../metrics/registry.ts";
import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { windowAnswers } from "./answer.ts";
import { answerWords } from "./answer-words.ts";
import { formatFigure, formatNumberOf, formatRatioPercent } from "./figures.ts";
import { capitalised, windowLabel } from "./labels.ts";
import { type PolicySummary, remarks, summarizePolicies, windowLabels } from "./policy-summary.ts";
import { triggerWords } from "./trigger.ts";
import { validityLines } from "./validity.ts";

type Column = readonly [title: string, figure: (summary: PolicySummary) => string];

/** Columns of the table in Markdown: size, cost, safety and retention side by side. */
function columnsWith(metrics: RunMetrics): readonly Column[] {
  return [
    ["policy", ({ policy }) => escaped(policy)],
    ["fired", ({ firedSessions, sessions }) => `${firedSessions}/${sessions}`],
    ...columnsOf(metrics, "markdown").map(
      ({ title, format, figureOf }): Column => [escaped(title), (summary) => formatFigure(format, figureOf(summary.metrics))],
    ),
  ];
}

/** The report's tables as Markdown, for a pull request or a page of documentation. The metrics are those of its run. */
export function renderMarkdownReport(report: BenchReport, metrics: RunMetrics = METRICS): string {
  const summaries = summarizePolicies(report, metrics);
  const columns = columnsWith(metrics);
  const calls = report.sessions.reduce((sum, session) => sum + session.calls, 0);
  const answers = inShort(report, summaries);
  const validity = validityLines(report).map((line) => `- ${escaped(line)}`);
  return [
    "## Compaction policies compared",
    `${formatNumberOf(report.sessions.length, "recorded session")} with ${formatNumberOf(calls, "model call")}. Open loop: sizes, cost, safety and retention, not task success.`,
    answers,
    ...(validity.length === 0 ? [] : ["### Validity", validity.join("\n")]),
    ...windowLabels(report).flatMap((label) => {
      const rows = summaries.filter(({ windowLabel }) => windowLabel === label);
      const notes = rows.flatMap(remarks).map((line) => `- ${escaped(line)}`);
      return [`### ${capitalised(label)}`, table(rows, columns), ...(notes.length === 0 ? [] : [notes.join("\n")])];
    }),
    ...losingText(report),
    ...(report.skipped.length === 0
      ? []
      : ["### Skipped", report.skipped.map(({ file, reason }) => `- ${escaped(`${file}: ${reason}`)}`).join("\n")]),
    `Means are geometric over sessions in which the policy or ${BASELINE_POLICY} acted. Summaries are the deterministic digest's, charged as if a model had written them. Far: 20,000 tokens back.`,
  ]
    .join("\n\n")
    .concat("\n");
}

/** The answer for each window, in words. */
function inShort(report: BenchReport, summaries: readonly PolicySummary[]): string {
  const triggers = new Map(report.policies.map(({ name, policy }) => [name, triggerWords(policy)]));
  return windowAnswers(report, summaries)
    .map((answer) => {
      const { without, pick, figures, others, sure } = answerWords(answer, (policy) => triggers.get(policy) ?? null);
      const use = pick === null ? "" : `**Use ${escaped(pick)}.** `;
      const sureness = sure === "" ? "" : ` How sure: ${escaped(sure)}`;
      return `- **${answer.windowLabel}**: ${escaped(without)} ${use}${escaped(figures)} ${escaped(others)}${sureness}`.replace(
        / +/g,
        " ",
      );
    })
    .join("\n");
}

/** So many losing cases are listed; all are counted (chosen). */
const LISTED_CASES = 20;

function losingText(report: BenchReport): readonly string[] {
  const cases = losingCases(report);
  if (cases.length === 0) return [];
  const counts = [...new Set(cases.map(({ policy }) => policy))].map(
    (policy) => `${escaped(policy)} ${cases.filter((each) => each.policy === policy).length}`,
  );
  return [
    "### Losing cases",
    `Cells in which a policy cost more, with a prompt cache, than doing nothing where doing nothing would have fitted: ${counts.join(", ")}. The worst:`,
    [
      "| session | window | policy | % of none |",
      "|---|---|---|---:|",
      ...cases
        .slice(0, LISTED_CASES)
        .map(
          (each) =>
            `| ${escaped(each.session)} | ${each.windowLabel} | ${escaped(each.policy)} | ${formatRatioPercent(each.costRatio)} |`,
        ),
    ].join("\n"),
  ];
}

function table(rows: readonly PolicySummary[], columns: readonly Column[]): string {
  const head = `| ${columns.map(([title]) => title).join(" | ")} |`;
  const rule = `|${columns.map((_, index) => (index === 0 ? "---" : "---:")).join("|")}|`;
  return [head, rule, ...rows.map((row) => `| ${columns.map(([, figure]) => figure(row)).join(" | ")} |`)].join("\n");
}

/** Characters that would become markup or end a cell. */
function escaped(text: string): string {
  return text.replace(/[\\|<>&*_`[\]]/g, (character) => `\\${character}`).replace(/\s+/g, " ");
}

/** A session in which a policy did worse than doing nothing did, in a window that doing nothing stayed within. */
export interface LosingCase {
  readonly session: string;
  readonly policy: string;
  readonly windowLabel: string;
  /** Cost with a prompt cache as a share of doing nothing. */
  readonly costRatio: number;
}

/**
 * Cases in which a policy cost more than doing nothing, the worst first. If doing nothing overflowed there is nothing to compare:
 * the session would have ended.
 */
export function losingCases(report: BenchReport): readonly LosingCase[] {
  const keyOf = ({ session, window }: ReplayRow) => `${windowLabel(window)}\n${session}`;
  const baseline = new Map(report.rows.flatMap((row) => (row.policy === BASELINE_POLICY ? [[keyOf(row), row] as const] : [])));
  return report.rows
    .flatMap((row): readonly LosingCase[] => {
      const nothing = baseline.get(keyOf(row))?.metrics;
      const [own, base] = [row.metrics?.cost.withCacheUsd ?? 0, nothing?.cost.withCacheUsd ?? 0];
      if (nothing?.safety.overflowingRequests !== 0 || base <= 0 || own <= base * (1 + LEAST_EXCESS_RATIO)) return [];
      return [{ session: row.session, policy: row.policy, windowLabel: windowLabel(row.window), costRatio: own / base }];
    })
    .toSorted((a, b) => b.costRatio - a.costRatio);
}

/** Less is rounding. */
const LEAST_EXCESS_RATIO = 0.001;
