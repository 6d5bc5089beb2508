/** The sums of a row over the replayed sessions. */
export interface Total {
  readonly calls: number;
  readonly compactions: number;
  readonly overflows: number;
  readonly lost: number;
  readonly promptTokens: number;
}

/** A published program, and the likeness of it that the bench has; `null` if there is none. */
export interface ProgramRow {
  readonly program: string;
  /** The package and version that ran, as `name@version`. */
  readonly runs: string;
  readonly total: Total;
  readonly likeness: { readonly name: string; readonly total: Total } | null;
}

/** The subject of the rows. */
export interface RowsOf {
  readonly sessions: number;
  readonly files: number;
  readonly room: string;
}

/** How the section begins. */
const SECTION_TITLE = "## Programs and our likenesses of them";

const COLUMNS = ["", "compactions", "overflows", "calls lost", "prompt tokens"] as const;

/** The section as Markdown: the program's own row is the one to quote, its likeness and the difference stand below it; who loses most calls first. */
export function programSection(rows: readonly ProgramRow[], { sessions, files, room }: RowsOf): string {
  const sorted = rows.toSorted((a, b) => b.total.lost - a.total.lost);
  return [
    SECTION_TITLE,
    "",
    `Made by \`pnpm results --only programs\`: ${sessions} sessions of ${files} recorded files in ${room} of working room. The published code runs in the`,
    "replay in our engine's place, and may overflow and lose calls; the stand-in for a model's summaries is everybody's. Where a program runs, its row is the",
    "one to quote. The likeness is our policy as published, without what our engine adds. `pnpm differential` says where the two part.",
    "",
    `| ${COLUMNS.join(" | ")} |`,
    `|${"---|".repeat(COLUMNS.length)}`,
    ...sorted.flatMap(rowsOf),
  ].join("\n");
}

function rowsOf({ program, runs, total, likeness }: ProgramRow): readonly string[] {
  const own = row(`**${program}**, ${runs}`, total);
  if (likeness === null) return [own];
  const { name, total: ours } = likeness;
  const difference = [
    signed(ours.compactions - total.compactions),
    signed(ours.overflows - total.overflows),
    signed(ours.lost - total.lost),
    total.promptTokens === 0
      ? "–"
      : `${signed(Math.round((1000 * (ours.promptTokens - total.promptTokens)) / total.promptTokens) / 10)} %`,
  ];
  return [own, row(name, ours), `| likeness − program | ${difference.join(" | ")} |`];
}

function row(name: string, { compactions, overflows, lost, promptTokens }: Total): string {
  return `| ${name} | ${compactions} | ${overflows} | ${lost} | ${(promptTokens / 1e6).toFixed(1)}M |`;
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : `${value}`.replace("-", "−");
}
