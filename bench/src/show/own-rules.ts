import type { WindowJudgement } from "../judge/judge.ts";
import { windowLabel } from "../judge/window-label.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { formatCount, formatNumberOf } from "./figures.ts";
import type { PolicyNames } from "./policy-names.ts";

const CHOICE = /^keep (.+): (?:(\d+) of (\d+) kept|chose nothing)/;

/** Says under each policy how much a person's own keep rules kept, and names the policies that compacted with equal results in every compared session. */
export function ownRuleRemarks(
  { rows }: Pick<BenchReport, "rows">,
  { standings, summaries, windowLabel: label }: Pick<WindowJudgement, "standings" | "summaries" | "windowLabel">,
  nameOf: PolicyNames,
): readonly string[] {
  const alike = new Map<string, string[]>();
  const kept = summaries.flatMap(({ policy }) => {
    const own = rows.filter((row) => row.policy === policy && windowLabel(row.window) === label);
    const key = JSON.stringify(standings.get(policy)?.units.map(({ costRatio, vector }) => [costRatio, vector]));
    if (own.some(({ compactions }) => compactions.length > 0)) alike.set(key, [...(alike.get(key) ?? []), nameOf(policy)]);
    return keptBy(own).map((text) => `${nameOf(policy)}: ${text}`);
  });
  const equal = [...alike.values()].filter((names) => names.length > 1);
  return [...kept, ...equal.map((names) => `Identical results in every session: ${names.join(", ")}.`)];
}

function keptBy(rows: readonly Pick<ReplayRow, "compactions">[]): readonly string[] {
  const rules = new Map<string, { readonly kept: number; readonly of: number; readonly times: number }>();
  for (const step of rows.flatMap(({ compactions }) => compactions.flatMap(({ steps }) => steps))) {
    const [, rule, kept = 0, of = 0] = CHOICE.exec(step) ?? [];
    if (rule === undefined) continue;
    const sum = rules.get(rule) ?? { kept: 0, of: 0, times: 0 };
    rules.set(rule, { kept: sum.kept + Number(kept), of: sum.of + Number(of), times: sum.times + 1 });
  }
  return [...rules].map(([rule, { kept, of, times }]) => {
    const said = of === 0 ? "chose nothing" : `kept ${formatCount(kept)} of ${formatCount(of)} choices`;
    return `keep ${rule} ${said} in ${formatNumberOf(times, "compaction")}.`;
  });
}
