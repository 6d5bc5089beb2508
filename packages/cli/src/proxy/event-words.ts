import { formatTokens } from "@plimsoll/bench/extend";
import type { ContextEvent } from "@plimsoll/core";
import { overWords } from "@plimsoll/core/extend";
import type { EventOrigin } from "@plimsoll/providers/proxy";
import { filledWords } from "../run/event-lines.ts";

/** Characters by which a person tells conversations apart: 32 bits of a hash. Chosen. */
const ID_CHARS = 8;

/** The end of a log's id, which a person can type. */
export function shortId(sessionId: string): string {
  return sessionId.slice(-ID_CHARS);
}

/** One line of the terminal: when, in which conversation, under which model, and what; `null` for what is about no conversation. */
export function placedLine(text: string, of: EventOrigin | null, nowMs: number): string {
  const time = new Date(nowMs);
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map((each) => String(each).padStart(2, "0")).join(":");
  const place = of === null ? [] : [shortId(of.sessionId), of.modelId ?? "no model named"];
  return [clock, ...place, text].join("  ");
}

/** Says what an event of a conversation under the proxy is; `null` for what a person does not have to know. */
export function eventWords(event: ContextEvent): string | null {
  switch (event.type) {
    case "compaction-end": {
      const { tokensBefore, tokensAfter, reason } = event.entry.record;
      const left =
        event.missed === undefined
          ? ""
          : `; more than ${formatTokens(event.missed.budgetTokens)} are expected to be left, and sent all the same`;
      return `compacted (${reason}): ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens${left}`;
    }
    case "compaction-failed":
      return `compaction failed (${event.reason}), ${event.reason === "manual" ? "nothing was cut" : "sent as it is"}: ${[...new Set(event.steps.map(({ strategy, detail }) => `${strategy}: ${detail ?? "nothing to do"}`))].join("; ")}`;
    case "compaction-cancelled":
      return `no cut (${event.reason}): ${event.why === "paused" ? "cuts are paused" : "the last cut was undone"}`;
    case "compaction-off":
      return "compaction is off: the model's context window is not known; state it by --window";
    case "breaker-open":
      return `no more summaries by a model for now: ${event.why}`;
    case "summary-prepared":
      return event.outcome === "ready" ? null : "a summary that was asked for beforehand failed";
    case "reply-lowered":
      return `a reply of ${formatTokens(event.askedTokens ?? 0)} tokens leaves no room in a window of ${formatTokens(event.contextWindowTokens ?? 0)}: at most ${formatTokens(event.maxOutputTokens ?? 0)} are asked for`;
    case "window-filled":
      return filledWords(event);
    case "silent-truncation":
      return `the provider read ${formatTokens(event.reportedTokens)} tokens where about ${formatTokens(event.expectedTokens)} were sent: it cuts prompts without saying so; state its window by --window`;
    case "usage-refused":
      return `reported usage cannot be: ${formatTokens(event.reportedTokens)} tokens for about ${formatTokens(event.expectedTokens)}; sizes are estimated from now on`;
    case "context-irreducible":
      return `${overWords(event.parts) ?? `too large for a budget of ${formatTokens(event.budgetTokens)} tokens`}: nothing is left to cut`;
    case "compaction-start":
    case "summary-unused":
    case "session-repaired":
      return null;
    default:
      return event satisfies never;
  }
}
