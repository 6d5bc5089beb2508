import type { ShownFigure } from "../metrics/columns.ts";
import { CHEATS } from "./policy-choice.ts";
import type { PolicySummary } from "./policy-summary.ts";

/** Put behind a title if its measure fails in the window. */
export const FAILS = " ✗";

/** A column of a table, as far as a measure can be told by it. */
type Measured = Pick<ShownFigure, "figure" | "figureOf">;

/** The cheat that a measure ranks before every honest policy of a window; `null` if it ranks none first. */
export function cheatRankedFirst({ figure, figureOf }: Measured, summaries: readonly PolicySummary[]): string | null {
  if (figure.measure === undefined) return null;
  const ranked = summaries.flatMap(({ policy, isActing, metrics }) => {
    const value = isActing ? figureOf(metrics) : null;
    return value === null ? [] : [{ policy, value }];
  });
  const isCheat = ({ policy }: { readonly policy: string }) => CHEATS.has(policy);
  const best = Math.max(...ranked.filter((each) => !isCheat(each)).map(({ value }) => value));
  const [first] = ranked.filter((each) => isCheat(each) && each.value > best).toSorted((a, b) => b.value - a.value);
  return Number.isFinite(best) ? (first?.policy ?? null) : null;
}

/** Says of each measure of the columns where it fails; nothing if none does. */
export function failureNotes(columns: readonly Measured[], summaries: readonly PolicySummary[]): readonly string[] {
  const failed = columns.flatMap((column) => {
    const cheat = cheatRankedFirst(column, summaries);
    return cheat === null ? [] : [`${column.figure.measure} (${cheat})`];
  });
  if (failed.length === 0) return [];
  return [
    `${FAILS.trim()} This measure fails here, as it ranks a policy that is made to cheat first: ${[...new Set(failed)].join(", ")}.`,
  ];
}
