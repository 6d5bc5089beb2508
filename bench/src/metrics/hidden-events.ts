import type { SizeModel } from "../size-model.ts";

/** What can happen to a prompt without a message that explains it. */
export type HiddenEvent = "none" | "drop" | "jump" | "after-boundary" | "model-switch";

/** A rise beside the messages from this on is an event of its own (a server-side search adds 11,000 or more). Chosen. */
const LEAST_JUMP_TOKENS = 2000;

/** For each call what happened before it that the log does not show, by what the reports say. */
export function hiddenEvents({ calls, accountTokens }: Pick<SizeModel, "calls" | "accountTokens">): readonly HiddenEvent[] {
  return calls.map((call, index): HiddenEvent => {
    if (call.epochStart === "boundary") return "after-boundary";
    if (call.epochStart === "model") return "model-switch";
    const before = calls[index - 1];
    if (before === undefined || call.reportedTokens === null || before.reportedTokens === null) return "none";
    if (call.reportedTokens < before.reportedTokens) return "drop";
    const riseTokens = accountTokens(index, "recorded") - accountTokens(index - 1, "recorded");
    return riseTokens >= LEAST_JUMP_TOKENS ? "jump" : "none";
  });
}
