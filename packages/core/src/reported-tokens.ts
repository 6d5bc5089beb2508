import type { SessionEntry } from "./entry.ts";
import type { StopReason } from "./message/message.ts";
import { UNREPORTED_USAGE, type Usage } from "./usage.ts";

/** Reported tokens of a session's calls. What is not reported counts as nothing. */
export interface ReportedTokens {
  /** Prompt of the newest call: what the context measures. */
  readonly currentContextTokens: number;
  /** Prompts and replies of all calls: each call reads the whole context again, so this says what was paid, never how full the window is. */
  readonly totalTokens: number;
}

/** The totals over a log. */
export function reportedTokens(entries: Iterable<SessionEntry>): ReportedTokens {
  let totals: ReportedTokens = { currentContextTokens: 0, totalTokens: 0 };
  for (const entry of entries) {
    if (entry.type !== "usage") continue;
    const { input, output } = entry.usage;
    totals = {
      currentContextTokens: input.totalTokens ?? totals.currentContextTokens,
      totalTokens: totals.totalTokens + (input.totalTokens ?? 0) + (output.totalTokens ?? 0),
    };
  }
  return totals;
}

/**
 * The usage to log for a call that ended so: one that was aborted or failed did not measure the context, whatever it reported, and leaves
 * the last good report standing.
 */
export function measuredUsage(usage: Usage, stopReason: StopReason | null): Usage {
  return stopReason === "aborted" || stopReason === "error" ? UNREPORTED_USAGE : usage;
}

/**
 * True if the provider reported a prompt larger than the window: it cut the prompt without saying so, and the context has to shrink
 * before the next call.
 */
export function isSilentOverflow(usage: Usage, windowTokens: number | null): boolean {
  const promptTokens = usage.input.totalTokens;
  return windowTokens !== null && promptTokens !== null && promptTokens > windowTokens;
}
