import type { BenchReport } from "@plimsoll/bench";
import {
  cacheValidities,
  commonFolder,
  dollarLines,
  formatCount,
  formatNumberOf,
  formatPercent,
  formatTokens,
  formatUsd,
  groupNotes,
  isAboutUnread,
  medianErrorPercent,
  type NoteGroup,
  recordedUsdLines,
  type SkippedInput,
  type SummaryTally,
  windowCounts,
} from "@plimsoll/bench/internal";
import { fitted, printable, shortened, wrapped } from "../terminal/printable.ts";

/** Longer places are shortened in notes; errors have them in full. */
const PLACE_CHARS = 60;

/** So many files are named for each kind of note (chosen: a screen has room for what matters). */
const FILES_A_CODE = 4;

const OPEN_LOOP = "Open loop: recorded replies do not react to compaction; the figures say nothing about task success.";

/** Writes the lines below the tables: missing parts, notes of importers, and how far the figures reach. */
export function footerLines(report: BenchReport, notSessions: readonly string[]): readonly string[] {
  return [
    ...skippedLines(report),
    ...notSessionLines(notSessions),
    ...noteLines(report),
    ...recordedUsdLines(report).flatMap((line) => wrapped(line, { first: "", further: "" })),
    ...(report.rows.some(({ metrics }) => metrics !== null) ? wrapped(OPEN_LOOP, { first: "", further: "" }) : []),
  ];
}

function skippedLines({ skipped }: BenchReport): readonly string[] {
  if (skipped.length === 0) return [];
  return [
    `Skipped ${formatNumberOf(skipped.length, "input")}:`,
    ...skipped.map((input) => fitted(`  ${printable(skippedLine(input))}`)),
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
  return [fitted(`Not a session, left out: ${printable(first)}${others}.`)];
}

/** One line a file and kind of note, and one for the files beyond the first few; the reports have them all. */
function noteLines({ notes }: BenchReport): readonly string[] {
  const groups = groupNotes(notes.filter((note) => !isAboutUnread(note)));
  const codes = [...new Set(groups.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const ofCode = groups.filter((group) => group.code === code);
    const moreFiles = ofCode.length - FILES_A_CODE;
    const more =
      moreFiles > 0 ? [`Note: ${code} in ${formatNumberOf(moreFiles, "more file")}; --html and --json have them all`] : [];
    return [...ofCode.slice(0, FILES_A_CODE).map(noteLine), ...more].map(fitted);
  });
}

function noteLine({ file, code, count, firstLine, text }: NoteGroup): string {
  const place = shortened(firstLine === null ? file : `${file}:${firstLine}`, PLACE_CHARS);
  const times = count === 1 ? "" : ` (the first of ${formatCount(count)})`;
  return `Note: ${place}: ${code}: ${printable(text)}${times}`;
}

/** The cause is next to it. */
const SESSION_CHARS = 40;

/** How well dollars and cache reads match what the recordings report, in which recordings they do not, and which real windows were taken. */
export function validityLines(report: BenchReport): readonly string[] {
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const short = (session: string) => shortened(session.slice(folder.length), SESSION_CHARS);
  const shown = [...dollarLines(report, short), ...readLines(report, short), ...windowCounts(report)];
  return shown.map(printable);
}

function readLines(report: BenchReport, short: (session: string) => string): readonly string[] {
  const validities = cacheValidities(report);
  if (validities.length === 0) return [];
  const median = formatPercent(medianErrorPercent(validities));
  const explained = validities.flatMap(({ session, errorPercent, cause }) =>
    cause === null ? [] : [`  ${short(session)}: ${formatPercent(errorPercent)} %, ${cause}`],
  );
  return [`cache reads against ${formatNumberOf(validities.length, "recording")}: median error ${median} %`, ...explained];
}

/** Estimates the requests of a run, before it sends any. */
export function summaryEstimate(name: string, tally: SummaryTally): string {
  const there = tally.fromCassette === 0 ? "" : `; ${formatCount(tally.fromCassette)} are in the cassette`;
  if (tally.asked === 0) return `summaries by ${name}: nothing to send${there}`;
  return `summaries by ${name}: about ${sizeOf(tally)}${there}`;
}

/** Says how much a run has sent and paid. */
export function summaryBill(name: string, tally: SummaryTally): string {
  const there = `${formatNumberOf(tally.fromCassette, "answer")} from the cassette`;
  if (tally.asked === 0) return `summaries by ${name}: nothing was sent, nothing paid; ${there}`;
  return `summaries by ${name}: sent ${sizeOf(tally)}; ${there}`;
}

function sizeOf({ asked, promptTokens, replyTokens, usd }: SummaryTally): string {
  const dollars = usd === null ? "at a price that is not known (--prices)" : `for $${formatUsd(usd)}`;
  return `${formatNumberOf(asked, "request")} with ${formatTokens(promptTokens)} prompt and ${formatTokens(replyTokens)} reply tokens ${dollars}`;
}
