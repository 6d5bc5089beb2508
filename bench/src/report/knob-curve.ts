import { settingWords } from "../tune/tunable-settings.ts";
import type { TunedPolicy, TuneResult } from "../tune/tune.ts";
import { formatPercent, formatRatioPercent, heldText } from "./figures.ts";
import { html, type Markup } from "./markup.ts";
import { settingsText } from "./tune-answer.ts";
import { type XyPoint, xyChart } from "./xy-chart.ts";

/** Of each knob that was turned a chart: its value against cost and against what is held, the other knobs as in the best setting. */
export function knobCurves({ tried, best }: Pick<TuneResult, "tried" | "best">): Markup {
  const paths = [...new Set(tried.flatMap(({ settings }) => settings.map(({ path }) => path)))];
  return html`${paths.map((path) => knobCurve(path, tried, best))}`;
}

function knobCurve(path: string, tried: readonly TunedPolicy[], best: TunedPolicy | null): Markup {
  const shown = alongKnob(path, tried, best);
  if (shown.length < 2) return html``;
  const title = wordOf(path, shown);
  const points = (figure: (tuned: TunedPolicy) => number, what: string) =>
    shown.map(({ value, tuned }): XyPoint => {
      const y = figure(tuned);
      return { x: value, y, label: "", title: `${settingsText(tuned)}: ${formatPercent(y)} % ${what}` };
    });
  const chosen = best === null ? [] : shown.filter(({ tuned }) => tuned.policy.name === best.policy.name);
  const marks = chosen.flatMap(({ value, tuned }) => [
    { x: value, y: 100 * tuned.train.cost, label: `cost ${formatRatioPercent(tuned.train.cost)} %`, title: "the best" },
    { x: value, y: tuned.train.gain ?? 0, label: heldText(tuned.train.gain), title: "the best" },
  ]);
  return xyChart({
    title: `${title} against cost and what is held`,
    xTitle: title,
    yTitle: "%",
    series: [
      {
        name: "cost, % of doing nothing",
        colour: 2,
        points: points(({ train }) => 100 * train.cost, "cost"),
        isLine: true,
        labels: false,
      },
      {
        name: "held when needed, %",
        colour: 1,
        points: points(({ train }) => train.gain ?? 0, "held"),
        isLine: true,
        labels: false,
      },
      { name: "best", colour: 3, points: marks, isLine: false, labels: true, isMarked: true },
    ],
  });
}

interface KnobPoint {
  readonly value: number;
  readonly tuned: TunedPolicy;
}

/** For each value of the knob the setting that differs least from the best in all others; of equals the cheapest. */
function alongKnob(path: string, tried: readonly TunedPolicy[], best: TunedPolicy | null): readonly KnobPoint[] {
  const wanted = new Map((best?.settings ?? []).map((setting) => [setting.path, setting.value]));
  const differences = ({ settings }: TunedPolicy) =>
    settings.filter((setting) => setting.path !== path && wanted.get(setting.path) !== setting.value).length;
  const points = tried.flatMap((tuned) =>
    tuned.settings.flatMap((setting) => (setting.path === path ? [{ value: setting.value, tuned }] : [])),
  );
  const values = [...new Set(points.map(({ value }) => value))].toSorted((a, b) => a - b);
  return values.flatMap((value) => {
    const own = points.filter((point) => point.value === value);
    const [nearest] = own.toSorted(
      (a, b) => differences(a.tuned) - differences(b.tuned) || a.tuned.train.cost - b.tuned.train.cost,
    );
    return nearest === undefined ? [] : [nearest];
  });
}

/** The knob as policy files call it. */
function wordOf(path: string, [first]: readonly KnobPoint[]): string {
  const setting = first?.tuned.settings.find((each) => each.path === path);
  return setting === undefined ? path : settingWords(setting).path;
}
