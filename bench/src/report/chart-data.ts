import type { BenchReport, CallPoint, ReplayRow } from "../results.ts";
import { commonFolder } from "./common-folder.ts";
import { type DetailCell, detailDataOf } from "./detail-data.ts";
import { downsample, MAXIMUM_CHART_POINTS } from "./downsample.ts";
import { formatCount, formatRatioPercent, formatTokens, formatUsd, NO_FIGURE, ratioOf } from "./figures.ts";
import { BASELINE_POLICY, windowLabels } from "./policy-summary.ts";
import { windowLabel } from "./window-label.ts";

/** What the page's script draws from. Numbers that follow each other are stored as differences, which halves their length. */
export interface ChartData {
  /** Names without the folder that all of them are in. */
  readonly sessions: readonly string[];
  readonly windows: readonly string[];
  readonly policies: readonly ChartPolicy[];
  readonly figureNames: readonly string[];
  readonly cells: readonly ChartCell[];
  readonly details: readonly DetailCell[];
}

/** A policy's name and the number of its colour; 0 is the baseline's. Where colours come round again, lines are dashed. */
export interface ChartPolicy {
  readonly name: string;
  readonly colour: number;
  readonly round: number;
}

/** One chart: a session (by index) in a window (by index). */
export interface ChartCell {
  readonly session: number;
  readonly window: number;
  readonly windowTokens: number;
  readonly budgetTokens: number;
  readonly overheadTokens: number;
  readonly lines: readonly ChartLine[];
}

/** One policy (by index) in a chart. `why` says why there is no line. */
export interface ChartLine {
  readonly policy: number;
  readonly why: string | null;
  /** Numbers of the calls from 1, each as the difference to the one before. */
  readonly callSteps: readonly number[];
  /** Prompt sizes, each as the difference to the one before. */
  readonly tokenSteps: readonly number[];
  /** Indexes of the points right before which a compaction happened. */
  readonly compacted: readonly number[];
  /** Points that overflowed, as pairs of a first index and a length. */
  readonly overflowRuns: readonly (readonly [number, number])[];
  readonly figures: readonly string[];
}

/** Colours that the style sheet has beside the baseline's. */
const COLOUR_COUNT = 8;

/** Makes the charts' data; charts come in the order of windows within sessions. */
export function chartDataOf(report: BenchReport): ChartData {
  const sessions = report.sessions.map(({ session }) => session);
  const windows = windowLabels(report);
  const policies = report.policies.map(({ name }) => name);
  const rowsByCell = groupRows(report.rows);
  const cells = sessions.flatMap((name, session) =>
    windows.flatMap((label, window) => {
      const rows = rowsByCell.get(cellKey(name, label)) ?? [];
      return rows[0] === undefined ? [] : [cellOf({ session, window, first: rows[0], rows, policies })];
    }),
  );
  const folder = commonFolder(sessions);
  const shown = sessions.map((name) => name.slice(folder.length));
  return {
    sessions: shown,
    windows,
    policies: coloured(policies),
    figureNames: CELL_FIGURES.map(([name]) => name),
    cells,
    details: detailDataOf(report),
  };
}

function coloured(policies: readonly string[]): readonly ChartPolicy[] {
  const others = policies.filter((name) => name !== BASELINE_POLICY);
  return policies.map((name) => {
    if (name === BASELINE_POLICY) return { name, colour: 0, round: 0 };
    const position = others.indexOf(name);
    return { name, colour: 1 + (position % COLOUR_COUNT), round: Math.floor(position / COLOUR_COUNT) };
  });
}

const cellKey = (session: string, label: string) => `${label}\n${session}`;

function groupRows(rows: readonly ReplayRow[]): ReadonlyMap<string, readonly ReplayRow[]> {
  const groups = new Map<string, ReplayRow[]>();
  for (const row of rows) {
    const key = cellKey(row.session, windowLabel(row.window));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

interface CellInput {
  readonly session: number;
  readonly window: number;
  readonly first: ReplayRow;
  readonly rows: readonly ReplayRow[];
  readonly policies: readonly string[];
}

function cellOf({ session, window, first, rows, policies }: CellInput): ChartCell {
  const baseline = rows.find(({ policy }) => policy === BASELINE_POLICY);
  return {
    session,
    window,
    windowTokens: first.contextWindowTokens,
    budgetTokens: first.inputBudgetTokens,
    overheadTokens: Math.round(first.overheadTokens),
    lines: rows.map((row) => lineOf(row, policies.indexOf(row.policy), baseline)),
  };
}

function lineOf(row: ReplayRow, policy: number, baseline: ReplayRow | undefined): ChartLine {
  const points = downsample(row.series, MAXIMUM_CHART_POINTS);
  return {
    policy,
    why: row.why,
    callSteps: steps(points.map(({ call }) => call + 1)),
    tokenSteps: steps(points.map(({ promptTokens }) => Math.round(promptTokens))),
    compacted: points.flatMap(({ compactions }, index) => (compactions > 0 ? [index] : [])),
    overflowRuns: runs(points),
    figures: row.metrics === null ? [] : CELL_FIGURES.map(([, figure]) => figure(row, baseline)),
  };
}

type CellFigure = readonly [name: string, figure: (row: ReplayRow, baseline: ReplayRow | undefined) => string];

/** Columns of the table beside a chart. */
const CELL_FIGURES: readonly CellFigure[] = [
  ["calls", ({ metrics }) => formatCount(metrics?.safety.calls ?? null)],
  ["overflows", ({ metrics }) => formatCount(metrics?.safety.overflowingRequests ?? null)],
  ["invalid", ({ metrics }) => formatCount(metrics?.safety.invalidRequests ?? null)],
  ["compactions", ({ metrics }) => formatCount(metrics?.economy.compactions ?? null)],
  ["prompt tokens", ({ metrics }) => formatTokens(metrics?.economy.promptTokens ?? null)],
  [`% of ${BASELINE_POLICY}`, (row, baseline) => percentOfBaseline(row, baseline)],
  ["USD, cache", ({ metrics }) => formatUsd(metrics?.cost.withCacheUsd ?? null)],
  ["USD, no cache", ({ metrics }) => formatUsd(metrics?.cost.withoutCacheUsd ?? null)],
  ["peak tokens", ({ metrics }) => formatTokens(metrics?.economy.peakPromptTokens ?? null)],
  ["recall %", ({ metrics }) => share(metrics?.retention.all.recalled, metrics?.retention.all.uses)],
  ["recall far %", ({ metrics }) => share(metrics?.retention.far.recalled, metrics?.retention.far.uses)],
  ["source evidence %", ({ metrics }) => share(metrics?.retention.all.sourceEvidenced, metrics?.retention.all.uses)],
  ["source evidence far %", ({ metrics }) => share(metrics?.retention.far.sourceEvidenced, metrics?.retention.far.uses)],
];

function percentOfBaseline(row: ReplayRow, baseline: ReplayRow | undefined): string {
  const tokens = row.metrics?.economy.promptTokens;
  const baselineTokens = baseline?.metrics?.economy.promptTokens;
  return share(tokens, baselineTokens);
}

function share(part: number | undefined, whole: number | undefined): string {
  return part === undefined || whole === undefined ? NO_FIGURE : formatRatioPercent(ratioOf(part, whole));
}

function steps(values: readonly number[]): readonly number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

function runs(points: readonly CallPoint[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const [index, { overflowed }] of points.entries()) {
    if (!overflowed) continue;
    const last = found.at(-1);
    if (last !== undefined && last[0] + last[1] === index) last[1]++;
    else found.push([index, 1]);
  }
  return found;
}
