import type { ContextEvent } from "../session/events.ts";
import { compactionAttributes, summaryUsages } from "./attributes.ts";
import { endFailed, type OpenSpans, startSpan, type TelemetryParts } from "./open-spans.ts";

/** Tells of a context: a span a compaction, and events on the run for what else happens to it. */
export function tellContext(parts: TelemetryParts, open: OpenSpans, event: ContextEvent): void {
  switch (event.type) {
    case "compaction-start":
      open.compaction = startSpan(parts, open, "compact_context", {
        "plimsoll.compaction.reason": event.reason,
        "plimsoll.estimator": event.estimator,
        "plimsoll.tokens.before": event.tokensBefore,
      });
      return;
    case "compaction-end":
      parts.instruments.compaction(event.entry);
      for (const usage of summaryUsages(event.entry)) parts.instruments.summary("used", usage);
      open.compaction?.setAttributes(compactionAttributes(event.entry)).end();
      open.compaction = null;
      open.isAfterCompaction = true;
      return;
    case "compaction-failed":
      parts.instruments.failedCompaction(event.reason);
      endCompaction(open, event.type);
      return;
    case "compaction-cancelled":
    case "context-irreducible":
      endCompaction(open, event.type);
      return;
    case "summary-prepared":
      if (event.outcome === "failed") parts.instruments.summary("failed", event.usage);
      addEvent(open, event);
      return;
    case "summary-unused":
      parts.instruments.summary("unused", event.usage);
      addEvent(open, event);
      return;
    case "session-repaired":
    case "compaction-off":
    case "breaker-open":
    case "silent-truncation":
    case "usage-refused":
    case "reply-lowered":
    case "window-filled":
      addEvent(open, event);
      return;
    default:
      event satisfies never;
  }
}

function addEvent(open: OpenSpans, { type }: ContextEvent): void {
  (open.call?.span ?? open.run)?.addEvent(`plimsoll.${type}`);
}

function endCompaction(open: OpenSpans, why: string): void {
  endFailed(open.compaction, why);
  open.compaction = null;
}
