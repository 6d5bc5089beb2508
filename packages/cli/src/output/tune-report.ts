import type { TunedPolicy, TuneResult } from "@plimsoll/bench";
import {
  type CacheKind,
  FEWEST_OWNERS,
  formatCount,
  formatNumberOf,
  formatPercent,
  formatRatioPercent,
  heldCell,
  settingWords,
} from "@plimsoll/bench/internal";
import type { Policy } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import { fitted } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";
import { tunedYaml } from "./tuned-yaml.ts";

const HEAD = [
  [
    { content: "" },
    { content: "chosen on", span: 4, align: "center" as const },
    { content: "tested on", span: 4, align: "center" as const },
  ],
  ["", "cost %", "held", "far", "over", "cost %", "held", "far", "over"].map((content) => ({ content })),
];

/** The subject of the tuner's report, and the width of its tables. */
interface TuneReportOptions {
  /** The policy as it is. */
  readonly current: Policy;
  readonly columns: number;
}

/** Writes the tuner's results as text: for each kind of cache the front and the choice, the YAML to paste, and how sure it is. */
export function tuneReport(results: readonly TuneResult[], { current, columns }: TuneReportOptions): string {
  const own = results.filter(({ base }) => base === current.name);
  const others = results.filter(({ base }) => base !== current.name);
  const [first] = results;
  if (first !== undefined && first.trainSessions === 0) return NOTHING_FIRES;
  return [
    ...(first === undefined || first.idleSessions === 0 ? [] : [idleText(first)]),
    ...own.flatMap((result) => resultText(result, columns)),
    ...CACHES.flatMap((cache) =>
      othersText(
        others.filter((result) => result.cache === cache),
        columns,
      ),
    ),
    READING,
  ].join("\n\n");
}

const CACHES = ["expiring", "lasting"] as const;

const CACHE_WORDS: Readonly<Record<CacheKind, string>> = {
  expiring: "with the prompt cache as recorded",
  lasting: "with a prompt cache that never expires",
};

const NOTHING_FIRES = fitted(
  "No session fills half of the window: whatever the setting, nothing fires. Give a smaller window (--window 32k) or longer sessions.",
);

const READING = fitted(
  [
    "cost: % of doing nothing in a window that is large enough, geometric mean over sessions; held: %, mean of edit grounding, passages, file in hand, instructions and plan, far: of what was stated 20,000 tokens before; over: requests above the window.",
    "* is the cheapest that is worse on none of these by a point than the current setting where it was chosen, at 5 % more cost at most; whether that holds elsewhere is what the right half tells.",
    "Reading again costs more than is shown here, and no measure is shown to predict that it will happen (plimsoll validate).",
  ].join("\n"),
);

function idleText({ idleSessions }: TuneResult): string {
  return `Left out: ${formatNumberOf(idleSessions, "session")} that never ${idleSessions === 1 ? "fills" : "fill"} half of the window.`;
}

function resultText(result: TuneResult, columns: number): readonly string[] {
  const { cache, current, best, trainSessions, testSessions, splitBy } = result;
  const title = `W${CACHE_WORDS[cache].slice(1)}`;
  const others = settingsOf(result);
  const rows = [
    rowOf("as it is", current, best !== null && !isChanged(best)),
    ...others.map((tuned) => rowOf(settingsText(tuned), tuned, tuned === best)),
  ];
  const split = fitted(
    `${title}: ${result.base}, chosen on ${formatNumberOf(trainSessions, "session")}, tested on ${formatNumberOf(testSessions, "session")}; ${splitText(splitBy)}.`,
  );
  if (best === null) return [split, `Every setting overflowed in some session: none can be recommended.`];
  const warning =
    best.test.overflows === 0
      ? []
      : [
          fitted(
            `Careful: on sessions that it was not chosen on it overflowed in ${formatNumberOf(best.test.overflows, "request")}.`,
          ),
        ];
  return [
    split,
    drawTable({ head: HEAD, rows, leftColumns: [0] }, columns),
    ...lossesText(others),
    ...warning,
    ...(isChanged(best) ? [sureText(result)] : []),
    yamlText(current.policy, best),
  ];
}

function splitText(by: TuneResult["splitBy"]): string {
  return by === "nothing" ? "both are the same" : `no ${by} is in both`;
}

/** The best and the front, cheapest first, without the policy as it was. */
function settingsOf({ front, best }: TuneResult): readonly TunedPolicy[] {
  const others = front.filter(({ policy }) => policy.name !== best?.policy.name);
  const all = best === null ? others : [best, ...others];
  return all.filter(isChanged).toSorted((a, b) => a.train.cost - b.train.cost);
}

/** Says for each setting which needs it holds less of than the current one, a line each; nothing if none does. */
function lossesText(tuned: readonly TunedPolicy[]): readonly string[] {
  const lines = tuned.flatMap((each) =>
    (["train", "test"] as const).flatMap((part) => {
      const lost = each[part].losses.map(({ measure, points: by }) => `${measure} −${formatPercent(by)}`);
      const where = part === "train" ? "chosen on" : "tested on";
      return lost.length === 0 ? [] : [`  ${settingsText(each)}, ${where}: ${lost.join(", ")}`];
    }),
  );
  return lines.length === 0 ? [] : [fitted(["Worse than the current setting, in points:", ...lines].join("\n"))];
}

/** False for the policy as it was. */
function isChanged({ settings }: TunedPolicy): boolean {
  return settings.length > 0;
}

function rowOf(name: string, { train, test }: TunedPolicy, isBest = false): readonly string[] {
  const figures = [train, test].flatMap(({ cost, gain, farGain, overflows }) => [
    formatRatioPercent(cost),
    heldCell(gain),
    formatPercent(farGain),
    formatCount(overflows),
  ]);
  return [isBest ? `${name} *` : name, ...figures];
}

function settingsText({ settings }: TunedPolicy): string {
  return settings
    .map(settingWords)
    .map(({ path, value }) => `${path}=${value}`)
    .join(" ");
}

function sureText({ sureness, testSessions }: TuneResult): string {
  if (sureness === null) {
    return fitted(
      `How sure: it cannot be known. The ${formatNumberOf(testSessions, "session")} that it was not chosen on ${testSessions === 1 ? "is" : "are"} of fewer than ${FEWEST_OWNERS} owners.`,
    );
  }
  const { costRatio, gain, sessions } = sureness;
  return fitted(
    `How sure (repositories of the ${formatNumberOf(sessions, "session")} that it was not chosen on drawn anew, 95 %): costs ${formatRatioPercent(costRatio.from)} to ${formatRatioPercent(costRatio.through)} % of the current setting, held ${points(gain.from)} to ${points(gain.through)} points.`,
  );
}

function points(difference: number): string {
  return `${difference < 0 ? "−" : "+"}${Math.abs(difference).toFixed(1)}`;
}

/** The policy as YAML to paste: of a preset what differs from it, of any other policy all of it. Then the lines that change. */
function yamlText(current: Policy, best: TunedPolicy): string {
  const lines = differences(current, best.policy).map((line) => `  ${line}`);
  if (lines.length === 0) return "The current setting is the best that was found.";
  return [
    "# plimsoll.yaml",
    tunedYaml({ text: "", current, best }).trimEnd(),
    "",
    fitted(["What changes:", ...lines].join("\n")),
  ].join("\n");
}

function differences(before: unknown, after: unknown, path: readonly string[] = []): readonly string[] {
  const [own, other] = [entriesOf(before), entriesOf(after)];
  if (own === null && other === null)
    return before === after ? [] : [`${path.join(".")}: ${valueText(before)} → ${valueText(after)}`];
  const keys = new Set([...(own ?? new Map()).keys(), ...(other ?? new Map()).keys()]);
  return [...keys].flatMap((key) =>
    key === "name" || key === "kind" ? [] : differences(own?.get(key), other?.get(key), [...path, key]),
  );
}

/** The parts of a value, an item of a list by its kind if it has one; `null` if it has no parts. */
function entriesOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== "object" || value === null) return null;
  const nameOf = (key: string, item: unknown) =>
    Array.isArray(value) && isRecord(item) && typeof item.kind === "string" ? item.kind : key;
  return new Map(Object.entries(value).map(([key, item]) => [nameOf(key, item), item]));
}

function valueText(value: unknown): string {
  return value === undefined || value === null ? "not set" : String(value);
}

/** Each preset's best under one kind of cache; nothing if there is none to compare with. */
function othersText(results: readonly TuneResult[], columns: number): readonly string[] {
  const [first] = results;
  if (first === undefined) return [];
  const rows = results.map(({ base, best, current }) =>
    best === null
      ? [`${base}: every setting overflowed`, ...rowOf("", current).slice(1)]
      : rowOf(`${base}: ${isChanged(best) ? settingsText(best) : "as it is"}`, best),
  );
  return [
    fitted(`Each preset's own best on a coarse grid, on the same sessions, ${CACHE_WORDS[first.cache]}:`),
    drawTable({ head: HEAD, rows, leftColumns: [0] }, columns),
  ];
}
