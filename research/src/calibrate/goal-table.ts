import { errorsOf, quantileOf, signedPercentOf } from "@plimsoll/bench/internal";
import type { MethodPredictions } from "./format-table.ts";
import { type KindCall, markdownTable, percent } from "./page-tables.ts";

/** What the table of goals is made of: calls with their kinds, first calls among them. */
export interface GoalComparison {
  readonly baselines: readonly MethodPredictions[];
  readonly own: readonly KindCall[];
  readonly heldOut: readonly KindCall[];
  /** Sessions whose log holds the system text and the tools. */
  readonly toldFiles: ReadonlySet<string>;
}

interface Goal {
  readonly name: string;
  /** In percent; "at most" unless the goal is a share that has to be reached. */
  readonly limit: number;
  readonly isLeast?: true;
  readonly isCount?: true;
  readonly of: (calls: readonly KindCall[]) => number | null;
}

/** What the accounting has to reach, with what it was measured as in and out of sample; goals were set before it was built. */
export function goalTable({ baselines, own, heldOut, toldFiles }: GoalComparison): readonly string[] {
  const hiddenOf = (calls: readonly KindCall[]) => errorsOf(calls.filter(isHidden)).mapePercent;
  const bestHidden = Math.min(...baselines.map(({ calls }) => hiddenOf(calls) ?? Number.POSITIVE_INFINITY));
  const goals: readonly Goal[] = [
    { name: "nothing hidden: MAPE, %", limit: 0.17, of: (calls) => calm(calls).mapePercent },
    { name: "nothing hidden: p95, %", limit: 0.6, of: (calls) => calm(calls).p95Percent },
    {
      name: "nothing hidden: calls off by more than 5 %",
      limit: 15,
      isCount: true,
      of: (calls) => calm(calls).offByFivePercentCount,
    },
    { name: "hidden events: MAPE, %, of the best baseline", limit: bestHidden, of: hiddenOf },
    { name: "the two long sessions with all in view: MAPE, %", limit: 0.05, of: longSessions },
    { name: "first call after a cut: median, %", limit: 5, of: (calls) => medianOf(calls, ({ kind }) => kind === "after-cut") },
    {
      name: "first call with system and tools in the log: median, %",
      limit: 8,
      of: (calls) => medianOf(calls, ({ kind, file }) => kind === "first" && toldFiles.has(file)),
    },
    {
      name: "nothing hidden: bound holds, % of calls",
      limit: 99.5,
      isLeast: true,
      of: (calls) => 100 * (calm(calls).coverageRatio ?? 0),
    },
    { name: "nothing hidden: mean margin of the bound, %", limit: 2, of: (calls) => calm(calls).marginPercent },
    { name: "nothing hidden: median margin of the bound, %", limit: 0.8, of: (calls) => calm(calls).marginP50Percent },
  ];
  const cell = ({ of, limit, isLeast, isCount }: Goal, calls: readonly KindCall[]) => {
    const value = of(calls);
    const isMet = value !== null && (isLeast === true ? value >= limit : value <= limit);
    return `${isCount === true ? value : percent(value)}${isMet ? "" : " **missed**"}`;
  };
  return markdownTable(
    ["goal", "asked", "in sample", "out of sample"],
    goals.map((goal) => [
      goal.name,
      `${goal.isLeast === true ? "≥" : "≤"} ${Number(goal.limit.toFixed(2))}`,
      cell(goal, own),
      cell(goal, heldOut),
    ]),
  );
}

/** True for a call that something touched which the log does not tell before it. */
export function isHidden({ kind }: KindCall): boolean {
  return kind !== "calm" && kind !== "first";
}

function calm(calls: readonly KindCall[]) {
  return errorsOf(calls.filter(({ kind }) => kind === "calm"));
}

/** Two sessions of one user with everything in view but a small system prompt. */
const LONG_SESSIONS = ["badlogic__pi-mono__before-compaction", "badlogic__pi-mono__large-session"];

function longSessions(calls: readonly KindCall[]): number | null {
  const isOfThem = ({ file, kind }: KindCall) => kind !== "first" && LONG_SESSIONS.some((name) => file.includes(name));
  return errorsOf(calls.filter(isOfThem)).mapePercent;
}

function medianOf(calls: readonly KindCall[], isMeant: (call: KindCall) => boolean): number | null {
  return quantileOf(
    calls.filter(isMeant).map((call) => Math.abs(signedPercentOf(call))),
    0.5,
  );
}
