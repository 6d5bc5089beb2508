import {
  type Attributes,
  context,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { ContextEvent, Usage, UsageEntry } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import type { AgentEvent } from "../events.ts";
import {
  compactedAttributes,
  compactionAttributes,
  createInstruments,
  type Instruments,
  summaryUsages,
  usageAttributes,
} from "./instruments.ts";

/** Destinations of spans and metrics, and their settings. */
export interface TelemetryOptions {
  readonly tracer: Tracer;
  readonly meter: Meter;
  /** The answering provider, as the GenAI conventions name it: `anthropic`, `openai`, `gcp.gemini`, …; left out if unknown. */
  readonly providerName?: string;
  /** Returns the dollars of a request with this usage, by the prices of the model that writes summaries; `null` if they are unknown. */
  readonly usdOfSummary?: (usage: Usage) => number | null;
  /** Milliseconds from any beginning; the platform's monotonic clock by default. */
  readonly nowMs?: () => number;
}

const TELEMETRY_OPTIONS = option.schema<TelemetryOptions>({
  tracer: option.having("startSpan"),
  meter: option.having("createCounter"),
  providerName: option.text.optional(),
  ...option.optional(option.fn, "usdOfSummary", "nowMs"),
});

/** Listeners to pass on; they never throw and never keep text of the conversation. */
export interface Telemetry {
  /** For `onEvent` of an agent: spans of runs, model calls, tools and compactions. */
  readonly onAgentEvent: (event: AgentEvent) => void;
  /** For `onEvent` of sessions and drop-ins, whose model calls are the caller's: spans of compactions. */
  readonly onContextEvent: (event: ContextEvent, conversation?: string) => void;
}

/**
 * Reports an agent's or a session's activity to a tracer and a meter of OpenTelemetry, by the GenAI semantic conventions, and compactions, for which
 * there is no convention yet (docs/telemetry.md). Spans and metrics hold sizes, names, ids and reasons, and no text of a conversation.
 */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  option.check("telemetry", TELEMETRY_OPTIONS, options);
  const { tracer, meter, providerName, usdOfSummary = () => null, nowMs = () => performance.now() } = options;
  const provider = providerName === undefined ? {} : { "gen_ai.provider.name": providerName };
  const parts: TelemetryParts = { tracer, instruments: createInstruments(meter, { provider, usdOfSummary }), provider, nowMs };
  const sessions = new Map<string, OpenSpans>();
  const of = (sessionId: string): OpenSpans => {
    const open = sessions.get(sessionId) ?? openSpans(sessionId);
    sessions.set(sessionId, open);
    return open;
  };
  return {
    onAgentEvent: (event) => {
      tellAgent(parts, of(event.sessionId), event);
      if (event.type === "agent-end") sessions.delete(event.sessionId);
    },
    onContextEvent: (event, conversation = "") => {
      const open = of(conversation);
      tellContext(parts, open, event);
      // Of a conversation without a run nothing is remembered but a compaction that goes on.
      if (open.run === null && open.compaction === null) sessions.delete(conversation);
    },
  };
}

/** Reports an agent: a span a run, and in it one a model call, tool and compaction. */
function tellAgent(parts: TelemetryParts, open: OpenSpans, event: AgentEvent): void {
  switch (event.type) {
    case "agent-start":
      open.run = startSpan(parts, open, "invoke_agent", { "gen_ai.operation.name": "invoke_agent" });
      return;
    case "step-start":
      startCall(parts, open, event.context.usedTokens);
      parts.instruments.headroom(event.context);
      return;
    case "usage-update":
      endCall(parts, open, event.entry);
      return;
    case "request-retry":
      open.call?.span.addEvent("plimsoll.request-retry", { "error.type": event.class, "plimsoll.attempt": event.attempt });
      return;
    case "output-lowered":
      open.call?.span.addEvent("plimsoll.output-lowered", { "gen_ai.request.max_tokens": event.maxOutputTokens });
      return;
    case "overflow-detected":
      parts.instruments.overflow();
      endFailed(open.call?.span ?? null, "context-overflow");
      open.call = null;
      // The request is sent again in the same step, smaller than expected.
      if (event.recovery > 0) startCall(parts, open, null);
      return;
    case "tool-start": {
      const names = { "gen_ai.tool.name": event.toolName, "gen_ai.tool.call.id": event.callId };
      const attributes = { "gen_ai.operation.name": "execute_tool", ...names };
      open.tools.set(event.callId, startSpan(parts, open, `execute_tool ${event.toolName}`, attributes));
      return;
    }
    case "tool-end": {
      const span = open.tools.get(event.callId) ?? null;
      open.tools.delete(event.callId);
      if (event.isError) endFailed(span, "tool");
      else span?.end();
      return;
    }
    case "agent-end":
      for (const span of open.tools.values()) endFailed(span, event.reason);
      endFailed(open.call?.span ?? null, event.error?.code ?? event.reason);
      if (event.error === null) open.run?.end();
      else endFailed(open.run, event.error.code);
      return;
    case "message":
    case "message-queued":
    case "turn-end":
    case "text-delta":
    case "reasoning-delta":
      return;
    default:
      tellContext(parts, open, event);
  }
}

/** Reports a context: a span a compaction, and events on the run for its other changes. */
function tellContext(parts: TelemetryParts, open: OpenSpans, event: ContextEvent): void {
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
      for (const { usage } of event.entry.record.steps) if (usage !== undefined) parts.instruments.summary("failed", usage);
      open.compaction?.setAttributes(compactionAttributes(event.entry)).end();
      open.compaction = null;
      open.isAfterCompaction = true;
      open.compacted = compactedAttributes(event.entry);
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
    case "result-cut":
    case "compaction-undone":
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

/** Where spans and figures go, and the clock. */
interface TelemetryParts {
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  /** The provider's name as an attribute, or nothing. */
  readonly provider: Attributes;
  readonly nowMs: () => number;
}

/** The spans of one session that have not ended, and the basis of comparison for its next report. */
interface OpenSpans {
  readonly sessionId: string;
  run: Span | null;
  call: { readonly span: Span; readonly startMs: number; readonly expectedTokens: number | null } | null;
  compaction: Span | null;
  readonly tools: Map<string, Span>;
  cacheReadTokens: number | null;
  isAfterCompaction: boolean;
  /** The attributes of calls after a compaction: the convention sets none before it. */
  compacted: Attributes;
}

/** A session without reported events. */
function openSpans(sessionId: string): OpenSpans {
  const nothing = {
    run: null,
    call: null,
    compaction: null,
    cacheReadTokens: null,
    isAfterCompaction: false,
    compacted: {},
  };
  return { sessionId, tools: new Map(), ...nothing };
}

/** Starts a span of a session, below its run if there is one, else below the active span. */
function startSpan({ tracer }: TelemetryParts, open: OpenSpans, name: string, attributes: Attributes): Span {
  const kind = name === "chat" ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const parent = open.run === null ? context.active() : trace.setSpan(context.active(), open.run);
  return tracer.startSpan(name, { kind, attributes: { "gen_ai.conversation.id": open.sessionId, ...attributes } }, parent);
}

/** Ends a span as an error; nothing happens without one. */
function endFailed(span: Span | null, why: string): void {
  span?.setAttribute("error.type", why).setStatus({ code: SpanStatusCode.ERROR }).end();
}

/** Starts a model call with its expected tokens; `null` if there is no expectation. */
function startCall(parts: TelemetryParts, open: OpenSpans, expectedTokens: number | null): void {
  const names = { ...parts.provider, "gen_ai.operation.name": "chat" };
  const span = startSpan(parts, open, "chat", { ...names, ...open.compacted });
  open.call = { span, startMs: parts.nowMs(), expectedTokens };
}

/** Ends a model call with its report. */
function endCall({ instruments, nowMs }: TelemetryParts, open: OpenSpans, entry: UsageEntry): void {
  if (open.call !== null) {
    const { span, startMs, expectedTokens } = open.call;
    span.updateName(`chat ${entry.modelId}`).setAttributes(usageAttributes(entry)).end();
    instruments.call(entry, (nowMs() - startMs) / 1000);
    if (expectedTokens !== null) instruments.predicted(expectedTokens, entry);
  }
  const { cacheReadTokens } = entry.usage.input;
  if (cacheReadTokens !== null && open.cacheReadTokens !== null && cacheReadTokens < open.cacheReadTokens)
    instruments.cacheBreak(entry, open.isAfterCompaction);
  open.call = null;
  open.cacheReadTokens = cacheReadTokens;
  open.isAfterCompaction = false;
}
