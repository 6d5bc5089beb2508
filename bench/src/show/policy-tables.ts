import { RECORDED_POLICY } from "@plimsoll/core/extend";
import type { WindowJudgement } from "../judge/judge.ts";
import type { PolicySummary } from "../judge/policy-summary.ts";
import { COSTS_MORE_RATIO, type SessionStanding, type Standing } from "../judge/standing.ts";
import { MEASURES, VECTOR } from "../judge/vector.ts";
import { REAL_WINDOWS, shortTokens, windowLabel } from "../judge/window-label.ts";
import { BASELINE_POLICY } from "../metrics/has-acted.ts";
import { INSTRUCTIONS, PLAN } from "../metrics/held-metrics.ts";
import type { MetricMeaning } from "../metrics/metric.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport } from "../results.ts";
import {
  clusteredEstimate,
  FEWEST_OWNERS,
  geometricMeanOver,
  type InSession,
  meanOver,
  ownersOf,
  unitOf,
} from "../statistics.ts";
import { costMoreCell, formatCount, formatNumberOf, formatPercent, formatTokens, heldCell, NO_FIGURE } from "./figures.ts";
import { ownRuleRemarks } from "./own-rules.ts";
import type { PolicyNames } from "./policy-names.ts";
import { namesOf } from "./problems.ts";
import type { SessionNames } from "./session-names.ts";
import { type Column, fact, metricColumns, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";
import { compactsAt } from "./verdict.ts";

/** A policy of a window: its actions, and over the compared sessions its cost and kept share. */
interface PolicyRow {
  readonly summary: PolicySummary;
  readonly compactsAtTokens: number | null;
  /** `null` unless it was replayed in each of the compared sessions. */
  readonly standing: Standing | null;
}

const COST_MEANING: MetricMeaning = {
  unit: "% of the cost without compaction",
  better: "lower",
  method:
    "Geometric mean of the compared sessions' ratios, in dollars with a prompt cache; summaries are charged as if a model wrote them.",
  caveat: "In the run without compaction, requests above the window are those of the log.",
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
    "Share of the text needed by later replies (texts that edits replace, lines around references, edited files) that was still in the context word for word: the mean of the three.",
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
    title: "over window",
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

/** Explains the columns, for outputs that do not explain each. */
export const READING =
  "cost: % of the cost without compaction; costlier: over 2% more than without compaction; kept: % of the text that later replies needed, still there word for word; older: of text 20k tokens old or more (both means of three measures); reread cost: with one more call per missing text; over window: requests too large for it";

/** Explains the columns of the first table of each window. */
export function readingOf(windows: readonly WindowJudgement[]): string {
  const over = windows.some(({ isOutgrown }) => isOutgrown)
    ? "that outgrow the window"
    : "in which a policy acts (none outgrows its window)";
  return `${READING}. All over the sessions ${over}.`;
}

/** In a window for messages: the largest prompt of the answer's policy, as a provider would count it, and the window to give for a model with that many tokens, unless the overhead of a session takes most of it. */
function reachNote(
  { rows }: BenchReport,
  { windowLabel: label, summaries, named: [pick], units }: WindowJudgement,
): readonly string[] {
  const peak = summaries.find(({ policy }) => policy === pick?.policy)?.metrics.economy.peakPromptTokens;
  const compared = new Set(units.map(({ session }) => session));
  const own = rows.flatMap(({ session, window, overheadTokens }) =>
    window.kind === "real" || windowLabel(window) !== label || !compared.has(session) ? [] : [{ ...window, overheadTokens }],
  );
  const [first] = own;
  if (first === undefined || peak === undefined) return [];
  const onTop = own.reduce((most, { overheadTokens }) => Math.max(most, overheadTokens), 0);
  const left = Math.floor((first.tokens - onTop) / 1000);
  const give = ` For a model with a window of ${shortTokens(first.tokens)}, give --window ${left}k.`;
  return [
    `Prompts of ${pick?.policy} reach ${formatTokens(peak)}: up to ${formatTokens(onTop)} of system prompt and tools come on top.${onTop > first.tokens / 2 ? "" : give}`,
  ];
}

/** Counts the older needs by measure: a share of few is moved by one. */
function needsNote(report: BenchReport, { units, windowLabel: label }: WindowJudgement): readonly string[] {
  const compared = new Set(units.map(({ session }) => session));
  const own = report.rows.flatMap(({ session, policy, window, metrics }) =>
    metrics !== null && policy === BASELINE_POLICY && windowLabel(window) === label && compared.has(session) ? [metrics] : [],
  );
  const counts = MEASURES.map(([name, id]) => {
    const uses = own.flatMap(({ [id]: { far } }) => (far.uses > 0 ? [far.uses] : []));
    return `${formatCount(uses.reduce((sum, each) => sum + each, 0))} ${name} in ${formatNumberOf(uses.length, "session")}`;
  });
  return own.length === 0 ? [] : [`Older % is of ${counts.join(", ")}.`];
}

/** Counts compactions in the compared sessions, and names the size from which a policy compacts if that pays. */
function compactionsNote(report: BenchReport, judged: WindowJudgement, nameOf: PolicyNames): readonly string[] {
  const counts = [...judged.standings.values()].flatMap(({ policy, compactions }) => {
    const at = compactions === 0 ? null : compactsAt(report, judged, policy);
    const from = at === null || at.fromTokens === at.tokens ? "" : ` (from ${formatTokens(at.fromTokens)} if it saves money)`;
    return compactions === 0 ? [] : [`${nameOf(policy)} ${formatCount(compactions)}${from}`];
  });
  return counts.length === 0 ? [] : [`Compactions in these sessions: ${counts.join(", ")}.`];
}

/** The table behind a window's answer: a row a policy, among them the person's present one. */
export function policyTable(report: BenchReport, judged: WindowJudgement, nameOf: PolicyNames): ReportTable {
  const { summaries, standings } = judged;
  return tableOf<PolicyRow>({
    title: `Policies, ${judged.windowLabel}`,
    notes: [
      ...reachNote(report, judged),
      ...needsNote(report, judged),
      ...compactionsNote(report, judged, nameOf),
      ...remarks(summaries, nameOf),
      ...ownRuleRemarks(report, judged, nameOf),
    ],
    rowTitle: "policy",
    columns: POLICY_COLUMNS,
    rows: summaries.map((summary) => ({
      summary,
      compactsAtTokens: compactsAt(report, judged, summary.policy)?.tokens ?? null,
      standing: standings.get(summary.policy) ?? null,
    })),
    nameOf: ({ summary: { policy } }) => rowNames(judged, nameOf)(policy),
  });
}

/** Names the rows of a window's tables: the policy that the sessions were recorded under is marked. */
function rowNames({ now }: WindowJudgement, nameOf: PolicyNames): PolicyNames {
  const isMarked = (policy: string) => policy === now?.policy && policy !== RECORDED_POLICY.name;
  return (policy) => (isMarked(policy) ? `${nameOf(policy)} (recorded)` : nameOf(policy));
}

/** The tables behind the first: each measure, cost and requests, a table each for each window. */
export function furtherPolicyTables(
  windows: readonly WindowJudgement[],
  metrics: RunMetrics,
  nameOf: PolicyNames,
  names: SessionNames,
): readonly ReportTable[] {
  return [
    ...windows.map((judged) => measureTable(judged, rowNames(judged, nameOf))),
    ...windows.flatMap((judged) => differenceTables(judged, rowNames(judged, nameOf), names)),
    ...(["cost", "requests"] as const).flatMap((name) =>
      windows.map(({ windowLabel, summaries }) =>
        tableOf({
          title: `${METRIC_TITLES[name]}, ${windowLabel}`,
          notes: ["Sums over all sessions to which the window applies. Requests that stay above it count as recorded."],
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

function measureTable({ windowLabel, summaries, standings, now }: WindowJudgement, nameOf: PolicyNames): ReportTable {
  return tableOf<MeasuredPolicy>({
    title: `Kept, measure by measure, ${windowLabel}`,
    notes: ["Means of the compared sessions' shares, %. Older: last said 20,000 tokens before or more."],
    rowTitle: "policy",
    columns: [...MEASURE_COLUMNS, ...BESIDE_COLUMNS],
    rows: summaries.flatMap((summary) => {
      const standing = summary.isActing || summary.policy === now?.policy ? standings.get(summary.policy) : undefined;
      return standing === undefined ? [] : [{ ...standing, summary }];
    }),
    nameOf: ({ policy }) => nameOf(policy),
  });
}

/** The needs that each measure is a share of. */
const METHODS: Readonly<Record<(typeof MEASURES)[number][0], string>> = {
  "replaced texts": "Texts replaced by edits that were whole in the context.",
  passages: "Lines referred to by replies that were in the context with three lines on each side.",
  "edited files": "Files changed by replies with at least 80% of the lines of their newest read in the context.",
};

const MEASURE_COLUMNS: readonly Column<Standing>[] = [false, true].flatMap((isFar) =>
  MEASURES.map(([name]) =>
    numberColumn<Standing>({
      group: isFar ? "20,000 tokens old or more" : "all",
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

/** Each policy beside the first of the run that compacts, over the same sessions; no table with fewer than two. Sessions that cost more come before it. */
function differenceTables(
  { windowLabel, summaries, standings, fitting, now }: WindowJudgement,
  nameOf: PolicyNames,
  names: SessionNames,
): readonly ReportTable[] {
  const acting = summaries.flatMap(({ policy, isActing }) => (isActing ? (standings.get(policy) ?? []) : []));
  const rows = now === null || acting.some(({ policy }) => policy === now.policy) ? acting : [...acting, now];
  const [first] = acting;
  if (first === undefined || rows.length < 2) return [];
  const hasIntervals = ownersOf(first.units).size >= FEWEST_OWNERS;
  const column = (title: string, cell: (own: Standing) => string) => ({ ...textColumn(title, cell), isText: false });
  const beside = (title: string, differenceOf: DifferenceOf, over: typeof meanOver) =>
    column(title, (own) => (own === first ? NO_FIGURE : estimateText(differencesOf(own, first, differenceOf), over)));
  const shareAt = (place: number, { vector }: SessionStanding) => vector[place]?.own ?? Number.NaN;
  const points = VECTOR.flatMap(({ name, isFar }, place) =>
    isFar ? [beside(name, (own, other) => shareAt(place, own) - shareAt(place, other), meanOver)] : [],
  );
  return [
    tableOf({
      title: `Beside ${nameOf(first.policy)}, ${windowLabel}`,
      notes: [
        `Differences over the same sessions: costs in % of the first policy's, the others in points; the last column beside no compaction.${hasIntervals ? " In brackets: 95% intervals over projects." : ` 95% intervals need ${FEWEST_OWNERS} projects.`}`,
        ...rows.flatMap((own) => costMoreNote(own, nameOf, names)),
      ],
      rowTitle: "policy",
      columns: [
        beside("cost", (own, other) => (100 * own.costRatio) / other.costRatio, geometricMeanOver),
        ...points,
        beside("reread cost", (own, other) => (100 * own.rereadRatio) / other.rereadRatio, geometricMeanOver),
        column("cost more, of sessions that fit", ({ policy }) =>
          costMoreCell(fitting.get(policy) ?? { costMoreIn: 0, units: [] }),
        ),
      ],
      rows,
      nameOf: ({ policy }) => nameOf(policy),
    }),
  ];
}

type DifferenceOf = (own: SessionStanding, other: SessionStanding) => number;
type Difference = InSession & { readonly value: number };

/** A policy's sessions against those of another; those in which the difference is no number are left out. */
function differencesOf({ units }: Standing, other: Standing, differenceOf: DifferenceOf): readonly Difference[] {
  const all = units.map((own, place) => ({ ...unitOf(own), value: differenceOf(own, other.units[place] ?? own) }));
  return all.filter(({ value }) => !Number.isNaN(value));
}

function estimateText(differences: readonly Difference[], over: typeof meanOver): string {
  const { value, interval } = clusteredEstimate(
    differences,
    over<Difference>(({ value: each }) => each),
  );
  return `${formatPercent(value)}${interval === null ? "" : ` [${formatPercent(interval.from)}, ${formatPercent(interval.through)}]`}`;
}

function costMoreNote({ policy, units }: Standing, nameOf: PolicyNames, names: SessionNames): readonly string[] {
  const more = units.filter(({ costRatio }) => costRatio > COSTS_MORE_RATIO).toSorted((a, b) => b.costRatio - a.costRatio);
  const each = more.map(({ session, costRatio }) => `${names(session)} ${formatPercent(100 * costRatio)}%`);
  return more.length === 0 ? [] : [`${nameOf(policy)} costs over 2% more than no compaction in: ${each.join("; ")}.`];
}

/** The columns of a policy's or a setting's standing: its cost, the sessions that cost more, its kept share, and its cost with everything read again. */
export function standingColumns<Row>(of: (row: Row) => Standing | null): readonly Column<Row>[] {
  const older = { ...KEPT_MEANING, method: "The same for text last stated 20,000 tokens earlier or more." };
  // Needs that nothing shows are not those of a policy that was not compared, or of a run that no window could hold.
  const empty = { shown: NO_FIGURE, raw: "", isBad: false };
  const ofRow = (column: Column<Standing>): Column<Row> => ({
    ...column,
    cellOf: (row) => {
      const standing = of(row);
      const isImpossible = standing?.policy === BASELINE_POLICY && standing.tooLarge > 0 && column.meaning !== COST_MEANING;
      return standing === null || isImpossible ? empty : column.cellOf(standing);
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
    ofRow({ ...textColumn("costlier sessions", costMoreCell, COST_MORE_MEANING), isText: false }),
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
  const all = summaries.length;
  return [...policiesOf].map(([text, own]) => `${all > 1 && own.length === all ? "All policies" : own.join(", ")}: ${text}`);
}

function rowRemarks(summary: PolicySummary): readonly string[] {
  const { sessions, firedSessions, actedSessions, notApplicable, isActing, windowLabel } = summary;
  const size = windowLabel === REAL_WINDOWS ? "half of the window" : `the space for messages, ${windowLabel.split(" ")[0]}`;
  const shortenedIn = actedSessions > 0 ? `; in ${actedSessions} it acted, by shortening results as they came` : "";
  return [
    ...(isActing && sessions > 0 && firedSessions === 0
      ? [`no compaction in ${formatNumberOf(sessions, "session")}: the window never filled up to the trigger${shortenedIn}.`]
      : []),
    ...(notApplicable.length > 0
      ? [
          `${formatNumberOf(notApplicable.length, "session")} skipped (${namesOf(notApplicable)}): the first request has more beside the log's messages (system prompt, tools, history of another log) than ${size}.`,
        ]
      : []),
  ];
}
