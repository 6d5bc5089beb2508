import type { MetricMeaning } from "../metrics/metric.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { LEAST_POINTS, MEASURES, VECTOR } from "../metrics/vector.ts";
import type { BenchReport, PairedDifference, PolicyComparison } from "../results.ts";
import { FEWEST_OWNERS, ownersOf, ratioOf } from "../statistics.ts";
import { partsByWay } from "./apart.ts";
import { overWords, type WindowComparison } from "./comparisons.ts";
import {
  formatCount,
  formatNumberOf,
  formatPercent,
  formatRatioPercent,
  formatTokens,
  heldCell,
  NO_FIGURE,
} from "./figures.ts";
import { COST_FIGURE, pointsOver, sessionRecord } from "./paired-differences.ts";
import { CHEATS, type PlacedPolicy, placedPolicy } from "./policy-choice.ts";
import { isActing, type PolicySummary, remarks, windowLabels } from "./policy-summary.ts";
import type { SessionNames } from "./session-names.ts";
import { type SessionOutcome, windowOutcomes } from "./session-outcomes.ts";
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
    "Of what later replies needed (texts that edits replace, lines around what is referred to, files being changed, your instructions, the plan) the share that was still in the context word for word: the mean of the five.",
  caveat: "A mean hides which of the five is missing: --full, the page and Markdown have each.",
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
      const { acted, cost } = sessionRecord(whereActed.get(policy) ?? []);
      return {
        summary,
        isNow: now?.policy === policy,
        compactsAtTokens: compactsAt(report, windowLabel, policy)?.tokens ?? null,
        dearerRatio: ratioOf(cost.lost, acted),
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

/** The tables behind the first: each measure, differences with intervals, cost and requests, a table each for each window. */
export function furtherPolicyTables(
  summaries: readonly PolicySummary[],
  comparisons: readonly WindowComparison[],
  { metrics, nameOf }: { readonly metrics: RunMetrics; readonly nameOf: SessionNames },
): readonly ReportTable[] {
  return [
    ...comparisons.filter(({ policies }) => policies.length > 0).flatMap((each) => comparisonTables(each, nameOf)),
    ...(["cost", "requests"] as const).flatMap((name) =>
      [...new Set(summaries.map(({ windowLabel }) => windowLabel))].map((label) =>
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

const ALONE = "over the newest messages alone, points";

function comparisonTables(comparison: WindowComparison, nameOf: SessionNames): readonly ReportTable[] {
  const { windowLabel, outcomes, policies } = comparison;
  const placed = [...outcomes.byPolicy].map(([policy, own]) => placedPolicy(policy, own));
  const isFew = (policies[0]?.owners ?? 0) < FEWEST_OWNERS;
  const sessions = [...outcomes.byPolicy].flatMap(([policy, own]) =>
    CHEATS.has(policy) ? [] : own.map((outcome) => ({ policy, outcome })),
  );
  return [
    tableOf({
      title: `Kept, measure by measure, ${windowLabel}`,
      notes: ["Means of the compared sessions' shares, %. Older: last said 20,000 tokens before or more."],
      rowTitle: "policy",
      columns: MEASURE_COLUMNS,
      rows: placed,
      nameOf: ({ policy }) => policy,
    }),
    tableOf({
      title: `Differences, ${windowLabel}`,
      notes: [overWords(comparison)],
      rowTitle: "policy",
      columns: DIFFERENCE_COLUMNS,
      rows: policies,
      nameOf: ({ policy }) => policy,
    }),
    ...(isFew
      ? [
          tableOf({
            title: `Every session, ${windowLabel}`,
            notes: [],
            rowTitle: "session",
            columns: SESSION_COLUMNS,
            rows: sessions,
            nameOf: ({ outcome }) => nameOf(outcome.session),
          }),
        ]
      : []),
  ];
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
  instructions: "Of the person's messages so far, those that stood in the context, at each call.",
  plan: "Of the items of the newest plan or list of tasks, those that stood in the context.",
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

const COST_COLUMN: Column<Omit<PlacedPolicy, "worse">> = numberColumn({
  title: "cost %",
  meaning: COST_MEANING,
  value: ({ cost }) => cost,
  format: formatPercent,
});

const DIFFERENCE: MetricMeaning = {
  unit: "points",
  better: "higher",
  method:
    "Mean of the sessions' differences, with a 95 % interval: a paired bootstrap that draws whole repositories 10,000 times.",
  caveat: "≈: no difference. From fewer than eight projects there is no interval, and less than a point is none.",
};

/** Cost against doing nothing, and each measure against the newest messages alone, at the policy's own size. */
const DIFFERENCE_COLUMNS: readonly Column<PolicyComparison>[] = [
  differenceColumn(COST_FIGURE, "none", { group: "", title: "cost %", meaning: COST_MEANING }),
  ...VECTOR.map(({ name }) => differenceColumn(name, "tail", { group: ALONE, title: name, meaning: DIFFERENCE })),
];

function differenceColumn(
  figure: string,
  against: PairedDifference["against"],
  head: Pick<Column<PolicyComparison>, "group" | "title" | "meaning">,
): Column<PolicyComparison> {
  return {
    ...head,
    isText: false,
    cellOf: ({ differences }) => {
      const found = differences.find((each) => each.figure === figure && each.against === against);
      const raw = found?.value ?? null;
      return { shown: differenceText(found), raw: raw === null ? "" : String(raw), isBad: false };
    },
  };
}

/** A difference with its interval, e.g. `−7.6 [−12.7, −3.7]`; `≈` before it says that it is none. */
function differenceText(difference: PairedDifference | undefined): string {
  if (difference === undefined || difference.value === null) return NO_FIGURE;
  const { figure, value, interval } = difference;
  const isCost = figure === COST_FIGURE;
  const zero = isCost ? 100 : 0;
  const shown = isCost ? formatPercent : signedPoints;
  const isNone = interval === null ? Math.abs(value - zero) < LEAST_POINTS : interval.from <= zero && interval.through >= zero;
  const range = interval === null ? "" : ` [${shown(interval.from)}, ${shown(interval.through)}]`;
  return `${isNone ? "≈ " : ""}${shown(value)}${range}`;
}

/** Points with a sign and one decimal. */
function signedPoints(points: number | null): string {
  if (points === null) return NO_FIGURE;
  const digits = Math.abs(points).toFixed(1);
  return digits === "0.0" ? "0" : `${points < 0 ? "−" : "+"}${digits}`;
}

/** One session under one policy. */
interface PolicySession {
  readonly policy: string;
  readonly outcome: SessionOutcome;
}

/** The same for one session: an anecdote. */
const SESSION_COLUMNS: readonly Column<PolicySession>[] = [
  textColumn("policy", ({ policy }) => policy),
  numberColumn({
    title: "cost %",
    meaning: COST_MEANING,
    value: ({ outcome }) => 100 * outcome.costRatio,
    format: formatPercent,
  }),
  ...MEASURES.map(([name]) =>
    numberColumn<PolicySession>({
      group: ALONE,
      title: name,
      meaning: {
        ...DIFFERENCE,
        method: "The session's share less that of the newest messages alone.",
        caveat: "One session is an anecdote.",
      },
      value: ({ outcome }) => pointsOver(outcome.vector[VECTOR.findIndex((each) => each.name === name)], "tail"),
      format: signedPoints,
    }),
  ),
];
