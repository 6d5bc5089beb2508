import type { BenchReport, SkippedInput } from "@plimsoll/bench";
import { formatCount, formatNumberOf, groupNotes } from "@plimsoll/bench";
import { printable, shortened } from "../terminal/printable.ts";

/** Longer places are shortened in notes; errors have them in full. */
const PLACE_CHARS = 60;

/** What is said below the tables: what is missing, what importers met, and how far the figures reach. */
export function footerLines(report: BenchReport, notSessions: readonly string[]): readonly string[] {
  return [
    ...skippedLines(report),
    ...notSessionLines(notSessions),
    ...noteLines(report),
    "Open loop: recorded replies do not react to compaction; the figures say nothing about task success.",
  ];
}

function skippedLines({ skipped }: BenchReport): readonly string[] {
  if (skipped.length === 0) return [];
  return [
    `Skipped ${formatNumberOf(skipped.length, "input")}:`,
    ...skipped.map((input) => `  ${printable(skippedLine(input))}`),
  ];
}

/** Most reasons name the file and the line themselves. */
function skippedLine({ file, reason }: SkippedInput): string {
  return reason.startsWith(file) ? reason : `${file}: ${reason}`;
}

function notSessionLines(notSessions: readonly string[]): readonly string[] {
  if (notSessions.length === 0) return [];
  const [first = ""] = notSessions;
  const others = notSessions.length === 1 ? "" : ` and ${formatNumberOf(notSessions.length - 1, "other")}`;
  return [`Not a session, left out: ${printable(first)}${others}.`];
}

/** One line a kind of note; the HTML report has them by file. */
function noteLines({ notes }: BenchReport): readonly string[] {
  const groups = groupNotes(notes);
  const codes = [...new Set(groups.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const ofCode = groups.filter((group) => group.code === code);
    const [first] = ofCode;
    if (first === undefined) return [];
    const times = ofCode.reduce((sum, { count }) => sum + count, 0);
    const place = shortened(first.firstLine === null ? first.file : `${first.file}:${first.firstLine}`, PLACE_CHARS);
    const where = times === 1 ? "" : `${formatCount(times)} times in ${formatNumberOf(ofCode.length, "file")}, first `;
    return [`Note: ${code}: ${where}${place}: ${printable(first.text)}`];
  });
}
