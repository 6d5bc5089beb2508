import type { RetentionCount } from "../results.ts";
import { formatCount, formatRatioPercent, formatTokens, ratioOf } from "./figures.ts";
import type { FigureColumn } from "./html-figure-table.ts";
import { BASELINE_POLICY, type PolicySummary } from "./policy-summary.ts";

type Column = FigureColumn<PolicySummary>;

const replayed = (title: string, figure: Column["figure"]): Column => ({ group: "replayed", title, figure });
const economy = (title: string, figure: Column["figure"]): Column => ({ group: "size", title, figure });
const retention = (title: string, figure: Column["figure"]): Column => ({ group: "retention at use, %", title, figure });
const safety = (title: string, figure: Column["figure"]): Column => ({ group: "safety", title, figure });

/** A column of a count of which each is a failure. */
const failures = (title: string, count: (summary: PolicySummary) => number): Column => ({
  ...safety(title, (summary) => formatCount(count(summary))),
  isBad: (summary) => count(summary) > 0,
});

/** Share of the uses, as percent. */
export function shareOfUses(count: RetentionCount, part: Exclude<keyof RetentionCount, "uses">): string {
  return formatRatioPercent(ratioOf(count[part], count.uses));
}

/** Columns of the table that compares policies: size, the headline of retention, and safety. */
export const POLICY_COLUMNS: readonly Column[] = [
  replayed("fired in sessions", (s) => `${s.firedSessions} of ${s.sessions}`),
  replayed("calls", (s) => formatCount(s.safety.calls)),
  economy("prompt tokens", (s) => formatTokens(s.economy.promptTokens)),
  economy(`% of ${BASELINE_POLICY}, mean`, (s) => formatRatioPercent(s.relative?.geometricMeanRatio ?? null)),
  economy(`% of ${BASELINE_POLICY}, pooled`, (s) => formatRatioPercent(s.relative?.pooledRatio ?? null)),
  economy("peak tokens", (s) => formatTokens(s.economy.peakPromptTokens)),
  economy("compac-tions", (s) => formatCount(s.economy.compactions)),
  economy("margin spent, %", (s) => formatRatioPercent(s.economy.marginSpentRatio)),
  economy("failed", (s) => formatCount(s.economy.failedCompactions)),
  retention("recall, all", (s) => shareOfUses(s.retention.all, "recalled")),
  retention("recall, far", (s) => shareOfUses(s.retention.far, "recalled")),
  retention("source, all", (s) => shareOfUses(s.retention.all, "sourceEvidenced")),
  retention("source, far", (s) => shareOfUses(s.retention.far, "sourceEvidenced")),
  failures("over-flows", (s) => s.safety.overflowingRequests),
  failures("not re-covered", (s) => s.safety.unrecoveredRequests),
  failures("invalid", (s) => s.safety.invalidRequests),
  failures("irre-ducible", (s) => s.safety.irreducibleRequests),
  safety("emer-gency", (s) => formatCount(s.safety.emergencyCompactions)),
  safety("smallest headroom", (s) => formatTokens(s.safety.smallestHeadroomTokens)),
];
