import type { Amount } from "@plimsoll/core";
import { policySchema } from "@plimsoll/core/build";
import { formatCount } from "./figures.ts";

/** When a policy of the report acts, e.g. `at 75 % of the input budget`; `null` for policies that never act by themselves. */
export function triggerWords(policy: unknown): string | null {
  const parsed = policySchema.safeParse(policy);
  if (!parsed.success || !parsed.data.enabled) return null;
  const { trigger } = parsed.data;
  return "atLeast" in trigger ? `at ${amountWords(trigger.atLeast)}` : `above ${amountWords(trigger.above)}`;
}

function amountWords(amount: Amount): string {
  if ("tokens" in amount) return `${formatCount(amount.tokens)} tokens`;
  if ("ratio" in amount) return ratioWords(amount.ratio, amount.of === "window" ? "the window" : "the input budget");
  if ("min" in amount) return `the smaller of ${amount.min.map(amountWords).join(" and ")}`;
  if ("max" in amount) return `the larger of ${amount.max.map(amountWords).join(" and ")}`;
  if ("windowAbove" in amount)
    return `${amountWords(amount.above)} (in windows up to ${formatCount(amount.windowAbove)} tokens ${amountWords(amount.upTo)})`;
  return amount.minus.map(amountWords).join(" less ");
}

function ratioWords(ratio: number, whole: string): string {
  return ratio === 1 ? whole : `${Number((100 * ratio).toPrecision(4))} % of ${whole}`;
}
