import { policySchema, triggerTokens } from "@plimsoll/core/build";
import type { ReplayRow } from "../results.ts";

/** Where a policy's trigger stands in a window, in tokens; `null` for policies that never act by themselves, or always. */
export type TriggerLine = (limits: Pick<ReplayRow, "contextWindowTokens" | "inputBudgetTokens">) => number | null;

/** The trigger's line of a policy of the report. */
export function triggerLine(policy: unknown): TriggerLine {
  const parsed = policySchema.safeParse(policy);
  if (!parsed.success || !parsed.data.enabled) return () => null;
  const { trigger } = parsed.data;
  return ({ contextWindowTokens, inputBudgetTokens }) => {
    const tokens = triggerTokens(trigger, { windowTokens: contextWindowTokens, inputBudgetTokens });
    return Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : null;
  };
}
