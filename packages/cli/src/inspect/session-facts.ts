import type { Outcome, Transcript } from "@plimsoll/bench";
import { formatNumberOf, formatPercent, formatTokens, formatUsd, recordedFigures } from "@plimsoll/bench/extend";
import { printable } from "@plimsoll/bench/terminal";
import type { SessionEntry } from "@plimsoll/core";
import { summaryUsages } from "@plimsoll/core/extend";
import { createSpending, MODEL_CATALOG } from "@plimsoll/providers";
import { type SessionStory, sessionStory } from "./session-story.ts";

/** A log, its story, and its cost and compactions by its own reports. */
export interface InspectedSession {
  readonly transcript: Transcript;
  readonly story: SessionStory;
  readonly recorded: Awaited<ReturnType<typeof recordedFigures>>;
}

/** Reads logs for all forms in which `inspect` shows them. */
export function inspectedSessions(transcripts: readonly Transcript[]): Promise<readonly InspectedSession[]> {
  return Promise.all(
    transcripts.map(async (transcript) => {
      return { transcript, story: sessionStory(transcript.entries), recorded: await recordedFigures(transcript) };
    }),
  );
}

type Figures = Readonly<Record<string, number | string | null | readonly string[] | Outcome["grades"]>>;

/** A fact in words, and its figures for programs; `null` for an unknown one. */
type SessionFact = { readonly name: string; readonly value: string; readonly figures: Figures };
const fact = (name: string, value: string, figures: Figures): SessionFact => ({ name, value, figures });

/** Collects the facts that a person wants to know first. Facts that the log lacks are left out. */
export function sessionFacts({ transcript, story, recorded }: InspectedSession): readonly SessionFact[] {
  const { entries, outcome, copiedIds } = transcript;
  // Calls that a fork repeats are the work of the session that it came from.
  const copied = new Set(copiedIds);
  const calls = story.calls.filter(({ requestId }) => !copied.has(requestId));
  const compactions = story.compactions.filter(({ entry }) => !copied.has(entry.id));
  const repeated = story.calls.length - calls.length;
  const results = entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "tool-result" ? [entry.message] : [],
  );
  const failed = results.filter(({ isError }) => isError).length;
  const turns = story.lines.filter(({ kind }) => kind === "turn").length;
  const undone = compactions.filter(({ isReverted }) => isReverted).length;
  const clearings = compactions.filter(({ gone, loss }) => gone.length + loss.newMessages.length === 0).length;
  const kinds = [
    ...(clearings === 0 ? [] : [`${clearings} only shortened old results`]),
    ...(undone === 0 ? [] : [`${undone} undone`]),
  ];
  const models = [...new Set(entries.flatMap((entry) => (entry.type === "usage" ? [entry.modelId] : [])))];
  const grades = outcome?.grades.map(({ name, value }) => `${printable(name)} ${Number(value.toFixed(3))}`) ?? [];
  const { usdText, recordedUsd: usd, recordedUsdIs: usdIs } = recorded;
  const counted = (count: number, of: number, more: string) => `${count}${of === 0 ? "" : ` (${more})`}`;
  return [
    fact("model calls", counted(calls.length, repeated, `and ${repeated} of the session that it was forked from`), {
      ...{ modelCalls: calls.length, repeatedCalls: repeated },
    }),
    fact("your messages", turns === 0 ? "none (another agent gave the tasks)" : String(turns), { yourMessages: turns }),
    fact("tool results", counted(results.length, failed, `${failed} failed`), {
      ...{ toolResults: results.length, failedResults: failed },
    }),
    fact("compactions", counted(compactions.length, kinds.length, kinds.join(", ")), {
      ...{ compactions: compactions.length, clearings, undoneCompactions: undone },
    }),
    ...vendorFacts(compactions),
    ...promptFacts(calls),
    ...(usdText === null ? [] : [fact("cost", `${usdText} (a subscription bills otherwise)`, { usd, usdIs })]),
    ...(models.length === 0
      ? []
      : [fact(models.length === 1 ? "model" : "models", models.map(printable).join(", "), { models })]),
    ...timeFacts(entries),
    ...(outcome === undefined ? [] : [fact("outcome", grades.join(", "), { outcome: outcome.grades })]),
  ];
}

/** Counts the summaries that the vendor wrote, and the cost of its calls, those without effect too. */
function vendorFacts(compactions: SessionStory["compactions"]): readonly SessionFact[] {
  const entries = compactions.map(({ entry }) => entry);
  const written = entries.flatMap(({ edits }) => edits).filter((edit) => edit.kind === "replace-spans" && edit.by === "vendor");
  const asked = entries.filter(({ record }) => record.steps.some(({ strategy }) => strategy === "vendor"));
  const usages = asked.flatMap(summaryUsages);
  if (usages.length === 0) return [];
  const spending = createSpending((modelId, atMs) => MODEL_CATALOG.pricesOf(modelId, atMs));
  for (const entry of asked) spending.add(entry);
  const total = (part: "input" | "output") => usages.reduce((sum, usage) => sum + (usage[part].totalTokens ?? 0), 0);
  const { usd } = spending.now();
  const cost = `${formatTokens(total("input"))} tokens read and ${formatTokens(total("output"))} written`;
  const value = `${written.length}; ${cost}${usd === null ? "" : `, $${formatUsd(usd)}`}`;
  return [fact("summaries by the vendor", value, { vendorSummaries: written.length, vendorSummariesUsd: usd })];
}

function promptFacts(calls: SessionStory["calls"]): readonly SessionFact[] {
  const inputs = calls.flatMap(({ usage }) => (usage.input.totalTokens === null ? [] : [usage.input]));
  if (inputs.length === 0) return [fact("prompt sizes", "not reported", { sentTokens: null })];
  const totalOf = (part: "totalTokens" | "cacheReadTokens") => inputs.reduce((sum, input) => sum + (input[part] ?? 0), 0);
  const isCacheKnown = inputs.some(({ cacheReadTokens }) => cacheReadTokens !== null);
  const cache = isCacheKnown
    ? `, ${formatPercent((100 * totalOf("cacheReadTokens")) / totalOf("totalTokens"))}% from cache`
    : "";
  const largest = inputs.reduce((most, { totalTokens }) => Math.max(most, totalTokens ?? 0), 0);
  const replies = calls.map(({ usage }) => usage.output.totalTokens ?? usage.billed.outputTokens ?? 0);
  const replyTokens = replies.reduce((sum, tokens) => sum + tokens, 0);
  const cut = calls.filter(({ usage }) => usage.output.totalTokens === null).length;
  const atLeast = `≥ ${formatTokens(replyTokens)} tokens (${cut} of ${calls.length} not logged in full)`;
  const replied = cut === 0 ? `${formatTokens(replyTokens)} tokens` : replyTokens === 0 ? "not logged" : atLeast;
  return [
    fact("largest prompt sent", `${formatTokens(largest)} tokens`, { largestPromptTokens: largest }),
    fact("sent in total", `${formatTokens(totalOf("totalTokens"))} tokens${cache}`, {
      ...{ sentTokens: totalOf("totalTokens"), cacheReadTokens: isCacheKnown ? totalOf("cacheReadTokens") : null },
    }),
    fact("replies", replied, { replyTokens: cut > 0 && replyTokens === 0 ? null : replyTokens, unfinishedReplies: cut }),
  ];
}

const MS_PER_MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;

function timeFacts(entries: readonly SessionEntry[]): readonly SessionFact[] {
  const times = entries.flatMap((entry) => {
    const atMs = entry.type === "message" ? entry.message.atMs : entry.type === "usage" ? entry.atMs : null;
    return atMs === null ? [] : [atMs];
  });
  const first = times.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  if (times.length === 0) return [];
  const minutes = Math.round((last - first) / MS_PER_MINUTE);
  const hours = minutes / MINUTES_PER_HOUR;
  const short = minutes < 1 ? `${Math.ceil((last - first) / 1_000)} s` : formatNumberOf(minutes, "minute");
  return [
    fact("started", `${timeText(first)}, in ${hours < 1 ? short : `${hours.toFixed(1)} hours`}`, {
      startedMs: first,
      endedMs: last,
    }),
  ];
}

/** A time as `2026-03-10 12:00 UTC`. */
export function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).split("T").join(" ")} UTC`;
}
