import type { WorseMeasure } from "../judge/choose.ts";
import type { Standing } from "../judge/standing.ts";
import type { FigureFormat } from "../metrics/metric.ts";
import { sumOf } from "../statistics.ts";
import type { LineageCounts } from "../transcript.ts";

/** Shown if a figure is not known or does not apply. */
export const NO_FIGURE = "–";

/** Writes a count in full, e.g. `12,345`; `–` for `null`. */
export function formatCount(count: number | null): string {
  return count === null ? NO_FIGURE : Math.round(count).toLocaleString("en-US");
}

const THOUSAND = 1_000;
const MILLION = 1_000_000;

/** Writes a number of tokens with three significant digits, e.g. `812`, `43.2k`, `1.23M`; `–` for `null`. */
export function formatTokens(tokens: number | null): string {
  if (tokens === null) return NO_FIGURE;
  if (tokens < 0) return `−${formatTokens(-tokens)}`;
  if (tokens < THOUSAND) return `${Math.round(tokens)}`;
  // 999,950 and more would round to 1000k.
  if (tokens < MILLION - THOUSAND / 2) return `${threeDigits(tokens / THOUSAND)}k`;
  return `${threeDigits(tokens / MILLION)}M`;
}

function threeDigits(value: number): string {
  if (value < 9.995) return value.toFixed(2);
  return value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

/** Writes percent with one decimal and without the sign; small ones with more, so that 0.03 does not read as 0. `–` for `null`. */
export function formatPercent(percent: number | null): string {
  if (percent === null) return NO_FIGURE;
  if (percent < 0) return `−${formatPercent(-percent)}`;
  if (percent === 0) return "0";
  return percent.toFixed(percent < 0.1 ? 3 : percent < 1 ? 2 : 1);
}

/** The shares of a whole as percent with their sign. Their roundings add up to 100; a present one is never nothing. */
export function shareTexts<Part>(parts: readonly Part[], of: (part: Part) => number, decimals = 1): readonly string[] {
  const whole = sumOf(parts, of);
  const steps = 100 * 10 ** decimals;
  const exact = parts.map((part) => (whole === 0 ? 0 : (of(part) / whole) * steps));
  const lower = exact.map(Math.floor);
  const missing = (whole === 0 ? 0 : steps) - sumOf(lower, Number);
  const byRest = [...exact.keys()].toSorted((a, b) => ((exact[b] ?? 0) % 1) - ((exact[a] ?? 0) % 1));
  const raised = new Set(byRest.slice(0, missing));
  return lower.map((each, at) => {
    const rounded = each + (raised.has(at) ? 1 : 0);
    const isPresent = rounded === 0 && (exact[at] ?? 0) > 0;
    return `${isPresent ? "< " : ""}${((100 * (isPresent ? 1 : rounded)) / steps).toFixed(decimals)}%`;
  });
}

/** Shown in place of a share if the sessions are long enough for such needs, but none of them shows one. */
export const NOT_VISIBLE = "not visible";

/** The same in a table's cell, without its unit. */
export function heldCell(percent: number | null): string {
  return percent === null ? NOT_VISIBLE : formatPercent(percent);
}

/** Sessions that cost over 2% more than never compacting, of all compared, e.g. `2/19`. */
export function costMoreCell({ costMoreIn, units }: Pick<Standing, "costMoreIn" | "units">): string {
  return `${costMoreIn}/${units.length}`;
}

/** A loss with the number of needs behind it, e.g. `10.0 points of older edited files (10 cases)`. */
export function lossText({ measure, points, cases }: Pick<WorseMeasure, "measure" | "points" | "cases">): string {
  return `${formatPercent(points)} points of ${measure} (${formatNumberOf(cases, "case")})`;
}

/** The kept share of the replies' needs, in percent with its unit; `null` if nothing shows the needs. */
export function heldText(percent: number | null): string {
  return percent === null ? `needs ${NOT_VISIBLE}` : `${formatPercent(percent)}% kept`;
}

/** A count with its noun, e.g. `1 session`, `2 sessions`. */
export function formatNumberOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Says in one sentence how many answers are in more than one file; empty if none is. */
export function lineageWords(counts: LineageCounts | undefined): string {
  if (counts === undefined || counts.repeatedAnswers === 0) return "";
  const { files, sessions, lineages, repeatedAnswers } = counts;
  const where = files === 1 ? "twice in it" : "in more than one file";
  const stand = repeatedAnswers === 1 ? `appears ${where} and is` : `appear ${where} and are`;
  return `${formatNumberOf(files, "file")}: ${sessions - lineages === 1 ? "1 is a copy or a resumed beginning of another" : `${formatCount(sessions - lineages)} are copies or resumed beginnings of others`}; ${repeatedAnswers === 1 ? "1 reply" : `${formatCount(repeatedAnswers)} replies`} ${stand} counted once.`;
}

/** A verb as its count wants it, e.g. `1 session outgrows`, `2 sessions outgrow`. */
export function verbFor(count: number, verb: string): string {
  return count === 1 ? `${verb}s` : verb;
}

/** Writes US dollars without the sign, with three significant digits or cents, e.g. `0.0123`, `4.56`, `1,234`; `–` for `null`. */
export function formatUsd(usd: number | null): string {
  if (usd === null) return NO_FIGURE;
  if (usd >= THOUSAND) return formatCount(usd);
  if (usd >= 1 || usd === 0) return usd.toFixed(2);
  return usd >= 0.1 ? usd.toFixed(3) : usd.toFixed(4);
}

/** A figure as its column shows it. */
export function formatFigure(format: FigureFormat, value: number | null): string {
  switch (format) {
    case "count":
      return formatCount(value);
    case "tokens":
      return formatTokens(value);
    case "percent":
      return formatPercent(value);
    case "usd":
      return formatUsd(value);
    default:
      return format satisfies never;
  }
}
