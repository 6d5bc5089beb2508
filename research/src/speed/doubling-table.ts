import { spreadOf } from "../micro/spread.ts";
import type { StageSample } from "./meter.ts";

/** What a replay answered with: how much it had to do follows from the policy, not from the code. */
export interface Replayed {
  readonly calls: number;
  readonly cuts: number;
}

/** What a stage of a session took against the same stage of one half as long, once. */
export interface DoubledStage extends StageSample {
  /** Of the longer session. */
  readonly messages: number;
  /** What the replays of both answered with; `null` for a stage that is no replay. */
  readonly short: Replayed | null;
  readonly long: Replayed | null;
}

/**
 * A table in Markdown, a row for each stage and length: how many times longer the stage took, how many times more calls and cuts that were, and what is
 * left for each call and each cut if all of the time is laid on them. A stage that is never cut in both sessions has no figures for cuts.
 */
export function doublingTable(samples: readonly DoubledStage[]): string {
  const keys = [...new Set(samples.map(keyOf))];
  const rows = keys.map((key) => rowOf(samples.filter((sample) => keyOf(sample) === key)));
  const head =
    "| stage | messages | time, times | calls, times | cuts | cuts, times | time a call, times | time a cut, times |";
  return [head, "|---|---:|---:|---:|---:|---:|---:|---:|", ...rows, ""].join("\n");
}

/**
 * A table in Markdown over many sessions, each against its first half, a row for each stage: geometric means of how many times longer the whole took and how many
 * times more calls and cuts it had, and the middle and the most of the times. Cuts are those of sessions whose first half is cut, too.
 */
export function halvesTable(samples: readonly DoubledStage[]): string {
  const head = "| stage | sessions | time, times | middle | most | calls, times | cut in both | cuts of these, times |";
  const rows = [...new Set(samples.map(({ stage }) => stage))].map((stage) => halvesRow(samples, stage));
  return [head, "|---|---:|---:|---:|---:|---:|---:|---:|", ...rows, ""].join("\n");
}

function halvesRow(samples: readonly DoubledStage[], stage: string): string {
  const own = samples.filter((sample) => sample.stage === stage);
  const times = own.map(({ ratio }) => ratio);
  const calls = own.flatMap(({ short, long }) => more(short?.calls, long?.calls) ?? []);
  const cuts = own.flatMap(({ short, long }) => more(short?.cuts, long?.cuts) ?? []);
  const cells = [geometricMean(times), spreadOf(times).median, Math.max(...times), geometricMean(calls)].map(text);
  return `| ${[stage, own.length, ...cells, cuts.length, text(geometricMean(cuts))].join(" | ")} |`;
}

function geometricMean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function keyOf({ stage, messages }: DoubledStage): string {
  return `${messages} ${stage}`;
}

function rowOf(samples: readonly DoubledStage[]): string {
  const [first] = samples;
  if (first === undefined) return "";
  const { stage, messages, short, long } = first;
  const time = spreadOf(samples.map(({ ratio }) => ratio)).median;
  const calls = more(short?.calls, long?.calls);
  const cuts = more(short?.cuts, long?.cuts);
  const each = (times: number | null) => (times === null ? null : time / times);
  const cutCount = short === null || long === null ? "" : `${short.cuts} → ${long.cuts}`;
  const cells = [stage, messages, text(time), text(calls), cutCount, text(cuts), text(each(calls)), text(each(cuts))];
  return `| ${cells.join(" | ")} |`;
}

function more(short: number | undefined, long: number | undefined): number | null {
  return short === undefined || long === undefined || short === 0 ? null : long / short;
}

/** Single figures are good to a tenth at best. */
function text(times: number | null): string {
  return times === null ? "" : times.toFixed(1);
}
