import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

/** One point, with what is said of it where it is pointed at. */
export interface XyPoint {
  readonly x: number;
  readonly y: number;
  readonly title: string;
}

/** Points of one colour (0 is the baseline's), joined by a line or not; `labels` writes their titles beside them. */
export interface XySeries {
  readonly name: string;
  readonly colour: number;
  readonly points: readonly XyPoint[];
  readonly isLine: boolean;
  readonly labels: boolean;
}

/** A chart over two numbers, drawn without a script. */
export interface XyChart {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly series: readonly XySeries[];
}

const WIDTH = 560;
const HEIGHT = 320;
const MARGIN = { left: 58, right: 18, top: 14, bottom: 44 };
/** Steps of an axis: about so many (chosen). */
const TICKS = 5;

/** The chart as inline SVG; colours come from the page's style. */
export function xyChart({ title, xTitle, yTitle, series }: XyChart): Markup {
  const points = series.flatMap((each) => each.points);
  const x = axisOf(
    points.map((point) => point.x),
    [MARGIN.left, WIDTH - MARGIN.right],
  );
  const y = axisOf(
    points.map((point) => point.y),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  );
  const grid = [
    ...y.ticks.map(
      (tick) =>
        html`<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y.at(tick)}" y2="${y.at(tick)}"/><text class="tick" text-anchor="end" x="${MARGIN.left - 6}" y="${y.at(tick) + 4}">${shown(tick)}</text>`,
    ),
    ...x.ticks.map(
      (tick) =>
        html`<line class="grid" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" x1="${x.at(tick)}" x2="${x.at(tick)}"/><text class="tick" text-anchor="middle" x="${x.at(tick)}" y="${HEIGHT - MARGIN.bottom + 16}">${shown(tick)}</text>`,
    ),
  ];
  const marks = series.map((each) => seriesMarks(each, (point) => [x.at(point.x), y.at(point.y)]));
  const key = series.filter(({ name }) => name !== "");
  return html`<figure class="xy"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${grid}${marks}
<text class="axis" text-anchor="middle" x="${(WIDTH + MARGIN.left) / 2}" y="${HEIGHT - 8}">${xTitle}</text>
<text class="axis" text-anchor="middle" transform="translate(14 ${HEIGHT / 2}) rotate(-90)">${yTitle}</text></svg>
<figcaption>${title}${key.map(({ name, colour }) => html` <span class="key"><span class="dot c${colour}">●</span>${name}</span>`)}</figcaption></figure>`;
}

function seriesMarks(series: XySeries, at: (point: XyPoint) => readonly [number, number]): Markup {
  const places = series.points.map((point) => ({ point, place: at(point) }));
  const path = places.map(({ place: [x, y] }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
  const line = series.isLine ? html`<path class="line c${series.colour}" d="${path}"/>` : html``;
  const dots = places.map(
    ({ point, place: [x, y] }) =>
      html`<circle class="mark c${series.colour}" cx="${x}" cy="${y}" r="4"><title>${point.title}</title></circle>${
        series.labels
          ? html`<text class="label" text-anchor="${x > WIDTH * 0.75 ? "end" : "start"}" x="${x > WIDTH * 0.75 ? x - 7 : x + 7}" y="${y + 4}">${point.title.split(":")[0] ?? ""}</text>`
          : html``
      }`,
  );
  return html`<g>${line}${dots}</g>`;
}

interface Axis {
  readonly ticks: readonly number[];
  at(value: number): number;
}

function axisOf(values: readonly number[], [start, end]: readonly [number, number]): Axis {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const span = high - low || Math.abs(high) || 1;
  const step = roundStep(span / TICKS);
  const from = Math.floor(low / step) * step;
  const count = Math.max(1, Math.ceil((high - from) / step));
  const through = from + count * step;
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => from + index * step),
    at: (value) => Math.round((start + ((value - from) / (through - from)) * (end - start)) * 10) / 10,
  };
}

/** 1, 2 or 5 times a power of ten, at or above the value. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5].find((each) => each * power >= value) ?? 10;
  return factor * power;
}

function shown(value: number): string {
  const rounded = Number(value.toPrecision(6));
  return Math.abs(rounded) >= 10_000 ? `${Number((rounded / 1000).toPrecision(4))}k` : String(rounded);
}
