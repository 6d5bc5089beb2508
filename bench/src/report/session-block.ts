import { columnsOf } from "../metrics/columns.ts";
import { type PooledRow, pooledOf, type RunMetrics } from "../metrics/registry.ts";
import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { CompactionDetail, Composition } from "../metrics/row-metrics.ts";
import type { BenchReport, CallPoint, ReplayRow } from "../results.ts";
import { windowLabel } from "./labels.ts";
import { isMeasured } from "./policy-summary.ts";
import type { TriggerLine } from "./trigger.ts";

/** The data from which the page's script draws one session; a text is a number in `texts`. */
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
  /** In the order of the figures' names; empty if there is no line. */
  readonly figures: readonly (number | null)[];
  readonly composition: PackedComposition;
  readonly compactions: readonly PackedCompaction[];
}

/** One session's rows, the report's windows, the policies' trigger lines in the order of the report, and how much to take. */
export interface SessionRows {
  readonly rows: readonly ReplayRow[];
  readonly windows: readonly string[];
  readonly triggers: readonly TriggerLine[];
  readonly level: DetailLevel;
  readonly figuresOf: CellFigures;
}

/** Makes the block of one session. */
export function sessionBlock(report: BenchReport, { rows, windows, triggers, level, figuresOf }: SessionRows): SessionBlock {
  const texts = createTextTable();
  const policies = new Map(report.policies.map(({ name }, index) => [name, index]));
  const cells = windows.flatMap((label, window): readonly ChartCell[] => {
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

/** One compaction; texts by number, `-1` for none, calls from 1. */
export interface PackedCompaction {
  readonly call: number;
  readonly reason: number;
  readonly steps: readonly number[];
  /** Before and after; `null` if the policy had no measure. */
  readonly tokens: readonly [number | null, number | null];
  readonly messages: readonly [number, number];
  /** Messages summarised, messages dropped, parts shortened. */
  readonly done: readonly [number, number, number];
  readonly summary: number;
  readonly neededLater: number;
  /** A call and a text for each. */
  readonly examples: readonly (readonly [number, number])[];
}

/** Packs a compaction, with as much of its texts as the level lets. */
function packCompaction(detail: CompactionDetail, level: DetailLevel, place: TextTable["place"]): PackedCompaction {
  const { tokensBefore, tokensAfter, summary } = detail;
  const rounded = (tokens: number | null) => (tokens === null ? null : Math.round(tokens));
  return {
    call: detail.call + 1,
    reason: place(detail.reason),
    steps: detail.steps.map(place),
    tokens: [rounded(tokensBefore), rounded(tokensAfter)],
    messages: [detail.messagesBefore, detail.messagesAfter],
    done: [detail.summarisedMessages, detail.droppedMessages, detail.shortenedParts],
    summary: summary === null || level.summaryChars === 0 ? -1 : place(summary.slice(0, level.summaryChars)),
    neededLater: detail.neededLater,
    examples: detail.examples.slice(0, level.examples).map(({ call, text }) => [call + 1, place(text)]),
  };
}

/** The content of the context: the sampled calls (from 1) as differences, and for each kind (by text) its tokens at each of them. */
interface PackedComposition {
  readonly callSteps: readonly number[];
  readonly kinds: readonly { readonly name: number; readonly tokens: readonly number[] }[];
}

/** Packs a composition, of at most about so many samples: evenly spread ones, and the last. */
function packComposition({ kinds, samples }: Composition, mostSamples: number, place: TextTable["place"]): PackedComposition {
  const every = Math.max(1, Math.ceil(samples.length / mostSamples));
  const kept = samples.filter((_, index) => index % every === 0 || index === samples.length - 1);
  return {
    callSteps: stepsOf(kept.map(({ call }) => call + 1)),
    kinds: kinds.map((kind, index) => ({ name: place(kind), tokens: kept.map(({ tokens }) => tokens[index] ?? 0) })),
  };
}

/** Digits that are kept. Chosen: more than any of them is worth. */
const DIGITS = 7;

/** The figures of one row; against the baseline a row is compared even if nobody acted, and the baseline with itself. */
export type CellFigures = (row: PooledRow, baseline: PooledRow | null) => readonly (number | null)[];

/** Makes the figures of rows in the table beside a chart, in the order of its columns. */
export function createCellFigures(metrics: RunMetrics): CellFigures {
  const columns = columnsOf(metrics, "chart");
  return (row, baseline) => {
    const pooled = pooledOf(metrics, [row], { kind: "same-session", row: baseline });
    return columns.map(({ figureOf }) => {
      const figure = figureOf(pooled);
      return figure === null ? null : Number(figure.toPrecision(DIGITS));
    });
  };
}

/** How much of a report its page holds. The JSON report always has all of it. */
export interface DetailLevel {
  /** Points of a line; a few more if many calls compacted. */
  readonly chartPoints: number;
  /** Calls at which the context is taken apart. */
  readonly compositionSamples: number;
  /** Characters of a summary. */
  readonly summaryChars: number;
  /** References needed later that are named for each compaction; all are counted. */
  readonly examples: number;
}

/**
 * At most `maximumPoints` points in their order (a handful more if many calls compacted or overflowed): of each stretch of calls the
 * lowest and the highest, so that peaks and cuts stay; every call with a compaction stays too, and the first and last.
 * An overflow stays if it is its stretch's highest point. Short series come back unchanged.
 */
function downsample(series: readonly CallPoint[], maximumPoints: number): readonly CallPoint[] {
  if (series.length <= maximumPoints) return series;
  const stretches = Math.max(1, Math.floor(maximumPoints / 2) - 1);
  const kept = new Set<number>([0, series.length - 1]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * series.length) / stretches);
    const to = Math.floor(((stretch + 1) * series.length) / stretches);
    for (const index of extremes(series, from, to)) kept.add(index);
  }
  return series.filter((point, index) => kept.has(index) || point.compactions > 0);
}

/** Indexes of the lowest and the highest point of a stretch. */
function extremes(series: readonly CallPoint[], from: number, to: number): readonly [number, number] {
  let lowest = from;
  let highest = from;
  for (let index = from; index < to; index++) {
    const tokens = series[index]?.promptTokens ?? 0;
    if (tokens < (series[lowest]?.promptTokens ?? 0)) lowest = index;
    if (tokens > (series[highest]?.promptTokens ?? 0)) highest = index;
  }
  return [lowest, highest];
}

/** Each number as the difference to the one before: shorter to write down if numbers follow each other. */
function stepsOf(values: readonly number[]): readonly number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

/** Stretches of `true`, as pairs of a first index and a length. */
function runsOf(flags: readonly boolean[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const [index, flag] of flags.entries()) {
    if (!flag) continue;
    const last = found.at(-1);
    if (last !== undefined && last[0] + last[1] === index) last[1]++;
    else found.push([index, 1]);
  }
  return found;
}

/** Texts that come often, each written down once. */
interface TextTable {
  /** The text's number. */
  place(text: string): number;
  all(): readonly string[];
}

/** A table without texts. */
function createTextTable(): TextTable {
  const places = new Map<string, number>();
  return {
    place: (text) => {
      const known = places.get(text);
      if (known !== undefined) return known;
      places.set(text, places.size);
      return places.size - 1;
    },
    all: () => [...places.keys()],
  };
}
