import { type ModelLimits, type TextPart, type Usage, usageOf } from "@plimsoll/core";
import { scriptCalls } from "@plimsoll/core/extend";
import type { ImportNote, Transcript } from "../../transcript.ts";
import { type Fields, jsonValueOf, numberAt, parseRecord, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { readObjects } from "../json-lines.ts";
import { transcriptOf } from "../log-builder.ts";
import type { BoundaryItem, LogItem, ReplyItem, ReplyPart, UserItem } from "../log-items.ts";
import { rollBack, textPart, unreadItem } from "../log-items.ts";
import {
  encryptedSummary,
  historyDraftsOf,
  isEncryptedSummary,
  isSilent,
  replyPartsOf,
  resultItemOf,
  saidIn,
} from "./items.ts";

const FORMAT = "codex";

/** Rollouts of the Codex CLI and desktop app. */
export const codexImporter: Importer = {
  format: FORMAT,
  description:
    "Codex: ~/.codex/sessions/**/rollout-*.jsonl (seen: 0.118 to 0.146, code mode included, and older ones without payloads)",
  newestSeen: "0.146",
  recognises: ({ firstObjects: [first, second] }) =>
    isRollout(first) || (isLegacyHeader(first) && typeof second?.type === "string"),
  read: readCodex,
};

function isRollout(value: Fields | undefined): boolean {
  return recordAt(value, "payload") !== null && (value?.type === "session_meta" || value?.type === "response_item");
}

function isLegacyHeader(value: Fields | undefined): boolean {
  return (
    value?.type === undefined &&
    stringAt(value, "id") !== null &&
    value?.instructions !== undefined &&
    value.timestamp !== undefined
  );
}

async function readCodex(source: FileSource): Promise<readonly Transcript[]> {
  const file = source.displayName;
  const notes: ImportNote[] = [];
  const reader = createRolloutReader();
  await readObjects(source, notes, ({ line, value }) => reader.take(value, line));
  const meta = reader.meta();
  const repeatedCount = reader.repeatedReportCount();
  const text = `${file}: ${repeatedCount} token reports repeat the one before; each call was counted once`;
  if (repeatedCount > 0) notes.push({ code: "duplicate-usage", line: null, text });
  const made = madeCalls(reader.items());
  const unread = `${file}: ${made.unread} of ${made.all} calls in scripts have arguments that are made while the script runs; their files are not known`;
  if (made.unread > 0) notes.push({ code: "unread-script", line: null, text: unread });
  const parentId = parentOf(meta);
  const start = {
    id: stringAt(meta, "id") ?? file,
    createdMs: timeMsAt(meta, "timestamp"),
    system: stringAt(recordAt(meta, "base_instructions"), "text") ?? stringAt(meta, "instructions") ?? "",
    parent: parentId === null ? null : { sessionId: parentId, callId: null },
    agent: { name: FORMAT, version: stringAt(meta, "cli_version") },
  };
  return [transcriptOf({ name: file, file, format: FORMAT, start, items: reader.items(), notes })];
}

/** The session that this one was forked from, or whose sub-agent it is. */
function parentOf(meta: Fields | null): string | null {
  const spawn = recordAt(recordAt(recordAt(meta, "source"), "subagent"), "thread_spawn");
  return stringAt(meta, "forked_from_id") ?? stringAt(meta, "parent_thread_id") ?? stringAt(spawn, "parent_thread_id");
}

/** Lines that follow each other closer than this were written at once: no model answers in between. Chosen. */
const COPYING_MS = 1_000;

/** Whether a line, in order, belongs to the beginning that a fork repeats: it is written at once, under the time of the fork. */
function createForkReader(): (value: Fields, atMs: number | null) => boolean {
  let isFork = false;
  let hasBegun = false;
  let lastMs: number | null = null;
  return (value, atMs) => {
    if (!hasBegun) isFork = stringAt(recordAt(value, "payload"), "forked_from_id") !== null;
    hasBegun = true;
    if (!isFork || atMs === null) return isFork;
    if (lastMs !== null && atMs - lastMs > COPYING_MS) isFork = false;
    lastMs = Math.max(lastMs ?? atMs, atMs);
    return isFork;
  };
}

/** The calls that scripts make, and those of them whose arguments do not stand in the script; a script that takes its tools by other names counts as one. */
function madeCalls(items: readonly LogItem[]): { readonly all: number; readonly unread: number } {
  const calls = items
    .flatMap((item) => (item.kind === "reply" ? item.parts : []))
    .flatMap((part) => {
      const script = part.type === "tool-call" ? stringAt(parseRecord(part.argumentsJson), "input") : null;
      const read = scriptCalls(script ?? "");
      return read.length === 0 && OTHER_NAMES.test(script ?? "") ? [{ name: "tools", args: null }] : read;
    });
  return { all: calls.length, unread: calls.filter(({ args }) => args === null).length };
}

/** A script that gives `tools`, or what is in it, names of its own. */
const OTHER_NAMES = /\b(?:const|let|var)\b[^=;]*=\s*tools\s*(?:;|$)/m;

/** Takes a rollout's lines one after another. */
interface RolloutReader {
  take(value: Fields, line: number): void;
  items(): readonly LogItem[];
  /** The session's own data: of its `session_meta`, or of the header of files without payloads. */
  meta(): Fields | null;
  /** Token reports that repeated the one before. */
  repeatedReportCount(): number;
}

interface OpenReply extends ReplyItem {
  readonly parts: ReplyPart[];
  usage: Usage | null;
  limits: ModelLimits | null;
}

/**
 * A model call is what the model gave up to the report that closes it: the report comes after the calls (up to 0.126) or after
 * their outputs (from 0.140), and the prompt was in both cases what stood before the first of its items. A message or a turn's end
 * in between closes a reply that was never reported. Of event mirrors only the person's words are read.
 */
function createRolloutReader(): RolloutReader {
  const items: LogItem[] = [];
  let header: Fields | null = null;
  let meta: Fields | null = null;
  let modelId: string | null = null;
  let lastReportKey: string | null = null;
  let repeatedReportCount = 0;
  let unreported: OpenReply | null = null;
  let isSealed = false;
  let isCopied = false;
  const isInBeginning = createForkReader();
  const typed = new Set<string>();
  const saidAs = new Map<string, { origin: UserItem["origin"] }[]>();

  const addToReply = (parts: readonly ReplyPart[], line: number, atMs: number | null) => {
    if (unreported === null || isSealed) {
      unreported = { ...openReply(modelId, line, atMs), ...(isCopied && { isCopied }) };
      items.push(unreported);
      isSealed = false;
    }
    unreported.parts.push(...parts);
  };

  const takeItem = (item: Fields, line: number, atMs: number | null) => {
    const result = resultItemOf(item, line, atMs);
    const parts = result === null ? replyPartsOf(item) : null;
    if (result !== null) items.push(result);
    else if (parts !== null) addToReply(parts, line, atMs);
    else if (item.type === "message" || item.type === "agent_message") {
      const said = saidIn(item).map((each) => ({ kind: "user" as const, ...each, line, sourceId: null, atMs }));
      items.push(...said);
      const text = typedText(said.flatMap(({ parts: own }) => own.map((part) => (part.type === "text" ? part.text : ""))));
      saidAs.set(text, [...(saidAs.get(text) ?? []), ...said]);
      if (typed.has(text)) takeTyped(text);
      isSealed = true;
    } else if (!isSilent(item)) items.push(unreadItem(item.type));
  };

  /** The event that mirrors what the person typed: it is theirs, whatever it looks like. */
  const takeTyped = (text: string) => {
    typed.add(text);
    for (const item of saidAs.get(text) ?? []) if (item.origin === "injected") item.origin = "human";
  };

  const takeReport = (payload: Fields, line: number, atMs: number | null) => {
    const report = tokenReportOf(payload);
    if (report === null) return;
    if (report.key === lastReportKey) {
      repeatedReportCount += 1;
      return;
    }
    lastReportKey = report.key;
    if (unreported === null) addToReply([], line, atMs);
    if (unreported === null) return;
    unreported.usage = report.usage;
    unreported.limits = report.limits;
    unreported = null;
    isSealed = false;
  };

  return {
    take: (value, line) => {
      const atMs = timeMsAt(value, "timestamp");
      const payload = recordAt(value, "payload");
      isCopied = isInBeginning(value, atMs);
      header ??= value;
      if (payload === null) takeItem(value, line, atMs);
      else if (value.type === "response_item") takeItem(payload, line, atMs);
      else if (value.type === "session_meta") meta ??= payload;
      else if (value.type === "turn_context") modelId = stringAt(payload, "model") ?? modelId;
      else if (value.type === "compacted") {
        items.push({ ...boundaryOf(payload, items, { line, atMs }), ...(isCopied && { isCopied }) });
        isSealed = true;
      } else if (value.type === "event_msg" && payload.type === "token_count") takeReport(payload, line, atMs);
      else if (value.type === "event_msg" && payload.type === "turn_aborted") isSealed = true;
      else if (value.type === "event_msg" && payload.type === "thread_rolled_back") {
        items.push(rollBack(Math.max(0, Math.floor(numberAt(payload, "num_turns") ?? 0)), { line, atMs }));
        isSealed = true;
      } else if (value.type === "event_msg" && payload.type === "user_message")
        takeTyped(typedText([stringAt(payload, "message") ?? ""]));
      else if (value.type !== "event_msg" && !isSilent(value)) items.push(unreadItem(value.type));
    },
    items: () => items,
    meta: () => meta ?? header,
    repeatedReportCount: () => repeatedReportCount,
  };
}

function typedText(texts: readonly string[]): string {
  return texts.join("\n").trim();
}

function openReply(modelId: string | null, line: number, atMs: number | null): OpenReply {
  const open = { parts: [], usage: null, limits: null, requestId: null, stopReason: null, sourceId: null };
  return { kind: "reply", modelId, line, atMs, ...open };
}

/** With a replacement history that is the context; without, all user messages stay and the message is the summary. */
function boundaryOf(payload: Fields, items: readonly LogItem[], place: { line: number; atMs: number | null }): BoundaryItem {
  const base = { kind: "boundary" as const, tokensBefore: null, sourceId: null, ...place };
  if (Array.isArray(payload.replacement_history)) {
    const drafts = recordsAt(payload, "replacement_history").flatMap(historyDraftsOf);
    // A log that keeps neither the summary's text nor its place in the history: the provider has it, and it is sent all the same.
    const isUnlogged = stringAt(payload, "message") === "" && !drafts.some(isEncryptedSummary);
    return { ...base, summary: null, kept: { kind: "history", drafts: isUnlogged ? [...drafts, encryptedSummary()] : drafts } };
  }
  const text: TextPart = textPart(stringAt(payload, "message") ?? "");
  const summary = { kind: "user" as const, origin: "summary" as const, parts: [text], sourceId: null, ...place };
  return { ...base, summary, kept: { kind: "items", items: items.filter((item) => item.kind === "user") } };
}

/** One `token_count` event that tells something. */
interface TokenReport {
  readonly usage: Usage;
  /** Equal for a report that repeats the one before it: the session's totals have not moved. */
  readonly key: string;
  readonly limits: ModelLimits | null;
}

/** The report of a `token_count` event; `null` if it has no counts. The prompt is inclusive of its cached part. */
function tokenReportOf(payload: Fields): TokenReport | null {
  const info = recordAt(payload, "info");
  const last = recordAt(info, "last_token_usage");
  const totalInputTokens = numberAt(last, "input_tokens");
  if (info === null || totalInputTokens === null || totalInputTokens === 0) return null;
  const contextWindowTokens = numberAt(info, "model_context_window");
  return {
    usage: usageOf({
      totalInputTokens,
      cacheReadTokens: numberAt(last, "cached_input_tokens"),
      cacheWriteTokens: numberAt(last, "cache_write_input_tokens"),
      outputTokens: numberAt(last, "output_tokens"),
      reasoningTokens: numberAt(last, "reasoning_output_tokens"),
      raw: jsonValueOf(last),
    }),
    key: JSON.stringify(info.total_token_usage ?? last),
    limits: contextWindowTokens === null ? null : { contextWindowTokens, maxOutputTokens: null },
  };
}
