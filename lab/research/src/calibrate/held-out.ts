import type { Transcript } from "@plimsoll/bench";
import { callKinds, errorsOf } from "@plimsoll/bench/extend";
import { familyOf } from "@plimsoll/providers";
import { leaveOneRepositoryOut } from "./leave-one-out.ts";
import {
  callList,
  type HeldOutRow,
  type KindCall,
  markdownTable,
  type PredictionErrors,
  percent,
  signedPercentOf,
} from "./page-tables.ts";

/** A recorded session, and the folder that it lies in. */
export interface RecordedSession {
  readonly transcript: Transcript;
  readonly set: string;
}

/** A call that was predicted by the figures of other repositories, with all keys that divide rows. */
export interface HeldOutCall extends KindCall {
  readonly set: string;
  readonly format: string;
  readonly side: string;
}

/** The calls of sessions that are each predicted by figures fitted on the sessions of all other repositories. */
export function heldOutCalls(sessions: readonly RecordedSession[], sideOf: (file: string) => string): readonly HeldOutCall[] {
  const used = sessions.filter(({ transcript }) => transcript.parentName === null && transcript.hasUsage);
  const predicted = leaveOneRepositoryOut(used.map(({ transcript }) => transcript));
  return used.flatMap(({ transcript, set }, session): readonly HeldOutCall[] => {
    const kinds = callKinds(transcript);
    const { format, file } = transcript;
    const told = { set, format, side: sideOf(file) };
    return (predicted[session] ?? []).map((call, index) => ({ ...call, kind: kinds[index] ?? "calm", ...told }));
  });
}

/** The places of a session that have errors of their own. */
const POSITIONS: readonly (readonly [string, (call: HeldOutCall) => boolean])[] = [
  ["nothing hidden", ({ kind }) => kind === "calm"],
  ["calls 1 to 9", ({ kind, call }) => kind === "calm" && call < 10],
  ["call 10 and later", ({ kind, call }) => kind === "calm" && call >= 10],
  ["first after a cut", ({ kind }) => kind === "after-cut"],
  ["first after a switch", ({ kind }) => kind === "after-switch"],
  ["provider's tool", ({ kind }) => kind === "server-tool"],
  ["unmarked fall", ({ kind }) => kind === "fell"],
];

/** The divisions of rows: all calls, by folder, by side of the protocol, by format, by family of the model. */
const DIVISIONS: readonly ((call: HeldOutCall) => string)[] = [
  () => "all",
  ({ set }) => set,
  ({ side }) => `side ${side}`,
  ({ format }) => format,
  ({ modelId }) => familyOf(modelId).name,
];

/** A row for each part of the calls and each position that occurs in it. */
export function rowsOf(calls: readonly HeldOutCall[]): readonly HeldOutRow[] {
  return DIVISIONS.flatMap((divide) =>
    [...new Set(calls.map(divide))].flatMap((part) =>
      POSITIONS.flatMap(([position, isAt]) => {
        const meant = calls.filter((call) => divide(call) === part && isAt(call));
        return meant.length === 0 ? [] : [rowOf(`${part}, ${position}`, errorsOf(meant))];
      }),
    ),
  );
}

function rowOf(row: string, errors: PredictionErrors): HeldOutRow {
  return {
    row,
    calls: errors.calls,
    mape: errors.mapePercent,
    p50: errors.p50Percent,
    p95: errors.p95Percent,
    offByFive: errors.offByFivePercentCount,
    bound: errors.coverageRatio === null ? null : 100 * errors.coverageRatio,
    margin: errors.marginPercent,
  };
}

/** A call that is off by more is listed with its place. */
const LISTED_PERCENT = 5;

/** Goals with the figures reached, the rows with those before them, and the calls that missed. */
export function heldOutPage(before: readonly HeldOutRow[], calls: readonly HeldOutCall[]): string {
  const rows = rowsOf(calls);
  const calm = calls.filter(({ kind }) => kind === "calm");
  return [
    ...goalTable(before, rows),
    ...heldOutTable(before, rows),
    ...callList(`Nothing hidden, off by more than ${LISTED_PERCENT}%`, calm.filter(isFarOff)),
    ...callList(
      "Nothing hidden, above the bound",
      calm.filter(({ reportedTokens, prediction }) => reportedTokens > prediction.upperTokens),
    ),
    ...callList(
      `First after a cut, off by more than ${LISTED_PERCENT}%`,
      calls.filter((call) => call.kind === "after-cut" && isFarOff(call)),
    ),
  ].join("\n");
}

function isFarOff(call: HeldOutCall): boolean {
  return Math.abs(signedPercentOf(call)) > LISTED_PERCENT;
}

/** The rows as a Markdown table, each figure with the one before it. */
function heldOutTable(before: readonly HeldOutRow[], now: readonly HeldOutRow[]): readonly string[] {
  const rowsBefore = new Map(before.map((row) => [row.row, row]));
  const cell = (old: number | null | undefined, value: number | null) =>
    old === undefined || old === null ? percent(value) : `${percent(old)} → ${percent(value)}`;
  return markdownTable(
    ["", "calls", "MAPE", "median", "p95", "> 5%", "bound holds", "margin"],
    now.map((row) => {
      const old = rowsBefore.get(row.row);
      const count = old === undefined ? String(row.offByFive) : `${old.offByFive} → ${row.offByFive}`;
      const figures = [cell(old?.mape, row.mape), cell(old?.p50, row.p50), cell(old?.p95, row.p95), count];
      return [row.row, String(row.calls), ...figures, cell(old?.bound, row.bound), cell(old?.margin, row.margin)];
    }),
  );
}

/** The goal of a figure of one row: at most so much, or at least. In percent. */
interface Goal {
  readonly name: string;
  readonly row: string;
  readonly figure: "mape" | "p50" | "p95" | "bound" | "margin";
  readonly isMet: (percent: number) => boolean;
  readonly asked: string;
}

const atMost = (limit: number) => ({ asked: `≤ ${limit}`, isMet: (value: number) => value <= limit });
const atLeast = (limit: number) => ({ asked: `≥ ${limit}`, isMet: (value: number) => value >= limit });

/** Set before the constants were chosen. The margin after a cut may be wide; it is shown. */
const GOALS: readonly Goal[] = [
  { name: "nothing hidden: mean error", row: "all, nothing hidden", figure: "mape", ...atMost(0.12) },
  { name: "its 95th percentile", row: "all, nothing hidden", figure: "p95", ...atMost(0.45) },
  { name: "its bound holds", row: "all, nothing hidden", figure: "bound", ...atLeast(99.5) },
  { name: "mean margin of the bound", row: "all, nothing hidden", figure: "margin", ...atMost(2) },
  { name: "calls 1 to 9: mean error", row: "all, calls 1 to 9", figure: "mape", ...atMost(0.8) },
  { name: "their bound holds", row: "all, calls 1 to 9", figure: "bound", ...atLeast(99) },
  { name: "first after a cut: median error", row: "all, first after a cut", figure: "p50", ...atMost(4) },
  { name: "its bound holds", row: "all, first after a cut", figure: "bound", ...atLeast(95) },
];

/** Each goal with its earlier and its present value. */
function goalTable(before: readonly HeldOutRow[], now: readonly HeldOutRow[]): readonly string[] {
  const figureOf = (rows: readonly HeldOutRow[], { row, figure }: Goal) =>
    rows.find((one) => one.row === row)?.[figure] ?? null;
  return markdownTable(
    ["goal, in percent", "asked", "before", "now"],
    GOALS.map((goal) => {
      const reached = figureOf(now, goal);
      const mark = reached !== null && goal.isMet(reached) ? "" : " **missed**";
      return [goal.name, goal.asked, percent(figureOf(before, goal)), `${percent(reached)}${mark}`];
    }),
  );
}
