import { formatNumberOf, formatTokens } from "@plimsoll/bench/extend";
import type { CallStory } from "./session-story.ts";

const COLUMNS = 68;
const ROWS = 8;
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const LABEL_CHARS = 6;

/** Sizes over calls as lines of text, at most 78 characters wide, with compactions marked below. None for a session without calls. */
export function contextPlot({
  sizes,
  compactedBefore,
}: {
  readonly sizes: readonly number[];
  readonly compactedBefore: readonly number[];
}): readonly string[] {
  const highest = sizes.reduce((most, size) => Math.max(most, size), 0);
  if (highest === 0) return [];
  const columns = Math.min(COLUMNS, sizes.length);
  const columnOf = (call: number) => Math.min(columns - 1, Math.floor((call * columns) / sizes.length));
  // Of the calls that fall into a column the largest is drawn: the peaks matter.
  const tops = Array.from({ length: columns }, () => 0);
  for (const [call, size] of sizes.entries()) tops[columnOf(call)] = Math.max(tops[columnOf(call)] ?? 0, size);
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const row = ROWS - 1 - index;
    const label = row === ROWS - 1 ? formatTokens(highest) : row === 0 ? "0" : "";
    const cells = tops.map((size) => cellAt((size / highest) * ROWS - row));
    return `${label.padStart(LABEL_CHARS)} │${cells.join("")}`.trimEnd();
  });
  const marks = new Set(compactedBefore.map(columnOf));
  const axis = tops.map((_, column) => (marks.has(column) ? "◆" : "─"));
  const last = formatNumberOf(sizes.length, "call");
  return [
    ...lines,
    `${" ".repeat(LABEL_CHARS)} └${axis.join("")}`,
    `${" ".repeat(LABEL_CHARS + 2)}${columns > last.length + 1 ? `1${last.padStart(columns - 1)}` : last}`,
  ];
}

/** One cell of a column that is so many rows high above this cell's foot. */
function cellAt(rows: number): string {
  const eighths = Math.max(0, Math.min(EIGHTHS.length - 1, Math.round(rows * (EIGHTHS.length - 1))));
  return EIGHTHS[eighths] ?? " ";
}

/** Data of a chart of the context: at most so many calls, peaks kept. */
export interface ChartData {
  /** Numbers of the calls that are drawn, from 0. */
  readonly calls: readonly number[];
  readonly reportedTokens: readonly (number | null)[];
  readonly layers: readonly { readonly name: string; readonly colour: number; readonly tokens: readonly number[] }[];
}

/** Points that a chart of some 1,200 pixels can show; chosen. */
const MOST_SAMPLES = 400;
/** Kinds beyond so many are drawn as one: the eye cannot distinguish more. */
const MOST_KINDS = 8;
const REST = "all else";

/** Samples the calls: of those that share a place the largest. */
export function chartData(calls: readonly CallStory[]): ChartData {
  const drawn = sampled(calls);
  const totals = new Map<string, number>();
  for (const { call } of drawn)
    for (const [kind, tokens] of call.composition) totals.set(kind, (totals.get(kind) ?? 0) + tokens);
  const ranked = [...totals].sort((a, b) => b[1] - a[1]).map(([kind]) => kind);
  const named = ranked.slice(0, MOST_KINDS);
  const rest = ranked.slice(MOST_KINDS);
  const at = (kinds: readonly string[]) =>
    drawn.map(({ call }) => kinds.reduce((sum, kind) => sum + (call.composition.get(kind) ?? 0), 0));
  return {
    calls: drawn.map(({ index }) => index),
    reportedTokens: drawn.map(({ call }) => call.promptTokens),
    layers: [
      ...named.map((name, index) => ({ name, colour: index + 1, tokens: at([name]) })),
      ...(rest.length === 0 ? [] : [{ name: REST, colour: 0, tokens: at(rest) }]),
    ],
  };
}

interface Sample {
  readonly index: number;
  readonly call: CallStory;
}

function sampled(calls: readonly CallStory[]): readonly Sample[] {
  const perSample = Math.max(1, Math.ceil(calls.length / MOST_SAMPLES));
  const samples: Sample[] = [];
  for (const [index, call] of calls.entries()) {
    const place = Math.floor(index / perSample);
    const before = samples[place];
    if (before === undefined || (call.promptTokens ?? 0) > (before.call.promptTokens ?? 0)) samples[place] = { index, call };
  }
  return samples;
}
