import {
  FEWEST_SESSIONS,
  formatCount,
  formatNumberOf,
  formatRatioPercent,
  type TunedPolicy,
  type TuneResult,
} from "@plimsoll/bench";
import { isRecord } from "@plimsoll/core";
import { stringify } from "yaml";
import { drawTable } from "../terminal/text-table.ts";

const HEAD = [
  [
    { content: "" },
    { content: "chosen on", span: 3, align: "center" as const },
    { content: "tested on", span: 3, align: "center" as const },
  ],
  ["", "cost %", "evidence %", "overflows", "cost %", "evidence %", "overflows"].map((content) => ({ content })),
];

/** What the tuner found, as text: for each kind of cache the front and the choice, the YAML to paste, and how sure it is. */
export function tuneReport(results: readonly TuneResult[], currentName: string): string {
  const own = results.filter(({ base }) => base === currentName);
  const others = results.filter(({ base }) => base !== currentName);
  return [
    ...own.flatMap(resultText),
    ...(others.length === 0 ? [] : ["Each preset's own best, tried on the same sessions:", othersTable(others)]),
    "Cost in percent of doing nothing, geometric mean; evidence: source evidence at use. Chosen on the first three columns, tested on the others.",
  ].join("\n\n");
}

function resultText(result: TuneResult): readonly string[] {
  const { base, cache, current, front, best, trainSessions, testSessions } = result;
  const title = cache === "expiring" ? "With the prompt cache as recorded" : "With a prompt cache that never expires";
  const rows = [rowOf("as it is", current), ...front.map((tuned) => rowOf(settingsText(tuned), tuned, tuned === best))];
  const split = `${title}: ${base}, chosen on ${formatNumberOf(trainSessions, "session")}, tested on ${formatNumberOf(testSessions, "session")}.`;
  if (best === null) return [split, `Every setting overflowed in some session: none can be recommended.`];
  const warning =
    best.test.overflows === 0
      ? []
      : [`Careful: on sessions that it was not chosen on it overflowed in ${formatNumberOf(best.test.overflows, "request")}.`];
  return [
    split,
    drawTable({ head: HEAD, rows, leftColumns: [0] }),
    ...warning,
    sureText(result),
    yamlText(base, current, best),
  ];
}

function rowOf(name: string, { train, test }: TunedPolicy, isBest = false): readonly string[] {
  const figures = [train, test].flatMap(({ cost, gain, overflows }) => [
    formatRatioPercent(cost),
    formatRatioPercent(gain),
    formatCount(overflows),
  ]);
  return [isBest ? `${name} *` : name, ...figures];
}

function settingsText({ settings }: TunedPolicy): string {
  return settings.map(({ path, value }) => `${path}=${value}`).join(" ");
}

function sureText({ sureness, trainSessions, testSessions }: TuneResult): string {
  const sessions = trainSessions + testSessions;
  if (sureness === null) {
    return `How sure: it cannot be known. ${formatNumberOf(sessions, "session")} say nothing about sessions that were not seen; at least ${FEWEST_SESSIONS} are needed.`;
  }
  const { costRatioFrom, costRatioThrough, gainFrom, gainThrough, cheaperShare } = sureness;
  return (
    `How sure (bootstrap over ${sureness.sessions} sessions, 90 %): costs ${formatRatioPercent(costRatioFrom)} to ${formatRatioPercent(costRatioThrough)} % of the current setting, ` +
    `evidence ${points(gainFrom)} to ${points(gainThrough)} points; cheaper in ${formatRatioPercent(cheaperShare)} % of resamples.`
  );
}

function points(difference: number): string {
  return `${difference < 0 ? "−" : "+"}${Math.abs(100 * difference).toFixed(1)}`;
}

/** The part of the policy that differs, to paste, and the lines that change. */
function yamlText(base: string, current: TunedPolicy, best: TunedPolicy): string {
  const changed = changesBetween(current.policy, best.policy);
  if (!isRecord(changed)) return "The current setting is the best that was found.";
  const lines = differences(current.policy, best.policy).map((line) => `  ${line}`);
  return ["# plimsoll.yaml", stringify({ policy: base, ...changed }).trimEnd(), "", "What changes:", ...lines].join("\n");
}

/** The parts of the second that differ, without the name; lists whole. `undefined` where nothing does. */
function changesBetween(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const changed = Object.entries(after).flatMap(([key, value]) => {
    const change = key === "name" ? undefined : changesBetween(before[key], value);
    return change === undefined ? [] : [[key, change] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function differences(before: unknown, after: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof before === "object" && typeof after === "object" && before !== null && after !== null) {
    const own = new Map(Object.entries(before));
    return Object.entries(after).flatMap(([key, value]) =>
      key === "name" ? [] : differences(own.get(key), value, [...path, key]),
    );
  }
  return before === after ? [] : [`${path.join(".")}: ${String(before)} → ${String(after)}`];
}

function othersTable(results: readonly TuneResult[]): string {
  const rows = results.map((result) => {
    const name = `${result.base}, ${result.cache === "expiring" ? "cache as recorded" : "lasting cache"}`;
    return result.best === null
      ? [`${name}: every setting overflowed`, ...rowOf("", result.current).slice(1)]
      : rowOf(`${name}: ${settingsText(result.best)}`, result.best);
  });
  return drawTable({ head: HEAD, rows, leftColumns: [0] });
}
