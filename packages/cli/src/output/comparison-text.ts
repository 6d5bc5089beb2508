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
import { shortened, wrapped } from "../terminal/printable.ts";
import { drawTable, type TableCell } from "../terminal/text-table.ts";

/** Longer names are shortened, so that the tables stay within 100 columns. */
const NAME_CHARS = 21;
const SHORT_NAME_CHARS = 16;

/** Of the sessions in which each policy acts, per cent lost, tied and won: a table a window. What is lost comes first. */
export function recordTables(report: BenchReport): string {
  const tables = shownOf(report).map(({ windowLabel, policies }) => {
    const head = [
      ["", "acted", "cost against", "held against", "held against"],
      ["policy", "in", "doing nothing", "doing nothing", "its tail"],
    ].map(cellsOf);
    const rows = policies.map(({ policy, record: { acted, cost, held, heldOverTail } }) => [
      shortened(policy, NAME_CHARS),
      String(acted),
      ...[cost, held, heldOverTail].map(recordText),
    ]);
    return `lost / tied / won, % of the sessions in which it acts, ${windowLabel}:\n\n${drawTable({ head, rows, leftColumns: [0] })}`;
  });
  return tables.join("\n\n");
}

/** Every difference to the policy's own tail and to doing nothing, and from too few owners a row for every session. */
export function differenceTables(report: BenchReport): string {
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  return shownOf(report)
    .map((comparison) => {
      const words = wrapped(overWords(comparison), { first: "", further: "" }).join("\n");
      const isFew = (comparison.policies[0]?.owners ?? 0) < FEWEST_OWNERS;
      const sessions = isFew ? `\n\n${sessionTable(comparison, folder)}` : "";
      return `differences, ${comparison.windowLabel}:\n${words}\n\n${measureTable(comparison)}${sessions}`;
    })
    .join("\n\n");
}

/** A row a policy and figure. */
function measureTable({ policies }: WindowComparison): string {
  const rows = policies.flatMap(({ policy, differences }) => {
    const figures = [...new Set(differences.map(({ figure }) => figure))];
    return figures.map((figure, place) => {
      const against = (other: "tail" | "none") =>
        differenceText(differences.find((each) => each.figure === figure && each.against === other));
      return [place === 0 ? shortened(policy, NAME_CHARS) : "", figure, against("tail"), against("none")];
    });
  });
  const head = [cellsOf(["policy", "", "to its own tail", "to doing nothing"])];
  return drawTable({ head, rows, leftColumns: [0, 1] });
}

const MEASURE_TITLES = ["edits", "pass.", "file", "instr.", "plan"];

/** A row a session and policy: cost in per cent of doing nothing, and points of each measure over all needs. */
function sessionTable({ outcomes }: WindowComparison, folder: string): string {
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
    shortened(outcome.session.slice(folder.length), SHORT_NAME_CHARS),
    shortened(policy, SHORT_NAME_CHARS),
    formatPercent(100 * outcome.costRatio),
    ...(["tail", "none"] as const).flatMap((against) =>
      VECTOR.flatMap(({ isFar }, place) => (isFar ? [] : [signedPoints(pointsOver(outcome.vector[place], against))])),
    ),
  ]);
  return drawTable({ head, rows, leftColumns: [0, 1] });
}

function shownOf(report: BenchReport): readonly WindowComparison[] {
  return windowComparisons(report).filter(({ policies }) => policies.length > 0);
}

function cellsOf(contents: readonly string[]): readonly TableCell[] {
  return contents.map((content) => ({ content }));
}
