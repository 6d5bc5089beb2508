/** An axis from round number to round number, and where on it a value lies. */
export interface Axis {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** Steps of an axis: about so many (chosen). */
const TICKS = 5;

/** How far around values that are all the same an axis reaches (chosen). */
const SAME_PAD_RATIO = 0.05;

/** An axis for values, between two places of a picture. Values that are all the same lie in its middle, but for zeros. */
export function linearAxis(values: readonly number[], [start, end]: readonly [number, number]): Axis {
  const least = values.reduce((most, value) => Math.min(most, value), Number.POSITIVE_INFINITY);
  const most = values.reduce((largest, value) => Math.max(largest, value), Number.NEGATIVE_INFINITY);
  const pad = least === most ? Math.abs(most) * SAME_PAD_RATIO : 0;
  const [low, high] = [least - pad, most + pad];
  const step = roundStep((high - low || 1) / TICKS);
  const from = Math.floor(low / step) * step;
  const count = Math.max(1, Math.ceil((high - from) / step));
  const through = from + count * step;
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => from + index * step),
    at: (value) => toTenth(start + ((value - from) / (through - from)) * (end - start)),
  };
}

/** An axis on which each power of ten is as long as the next; values below `least` lie at its beginning. */
export function logAxis(values: readonly number[], least: number, [start, end]: readonly [number, number]): Axis {
  const high = values.reduce((most, value) => Math.max(most, value), least * 10);
  const [from, through] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(high))];
  return {
    ticks: Array.from({ length: through - from + 1 }, (_, index) => 10 ** (from + index)),
    at: (value) => toTenth(start + ((Math.log10(Math.max(value, least)) - from) / (through - from)) * (end - start)),
  };
}

const toTenth = (value: number): number => Math.round(value * 10) / 10;

/** 1, 2 or 5 times a power of ten, at or above the value. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5].find((each) => each * power >= value) ?? 10;
  return factor * power;
}

/** A tick's number, short. */
export function tickText(value: number): string {
  const rounded = Number(value.toPrecision(6));
  return Math.abs(rounded) >= 10_000 ? `${Number((rounded / 1000).toPrecision(4))}k` : String(rounded);
}
