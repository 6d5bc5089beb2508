import type { UsageEntry } from "../../entry.ts";
import type { ClassCounts } from "../char-classes.ts";
import type { Ledger } from "../ledger.ts";
import type { ModelPriors } from "../model-prior.ts";
import { EMPTY_ACCOUNT } from "./account.ts";
import { modelOf } from "./fold-account.ts";
import { arrivalOf } from "./next-prompt.ts";

/** What some messages came to, as the difference of two reports: what weights are fitted on. */
export interface Measured {
  readonly modelId: string;
  readonly counts: ClassCounts;
  readonly messages: number;
  readonly tokens: number;
}

/** What a report measures before it is folded; `null` where it is no plain rise by text: the first, after a cut, at a turn or with images. */
export function measuredBy(ledger: Ledger, { modelId, usage }: UsageEntry, priors: ModelPriors): Measured | null {
  const account = ledger.account ?? EMPTY_ACCOUNT;
  const { base, pending } = account;
  const promptTokens = usage.input.totalTokens;
  if (promptTokens === null || base.kind !== "report" || account.reportedModelId !== modelId) return null;
  if (account.pendingHuman || pending.fixedTokens > 0 || pending.messages === 0) return null;
  const { returnedTokens } = arrivalOf(account, modelOf(account, modelId, priors));
  const tokens = promptTokens - base.promptTokens - returnedTokens;
  return tokens > 0 ? { modelId, counts: pending.counts, messages: pending.messages, tokens } : null;
}
