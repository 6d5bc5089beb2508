import type { Account } from "./account.ts";
import type { Regime } from "./residuals.ts";

/** The regime of the next request. */
export function regimeOf(account: Account, modelId: string | null): Regime {
  if (account.base.kind === "nothing") return "first-call";
  if (account.base.kind === "cut") return "after-cut";
  return modelId !== null && modelId !== account.reportedModelId ? "after-switch" : "anchored";
}
