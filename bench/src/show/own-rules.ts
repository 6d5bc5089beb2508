import { type EnginePolicy, isRecord } from "@plimsoll/core/extend";
import type { WindowJudgement } from "../judge/judge.ts";
import { type KeptByRule, keptBy } from "../judge/kept-by-rules.ts";
import { windowLabel } from "../judge/window-label.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { isSamePolicy, withoutOwnRules } from "../sweep/grid.ts";
import { formatCount, formatNumberOf, formatTokens } from "./figures.ts";
import type { PolicyNames } from "./policy-names.ts";
import { againstText } from "./verdict.ts";

/** Says under each policy how much a person's own keep rules kept, and names the policies that compacted with equal results in every compared session. */
export function ownRuleRemarks(
  { rows, policies }: Pick<BenchReport, "rows" | "policies">,
  { standings, summaries, windowLabel: label }: Pick<WindowJudgement, "standings" | "summaries" | "windowLabel">,
  nameOf: PolicyNames,
): readonly string[] {
  const alike = new Map<string, string[]>();
  const kept = summaries.flatMap(({ policy }) => {
    const own = rows.filter((row) => row.policy === policy && windowLabel(row.window) === label && row.metrics !== null);
    const now = standings.get(policy);
    const key = JSON.stringify(now?.units.map(({ costRatio, vector }) => [costRatio, vector]));
    if (own.some(({ compactions }) => compactions.length > 0)) alike.set(key, [...(alike.get(key) ?? []), nameOf(policy)]);
    const counts = keptBy(own);
    const ruled = policies.find(({ name }) => name === policy)?.policy;
    if (counts.length === 0 || ruled === undefined) return [];
    const bare = withoutOwnRules(ruled);
    const control = policies.find((other) => other.name !== policy && isSamePolicy(other.policy, bare))?.name ?? bare.name;
    const base = standings.get(control);
    const against = now === undefined || base === undefined || now === base ? [] : [againstText(now, base, nameOf)];
    const said = [...counts.map((count) => ruleText(count, ruled.keep, own)), ...against].join(" ");
    return [`${nameOf(policy)}: ${said}`, sizeControl(control, ruled.keep, counts)];
  });
  const equal = [...alike.values()].filter((names) => names.length > 1);
  return [...kept, ...equal.map((names) => `Identical results in every session: ${names.join(", ")}.`)];
}

/** A control of equal size: as much more of the newest messages in the rule's place. */
function sizeControl(control: string, keep: EnginePolicy["keep"], kept: readonly KeptByRule[]): string {
  const ratios = ["recent", ...kept.map(({ rule }) => rule)].map((kind) => roomRatio(keep, kind));
  const ratio = ratios.includes(0) ? 0 : ratios.reduce((a, b) => a + b);
  const recent = ratio > 0 && ratio <= 1 ? ` keep.recent=${percentOf(ratio)}` : " and as much more keep.recent";
  return `Any message that stays longer raises kept %: compare it with ${control}${recent}, too.`;
}

const percentOf = (ratio: number) => `${Number((100 * ratio).toPrecision(3))}%`;

/** A rule's share of the room for messages; 0 for any other amount. */
function roomRatio(keep: EnginePolicy["keep"], kind: string): number {
  const rule = keep.find((each) => each.kind === kind) ?? {};
  const amount = Object.entries(rule).find(([key]) => key === "amount" || key === "atMost")?.[1];
  return isRecord(amount) && typeof amount.ratio === "number" && amount.of === "room" ? amount.ratio : 0;
}

function ruleText(
  { rule, kept, of, beyond, times, chose }: KeptByRule,
  keep: EnginePolicy["keep"],
  own: readonly ReplayRow[],
): string {
  const all = `${formatNumberOf(times, "compaction")} of all ${formatNumberOf(own.length, "session")}`;
  if (of === 0) return `keep ${rule} chose nothing in ${all}.`;
  const roomless = of - kept - beyond;
  const gone = [
    roomless > 0 && `no space for ${formatCount(roomless)}`,
    beyond > 0 && `${formatCount(beyond)} beyond its amount`,
  ];
  const lost = gone.some(Boolean) ? ` (${gone.filter(Boolean).join(", ")})` : "";
  const ratio = roomRatio(keep, rule);
  const roomTokens = Math.max(...own.map(({ inputBudgetTokens, overheadTokens }) => inputBudgetTokens - overheadTokens));
  const share = `${percentOf(ratio)} is of the space for messages, or of all messages if fewer: at most ${formatTokens(ratio * roomTokens)}.`;
  const said = `keep ${rule} chose in ${formatCount(chose)} of ${all} and kept ${formatCount(kept)} of ${formatCount(of)} choices${lost}.`;
  return ratio === 0 ? said : `${said} Its ${share}`;
}
