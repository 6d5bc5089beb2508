import { INSTRUCTIONS, PLAN } from "../metrics/held-metrics.ts";
import type { MetricMeaning } from "../metrics/metric.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { MEASURES, VECTOR } from "../metrics/vector.ts";
import type { BenchReport } from "../results.ts";
import { ownersOf } from "../statistics.ts";
import { partsByWay } from "./apart.ts";
import {
  formatCount,
  formatNumberOf,
  formatPercent,
  formatRatioPercent,
  formatTokens,
  heldCell,
  NO_FIGURE,
} from "./figures.ts";
import { type PlacedPolicy, placedPolicy } from "./policy-choice.ts";
import { isActing, type PolicySummary, remarks, windowLabels } from "./policy-summary.ts";
import { dearerRatio, windowOutcomes } from "./session-outcomes.ts";
import { type Column, fact, metricColumns, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";
import { compactsAt, type Verdict } from "./verdict.ts";

/** A policy of a window: what it did, and over the compared sessions what it cost and kept. */
interface PolicyRow {
  readonly summary: PolicySummary;
  readonly isNow: boolean;
  readonly compactsAtTokens: number | null;
  /** Share of the sessions that it changed in which it cost more than doing nothing; `null` if it changed none. */
  readonly dearerRatio: number | null;
  /** `null` unless it was replayed in each of the compared sessions. */
  readonly placed: Omit<PlacedPolicy, "worse"> | null;
}

const COST_MEANING: MetricMeaning = {
  unit: "% of doing nothing",
  better: "lower",
  method:
    "Geometric mean of the compared sessions' ratios, in dollars with a prompt cache; summaries are charged as if a model wrote them.",
  caveat: "Doing nothing is charged as if its window were large enough.",
};
const KEPT_MEANING: MetricMeaning = {
  unit: "% of needs",
  better: "higher",
  method:
    "Of what later replies needed (texts that edits replace, lines around what is referred to, files being changed) the share that was still in the context word for word: the mean of the three.",
  caveat: "A mean hides which of the three is missing: --full, the page and Markdown have each.",
};

/** The eight columns that a person decides by. */
const POLICY_COLUMNS: readonly Column<PolicyRow>[] = [
  numberColumn({
    title: "compacts at",
    meaning: fact(
      "tokens",
      "The size at which it compacts, in the middle one of the sessions' windows; in a window for messages, their size alone.",
    ),
    value: ({ compactsAtTokens }) => compactsAtTokens,
    format: formatTokens,
  }),
  {
    ...textColumn("in sessions", ({ summary: { firedSessions, sessions } }) => `${firedSessions}/${sessions}`),
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
  numberColumn({ title: "cost %", meaning: COST_MEANING, value: ({ placed }) => placed?.cost ?? null, format: formatPercent }),
  numberColumn({
    title: "dearer %",
    meaning: {
      unit: "% of sessions",
      better: "lower",
      method: "Of the sessions that it changed, those that cost more than doing nothing, by a thousandth or more.",
      caveat: "Sessions that fit without it count too.",
    },
    value: ({ dearerRatio }) => dearerRatio,
    format: formatRatioPercent,
  }),
  {
    ...numberColumn<PolicyRow>({
      title: "kept %",
      meaning: KEPT_MEANING,
      value: ({ placed }) => placed?.gain ?? null,
      format: formatPercent,
    }),
    cellOf: ({ placed }) => {
      const raw = placed === null || placed.gain === null ? "" : String(placed.gain);
      return { shown: placed === null ? NO_FIGURE : heldCell(placed.gain), raw, isBad: false };
    },
  },
  numberColumn({
    title: "older %",
    meaning: { ...KEPT_MEANING, method: "The same of what was last said 20,000 tokens before or more." },
    value: ({ placed }) => placed?.farGain ?? null,
    format: formatPercent,
  }),
];

/** Explains the columns of the first table, for outputs that do not explain each column. */
export const READING =
  "cost: % of doing nothing, with a prompt cache, over the sessions that outgrow the window; dearer: sessions that cost more; kept: % of what later replies needed that was still in the context word for word; older: of what was said 20k tokens back or more.";

/** For each window the table that the answer is read from: a row a policy, what the person runs now among them. */
export function policyTables(
  report: BenchReport,
  summaries: readonly PolicySummary[],
  verdicts: readonly Verdict[],
): readonly ReportTable[] {
  return verdicts.map(({ windowLabel, now }) => {
    const own = summaries.filter((summary) => summary.windowLabel === windowLabel);
    const acting = own.flatMap(({ policy, isActing }) => (isActing ? [policy] : []));
    const beside = own.flatMap(({ policy, isActing }) => (isActing ? [] : [policy]));
    const { byPolicy, whereActed } = windowOutcomes(report, { windowLabel, acting, beside });
    const rows = own.map((summary): PolicyRow => {
      const { policy } = summary;
      const outcomes = byPolicy.get(policy);
      return {
        summary,
        isNow: now?.policy === policy,
        compactsAtTokens: compactsAt(report, windowLabel, policy)?.tokens ?? null,
        dearerRatio: dearerRatio(whereActed.get(policy) ?? []),
        placed: outcomes === undefined ? null : placedPolicy(policy, outcomes),
      };
    });
    return tableOf({
      title: `Policies, ${windowLabel}`,
      notes: remarks(own),
      rowTitle: "policy",
      columns: POLICY_COLUMNS,
      rows,
      nameOf: ({ summary: { policy }, isNow }) => (isNow ? `${policy} (you now)` : policy),
    });
  });
}

/** The tables behind the first: each measure, cost and requests, a table each for each window. */
export function furtherPolicyTables(
  report: BenchReport,
  summaries: readonly PolicySummary[],
  metrics: RunMetrics,
): readonly ReportTable[] {
  const labels = [...new Set(summaries.map(({ windowLabel }) => windowLabel))];
  return [
    ...labels.map((label) => measureTable(report, summaries, label)),
    ...(["cost", "requests"] as const).flatMap((name) =>
      labels.map((label) =>
        tableOf({
          title: `${METRIC_TITLES[name]}, ${label}`,
          notes: ["Sums over all sessions to which the window applies."],
          rowTitle: "policy",
          columns: metricColumns(metrics, name),
          rows: summaries.filter(({ windowLabel }) => windowLabel === label),
          nameOf: ({ policy }) => policy,
        }),
      ),
    ),
  ];
}

const METRIC_TITLES = { cost: "Dollars and prompt cache", requests: "Requests and compactions" } as const;

/** Each measure of what the policies that act kept. */
function measureTable(report: BenchReport, summaries: readonly PolicySummary[], windowLabel: string): ReportTable {
  const own = summaries.filter((each) => each.windowLabel === windowLabel && each.isActing);
  const { byPolicy } = windowOutcomes(report, { windowLabel, acting: own.map(({ policy }) => policy) });
  return tableOf<MeasuredPolicy>({
    title: `Kept, measure by measure, ${windowLabel}`,
    notes: ["Means of the compared sessions' shares, %. Older: last said 20,000 tokens before or more."],
    rowTitle: "policy",
    columns: [...MEASURE_COLUMNS, ...BESIDE_COLUMNS],
    rows: own.flatMap((summary) => {
      const outcomes = byPolicy.get(summary.policy);
      return outcomes === undefined ? [] : [{ ...placedPolicy(summary.policy, outcomes), summary }];
    }),
    nameOf: ({ policy }) => policy,
  });
}

/** Cost and kept content once more for each way in which the agents of the sessions work; none if all work alike. */
export function tablesByWay(report: BenchReport): readonly ReportTable[] {
  const acting = report.policies.flatMap(({ name, policy }) => (isActing(policy) ? [name] : []));
  return partsByWay(report).flatMap(({ words, part }) =>
    windowLabels(part).map((windowLabel) => {
      const { byPolicy, sessions, units } = windowOutcomes(part, { windowLabel, acting });
      const of = `${formatNumberOf(sessions.length, "session")} of ${formatNumberOf(ownersOf(units).size, "project")}`;
      return tableOf({
        title: `Agents that work ${words}, ${windowLabel}`,
        notes: [`${of}. The same as for all sessions, %.`],
        rowTitle: "policy",
        columns: [COST_COLUMN, ...MEASURE_COLUMNS],
        rows: [...byPolicy].map(([policy, own]) => placedPolicy(policy, own)),
        nameOf: ({ policy }) => policy,
      });
    }),
  );
}

const OLDER = "20,000 tokens old or more";

/** The needs that each measure is a share of. */
const METHODS: Readonly<Record<(typeof MEASURES)[number][0], string>> = {
  "replaced texts": "Of the texts that edits replace, those that stood in the context whole.",
  passages: "Of the lines that replies refer to, those that stood in the context with three lines on each side.",
  "file in hand": "Of the files that replies change, those whose newest reading stood in the context, by 80 % of its lines.",
};

const MEASURE_COLUMNS: readonly Column<Omit<PlacedPolicy, "worse">>[] = [false, true].flatMap((isFar) =>
  MEASURES.map(([name]) =>
    numberColumn<Omit<PlacedPolicy, "worse">>({
      group: isFar ? OLDER : "all",
      title: name,
      meaning: {
        unit: "% of needs",
        better: "higher",
        method: METHODS[name],
        caveat: "Other words for the same do not count.",
      },
      value: ({ shares }) => shares[VECTOR.findIndex((each) => each.name === (isFar ? `older ${name}` : name))]?.own ?? null,
      format: heldCell,
    }),
  ),
);

/** A policy with its shares over the compared sessions, and over all. */
interface MeasuredPolicy extends Omit<PlacedPolicy, "worse"> {
  readonly summary: PolicySummary;
}

/** Measures that no policy is chosen by. */
const BESIDE_COLUMNS: readonly Column<MeasuredPolicy>[] = [INSTRUCTIONS, PLAN].map(({ id, figures }) =>
  numberColumn<MeasuredPolicy>({
    group: "in all sessions",
    title: id,
    meaning: figures.all,
    value: ({ summary }) => summary.metrics[id].all,
    format: heldCell,
  }),
);

const COST_COLUMN: Column<Omit<PlacedPolicy, "worse">> = numberColumn({
  title: "cost %",
  meaning: COST_MEANING,
  value: ({ cost }) => cost,
  format: formatPercent,
});
