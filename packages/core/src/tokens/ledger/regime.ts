import type { Account } from "./account.ts";
import type { Regime } from "./residuals.ts";

/** The regime of the next request. */
export function regimeOf(account: Account, modelId: string | null): Regime {
  if (account.base.kind === "nothing") return "first-call";
  if (modelId !== null && modelId !== account.reportedModelId) return "after-switch";
  return account.base.kind === "cut" ? "after-cut" : "anchored";
}
