import type { SessionEntry } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import { numberAt, recordAt } from "./fields.ts";

/**
 * What the reports of a session's calls state as their price, in US dollars, summed; `null` where no report states one above zero (agents
 * on a subscription write zeros).
 */
export function statedCostUsd(entries: readonly SessionEntry[]): number | null {
  let sum = 0;
  for (const entry of entries) if (entry.type === "usage") sum += reportCostUsd(entry.usage.raw);
  return sum > 0 ? sum : null;
}

/** The price in one report, as a number or as the total of an object. */
function reportCostUsd(raw: unknown): number {
  const report = isRecord(raw) ? raw : null;
  return Math.max(0, numberAt(report, "cost") ?? numberAt(recordAt(report, "cost"), "total") ?? 0);
}
