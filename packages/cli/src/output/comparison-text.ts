import type { BenchReport } from "@plimsoll/bench";
import {
  commonFolder,
  differenceText,
  FEWEST_OWNERS,
  formatPercent,
  overWords,
  pointsOver,
  recordText,
  sessionRows,
  signedPoints,
  VECTOR,
  type WindowComparison,
  windowComparisons,
} from "@plimsoll/bench/internal";
import { COLUMNS, nameChars, shortened, wrapped } from "../terminal/printable.ts";
import { drawTable, type TableCell } from "../terminal/text-table.ts";

/** Longer names are shortened if the tables have 80 columns. */
const NAME_CHARS = 21;
const SHORT_NAME_CHARS = 16;

/** Of the sessions in which each policy acts, per cent lost, tied and won: a table a window. What is lost comes first. */
export function recordTables(report: BenchReport, columns: number): string {
  const tables = shownOf(report).map(({ windowLabel, policies }) => {
    const head = [
      ["", "acted", "cost against", "held against", "held against"],
      ["policy", "in", "doing nothing", "doing nothing", "its tail"],
    ].map(cellsOf);
    const rows = policies.map(({ policy, record: { acted, cost, held, heldOverTail } }) => [
      shortened(policy, nameChars(NAME_CHARS, columns)),
      String(acted),
      ...[cost, held, heldOverTail].map(recordText),
    ]);
    return `lost / tied / won, % of the sessions in which it acts, ${windowLabel}:\n\n${drawTable({ head, rows, leftColumns: [0] }, columns)}`;
  });
  return tables.join("\n\n");
}

/** Every difference to the policy's own tail and to doing nothing, and from too few owners a row for every session. */
export function differenceTables(report: BenchReport, columns: number): string {
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  return shownOf(report)
    .map((comparison) => {
      const words = wrapped(overWords(comparison), { first: "", further: "" }).join("\n");
      const isFew = (comparison.policies[0]?.owners ?? 0) < FEWEST_OWNERS;
      const sessions = isFew ? `\n\n${sessionTable(comparison, { folder, columns })}` : "";
      return `differences, ${comparison.windowLabel}:\n${words}\n\n${measureTable(comparison, columns)}${sessions}`;
    })
    .join("\n\n");
}

/** A row a policy and figure. */
function measureTable({ policies }: WindowComparison, columns: number): string {
  const rows = policies.flatMap(({ policy, differences }) => {
    const figures = [...new Set(differences.map(({ figure }) => figure))];
    return figures.map((figure, place) => {
      const against = (other: "tail" | "none") =>
        differenceText(differences.find((each) => each.figure === figure && each.against === other));
      return [place === 0 ? shortened(policy, nameChars(NAME_CHARS, columns)) : "", figure, against("tail"), against("none")];
    });
  });
  const head = [cellsOf(["policy", "", "to its own tail", "to doing nothing"])];
  return drawTable({ head, rows, leftColumns: [0, 1] }, columns);
}

const MEASURE_TITLES = ["edits", "pass.", "file", "instr.", "plan"];

/** The part that is left out of the sessions' names, and the width of the table. */
interface SessionTableOptions {
  readonly folder: string;
  readonly columns: number;
}

/** A row a session and policy: cost in per cent of doing nothing, and points of each measure over all needs. */
function sessionTable({ outcomes }: WindowComparison, { folder, columns }: SessionTableOptions): string {
  // Both names take a half of what a wide terminal has more.
  const chars = nameChars(SHORT_NAME_CHARS, COLUMNS + Math.floor((columns - COLUMNS) / 2));
  const span = MEASURE_TITLES.length;
  const center = "center" as const;
  const head = [
    [
      ...cellsOf(["", "", "cost"]),
      { content: "over its tail", span, align: center },
      { content: "over none", span, align: center },
    ],
    cellsOf(["session", "policy", "%", ...MEASURE_TITLES, ...MEASURE_TITLES]),
  ];
  const rows = sessionRows(outcomes).map(({ policy, outcome }) => [
    shortened(outcome.session.slice(folder.length), chars),
    shortened(policy, chars),
    formatPercent(100 * outcome.costRatio),
    ...(["tail", "none"] as const).flatMap((against) =>
      VECTOR.flatMap(({ isFar }, place) => (isFar ? [] : [signedPoints(pointsOver(outcome.vector[place], against))])),
    ),
  ]);
  return drawTable({ head, rows, leftColumns: [0, 1] }, columns);
}

function shownOf(report: BenchReport): readonly WindowComparison[] {
  return windowComparisons(report).filter(({ policies }) => policies.length > 0);
}

function cellsOf(contents: readonly string[]): readonly TableCell[] {
  return contents.map((content) => ({ content }));
}
