import type { BenchReport } from "@plimsoll/bench";
import {
  comparedIn,
  formatCount,
  formatNumberOf,
  formatPercent,
  originOf,
  standingOf,
  VECTOR,
  windowLabels,
} from "@plimsoll/bench/extend";
import { PRESETS } from "@plimsoll/core";
import { markdownTable } from "./calibrate/page-tables.ts";
import { sideOf } from "./protocol-stamp.ts";

/** The sides as they are shown: the side that was neither fitted on nor chosen by comes first. */
const GROUPS = [
  { title: "owners that nothing was fitted on or chosen by", sides: ["report"] },
  { title: "owners that the presets were fitted on or chosen by", sides: ["fit", "choose"] },
] as const;

/**
 * Every policy's cost and kept share, apart for the owners that presets were fitted on and for all others: over the sessions that outgrow the window
 * without compaction. The presets of ours come above the plain tail of their own size. `split` is lab/research/protocol-split.json.
 */
export function bySideSection(report: BenchReport, split: string): string {
  return ["## By side of the split", LEAD, ...sideTables(report, split)].join("\n\n");
}

/** The same in further windows: `report` is only of those. */
export function furtherRooms(report: BenchReport, split: string): string {
  return ["### Smaller and larger rooms", ROOMS_LEAD, ...sideTables(report, split)].join("\n\n");
}

function sideTables(report: BenchReport, split: string): readonly string[] {
  const acting = new Set(report.policies.flatMap(({ name, policy }) => (policy.enabled ? [name] : [])));
  return windowLabels(report).flatMap((label) => {
    const placed = [...comparedIn(report, label).standings.values()].filter(({ policy }) => acting.has(policy));
    return GROUPS.flatMap(({ title, sides }) => {
      const isOwn = ({ session }: { readonly session: string }) =>
        sides.some((side) => side === sideOf(originOf(session).owner, split));
      const own = placed.map(({ policy, units }) => standingOf(policy, units.filter(isOwn)));
      const count = own[0]?.units.length ?? 0;
      if (count === 0) return [];
      const rows = own.flatMap(rowsOf);
      return [
        `**${label}, ${formatNumberOf(count, "session")} of ${title}**\n\n${markdownTable(
          ["policy", "cost", "lost", ...MEASURES.map(({ name }) => name)],
          rows,
        )
          .join("\n")
          .trimEnd()}`,
      ];
    });
  });
}

const LEAD =
  "Over the sessions that outgrow the window without compaction. *Cost*: geometric mean, in per cent of doing nothing. *Lost*: calls that the provider refused whatever was tried. The others: per cent held, over all uses / over far ones, the mean of the sessions that have such uses. *Its tail*: the newest messages alone, at the preset's size. There are too few owners for intervals. The sides were looked at while the presets were made: other sessions decide.";

const ROOMS_LEAD =
  "The presets of ours, and the likenesses that come nearest to them, in rooms that nothing was fitted for. Where the recorded agent sent more beside its messages than the window holds, a call is lost under every policy.";

const MEASURES = VECTOR.filter(({ isFar }) => !isFar);
const OURS = new Set(PRESETS.flatMap(({ name }) => (name.startsWith("plimsoll") ? [name] : [])));

function rowsOf({ policy, shares, costPercent, lostRequests }: ReturnType<typeof standingOf>): readonly (readonly string[])[] {
  const cells = (side: "own" | "tail") =>
    MEASURES.map(({ name }) => {
      const [all, far] = [name, `older ${name}`].map(
        (measure) => shares[VECTOR.findIndex((each) => each.name === measure)]?.[side] ?? null,
      );
      return `${formatPercent(all ?? null)} / ${formatPercent(far ?? null)}`;
    });
  const own = [policy, formatPercent(costPercent), formatCount(lostRequests), ...cells("own")];
  return OURS.has(policy) ? [own, [`${policy}: its tail`, "no more", "0", ...cells("tail")]] : [own];
}
