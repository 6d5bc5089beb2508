import { type EnginePolicy, isRecord } from "@plimsoll/core/extend";
import type { WindowJudgement } from "../judge/judge.ts";
import { type KeptByRule, keptBy } from "../judge/kept-by-rules.ts";
import { windowLabel } from "../judge/window-label.ts";
import type { BenchReport } from "../results.ts";
import { formatCount, formatNumberOf } from "./figures.ts";
import type { PolicyNames } from "./policy-names.ts";

/** Says under each policy how much a person's own keep rules kept, and names the policies that compacted with equal results in every compared session. */
export function ownRuleRemarks(
  { rows, policies }: Pick<BenchReport, "rows" | "policies">,
  { standings, summaries, windowLabel: label }: Pick<WindowJudgement, "standings" | "summaries" | "windowLabel">,
  nameOf: PolicyNames,
): readonly string[] {
  const alike = new Map<string, string[]>();
  const kept = summaries.flatMap(({ policy }) => {
    const own = rows.filter((row) => row.policy === policy && windowLabel(row.window) === label);
    const key = JSON.stringify(standings.get(policy)?.units.map(({ costRatio, vector }) => [costRatio, vector]));
    if (own.some(({ compactions }) => compactions.length > 0)) alike.set(key, [...(alike.get(key) ?? []), nameOf(policy)]);
    const said = keptBy(own).map(ruleText);
    const keep = policies.find(({ name }) => name === policy)?.policy.keep ?? [];
    return said.length === 0
      ? []
      : [...said.map((text) => `${nameOf(policy)}: ${text}`), controlText(nameOf(policy), keep, keptBy(own))];
  });
  const equal = [...alike.values()].filter((names) => names.length > 1);
  return [...kept, ...equal.map((names) => `Identical results in every session: ${names.join(", ")}.`)];
}

/** The control of a rule: the newest messages, with the room of both. */
function controlText(policy: string, keep: EnginePolicy["keep"], kept: readonly KeptByRule[]): string {
  const shareOf = (kind: string) => keep.flatMap((rule) => (rule.kind === kind ? [ratioOf(rule)] : []))[0] ?? 0;
  const shares = [shareOf("recent"), ...kept.map(({ rule }) => shareOf(rule))];
  const share = shares.includes(0)
    ? "their room added"
    : `keep.recent=${Number((100 * shares.reduce((a, b) => a + b)).toPrecision(3))}%`;
  return `Any message that stays longer raises kept %: compare ${policy} with its base at ${share}.`;
}

function ratioOf(rule: object): number {
  const amount = Object.entries(rule).find(([key]) => key === "amount" || key === "atMost")?.[1];
  return isRecord(amount) && typeof amount.ratio === "number" ? amount.ratio : 0;
}

function ruleText({ rule, kept, of, times }: KeptByRule): string {
  const said = of === 0 ? "chose nothing" : `kept ${formatCount(kept)} of ${formatCount(of)} choices`;
  return `keep ${rule} ${said} in ${formatNumberOf(times, "compaction")}.`;
}
