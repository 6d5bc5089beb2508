import { spreadOf } from "../micro/spread.ts";
import type { StageSample } from "./meter.ts";

/** A sample, what it is of, and how much that counts in the mean. */
export interface MeasuredStage extends StageSample {
  readonly of: string;
  readonly weight: number;
}

/**
 * A table in Markdown, a row for each stage in the order of their first sample: the weighted mean over what was measured, each by the middle
 * of its rounds, and the smallest and the largest middle.
 */
export function speedTable(measured: readonly MeasuredStage[]): string {
  const stages = [...new Set(measured.map(({ stage }) => stage))];
  const rows = stages.map((stage) =>
    rowOf(
      stage,
      measured.filter((each) => each.stage === stage),
    ),
  );
  return ["| stage | times | least | most |", "|---|---:|---|---|", ...rows, ""].join("\n");
}

/** The same means for each format, a column for each stage; what is not of a recorded file has none. */
export function formatTable(measured: readonly MeasuredStage[]): string {
  const stages = [...new Set(measured.map(({ stage }) => stage))];
  const formatOf = ({ of }: MeasuredStage) => (of.includes("/") ? of.slice(0, of.indexOf("/")) : null);
  const formats = [...new Set(measured.map(formatOf))].filter((format) => format !== null);
  const rows = formats.map((format) => {
    const own = measured.filter((each) => formatOf(each) === format);
    const files = new Set(own.map(({ of }) => of)).size;
    const means = stages.map((stage) => times(meanOf(middlesOf(own.filter((each) => each.stage === stage)))));
    return `| ${[format, files, ...means].join(" | ")} |`;
  });
  return [`\n| ${["format", "files", ...stages].join(" | ")} |`, `|---${"|---:".repeat(1 + stages.length)}|`, ...rows, ""].join(
    "\n",
  );
}

function rowOf(stage: string, samples: readonly MeasuredStage[]): string {
  const middles = middlesOf(samples);
  const sorted = middles.toSorted((one, other) => one.ratio - other.ratio);
  const [least, most] = [sorted[0], sorted.at(-1)].map((each) =>
    each === undefined ? "" : `${times(each.ratio)} (${each.of})`,
  );
  return `| ${stage} | ${times(meanOf(middles))} | ${least} | ${most} |`;
}

interface Middle {
  readonly of: string;
  readonly weight: number;
  readonly ratio: number;
}

/** The middle round of each that was measured. */
function middlesOf(samples: readonly MeasuredStage[]): readonly Middle[] {
  return [...new Set(samples.map((sample) => sample.of))].map((of) => {
    const own = samples.filter((sample) => sample.of === of);
    return { of, weight: own[0]?.weight ?? 0, ratio: spreadOf(own.map(({ ratio }) => ratio)).median };
  });
}

function meanOf(middles: readonly Middle[]): number {
  const whole = middles.reduce((sum, { weight }) => sum + weight, 0);
  return middles.reduce((sum, { ratio, weight }) => sum + ratio * weight, 0) / whole;
}

/** Three digits are more than a run is good for. */
function times(ratio: number): string {
  return ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(3);
}
