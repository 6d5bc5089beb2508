import { linearAxis, tickText } from "./axis.ts";
import { spreadLabels } from "./label-places.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

/** One point, with what is said of it where it is pointed at. */
export interface XyPoint {
  readonly x: number;
  readonly y: number;
  /** Written beside it where the series shows labels. */
  readonly label: string;
  readonly title: string;
}

/** Points of one colour (0 is the baseline's, 9 that of overflows), joined by a line or not. */
export interface XySeries {
  readonly name: string;
  readonly colour: number;
  /** Lines of the second and third round of colours are dashed. */
  readonly round?: number;
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
const HEIGHT = 340;
const MARGIN = { left: 58, right: 22, top: 14, bottom: 46 };
const MARK_RADIUS = 4;
/** Labels of marks beyond this stand left of them (chosen: a usual name then still fits). */
const LEFT_LABELS_FROM = WIDTH * 0.72;

/** The chart as inline SVG; colours come from the page's style. */
export function xyChart({ title, xTitle, yTitle, series }: XyChart): Markup {
  const points = series.flatMap((each) => each.points);
  const values = (of: (point: XyPoint) => number) => points.map(of);
  const x = linearAxis(
    values((point) => point.x),
    [MARGIN.left, WIDTH - MARGIN.right],
  );
  const y = linearAxis(
    values((point) => point.y),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  );
  const grid = [
    ...y.ticks.map(
      (tick) =>
        html`<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y.at(tick)}" y2="${y.at(tick)}"/><text class="tick" text-anchor="end" x="${MARGIN.left - 6}" y="${y.at(tick) + 4}">${tickText(tick)}</text>`,
    ),
    ...x.ticks.map(
      (tick) =>
        html`<line class="grid" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" x1="${x.at(tick)}" x2="${x.at(tick)}"/><text class="tick" text-anchor="middle" x="${x.at(tick)}" y="${HEIGHT - MARGIN.bottom + 16}">${tickText(tick)}</text>`,
    ),
  ];
  const at = (point: XyPoint): readonly [number, number] => [x.at(point.x), y.at(point.y)];
  const marks = series.map((each) => seriesMarks(each, at));
  const key = series.filter(({ name, points: own }) => name !== "" && own.length > 0);
  return html`<figure class="xy"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: ${yTitle} over ${xTitle}">${grid}${marks}${labelTexts(series, at)}
<text class="axis" text-anchor="middle" x="${(WIDTH + MARGIN.left) / 2}" y="${HEIGHT - 8}">${xTitle}</text>
<text class="axis" text-anchor="middle" transform="translate(14 ${(HEIGHT - MARGIN.bottom) / 2}) rotate(-90)">${yTitle}</text></svg>
<figcaption><b>${title}</b> ${key.map(({ name, colour, round = 0, isLine }) => html`<span class="key"><span class="dot c${colour}">${isLine ? (round === 0 ? "━" : "╍") : "●"}</span> ${name}</span> `)}</figcaption></figure>`;
}

function seriesMarks(series: XySeries, at: (point: XyPoint) => readonly [number, number]): Markup {
  const places = series.points.map((point) => ({ point, place: at(point) }));
  const path = places.map(({ place: [x, y] }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
  const line = series.isLine ? html`<path class="${lineClass(series)}" d="${path}"/>` : html``;
  const dots = places.map(
    ({ point, place: [x, y] }) =>
      html`<circle class="mark c${series.colour}" cx="${x}" cy="${y}" r="${MARK_RADIUS}"><title>${point.title}</title></circle>`,
  );
  return html`<g>${line}${dots}</g>`;
}

const DASHES = ["", " dashed", " dotted"];

function lineClass({ colour, round = 0 }: XySeries): string {
  return `line c${colour}${DASHES[round % DASHES.length] ?? ""}`;
}

function labelTexts(series: readonly XySeries[], at: (point: XyPoint) => readonly [number, number]): Markup {
  const labelled = series.flatMap(({ labels, points }) => (labels ? points : []));
  const wanted = labelled.map((point) => {
    const [x, y] = at(point);
    return { x: x > LEFT_LABELS_FROM ? x - 8 : x + 8, y: y + 4 };
  });
  const places = spreadLabels(wanted, HEIGHT - MARGIN.bottom - 2);
  return html`${labelled.map((point, index) => {
    const [x, y] = at(point);
    const place = places[index] ?? { x, y };
    const isMoved = Math.abs(place.y - (y + 4)) > MARK_RADIUS;
    const leader = isMoved ? html`<line class="leader" x1="${x}" y1="${y}" x2="${place.x}" y2="${place.y - 4}"/>` : html``;
    return html`${leader}<text class="label" text-anchor="${place.x < x ? "end" : "start"}" x="${place.x}" y="${place.y}">${point.label}</text>`;
  })}`;
}
