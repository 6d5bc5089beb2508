import type { TuneResult } from "@plimsoll/bench";
import { formatNumberOf, type SessionNames, settingToTake, tuneAnswer, tuneTables } from "@plimsoll/bench/extend";
import type { Policy } from "@plimsoll/core";
import { fitted, printable, wrapped } from "../terminal/printable.ts";
import { reportTable, tableRows } from "./report-table.ts";
import { tunedYaml } from "./tuned-yaml.ts";

/** The subject of the tuner's report, and how it is shown. */
interface TuneReportOptions {
  /** The policy as it is. */
  readonly current: Policy;
  readonly columns: number;
  /** Whether the tables of other caches and presets and of sessions are printed. */
  readonly full: boolean;
  readonly nameOf: SessionNames;
}

/** The sentence where no setting can matter. */
export const NOTHING_FIRES: string = fitted(
  "No session fills half of the window: no setting changes anything. Give a smaller window (--window 32k) or longer sessions.",
);

const READING =
  "cost: % of doing nothing; kept: % of what later replies needed that was still in the context word for word; older: of what was said 20k tokens back or more.";
const OTHER_SESSIONS = "All on sessions that settings were not chosen on.";
const SAME_SESSIONS = "There is one project alone: settings were chosen and judged on the same sessions.";

const MORE = "Other prompt caches, the presets' best, and each session: --full or --html FILE.";

/** Writes the tuner's results as text: the answer in five lines, its table, and the YAML to paste; all else only if it is asked for. */
export function tuneReport(results: readonly TuneResult[], { current, columns, full, nameOf }: TuneReportOptions): string {
  const [first] = results;
  if (first === undefined || first.trainSessions === 0) return NOTHING_FIRES;
  const [own, ...others] = tuneTables(results, nameOf);
  const idle =
    first.idleSessions === 0
      ? []
      : [`Left out: ${formatNumberOf(first.idleSessions, "session")} that never fill half of the window.`];
  const taken = settingToTake(first);
  return [
    [...tuneAnswer(first).flatMap((line) => wrapped(printable(line), { first: "", further: "  " })), ...idle].join("\n"),
    ...(own === undefined ? [] : [full ? reportTable(own, columns) : tableRows(own, columns)]),
    ...(full ? others.map((table) => reportTable(table, columns)) : []),
    fitted(`${READING} ${first.splitBy === "nothing" ? SAME_SESSIONS : OTHER_SESSIONS}`),
    ...(taken === null ? [] : [`# plimsoll.yaml\n${tunedYaml({ text: "", current, best: taken }).trimEnd()}`]),
    ...(full ? [] : [MORE]),
  ].join("\n\n");
}
