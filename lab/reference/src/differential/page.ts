import type { Likeness } from "@plimsoll/bench/internal";
import type { AspectTally } from "./compared.ts";

/** The result of a likeness. */
export interface LikenessResult {
  readonly likeness: Likeness;
  /** `null` if the program is not there. */
  readonly tallies: readonly AspectTally[] | null;
}

/** Differences that are shown at most of an aspect; all are counted. */
const MOST_SHOWN = 5;

/** The comparison as Markdown: a table for each likeness, and what is declared. */
export function differentialPage(results: readonly LikenessResult[], sessions: number): string {
  const lead = [
    "# Differential",
    "",
    `Made by \`pnpm differential\` over ${sessions} session files in 64k of working room. A policy of ours is replayed, and the published program is asked`,
    "at each gate what it would do with the same messages, reports and earlier compactions. The wording of prompts and of cut marks is each one's own;",
    "everything else counts. A difference that the policy's file does not declare fails the command.",
    "",
  ];
  return `${[...lead, ...results.flatMap(section)].join("\n")}\n`;
}

function section({ likeness, tallies }: LikenessResult): readonly string[] {
  const head = [`## \`${likeness.policy}\` and ${likeness.follows}`, ""];
  if (tallies === null) return [...head, "Not run: the program is not installed, or this Node is too old for it.", ""];
  const rows = tallies.map(
    ({ aspect, compared, same, declared, undeclared }) =>
      `| ${aspect} | ${compared} | ${percent(same, compared)} | ${
        [...declared]
          .filter(([, count]) => count > 0)
          .map(([kind, count]) => `${kind} ${count}`)
          .join(", ") || "–"
      } | ${undeclared.length} |`,
  );
  const says = likeness.differences.map(({ aspect, kind, says: text }) => `- ${aspect}, \`${kind}\`: ${text}`);
  return [
    ...head,
    "| aspect | compared | the same | declared differences | others |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    ...says,
    "",
  ];
}

/** Differences that nobody declared, as lines for a person; none if all is well. */
export function undeclaredLines({ likeness, tallies }: LikenessResult): readonly string[] {
  return (tallies ?? []).flatMap(({ aspect, undeclared }) => {
    const shown = undeclared
      .slice(0, MOST_SHOWN)
      .map(({ session, call, kind }) => `${likeness.policy}: ${aspect} ${kind} at call ${call} of ${session}`);
    const more = undeclared.length - shown.length;
    return more > 0 ? [...shown, `${likeness.policy}: ${aspect}: ${more} more`] : shown;
  });
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} % (${part})`;
}
