import { type EnginePolicy, isRecord } from "@plimsoll/core/extend";
import type { WindowJudgement } from "../judge/judge.ts";
import { type KeptByRule, keptBy } from "../judge/kept-by-rules.ts";
import type { SessionStanding, Standing } from "../judge/standing.ts";
import { windowLabel } from "../judge/window-label.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { maximumOf, meanOf } from "../statistics.ts";
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
    const against =
      now === undefined || base === undefined || now === base ? [] : [againstText(now, base, nameOf), betterIn(now, base)];
    const before = rows.filter((row) => row.policy === control && windowLabel(row.window) === label);
    const said = [
      ...counts.map((count) => ruleText(count, own.length)),
      ...addedText(own, before, { control, ruled }),
      ...against,
    ];
    return [`${nameOf(policy)}: ${said.join(" ")}`];
  });
  const equal = [...alike.values()].filter((names) => names.length > 1);
  return [...kept, ...equal.map((names) => `Identical results in every session: ${names.join(", ")}.`)];
}

/** Counts the sessions that kept more, less and as much as without the rules: the gain of one session alone is luck. */
function betterIn({ units }: Standing, base: Standing): string {
  const keptIn = (unit: SessionStanding | undefined) => meanOf(unit?.vector.flatMap(({ own }) => own ?? []) ?? []) ?? 0;
  const ahead = units.map((unit, place) => Math.sign(keptIn(unit) - keptIn(base.units[place])));
  const count = (sign: number) => ahead.filter((each) => each === sign).length;
  return `Kept more in ${formatNumberOf(count(1), "session")}, less in ${count(-1)}, as much in ${count(0)}.`;
}

/** Says how often the rules made a difference wherever both policies compacted the same context, by how many tokens, and names the control of that size. */
function addedText(
  own: readonly ReplayRow[],
  before: readonly ReplayRow[],
  { control, ruled }: { readonly control: string; readonly ruled: EnginePolicy },
): readonly string[] {
  const left = new Map(before.flatMap(sizesLeft));
  const added = own.flatMap((row) =>
    sizesLeft(row).flatMap(([key, { tokens, room }]) => {
      const than = left.get(key);
      return than === undefined ? [] : [{ tokens: tokens - than.tokens, share: (tokens - than.tokens) / room }];
    }),
  );
  if (added.length === 0) return [];
  const [mean, most] = [meanOf, maximumOf].map((of) => formatTokens(of(added.map(({ tokens }) => tokens))));
  const recent = roomRatio(ruled.keep, "recent");
  const ratio = recent + (meanOf(added.map(({ share }) => share)) ?? 0);
  const fair = recent === 0 || ratio <= recent ? "" : ` As many newest messages: ${control} keep.recent=${percentOf(ratio)}.`;
  const changed = formatCount(added.filter(({ tokens }) => tokens !== 0).length);
  const all = formatNumberOf(own.flatMap(({ compactions }) => compactions).length, "compaction");
  const same = `Of its ${all}, ${formatCount(added.length)} began from a context that ${control} compacted, too; it changed ${changed} of these`;
  return [`${same}. Tokens added to them: ${mean} on average, ${most} at most.${fair}`];
}

/** By the context before it, the tokens that a compaction left, and the room for messages. */
const sizesLeft = ({ session, compactions, inputBudgetTokens, overheadTokens }: ReplayRow) =>
  compactions.map(({ call, tokensBefore, tokensAfter }) => {
    const size = { tokens: tokensAfter ?? 0, room: inputBudgetTokens - overheadTokens };
    return [`${session} ${call} ${tokensBefore}`, size] as const;
  });

const percentOf = (ratio: number) => `${Number((100 * ratio).toPrecision(3))}%`;

/** A rule's share of the room for messages; 0 for any other amount. */
function roomRatio(keep: EnginePolicy["keep"], kind: string): number {
  const amount = Object.entries(keep.find((each) => each.kind === kind) ?? {}).find(([key]) => key === "amount")?.[1];
  return isRecord(amount) && typeof amount.ratio === "number" && amount.of === "room" ? amount.ratio : 0;
}

function ruleText({ rule, kept, of, beyond, times, chose }: KeptByRule, sessions: number): string {
  const all = `${formatNumberOf(times, "compaction")} of all ${formatNumberOf(sessions, "session")}`;
  if (of === 0) return `keep ${rule} chose nothing in ${all}.`;
  const roomless = of - kept - beyond;
  const gone = [
    roomless > 0 && `no space for ${formatCount(roomless)}`,
    beyond > 0 && `${formatCount(beyond)} beyond its amount`,
  ];
  const lost = gone.some(Boolean) ? ` (${gone.filter(Boolean).join(", ")})` : "";
  return `keep ${rule} chose in ${formatCount(chose)} of ${all}; ${formatCount(kept)} of ${formatCount(of)} choices stayed${lost}.`;
}
