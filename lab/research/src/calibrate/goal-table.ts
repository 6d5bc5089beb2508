import { type HeldOutRow, markdownTable, percent } from "./page-tables.ts";

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

/** Each goal with what was kept before and what is reached now. */
export function goalTable(before: readonly HeldOutRow[], now: readonly HeldOutRow[]): readonly string[] {
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
