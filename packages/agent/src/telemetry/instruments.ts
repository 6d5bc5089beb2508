import type { Attributes, Meter } from "@opentelemetry/api";
import type { CompactionEntry, Usage, UsageEntry } from "@plimsoll/core";
import { compactionKind } from "@plimsoll/core/extend";
import type { ContextUsage } from "../events.ts";

/** The instruments, each with the attributes that distinguish its points. */
export interface Instruments {
  /** A call of a model has ended. */
  call(entry: UsageEntry, seconds: number): void;
  /** Records the expected and the reported size of a request. */
  predicted(expectedTokens: number, entry: UsageEntry): void;
  /** A request read less from the cache than the one before it. */
  cacheBreak(entry: UsageEntry, isAfterCompaction: boolean): void;
  headroom(context: ContextUsage): void;
  compaction(entry: CompactionEntry): void;
  failedCompaction(reason: string): void;
  /** Records the fate of a summary that a model wrote, once for each, and its usage; `null` if that was not reported. */
  summary(use: "used" | "unused" | "failed", usage: Usage | null): void;
  overflow(): void;
}

/** The names and prices that instruments need. */
export interface InstrumentSetting {
  /** The provider's name as an attribute, or nothing. */
  readonly provider: Attributes;
  readonly usdOfSummary: (usage: Usage) => number | null;
}

/** Instruments under the names of the GenAI conventions, and under `plimsoll.` where these have none. */
export function createInstruments(meter: Meter, { provider, usdOfSummary }: InstrumentSetting): Instruments {
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  const histogram = (name: string, unit: string, description: string) => meter.createHistogram(name, { unit, description });
  const tokens = histogram("gen_ai.client.token.usage", "{token}", "Tokens of a model call");
  const duration = histogram("gen_ai.client.operation.duration", "s", "Duration of a model call");
  const headroom = meter.createGauge("plimsoll.context.headroom", { unit: "{token}", description: "Free input budget" });
  const compactions = counter("plimsoll.compactions", "{compaction}", "Compactions made");
  const failures = counter("plimsoll.compaction.failures", "{compaction}", "Compactions that failed");
  const removed = histogram("plimsoll.compaction.removed", "{token}", "Tokens removed by a compaction");
  const summaries = counter("plimsoll.summaries", "{summary}", "Summaries written by a model");
  const summaryTokens = counter("plimsoll.summary.tokens", "{token}", "Tokens paid for summaries");
  const summaryUsd = counter("plimsoll.summary.cost", "{USD}", "Dollars of summaries");
  const breaks = counter("plimsoll.cache.breaks", "{request}", "Requests that read less from the cache");
  const overflows = counter("plimsoll.overflows", "{request}", "Requests refused as too long");
  const error = histogram("plimsoll.prediction.error", "1", "|expected - reported| / reported tokens");

  const ofCall = ({ modelId }: UsageEntry) => ({
    ...provider,
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": modelId,
  });
  const record = (type: "input" | "output", count: number | null, entry: UsageEntry) => {
    if (count !== null) tokens.record(count, { ...ofCall(entry), "gen_ai.token.type": type });
  };
  return {
    call: (entry, seconds) => {
      const { input, output } = paidTokens(entry.usage);
      record("input", input, entry);
      record("output", output, entry);
      duration.record(seconds, ofCall(entry));
    },
    predicted: (expectedTokens, entry) => {
      const reported = entry.usage.input.totalTokens;
      if (reported === null || reported <= 0) return;
      // A histogram takes nothing below zero, so that the side is an attribute.
      const side = expectedTokens < reported ? "below" : "above";
      error.record(Math.abs(expectedTokens - reported) / reported, { ...ofCall(entry), "plimsoll.prediction.side": side });
    },
    cacheBreak: (entry, isAfterCompaction) =>
      breaks.add(1, { ...ofCall(entry), "plimsoll.after_compaction": isAfterCompaction }),
    headroom: ({ headroomTokens }) => {
      if (headroomTokens !== null) headroom.record(headroomTokens, provider);
    },
    compaction: (entry) => {
      const { policy, reason, tokensBefore, tokensAfter } = entry.record;
      const attributes = {
        "plimsoll.policy": policy,
        "plimsoll.compaction.reason": reason,
        "plimsoll.compaction.kind": compactionKind(entry),
      };
      compactions.add(1, attributes);
      if (tokensBefore !== null && tokensAfter !== null) removed.record(tokensBefore - tokensAfter, attributes);
    },
    failedCompaction: (reason) => failures.add(1, { "plimsoll.compaction.reason": reason }),
    summary: (use, usage) => {
      const attributes = { "plimsoll.summary.use": use };
      summaries.add(1, attributes);
      if (usage === null) return;
      for (const [type, count] of Object.entries(paidTokens(usage)))
        if (count !== null) summaryTokens.add(count, { ...attributes, "gen_ai.token.type": type });
      const usd = usdOfSummary(usage);
      if (usd !== null) summaryUsd.add(usd, attributes);
    },
    overflow: () => overflows.add(1, provider),
  };
}

/** Tokens that were paid for, by the types of the conventions. */
function paidTokens({ billed, input, output }: Usage): { readonly input: number | null; readonly output: number | null } {
  return { input: billed.inputTokens ?? input.totalTokens, output: billed.outputTokens ?? output.totalTokens };
}

/** Most handles that a span names; chosen. All of them are counted. */
const MAXIMUM_HANDLE_COUNT = 50;

/** Attributes of a model call's answer, by the GenAI conventions. Values that the vendor did not report are left out. */
export function usageAttributes({ modelId, requestId, usage }: UsageEntry): Attributes {
  return withoutNull({
    "gen_ai.request.model": modelId,
    "gen_ai.response.id": requestId,
    "gen_ai.usage.input_tokens": usage.input.totalTokens,
    "gen_ai.usage.output_tokens": usage.output.totalTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.input.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.input.cacheWriteTokens,
  });
}

/** Attributes of a compaction: sizes, steps and handles, and the price of its summary. */
export function compactionAttributes(entry: CompactionEntry): Attributes {
  const { record, edits } = entry;
  const handles = edits.flatMap((edit) => (edit.kind === "replace-part" ? [edit.handle] : []));
  const summaries = summaryUsages(entry).filter((usage) => usage !== null);
  const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((total, count) => total + (count ?? 0), 0);
  return withoutNull({
    "plimsoll.compaction.id": entry.id,
    "plimsoll.compaction.kind": compactionKind(entry),
    "plimsoll.policy": record.policy,
    "plimsoll.compaction.gate": record.gate,
    "plimsoll.compaction.strategies": record.steps
      .filter(({ outcome }) => outcome === "applied")
      .map(({ strategy }) => strategy),
    "plimsoll.tokens.before": record.tokensBefore,
    "plimsoll.tokens.after": record.tokensAfter,
    "plimsoll.tokens.budget": record.budgetTokens,
    "plimsoll.messages.before": record.messagesBefore,
    "plimsoll.messages.after": record.messagesAfter,
    "plimsoll.handles": handles.slice(0, MAXIMUM_HANDLE_COUNT),
    "plimsoll.handles.count": handles.length,
    "plimsoll.summary.input_tokens": sum(summaries.map(({ input }) => input.totalTokens)),
    "plimsoll.summary.output_tokens": sum(summaries.map(({ output }) => output.totalTokens)),
  });
}

/**
 * Attributes of the calls after a compaction. The message part has no content, as everywhere here:
 * github.com/open-telemetry/semantic-conventions-genai, `CompactionPart`, read in November 2026.
 */
export function compactedAttributes({ edits }: CompactionEntry): Attributes {
  const written = edits.flatMap((edit) => (edit.kind === "replace-spans" && edit.by !== "notice" ? (edit.message ?? []) : []));
  const messages = written.map(({ role }) => ({ role, parts: [{ type: "compaction" }] }));
  const input = messages.length === 0 ? {} : { "gen_ai.input.messages": JSON.stringify(messages) };
  return { "gen_ai.conversation.compacted": true, ...input };
}

/** Returns the usage of a compaction's summaries, one for each that a model or the vendor wrote. */
export function summaryUsages({ edits }: CompactionEntry): readonly (Usage | null)[] {
  return edits.flatMap((edit) =>
    edit.kind === "replace-spans" && (edit.by === "summary" || edit.by === "vendor") ? [edit.usage] : [],
  );
}

function withoutNull(values: Readonly<Record<string, string | number | readonly string[] | null>>): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(values))
    if (value !== null) attributes[name] = typeof value === "object" ? [...value] : value;
  return attributes;
}
