import type { BenchReport } from "@plimsoll/bench";
import type { SkippedInput } from "@plimsoll/bench/internal";
import { formatCount, formatNumberOf, groupNotes, type NoteGroup } from "@plimsoll/bench/internal";
import { printable, shortened } from "../terminal/printable.ts";

/** Longer places are shortened in notes; errors have them in full. */
const PLACE_CHARS = 60;

/** So many files are named for each kind of note (chosen: a screen has room for what matters). */
const FILES_A_CODE = 4;

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

/** One line a file and kind of note, and one for the files beyond the first few; the reports have them all. */
function noteLines({ notes }: BenchReport): readonly string[] {
  const groups = groupNotes(notes);
  const codes = [...new Set(groups.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const ofCode = groups.filter((group) => group.code === code);
    const moreFiles = ofCode.length - FILES_A_CODE;
    const more =
      moreFiles > 0 ? [`Note: ${code} in ${formatNumberOf(moreFiles, "more file")}; --html and --json have them all`] : [];
    return [...ofCode.slice(0, FILES_A_CODE).map(noteLine), ...more];
  });
}

function noteLine({ file, code, count, firstLine, text }: NoteGroup): string {
  const place = shortened(firstLine === null ? file : `${file}:${firstLine}`, PLACE_CHARS);
  const times = count === 1 ? "" : ` (the first of ${formatCount(count)})`;
  return `Note: ${place}: ${code}: ${printable(text)}${times}`;
}
