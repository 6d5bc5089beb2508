import { html, type Markup } from "./markup.ts";

/** One point, with its text for the pointer. */
export interface XyPoint {
  readonly x: number;
  readonly y: number;
  readonly label: string;
  readonly title: string;
}

/** Points of one colour (0 is the baseline's, 9 that of overflows), joined by a line or not. */
export interface XySeries {
  readonly name: string;
  readonly colour: number;
  readonly points: readonly XyPoint[];
  readonly isLine: boolean;
  readonly labels: boolean;
  /** Drawn as open rings with large labels that stay on narrow screens: the few points that an answer is about. */
  readonly isMarked?: boolean;
}

/** A chart over two numbers, drawn without a script. */
export interface XyChart {
  readonly title: string;
  readonly xTitle: string;
  /** Names of the places 0, 1, … on the x axis, at even distances; numbers if left out. */
  readonly xNames?: readonly string[];
  readonly yTitle: string;
  readonly series: readonly XySeries[];
}

const WIDTH = 560;
const HEIGHT = 340;
const MARGIN = { left: 58, right: 22, top: 14, bottom: 46 };
const MARK_RADIUS = 4;
const RING_RADIUS = 8;
/** A second ring is around the first. */
const OUTER_PIXELS = 4;

/** The chart as inline SVG; colours come from the page's style. */
export function xyChart({ title, xTitle, xNames, yTitle, series }: XyChart): Markup {
  const points = series.flatMap((each) => each.points);
  const values = (of: (point: XyPoint) => number) => points.map(of);
  const sides = [MARGIN.left, WIDTH - MARGIN.right] as const;
  const x =
    xNames === undefined
      ? linearAxis(
          values((point) => point.x),
          sides,
        )
      : namedAxis(xNames.length, sides);
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
        html`<line class="grid" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" x1="${x.at(tick)}" x2="${x.at(tick)}"/><text class="tick" text-anchor="middle" x="${x.at(tick)}" y="${HEIGHT - MARGIN.bottom + 20}">${xNames?.[tick] ?? tickText(tick)}</text>`,
    ),
  ];
  const at = (point: XyPoint): readonly [number, number] => [x.at(point.x), y.at(point.y)];
  const rings = series.filter(({ isMarked, points: own }) => isMarked === true && own.length > 0);
  const marks = series.map((each) => seriesMarks(each, at, RING_RADIUS + OUTER_PIXELS * Math.max(0, rings.indexOf(each))));
  const key = series.filter(({ name, points: own }) => name !== "" && own.length > 0);
  return html`<figure class="xy"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: ${yTitle} over ${xTitle}">${grid}${marks}${labelTexts(series, at)}
<text class="axis" text-anchor="middle" x="${(WIDTH + MARGIN.left) / 2}" y="${HEIGHT - 8}">${xTitle}</text>
<text class="axis" text-anchor="middle" transform="translate(14 ${(HEIGHT - MARGIN.bottom) / 2}) rotate(-90)">${yTitle}</text></svg>
<figcaption><b>${title}</b> ${key.map(({ name, colour, isLine, isMarked }) => html`<span class="key"><span class="dot c${colour}">${isMarked === true ? "◯" : isLine ? "━" : "●"}</span> ${name}</span> `)}</figcaption></figure>`;
}

function seriesMarks(series: XySeries, at: (point: XyPoint) => readonly [number, number], ringRadius: number): Markup {
  const places = series.points.map((point) => ({ point, place: at(point) }));
  const path = places.map(({ place: [x, y] }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
  const line = series.isLine ? html`<path class="line c${series.colour}" d="${path}"/>` : html``;
  const marked = series.isMarked === true;
  const dots = places.map(
    ({ point, place: [x, y] }) =>
      html`<circle class="${marked ? "ring" : "mark"} c${series.colour}" cx="${x}" cy="${y}" r="${marked ? ringRadius : MARK_RADIUS}"><title>${point.title}</title></circle>`,
  );
  return html`<g>${line}${dots}</g>`;
}

/** Width of a letter of a label, in pixels, on a phone (`narrow-and-print.css`): of a usual one, and of one of an answer's few. */
const LETTER_PIXELS = { usual: 9, strong: 10.7 } as const;
const LABEL_PIXELS = { usual: 16, strong: 19 } as const;
/** How far below its middle a text's line is. */
const BASELINE_PIXELS = 4;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const WITHIN: Box = { left: MARGIN.left, right: WIDTH - 2, top: 2, bottom: HEIGHT - MARGIN.bottom };

interface WantedLabel {
  readonly point: XyPoint;
  readonly place: Place;
  readonly isMarked: boolean;
}

type Place = readonly [x: number, y: number];

/**
 * The labels of an answer's few points are placed first, so that others make way for them. None lies on another label or on a point of any series:
 * one without room is left out, and its point shows its name under the pointer.
 */
function labelTexts(series: readonly XySeries[], at: (point: XyPoint) => Place): Markup {
  const wanted = series
    .flatMap(({ labels, points, isMarked = false }) =>
      labels ? points.map((point): WantedLabel => ({ point, place: at(point), isMarked })) : [],
    )
    .toSorted((a, b) => Number(b.isMarked) - Number(a.isMarked));
  const points = series.flatMap((each) => each.points.map((point) => around(at(point))));
  const taken: Box[] = [];
  return html`${wanted.map((label) => {
    const box = boxesOf(label).find((each) => ![...taken, ...points].some((other) => overlaps(each, other)));
    if (box === undefined) return html``;
    taken.push(box);
    return labelMarkup(label, box);
  })}`;
}

function labelMarkup({ point, place: [x, y], isMarked }: WantedLabel, { left, right, top, bottom }: Box): Markup {
  const isRight = left > x;
  const [near, middle] = [isRight ? left : right, (top + bottom) / 2];
  const leader =
    Math.abs(middle - y) > MARK_RADIUS
      ? html`<line class="${isMarked ? "leader" : "leader minor"}" x1="${x}" y1="${y}" x2="${near}" y2="${middle}"/>`
      : html``;
  return html`${leader}<text class="${isMarked ? "label strong" : "label minor"}" text-anchor="${isRight ? "start" : "end"}" x="${near}" y="${middle + BASELINE_PIXELS}">${point.label}</text>`;
}

/** Places are tried so far apart, and so often, upwards and downwards (chosen). */
const STEP = 3;
const MOST_STEPS = 60;

/** The allowed places of a label: near its point before far from it, on the right before the left. None leaves the picture. */
function boxesOf({ point, place: [x, y], isMarked }: WantedLabel): readonly Box[] {
  const kind = isMarked ? "strong" : "usual";
  const gap = isMarked ? RING_RADIUS + 2 * OUTER_PIXELS : 2 * MARK_RADIUS;
  const [width, height] = [point.label.length * LETTER_PIXELS[kind], LABEL_PIXELS[kind]];
  const shifts = Array.from({ length: MOST_STEPS }, (_, step) => (step % 2 === 0 ? step / 2 : -(step + 1) / 2) * STEP);
  return shifts.flatMap((shift) =>
    [x + gap, x - gap - width]
      .map((left): Box => ({ left, right: left + width, top: y + shift - height / 2, bottom: y + shift + height / 2 }))
      .filter(
        ({ left, right, top, bottom }) =>
          left >= WITHIN.left && right <= WITHIN.right && top >= WITHIN.top && bottom <= WITHIN.bottom,
      ),
  );
}

/** Half of the space kept free around a point. */
const MARK_REACH = 5;

function around([x, y]: Place): Box {
  return { left: x - MARK_REACH, right: x + MARK_REACH, top: y - MARK_REACH, bottom: y + MARK_REACH };
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Steps of an axis: about so many (chosen). */
const TICKS = 5;

const WHOLE_PERCENT = 100;

/** How far around values that are all the same an axis reaches (chosen). */
const SAME_PAD_RATIO = 0.05;

/** An axis for values, between two places of a picture. Values that are all the same lie in its middle, but for zeros. */
export function linearAxis(
  values: readonly number[],
  [start, end]: readonly [number, number],
): { readonly ticks: readonly number[]; at(value: number): number } {
  const least = values.reduce((most, value) => Math.min(most, value), Number.POSITIVE_INFINITY);
  const most = values.reduce((largest, value) => Math.max(largest, value), Number.NEGATIVE_INFINITY);
  const pad = least === most ? Math.abs(most) * SAME_PAD_RATIO : 0;
  // Nothing is above all of it.
  const [low, high] = [least - pad, most === WHOLE_PERCENT ? most : most + pad];
  const step = high === low ? 1 : roundStep((high - low) / TICKS);
  const from = Math.floor(low / step) * step;
  const count = Math.max(1, Math.ceil((high - from) / step));
  const through = from + count * step;
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => from + index * step),
    at: (value) => toTenth(start + ((value - from) / (through - from)) * (end - start)),
  };
}

/** Most names below an axis: more would run into each other on a phone. Chosen. */
const MOST_NAMES = 8;

/** An axis of so many places in even distances, of which at most so many are named. */
function namedAxis(count: number, [start, end]: readonly [number, number]): ReturnType<typeof linearAxis> {
  const every = Math.ceil(count / MOST_NAMES);
  return {
    ticks: Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every),
    at: (place) => toTenth(start + ((place + 1 / 2) / count) * (end - start)),
  };
}

const toTenth = (value: number): number => Math.round(value * 10) / 10;

/** 1, 2 or 5 times a power of ten, at or above the value. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5].find((each) => each * power >= value) ?? 10;
  return factor * power;
}

function tickText(value: number): string {
  const rounded = Number(value.toPrecision(6));
  return Math.abs(rounded) >= 10_000 ? `${Number((rounded / 1000).toPrecision(4))}k` : String(rounded);
}
