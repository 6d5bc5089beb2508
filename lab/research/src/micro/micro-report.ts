import type { MeasuredComparison } from "./comparison.ts";
import type { MemoryPerMessage } from "./memory.ts";
import type { Spread } from "./spread.ts";
import type { WorkFigures } from "./work-figures.ts";

/** Everything that one run measured. Work is the same on every machine; ratios and bytes are of this one run. */
export interface MicroReport {
  readonly node: string;
  /** How often each comparison was made. */
  readonly rounds: number;
  readonly work: WorkFigures | null;
  readonly memory: readonly (MemoryPerMessage & { readonly policy: string })[];
  readonly comparisons: readonly MeasuredComparison[];
}

/** The report as text: one table of ratios, and under it what is not a ratio. */
export function microReportText({ rounds, work, memory, comparisons }: MicroReport): string {
  const notes = [...new Set(comparisons.flatMap(({ unlike }) => unlike ?? []))];
  const rows = comparisons.map(({ group, slow, fast, ratio, unlike }) => {
    const note = unlike === null ? "" : ` [${notes.indexOf(unlike) + 1}]`;
    return [group, `${slow}${note}`, fast, times(ratio.median), `${times(ratio.least)} to ${times(ratio.most)}`];
  });
  return [
    `How many times as long the first takes as the second: the middle of ${rounds} rounds in this run, and the smallest and largest.`,
    "",
    ...table(["", "this", "against", "times", "rounds"], rows),
    ...notes.map((note, index) => `[${index + 1}] ${note}`),
    ...(work === null ? [] : ["", ...workLines(work)]),
    ...memory.map(
      ({ policy, entriesBytes, managerBytes }) =>
        `${policy}: ${bytes(entriesBytes)} bytes a message in the log, ${bytes(managerBytes)} in the context manager besides`,
    ),
    "",
  ].join("\n");
}

function workLines({ policies, trims }: WorkFigures): readonly string[] {
  return [
    "Work, the same on every machine:",
    ...policies.map(
      ({ policy, messageCount, gate, step, planCharacters, sessionCharacters }) =>
        `${policy} at ${messageCount} messages: a quiet gate reads ${gate.charactersScanned} characters, a step more ${step.charactersScanned}, a plan ${planCharacters} of ${sessionCharacters}`,
    ),
    ...trims.map(
      ({ messageCount, sessionCharacters, langChainCharacters, plimsollCharacters }) =>
        `cutting ${messageCount} messages of ${sessionCharacters} characters to half: trimMessages counts ${langChainCharacters}, drop-oldest ${plimsollCharacters}`,
    ),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column >= 3 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join("  ");
  return [line(head), widths.map((width) => "─".repeat(width)).join("──"), ...rows.map(line)];
}

/** Three digits are more than a run is good for. */
function times(ratio: number): string {
  return ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(3);
}

function bytes({ median, least, most }: Spread): string {
  return `${median.toFixed(0)} (${least.toFixed(0)} to ${most.toFixed(0)})`;
}
