import { formatTokens, html, type Markup, shortTokens } from "@plimsoll/bench/extend";
import type { ChartData } from "./context-plot.ts";
import type { CompactionStory } from "./session-story.ts";

/** Parts of the chart in addition to the sizes. */
export interface ContextChart {
  readonly data: ChartData;
  readonly compactions: readonly CompactionStory[];
  readonly callCount: number;
  readonly contextWindowTokens: number | null;
}

const WIDTH = 1200;
const HEIGHT = 360;
const MARGIN = { left: 62, right: 16, top: 26, bottom: 40 } as const;
const FLOOR = HEIGHT - MARGIN.bottom;
/** Horizontal lines: about so many (chosen). */
const TICKS = 5;
/** Room above the highest point. */
const HEADROOM_RATIO = 1.06;

/** The context's size over the calls as inline SVG without a script: areas by kind, the reported size, compactions; colours come from the page's style. */
export function contextSvg({ data, compactions, callCount, contextWindowTokens }: ContextChart): Markup {
  const { calls, layers, reportedTokens } = data;
  const sums = calls.map((_, index) => layers.reduce((sum, { tokens }) => sum + (tokens[index] ?? 0), 0));
  const highest = Math.max(1, ...sums, ...reportedTokens.map((tokens) => tokens ?? 0)) * HEADROOM_RATIO;
  const x = (call: number) => round(MARGIN.left + (call / Math.max(1, callCount - 1)) * (WIDTH - MARGIN.left - MARGIN.right));
  const y = (tokens: number) => round(FLOOR - (tokens / highest) * (FLOOR - MARGIN.top));
  const grid = ticksTo(highest, TICKS).map(
    (tick) =>
      html`<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(tick)}" y2="${y(tick)}"/><text class="tick" text-anchor="end" x="${MARGIN.left - 8}" y="${y(tick) + 4}">${shortTokens(tick)}</text>`,
  );
  const numbers = ticksTo(callCount, 2 * TICKS)
    .filter((tick) => tick > 0 && Number.isInteger(tick))
    .map((tick) => html`<text class="tick" text-anchor="middle" x="${x(tick - 1)}" y="${FLOOR + 18}">${tick}</text>`);
  const base = calls.map(() => 0);
  const areas = layers.map(({ name, colour, tokens }) => {
    const lower = [...base];
    for (const [index, value] of tokens.entries()) base[index] = (base[index] ?? 0) + value;
    const edge = (values: readonly number[]) => calls.map((call, index) => `${x(call)} ${y(values[index] ?? 0)}`);
    return html`<path class="area c${colour}" d="M${[...edge(base), ...edge(lower).reverse()].join("L")}Z"><title>${name}</title></path>`;
  });
  const line = calls.flatMap((call, index) => {
    const tokens = reportedTokens[index] ?? null;
    return tokens === null ? [] : [`${x(call)} ${y(tokens)}`];
  });
  const marks = compactions.map(({ callsBefore, isReverted }, index) => {
    const at = x(Math.min(callCount - 1, Math.max(0, callsBefore - 0.5)));
    return html`<a href="#compaction-${index + 1}" aria-label="Compaction ${index + 1}, before call ${callsBefore + 1}"><line class="compaction${isReverted ? " undone" : ""}" x1="${at}" x2="${at}" y1="${MARGIN.top - 4}" y2="${FLOOR}"/><text class="mark" text-anchor="middle" x="${at}" y="${MARGIN.top - 9}">◆${compactions.length > MOST_NUMBERED ? "" : index + 1}</text></a>`;
  });
  return html`<svg class="context" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="Tokens of the prompt at each of ${callCount} model calls, up to ${formatTokens(highest / HEADROOM_RATIO)}">${grid}${numbers}${areas}
${line.length < 2 ? html`` : html`<path class="reported" d="M${line.join("L")}"/>`}${windowLine(contextWindowTokens, { highest, y })}${marks}${hovers(data, { x, sums })}
<text class="axis" text-anchor="middle" x="${(WIDTH + MARGIN.left) / 2}" y="${HEIGHT - 4}">model call</text></svg>`;
}

/** More numbers than these would run into each other. */
const MOST_NUMBERED = 25;

/** The window's size, if it is near what is drawn. */
function windowLine(
  tokens: number | null,
  { highest, y }: { readonly highest: number; readonly y: (tokens: number) => number },
): Markup {
  if (tokens === null || tokens > highest) return html``;
  return html`<line class="window" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(tokens)}" y2="${y(tokens)}"/><text class="tick" text-anchor="end" x="${WIDTH - MARGIN.right}" y="${y(tokens) - 5}">context window ${shortTokens(tokens)}</text>`;
}

/** Invisible columns that say, if they are pointed at, what a call sent. */
function hovers(
  { calls, reportedTokens, layers }: ChartData,
  { x, sums }: { readonly x: (call: number) => number; readonly sums: readonly number[] },
): readonly Markup[] {
  return calls.map((call, index) => {
    const left = index === 0 ? x(call) : (x(calls[index - 1] ?? call) + x(call)) / 2;
    const right = index === calls.length - 1 ? x(call) : (x(call) + x(calls[index + 1] ?? call)) / 2;
    const reported = reportedTokens[index] ?? null;
    const shares = layers.flatMap(({ name, tokens }) =>
      (tokens[index] ?? 0) >= 1 ? [`${name}: ${formatTokens(tokens[index] ?? 0)}`] : [],
    );
    const head = `call ${call + 1}: ${reported === null ? "" : `${formatTokens(reported)} reported, `}${formatTokens(sums[index] ?? 0)} in the log`;
    return html`<rect class="hover" x="${round(left)}" y="${MARGIN.top}" width="${round(Math.max(1, right - left))}" height="${FLOOR - MARGIN.top}"><title>${[head, ...shares].join("\n")}</title></rect>`;
  });
}

/** Round numbers from 0 up to a highest one: 1, 2 or 5 times a power of ten apart. */
function ticksTo(highest: number, count: number): readonly number[] {
  const rough = highest / count;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? 10 * power;
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, index) => index * step);
}

/** A tenth of a pixel is enough. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
