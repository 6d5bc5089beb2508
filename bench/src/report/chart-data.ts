import { columnsOf } from "../metrics/columns.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import type { WindowAnswer } from "./answer.ts";
import { type ChartIndex, policyColours } from "./chart-index.ts";
import { DETAIL_LEVELS, type DetailLevel, leftOut } from "./detail-level.ts";
import { type PackedBlock, packBlock } from "./page.ts";
import { type PolicySummary, windowLabels } from "./policy-summary.ts";
import { createCellFigures, sessionBlock } from "./session-block.ts";
import { sessionNames } from "./session-names.ts";
import { triggerLine } from "./trigger.ts";

/** The blocks of a page and what they leave out. */
export interface ChartBlocks {
  readonly index: ChartIndex;
  readonly indexBlock: PackedBlock;
  /** One for each session, in their order. */
  readonly sessions: readonly PackedBlock[];
}

/** The content of charts: policies by window, the figures beside them, and how many characters their data may take. */
export interface ShownCharts {
  readonly shownOf: (windowLabel: string) => ShownPolicies;
  readonly metrics: RunMetrics;
  readonly mostChars: number;
}

/** Sessions by which it is judged how much a level takes; packing a thousand at each level would take minutes (chosen). */
const JUDGED_SESSIONS = 12;

/** Makes the charts' data, at the fullest level of detail that takes at most so many characters; at the least level if none does. */
export function chartBlocks(report: BenchReport, shown: ShownCharts): ChartBlocks {
  const { metrics, mostChars } = shown;
  const figuresOf = createCellFigures(metrics);
  const bySession = groupRows(report.rows);
  const triggers = report.policies.map(({ policy }) => triggerLine(policy));
  const windows = windowLabels(report);
  const packed = (level: DetailLevel, place: number): PackedBlock => {
    const rows = bySession.get(report.sessions[place]?.session ?? "") ?? [];
    return packBlock(`session-${place}`, sessionBlock(report, { rows, windows, triggers, level, figuresOf }));
  };
  const places = report.sessions.map((_, place) => place);
  const judged = places.filter((place) => place % Math.ceil(places.length / JUDGED_SESSIONS) === 0);
  const charsAt = (level: DetailLevel) =>
    (charsOf(judged.map((place) => packed(level, place))) * places.length) / Math.max(1, judged.length);
  const made = (level: DetailLevel): ChartBlocks => {
    const index = chartIndex(report, shown, leftOut(level));
    const sessions = places.map((place) => packed(level, place));
    return { index, indexBlock: packBlock("chart-index", index), sessions };
  };
  for (const level of DETAIL_LEVELS) {
    if (charsAt(level) > mostChars) continue;
    const blocks = made(level);
    if (charsOf(blocks.sessions) <= mostChars) return blocks;
  }
  const level = DETAIL_LEVELS.at(-1);
  if (level === undefined) throw new Error("there is no level of detail");
  return made(level);
}

function charsOf(blocks: readonly PackedBlock[]): number {
  return blocks.reduce((sum, { base64 }) => sum + base64.length, 0);
}

function groupRows(rows: readonly ReplayRow[]): ReadonlyMap<string, readonly ReplayRow[]> {
  const groups = new Map<string, ReplayRow[]>();
  for (const row of rows) {
    const group = groups.get(row.session);
    if (group === undefined) groups.set(row.session, [row]);
    else group.push(row);
  }
  return groups;
}

function chartIndex(report: BenchReport, { shownOf, metrics }: ShownCharts, left: string | null): ChartIndex {
  const sessions = report.sessions.map(({ session }) => session);
  const shownName = sessionNames(report);
  const windows = windowLabels(report);
  const names = report.policies.map(({ name }) => name);
  const shown = windows.map(shownOf);
  return {
    sessions: sessions.map(shownName),
    windows,
    policies: policyColours(names),
    figures: columnsOf(metrics, "chart").map(({ title, format }) => ({ name: title, format })),
    firstWindow: Math.max(
      0,
      shown.findIndex(({ isRecommended }) => isRecommended),
    ),
    busiestSession: busiest(sessions, report.rows),
    shown: shown.map((each) => each.shown.map((name) => names.indexOf(name)).filter((place) => place >= 0)),
    picked: shown.map(({ picked }) => Math.max(0, picked === null ? names.length - 1 : names.indexOf(picked))),
    leftOut: left,
  };
}

function busiest(sessions: readonly string[], rows: readonly ReplayRow[]): number {
  const compactions = new Map<string, number>();
  for (const row of rows)
    compactions.set(row.session, (compactions.get(row.session) ?? 0) + (row.metrics?.economy.compactions ?? 0));
  const most = Math.max(0, ...compactions.values());
  return Math.max(
    0,
    sessions.findIndex((session) => compactions.get(session) === most),
  );
}

/** Which policies are drawn at first in a window, and which is looked at. */
export interface ShownPolicies {
  readonly shown: readonly string[];
  readonly picked: string | null;
  /** True if the one that is looked at is the one to use. */
  readonly isRecommended: boolean;
}

/** Lines that are drawn before a reader chooses (chosen: more cannot be told apart). */
const MOST_LINES = 5;

/** Doing nothing, the policy to use, its front, and others as long as there is room; all if there are few. */
export function shownPolicies(
  { policies }: Pick<BenchReport, "policies">,
  summaries: readonly PolicySummary[],
  answer: WindowAnswer | undefined,
): ShownPolicies {
  const pick = answer?.choice.pick?.policy ?? null;
  const picked = pick ?? summaries.findLast(({ isActing }) => isActing)?.policy ?? null;
  const placed = [...(answer?.choice.front ?? []), ...(answer?.choice.placed ?? [])].map(({ policy }) => policy);
  const wanted = [...new Set([BASELINE_POLICY, ...(picked === null ? [] : [picked]), ...placed])];
  const all = policies.map(({ name }) => name);
  return { shown: all.length <= MOST_LINES ? all : wanted.slice(0, MOST_LINES), picked, isRecommended: pick !== null };
}
