import { type Attributes, context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { UsageEntry } from "../entry.ts";
import { usageAttributes } from "./attributes.ts";
import type { Instruments } from "./instruments.ts";

/** Where spans and figures go, and the clock. */
export interface TelemetryParts {
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  /** The provider's name as an attribute, or nothing. */
  readonly provider: Attributes;
  readonly nowMs: () => number;
}

/** The spans of one session that have not ended, and what its next report is compared with. */
export interface OpenSpans {
  readonly sessionId: string;
  run: Span | null;
  call: { readonly span: Span; readonly startMs: number; readonly expectedTokens: number | null } | null;
  compaction: Span | null;
  readonly tools: Map<string, Span>;
  cacheReadTokens: number | null;
  isAfterCompaction: boolean;
}

/** A session that nothing was told of. */
export function openSpans(sessionId: string): OpenSpans {
  const nothing = { run: null, call: null, compaction: null, cacheReadTokens: null, isAfterCompaction: false };
  return { sessionId, tools: new Map(), ...nothing };
}

/** Starts a span of a session, below its run if there is one, else below what is active. */
export function startSpan({ tracer }: TelemetryParts, open: OpenSpans, name: string, attributes: Attributes): Span {
  const kind = name === "chat" ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const parent = open.run === null ? context.active() : trace.setSpan(context.active(), open.run);
  return tracer.startSpan(name, { kind, attributes: { "gen_ai.conversation.id": open.sessionId, ...attributes } }, parent);
}

/** Ends a span as an error; nothing happens without one. */
export function endFailed(span: Span | null, why: string): void {
  span?.setAttribute("error.type", why).setStatus({ code: SpanStatusCode.ERROR }).end();
}

/** Starts a model call, of which so many tokens are expected; `null` if nothing is. */
export function startCall(parts: TelemetryParts, open: OpenSpans, expectedTokens: number | null): void {
  const span = startSpan(parts, open, "chat", { ...parts.provider, "gen_ai.operation.name": "chat" });
  open.call = { span, startMs: parts.nowMs(), expectedTokens };
}

/** Ends a model call with what was reported of it. */
export function endCall({ instruments, nowMs }: TelemetryParts, open: OpenSpans, entry: UsageEntry): void {
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
