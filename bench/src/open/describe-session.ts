import { isHuman, type SessionEntry, type ToolCallPart, textOf, toolCallsOf } from "@plimsoll/core";
import { planAfter, scriptCalls } from "@plimsoll/core/extend";
import { createSpending, type ModelCatalog } from "@plimsoll/providers";
import { parseRecord, stringAt } from "../formats/fields.ts";
import { typedWords } from "../formats/who-said.ts";
import { ownEntries } from "../lineage.ts";
import { editQuotes } from "../needs/files.ts";
import { firstOf } from "../terminal/printable.ts";
import { isRollBack, type Transcript } from "../transcript.ts";
import { compactionWaits } from "./compaction-waits.ts";
import type { PreparedSession } from "./prepared-session.ts";
import { realWindowOf } from "./real-window.ts";
import type { RecordedDollars, SeenCounts, SessionDescription } from "./session-description.ts";

/** Describes a session by its recording. The catalogue gives its window if the recording does not. */
export function describeSession(session: PreparedSession, catalog: ModelCatalog): SessionDescription {
  const { transcript, sizeJudge, repaired } = session;
  const [start] = transcript.entries;
  const copied = new Set(transcript.copiedIds);
  const calls = sizeJudge.calls.filter(({ usage }) => !copied.has(usage.requestId));
  const reported = calls.flatMap((call) => call.reportedTokens ?? []);
  const waitsMs = [...compactionWaits(transcript).values()];
  return {
    session: transcript.name,
    file: transcript.file,
    format: transcript.format,
    agentVersion: start?.type === "session" ? (start.agent?.version ?? null) : null,
    ownWindowTokens: realWindowOf(session, catalog).tokens,
    parentSession: transcript.parentName,
    ...(transcript.lineage !== undefined && { lineage: transcript.lineage }),
    ...(transcript.project !== undefined && { project: transcript.project }),
    ...sessionOpening(transcript.entries),
    modelIds: [...new Set(sizeJudge.calls.map((call) => call.modelId))],
    messages: transcript.entries.filter((entry) => entry.type === "message").length,
    calls: calls.length,
    maxReportedPromptTokens: reported.reduce((largest, tokens) => Math.max(largest, tokens), 0),
    sumReportedPromptTokens: reported.reduce((sum, tokens) => sum + tokens, 0),
    recordedBoundaries: transcript.entries.filter(
      (entry) => entry.type === "compaction" && !copied.has(entry.id) && !isRollBack(entry),
    ).length,
    repairs: repaired.repairCount + repaired.continuationCount,
    isEstimated: sizeJudge.isEstimated,
    ...recordedDollars(transcript, catalog),
    ...(waitsMs.length > 0 && { waitsMs }),
    seen: seenCounts(transcript.entries),
    ...(transcript.outcome !== undefined && { outcome: transcript.outcome }),
    sizeJudge: sizeJudge.error,
  };
}

/** Adds up the cost of a transcript's own usage by the catalogue's prices, beside the cost that its log states. */
export function recordedDollars(transcript: Transcript, catalog: ModelCatalog): RecordedDollars {
  const spending = createSpending((modelId, atMs) => catalog.pricesOf(modelId, atMs));
  for (const entry of ownEntries(transcript)) spending.add(entry);
  const { usd, usdIs, statedUsd, unpriced } = spending.now();
  const isCopy = (transcript.copiedIds ?? []).length > 0;
  return {
    recordedUsd: usd,
    recordedUsdIs: usdIs,
    ...(unpriced.length > 0 && { unpricedModels: unpriced }),
    statedCostUsd: (isCopy ? null : transcript.statedUsd) ?? statedUsd,
  };
}

function statesPrice(entry: SessionEntry): boolean {
  const spending = createSpending(() => null);
  spending.add(entry);
  return spending.now().statedUsd !== null;
}

/** Counts the things in a log that measures are made from, such as tool calls, edits and reported usage. */
export function seenCounts(entries: readonly SessionEntry[]): SeenCounts {
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const calls = messages.flatMap(toolCallsOf);
  const reports = entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
  const isScripted = ({ argumentsJson }: ToolCallPart) =>
    argumentsJson.includes("tools") && scriptCalls(stringAt(parseRecord(argumentsJson), "input") ?? "").length > 0;
  const countOf = <Each>(list: readonly Each[], shows: (each: Each) => boolean) => list.filter(shows).length;
  const scripts = countOf(calls, isScripted);
  return {
    toolCalls: calls.length,
    results: countOf(messages, ({ role }) => role === "tool-result"),
    files: countOf(calls, ({ paths }) => paths.length > 0),
    edits: countOf(calls, (call) => editQuotes(call).length > 0),
    plans: countOf(calls, ({ argumentsJson }) => planAfter([], argumentsJson) !== null),
    ...(scripts > 0 && { scripts }),
    reasoning: countOf(messages, ({ parts }) => parts.some(({ type }) => type === "reasoning")),
    usage: countOf(reports, ({ input }) => input.totalTokens !== null),
    cacheReads: countOf(reports, ({ input }) => input.cacheReadTokens !== null),
    cacheWrites: countOf(reports, ({ input }) => input.cacheWriteTokens !== null),
    costs: countOf(entries, (entry) => entry.type === "usage" && statesPrice(entry)),
  };
}

/** How a session began: a person recognises it by this. */
export interface SessionOpening {
  /** The first time in its log, in milliseconds since 1970; `null` if it has none. */
  readonly startedMs: number | null;
  /** The person's first words, else another agent's, on one line and cut to 80 characters; `null` without a word. */
  readonly firstWords: string | null;
}

const FIRST_WORDS_CHARS = 80;

/** Characters of the text that are looked at (chosen). */
const LOOKED_AT_CHARS = 8_000;

/** Control characters, marks that turn the direction of text, line ends and halves of pairs: none of them belongs in a title. */
const NOT_IN_TITLES = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}]+/gu;

/** Reads a session's start and its first words off its log. */
export function sessionOpening(entries: readonly SessionEntry[]): SessionOpening {
  const startedMs = entries.reduce<number | null>(
    (first, entry) => first ?? (entry.type === "message" ? entry.message.atMs : entry.type === "usage" ? entry.atMs : null),
    null,
  );
  const users = entries.flatMap((entry) => (entry.type === "message" && entry.message.role === "user" ? [entry.message] : []));
  // Another agent may have given the task.
  const own = users.some(isHuman) ? users.filter(isHuman) : users.filter(({ origin }) => origin === "injected");
  const words = own.map((message) => titleWords(typedWords(textOf(message)))).find((each) => each !== "");
  return { startedMs, firstWords: words ?? null };
}

function titleWords(text: string): string {
  // A line may have a megabyte; removing its unfit beginning must leave enough for a title.
  const plain = text.slice(0, LOOKED_AT_CHARS).replaceAll(NOT_IN_TITLES, " ").trim();
  return firstOf([...plain.slice(0, 2 * FIRST_WORDS_CHARS + 1)], FIRST_WORDS_CHARS);
}
