import { partsByWay } from "../judge/apart.ts";
import { actingIn, comparedIn } from "../judge/compare.ts";
import type { WindowJudgement } from "../judge/judge.ts";
import { type PolicySummary, windowLabels } from "../judge/policy-summary.ts";
import type { Standing } from "../judge/standing.ts";
import { MEASURES, VECTOR } from "../judge/vector.ts";
import { REAL_WINDOWS } from "../judge/window-label.ts";
import { INSTRUCTIONS, PLAN } from "../metrics/held-metrics.ts";
import type { MetricMeaning } from "../metrics/metric.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport } from "../results.ts";
import { ownersOf } from "../statistics.ts";
import { costMoreCell, formatCount, formatNumberOf, formatPercent, formatTokens, heldCell, NO_FIGURE } from "./figures.ts";
import type { PolicyNames } from "./policy-names.ts";
import { type Column, fact, metricColumns, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";
import { compactsAt } from "./verdict.ts";

/** A policy of a window: its actions, and over the compared sessions its cost and kept share. */
interface PolicyRow {
  readonly summary: PolicySummary;
  readonly isNow: boolean;
  readonly compactsAtTokens: number | null;
  /** `null` unless it was replayed in each of the compared sessions. */
  readonly standing: Standing | null;
}

const COST_MEANING: MetricMeaning = {
  unit: "% of the cost without compaction",
  better: "lower",
  method:
    "Geometric mean of the compared sessions' ratios, in dollars with a prompt cache; summaries are charged as if a model wrote them.",
  caveat: "The run without compaction is charged as if its window were large enough.",
};
const COST_MORE_MEANING: MetricMeaning = {
  unit: "sessions",
  better: "lower",
  method: "Compared sessions that cost over 2% more than without compaction, of all compared.",
  caveat: "A lineage counts as one session.",
};
const REREAD_MEANING: MetricMeaning = {
  unit: "% of the cost without compaction",
  better: "lower",
  method:
    "The cost if each text or passage that was missing when a reply first needed it were read again, by one more call at the session's mean price.",
  caveat: "An upper bound: not every missing text would be read again, and one call can read several.",
};
const KEPT_MEANING: MetricMeaning = {
  unit: "% of needs",
  better: "higher",
  method:
    "Share of the text needed by later replies (texts that edits replace, lines around references, files being changed) that was still in the context word for word: the mean of the three.",
  caveat: "A mean hides which of the three is missing: --full, the page and Markdown have each.",
};

/** The columns that a person decides by. */
const POLICY_COLUMNS: readonly Column<PolicyRow>[] = [
  ...standingColumns<PolicyRow>(({ standing }) => standing),
  numberColumn({
    title: "compacts at",
    meaning: fact(
      "tokens",
      "The size at which it compacts at the latest, in the median of the sessions' windows; in a window for messages, only the messages' size.",
    ),
    value: ({ compactsAtTokens }) => compactsAtTokens,
    format: formatTokens,
  }),
  {
    ...textColumn("compacted in", ({ summary: { firedSessions, sessions } }) => `${firedSessions}/${sessions}`),
    meaning: fact("sessions", "Sessions in which it compacted or tried to, of all to which the window applies."),
    isText: false,
  },
  numberColumn({
    title: "too large",
    meaning: {
      unit: "requests",
      better: "lower",
      method: "Requests above the window, which a provider would reject, over all sessions.",
      caveat: "By the size model, which has an error of its own.",
    },
    value: ({ summary }) => summary.metrics.safety.overflowingRequests,
    format: formatCount,
    isBad: ({ summary }) => summary.metrics.safety.unrecoveredRequests > 0,
  }),
];

/** Explains the columns behind the cost, for outputs that do not explain each column. */
export const KEPT_READING =
  "cost more in: sessions that cost over 2% more; kept: % of the text that later replies needed, still in the context word for word; older: of text stated 20k tokens earlier or more; reread cost: an upper bound, with one more call per missing text; too large: requests over the window";

/** Explains the columns of the first table. */
export const READING: string = `cost: % of the cost without compaction, with a prompt cache, over the sessions that outgrow the window; ${KEPT_READING}.`;

/** The table behind a window's answer: a row a policy, among them the person's present one. */
export function policyTable(report: BenchReport, judged: WindowJudgement, nameOf: PolicyNames): ReportTable {
  const { windowLabel, summaries, standings, now } = judged;
  return tableOf<PolicyRow>({
    title: `Policies, ${windowLabel}`,
    notes: remarks(summaries, nameOf),
    rowTitle: "policy",
    columns: POLICY_COLUMNS,
    rows: summaries.map((summary) => ({
      summary,
      isNow: now?.policy === summary.policy,
      compactsAtTokens: compactsAt(report, windowLabel, summary.policy)?.tokens ?? null,
      standing: standings.get(summary.policy) ?? null,
    })),
    nameOf: ({ summary: { policy }, isNow }) => (isNow ? `${nameOf(policy)} (yours)` : nameOf(policy)),
  });
}

/** The tables behind the first: each measure, cost and requests, a table each for each window. */
export function furtherPolicyTables(
  windows: readonly WindowJudgement[],
  metrics: RunMetrics,
  nameOf: PolicyNames,
): readonly ReportTable[] {
  return [
    ...windows.map((judged) => measureTable(judged, nameOf)),
    ...(["cost", "requests"] as const).flatMap((name) =>
      windows.map(({ windowLabel, summaries }) =>
        tableOf({
          title: `${METRIC_TITLES[name]}, ${windowLabel}`,
          notes: ["Sums over all sessions to which the window applies."],
          rowTitle: "policy",
          columns: metricColumns(metrics, name),
          rows: summaries,
          nameOf: ({ policy }) => nameOf(policy),
        }),
      ),
    ),
  ];
}

const METRIC_TITLES = { cost: "Dollars and prompt cache", requests: "Requests and compactions" } as const;

function measureTable({ windowLabel, summaries, standings }: WindowJudgement, nameOf: PolicyNames): ReportTable {
  return tableOf<MeasuredPolicy>({
    title: `Kept, measure by measure, ${windowLabel}`,
    notes: ["Means of the compared sessions' shares, %. Older: last said 20,000 tokens before or more."],
    rowTitle: "policy",
    columns: [...MEASURE_COLUMNS, ...BESIDE_COLUMNS],
    rows: summaries.flatMap((summary) => {
      const standing = summary.isActing ? standings.get(summary.policy) : undefined;
      return standing === undefined ? [] : [{ ...standing, summary }];
    }),
    nameOf: ({ policy }) => nameOf(policy),
  });
}

/** Cost and kept content once more for each way in which the agents of the sessions work; none if all work alike. */
export function tablesByWay(report: BenchReport, nameOf: PolicyNames): readonly ReportTable[] {
  const acting = actingIn(report);
  return partsByWay(report).flatMap(({ way, part }) =>
    windowLabels(part).map((label) => {
      const { standings, units } = comparedIn(part, label);
      const of = `${formatNumberOf(units.length, "session")} of ${formatNumberOf(ownersOf(units).size, "project")}`;
      return tableOf({
        title: `Agents that work ${WAYS[way]}, ${label}`,
        notes: [`${of}. The same as for all sessions, %.`],
        rowTitle: "policy",
        columns: [...standingColumns<Standing>((standing) => standing).slice(0, 1), ...MEASURE_COLUMNS],
        rows: [...standings.values()].filter(({ policy }) => acting.has(policy)),
        nameOf: ({ policy }) => nameOf(policy),
      });
    }),
  );
}

const WAYS: Readonly<Record<ReturnType<typeof partsByWay>[number]["way"], string>> = {
  tools: "with tools for files",
  shell: "with only a shell",
  scripts: "in scripts (code mode)",
};

const OLDER = "20,000 tokens old or more";

/** The needs that each measure is a share of. */
const METHODS: Readonly<Record<(typeof MEASURES)[number][0], string>> = {
  "replaced texts": "Texts replaced by edits that were whole in the context.",
  passages: "Lines referred to by replies that were in the context with three lines on each side.",
  "files being changed": "Files changed by replies with at least 80% of the lines of their newest read in the context.",
};

const MEASURE_COLUMNS: readonly Column<Standing>[] = [false, true].flatMap((isFar) =>
  MEASURES.map(([name]) =>
    numberColumn<Standing>({
      group: isFar ? OLDER : "all",
      title: name,
      meaning: {
        unit: "% of needs",
        better: "higher",
        method: METHODS[name],
        caveat: "Paraphrases do not count.",
      },
      value: ({ shares }) => shares[VECTOR.findIndex((each) => each.name === (isFar ? `older ${name}` : name))]?.own ?? null,
      format: heldCell,
    }),
  ),
);

interface MeasuredPolicy extends Standing {
  readonly summary: PolicySummary;
}

const BESIDE_COLUMNS: readonly Column<MeasuredPolicy>[] = [INSTRUCTIONS, PLAN].map(({ id, figures }) =>
  numberColumn<MeasuredPolicy>({
    group: "in all sessions",
    title: id,
    meaning: figures.all,
    value: ({ summary }) => summary.metrics[id].all,
    format: heldCell,
  }),
);

/** The columns of a policy's or a setting's standing: its cost, the sessions that cost more, its kept share, and its cost with everything read again. */
export function standingColumns<Row>(of: (row: Row) => Standing | null): readonly Column<Row>[] {
  const older = { ...KEPT_MEANING, method: "The same for text last stated 20,000 tokens earlier or more." };
  // Needs that nothing shows are not those of a policy that was not compared.
  const empty = { shown: NO_FIGURE, raw: "", isBad: false };
  const ofRow = (column: Column<Standing>): Column<Row> => ({
    ...column,
    cellOf: (row) => {
      const standing = of(row);
      return standing === null ? empty : column.cellOf(standing);
    },
  });
  const figure = (
    title: string,
    meaning: MetricMeaning,
    value: (standing: Standing) => number | null,
    format: (value: number | null) => string = formatPercent,
  ) => ofRow(numberColumn<Standing>({ title, meaning, value, format }));
  return [
    figure("cost %", COST_MEANING, ({ costPercent }) => costPercent),
    ofRow({ ...textColumn("cost more in", costMoreCell, COST_MORE_MEANING), isText: false }),
    figure("kept %", KEPT_MEANING, ({ gain }) => gain, heldCell),
    figure("older %", older, ({ farGain }) => farGain),
    figure("reread cost %", REREAD_MEANING, ({ rereadPercent }) => rereadPercent),
  ];
}

/**
 * Lists the remarks that a reader must know about rows of one window before comparing them: nothing fired, or sessions are missing. A remark about
 * several rows comes once.
 */
export function remarks(summaries: readonly PolicySummary[], nameOf: PolicyNames = String): readonly string[] {
  const policiesOf = new Map<string, string[]>();
  for (const summary of summaries)
    for (const text of rowRemarks(summary)) policiesOf.set(text, [...(policiesOf.get(text) ?? []), nameOf(summary.policy)]);
  return [...policiesOf].map(
    ([text, policies]) =>
      `${namesOf(
        policies,
        summaries.map(({ policy }) => nameOf(policy)),
      )}: ${text}`,
  );
}

/** So many that are left out of "all" are named; chosen. */
const MOST_BUT = 2;

function namesOf(policies: readonly string[], all: readonly string[]): string {
  const others = all.filter((policy) => !policies.includes(policy));
  if (policies.length === 1 || others.length > MOST_BUT || others.length >= policies.length) return policies.join(", ");
  return others.length === 0 ? "All policies" : `All policies but ${others.join(" and ")}`;
}

function rowRemarks(summary: PolicySummary): readonly string[] {
  const { sessions, firedSessions, actedSessions, notApplicable, isActing, windowLabel } = summary;
  const size = windowLabel === REAL_WINDOWS ? "half of the window" : windowLabel.replace(/ .*/, "");
  const shortenedIn = actedSessions > 0 ? `; in ${actedSessions} it acted, by shortening results as they came` : "";
  return [
    ...(isActing && sessions > 0 && firedSessions === 0
      ? [`no compaction in ${formatNumberOf(sessions, "session")}: the window never filled up to the trigger${shortenedIn}.`]
      : []),
    ...(notApplicable > 0 ? [`${formatNumberOf(notApplicable, "session")} skipped: system text and tools of the first request exceed ${size}.`] : []),
  ];
}
