import type { Attributes } from "@opentelemetry/api";
import type { CompactionEntry, UsageEntry } from "../entry.ts";
import { compactionKind } from "../session/events.ts";
import type { Usage } from "../usage.ts";

/** Most handles that a span names; chosen. All of them are counted. */
const MAXIMUM_HANDLE_COUNT = 50;

/** Attributes of a model call's answer, by the GenAI conventions. What the vendor did not report is left out. */
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

/** Returns the usage of a compaction's summaries, one for each that a model wrote. */
export function summaryUsages({ edits }: CompactionEntry): readonly (Usage | null)[] {
  return edits.flatMap((edit) => (edit.kind === "replace-spans" && edit.by === "summary" ? [edit.usage] : []));
}

function withoutNull(values: Readonly<Record<string, string | number | readonly string[] | null>>): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(values))
    if (value !== null) attributes[name] = typeof value === "object" ? [...value] : value;
  return attributes;
}
