import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import type { CellFigures } from "./cell-figures.ts";
import type { DetailLevel } from "./detail-level.ts";
import { downsample } from "./downsample.ts";
import { type PackedCompaction, packCompaction } from "./packed-compaction.ts";
import { type PackedComposition, packComposition } from "./packed-composition.ts";
import { isMeasured, windowLabels } from "./policy-summary.ts";
import { runsOf, stepsOf } from "./steps.ts";
import { createTextTable } from "./text-table.ts";
import type { TriggerLine } from "./trigger-line.ts";
import { windowLabel } from "./window-label.ts";

/** What the page's script draws from for one session; a text is a number in `texts`. */
export interface SessionBlock {
  readonly texts: readonly string[];
  readonly cells: readonly ChartCell[];
}

/** One chart: the session in a window (by index). */
export interface ChartCell {
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
  /** Where the policy's trigger stands; `null` for policies that never act. */
  readonly triggerTokens: number | null;
  /** Numbers of the calls from 1, each as the difference to the one before. */
  readonly callSteps: readonly number[];
  /** Prompt sizes, each as the difference to the one before. */
  readonly tokenSteps: readonly number[];
  /** Indexes of the points right before which a compaction happened. */
  readonly compacted: readonly number[];
  /** Points that overflowed, as pairs of a first index and a length. */
  readonly overflowRuns: readonly (readonly [number, number])[];
  /** Calls (from 1) whose prompt cache was broken, and those before which it had expired, as pairs with the tokens not read. */
  readonly broken: readonly (readonly [number, number])[];
  readonly expired: readonly (readonly [number, number])[];
  /** In the order of the figures' names; empty where there is no line. */
  readonly figures: readonly (number | null)[];
  readonly composition: PackedComposition;
  readonly compactions: readonly PackedCompaction[];
}

/** One session's rows, the policies' trigger lines in the order of the report, and how much to take. */
export interface SessionRows {
  readonly rows: readonly ReplayRow[];
  readonly triggers: readonly TriggerLine[];
  readonly level: DetailLevel;
  readonly figuresOf: CellFigures;
}

/** Makes the block of one session. */
export function sessionBlock(report: BenchReport, { rows, triggers, level, figuresOf }: SessionRows): SessionBlock {
  const texts = createTextTable();
  const policies = new Map(report.policies.map(({ name }, index) => [name, index]));
  const cells = windowLabels(report).flatMap((label, window): readonly ChartCell[] => {
    const inWindow = rows.filter((row) => windowLabel(row.window) === label);
    const [first] = inWindow;
    if (first === undefined) return [];
    const baseline = inWindow.filter(isMeasured).find(({ policy }) => policy === BASELINE_POLICY);
    const place = (row: ReplayRow) => policies.get(row.policy) ?? 0;
    return [
      {
        window,
        windowTokens: first.contextWindowTokens,
        budgetTokens: first.inputBudgetTokens,
        overheadTokens: Math.round(first.overheadTokens),
        lines: inWindow.map((row) => ({
          policy: place(row),
          why: row.why,
          triggerTokens: triggers[place(row)]?.(row) ?? null,
          ...lineOf(row, level),
          figures: isMeasured(row) ? figuresOf(row, baseline ?? null) : [],
          composition: packComposition(row.composition, level.compositionSamples, texts.place),
          compactions: row.compactions.map((compaction) => packCompaction(compaction, level, texts.place)),
        })),
      },
    ];
  });
  return { texts: texts.all(), cells };
}

type Line = Pick<ChartLine, "callSteps" | "tokenSteps" | "compacted" | "overflowRuns" | "broken" | "expired">;

function lineOf({ series, cacheMisses }: ReplayRow, { chartPoints }: DetailLevel): Line {
  const points = downsample(series, chartPoints);
  const missesOf = (wanted: "broken" | "expired") =>
    cacheMisses.flatMap(({ call, kind, unreadTokens }) => (kind === wanted ? [[call + 1, unreadTokens] as const] : []));
  return {
    callSteps: stepsOf(points.map(({ call }) => call + 1)),
    tokenSteps: stepsOf(points.map(({ promptTokens }) => Math.round(promptTokens))),
    compacted: points.flatMap(({ compactions }, index) => (compactions > 0 ? [index] : [])),
    overflowRuns: runsOf(points.map(({ overflowed }) => overflowed)),
    broken: missesOf("broken"),
    expired: missesOf("expired"),
  };
}
