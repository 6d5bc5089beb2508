import { type ModelLimits, type Usage, usageOf } from "@plimsoll/core";
import { isRecord, scriptCalls } from "@plimsoll/core/extend";
import type { ImportNote, Transcript } from "../../transcript.ts";
import { type Fields, jsonValueOf, numberAt, parseRecord, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { readObjects } from "../json-lines.ts";
import { transcriptOf } from "../log-builder.ts";
import type { BoundaryItem, LogItem, ReplyItem, ReplyPart } from "../log-items.ts";
import { boundaryItem, replyItem, rollBack, textPart, unreadItem, userItem } from "../log-items.ts";
import { historyBefore, missingHistory } from "./history.ts";
import {
  encryptedSummary,
  eventName,
  historyItemsOf,
  isEncryptedSummary,
  isKnownEvent,
  isSaid,
  isSilent,
  replyPartsOf,
  resultItemOf,
  saidIn,
} from "./items.ts";
import { createTypedWords } from "./typed-words.ts";

const FORMAT = "codex";

/** Rollouts of the Codex CLI and desktop app. */
export const codexImporter: Importer = {
  format: FORMAT,
  description:
    "Codex: ~/.codex/sessions/**/rollout-*.jsonl and .zst (seen: 0.118 to 0.171, code mode included, and older ones without payloads)",
  newestSeen: "0.171",
  recognises: ({ firstObjects: [first, second] }) =>
    (recordAt(first, "payload") !== null && (first?.type === "session_meta" || first?.type === "response_item")) ||
    (isLegacyHeader(first) && typeof second?.type === "string"),
  read: readCodex,
};

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
  const [first] = source.lines();
  const history = await historyBefore(source, recordAt(parseRecord(first?.text ?? null), "payload"));
  const reader = createRolloutReader();
  for (const value of history.lines) reader.take(value, { line: null, isInherited: true });
  let plan: string | null = null;
  await readObjects(source, notes, ({ line, value }) => {
    plan = stringAt(recordAt(recordAt(value, "payload"), "rate_limits"), "plan_type") ?? plan;
    reader.take(value, { line, isInherited: false });
  });
  const meta = reader.meta();
  const items = reader.items();
  const repeatedCount = reader.repeatedReportCount();
  const text = `${file}: ${repeatedCount} token reports repeat the one before; each call was counted once`;
  if (repeatedCount > 0) notes.push({ code: "duplicate-usage", line: null, text });
  // Counts the calls that scripts make, and the calls whose arguments are not in the script; a script that renames its tools counts as one.
  const calls = items
    .flatMap((item) => (item.kind === "reply" ? item.parts : []))
    .flatMap((part) => {
      const script = part.type === "tool-call" ? stringAt(parseRecord(part.argumentsJson), "input") : null;
      const read = scriptCalls(script ?? "");
      return read.length === 0 && OTHER_NAMES.test(script ?? "") ? [{ name: "tools", args: null }] : read;
    });
  const made = { all: calls.length, unread: calls.filter(({ args }) => args === null).length };
  const unread = `${file}: ${made.unread} of ${made.all} calls in scripts make their arguments while the script runs; their files are unknown`;
  if (made.unread > 0) notes.push({ code: "unread-script", line: null, text: unread });
  const system = stringAt(recordAt(meta, "base_instructions"), "text") ?? stringAt(meta, "instructions") ?? "";
  if (history.missing !== null) notes.push(missingHistory(file, history.missing, { items, system }));
  // The session that this one was forked from, or whose sub-agent it is.
  const spawn = recordAt(recordAt(recordAt(meta, "source"), "subagent"), "thread_spawn");
  const parentId =
    stringAt(meta, "forked_from_id") ?? stringAt(meta, "parent_thread_id") ?? stringAt(spawn, "parent_thread_id");
  const start = {
    id: stringAt(meta, "id") ?? file,
    createdMs: timeMsAt(meta, "timestamp"),
    system,
    parent: parentId === null ? null : { sessionId: parentId, callId: null },
    agent: { name: FORMAT, version: stringAt(meta, "cli_version") },
  };
  const remote = stringAt(recordAt(meta, "git"), "repository_url");
  return [transcriptOf({ name: file, file, format: FORMAT, start, cwd: stringAt(meta, "cwd"), remote, plan, items, notes })];
}

/** Lines that follow each other closer than this were written at once: no model answers in between. Chosen. */
const COPYING_MS = 1_000;

/**
 * Whether a line, in order, belongs to the beginning that a fork or sub-agent repeats from its parent: by its ordinal if the header names the first of its
 * own, else (forks of before 0.145) as it was written at once, under the time of the fork.
 */
function createForkReader(): (value: Fields, atMs: number | null) => boolean {
  let isFork = false;
  let own: number | null = null;
  let hasBegun = false;
  let lastMs: number | null = null;
  return (value, atMs) => {
    if (!hasBegun) {
      const meta = recordAt(value, "payload");
      const start = Number(meta?.subagent_history_start_ordinal ?? Number.NaN);
      own = Number.isFinite(start) ? start : null;
      isFork = stringAt(meta, "forked_from_id") !== null && recordAt(meta, "history_base") === null;
    }
    hasBegun = true;
    if (own !== null) return (numberAt(value, "ordinal") ?? own) < own;
    if (!isFork || atMs === null) return isFork;
    if (lastMs !== null && atMs - lastMs > COPYING_MS) isFork = false;
    lastMs = Math.max(lastMs ?? atMs, atMs);
    return isFork;
  };
}

/** A script that gives `tools`, or its members, names of its own. */
const OTHER_NAMES = /\b(?:const|let|var)\b[^=;]*=\s*tools\s*(?:;|$)/m;

interface OpenReply extends ReplyItem {
  readonly parts: ReplyPart[];
  requestId: string | null;
  usage: Usage | null;
  limits: ModelLimits | null;
  isCopied?: boolean;
}

/**
 * A model call is all output of the model up to the report that closes it: the report comes after the calls (up to 0.126) or after their outputs
 * (from 0.140), and in both cases the prompt was everything before the call's first item. A message or a turn's end in between closes a reply that
 * was never reported. From 0.153 a call is reported by a record of its own, and by the event after it once more. Of event mirrors only the person's
 * words are read.
 */
function createRolloutReader() {
  const items: LogItem[] = [];
  let header: Fields | null = null;
  let meta: Fields | null = null;
  let modelId: string | null = null;
  let tier: string | null = null;
  let lastReportKey: string | null = null;
  let repeatedReportCount = 0;
  let unreported: OpenReply | null = null;
  let recorded: { readonly reply: OpenReply; readonly counts: string } | null = null;
  let isSealed = false;
  let isCopied = false;
  const isInBeginning = createForkReader();
  const words = createTypedWords();

  const addToReply = (parts: readonly ReplyPart[], line: number | null, atMs: number | null): OpenReply => {
    if (unreported === null || isSealed) {
      unreported = { ...{ ...replyItem([], null, { modelId, line, atMs }), parts: [] }, ...(isCopied && { isCopied }) };
      items.push(unreported);
      isSealed = false;
    }
    unreported.parts.push(...parts);
    return unreported;
  };

  const takeItem = (item: Fields, line: number | null, atMs: number | null) => {
    const result = resultItemOf(item, line, atMs);
    const parts = result === null ? replyPartsOf(item) : null;
    if (result !== null) items.push(result);
    else if (parts !== null) addToReply(parts, line, atMs);
    else if (isSaid(item)) {
      // A sub-agent's copies of its parent's messages were not typed by a person.
      const isParents = isCopied && recordAt(recordAt(meta, "source"), "subagent") !== null;
      const said = saidIn(item).map(({ origin, parts: own }) =>
        userItem(isParents && origin === "human" ? "injected" : origin, own, { line, atMs }),
      );
      items.push(...said);
      if (item.role === "user" && !isParents) words.takeSaid(said);
      isSealed = true;
    } else if (!isSilent(item)) items.push(unreadItem(item.type));
  };

  const takeReport = ({ usage, key, limits }: TokenReport, line: number | null, atMs: number | null): OpenReply | null => {
    if (key === lastReportKey) {
      repeatedReportCount += 1;
      return null;
    }
    lastReportKey = key;
    const reply = unreported ?? addToReply([], line, atMs);
    // The settings determine the prices of a call; its report does not.
    const isFast = tier === "fast" || tier === "priority";
    reply.usage = isFast && isRecord(usage.raw) ? { ...usage, raw: { ...usage.raw, speed: "fast" } } : usage;
    reply.limits = limits;
    unreported = null;
    isSealed = false;
    return reply;
  };

  const takeRecord = (payload: Fields, line: number | null, atMs: number | null) => {
    const requestId = stringAt(payload, "response_id");
    const last = recordAt(payload, "usage");
    const usage = usageIn(last);
    const reply =
      usage === null ? null : takeReport({ usage, key: requestId ?? JSON.stringify(payload), limits: null }, line, atMs);
    if (reply === null) return;
    reply.requestId = requestId;
    if (isCopied && stringAt(payload, "thread_id") === stringAt(meta, "id")) reply.isCopied = false;
    recorded = { reply, counts: countsIn(last) };
  };

  const takeEvent = (payload: Fields, line: number | null, atMs: number | null) => {
    if (payload.type === "token_count") {
      const report = tokenReportOf(payload);
      const last = recordAt(recordAt(payload, "info"), "last_token_usage");
      if (report !== null && recorded?.counts === countsIn(last)) {
        recorded.reply.limits = report.limits;
        lastReportKey = report.key;
      } else if (report !== null) takeReport(report, line, atMs);
      recorded = null;
    } else if (payload.type === "turn_aborted") isSealed = true;
    else if (payload.type === "thread_rolled_back") {
      items.push(rollBack(Math.max(0, Math.floor(numberAt(payload, "num_turns") ?? 0)), { line, atMs }));
      isSealed = true;
    } else if (payload.type === "thread_settings_applied") {
      const settings = recordAt(payload, "thread_settings");
      modelId = stringAt(settings, "model") ?? modelId;
      tier = stringAt(settings, "service_tier");
    }
    words.takeEvent(payload);
    if (!isKnownEvent(payload)) items.push(unreadItem(eventName(payload)));
  };

  return {
    // `isInherited`: the line is in a rollout that this one continues.
    take: (value: Fields, { line, isInherited }: { readonly line: number | null; readonly isInherited: boolean }) => {
      const atMs = timeMsAt(value, "timestamp");
      const payload = recordAt(value, "payload");
      isCopied = isInherited || isInBeginning(value, atMs);
      header ??= isInherited ? null : value;
      if (payload === null) takeItem(value, line, atMs);
      else if (value.type === "response_item") takeItem(payload, line, atMs);
      else if (value.type === "session_meta") meta ??= payload;
      else if (value.type === "turn_context") modelId = stringAt(payload, "model") ?? modelId;
      else if (value.type === "compacted") {
        items.push({ ...boundaryOf(payload, items, { line, atMs }), ...(isCopied && { isCopied }) });
        isSealed = true;
      } else if (value.type === "token_usage_record") takeRecord(payload, line, atMs);
      else if (value.type === "event_msg") takeEvent(payload, line, atMs);
      else if (!isSilent(value)) items.push(unreadItem(value.type));
    },
    items: () => {
      words.settle();
      return items;
    },
    // Of its `session_meta`, or of the header of files without payloads.
    meta: () => meta ?? header,
    repeatedReportCount: () => repeatedReportCount,
  };
}

/** With a replacement history that is the context; without, all user messages stay and the message is the summary. */
function boundaryOf(
  payload: Fields,
  items: readonly LogItem[],
  place: { line: number | null; atMs: number | null },
): BoundaryItem {
  if (Array.isArray(payload.replacement_history)) {
    const history = recordsAt(payload, "replacement_history").flatMap(historyItemsOf);
    // A log that keeps neither the summary's text nor its place in the history: the provider has it, and it is sent all the same.
    const isUnlogged = stringAt(payload, "message") === "" && !history.some(isEncryptedSummary);
    const kept = { kind: "history", items: isUnlogged ? [...history, encryptedSummary()] : history } as const;
    return boundaryItem(null, place, { kept });
  }
  const summary = userItem("summary", [textPart(stringAt(payload, "message") ?? "")], place);
  return boundaryItem(summary, place, { kept: { kind: "items", items: items.filter((item) => item.kind === "user") } });
}

/** One `token_count` event with information. */
interface TokenReport {
  readonly usage: Usage;
  /** Equal for a report that repeats the one before it: the session's totals have not moved. */
  readonly key: string;
  readonly limits: ModelLimits | null;
}

function tokenReportOf(payload: Fields): TokenReport | null {
  const info = recordAt(payload, "info");
  const last = recordAt(info, "last_token_usage");
  const usage = usageIn(last);
  if (info === null || usage === null) return null;
  const contextWindowTokens = numberAt(info, "model_context_window");
  return {
    usage,
    key: JSON.stringify(info.total_token_usage ?? last),
    limits: contextWindowTokens === null ? null : { contextWindowTokens, maxOutputTokens: null },
  };
}

/** The prompt is inclusive of its cached part. `null` if it has no counts. */
function usageIn(last: Fields | null): Usage | null {
  const totalInputTokens = numberAt(last, "input_tokens");
  if (totalInputTokens === null || totalInputTokens === 0) return null;
  return usageOf({
    totalInputTokens,
    cacheReadTokens: numberAt(last, "cached_input_tokens"),
    cacheWriteTokens: numberAt(last, "cache_write_input_tokens"),
    outputTokens: numberAt(last, "output_tokens"),
    reasoningTokens: numberAt(last, "reasoning_output_tokens"),
    raw: jsonValueOf(last),
  });
}

/** Equal for two reports of one call. */
function countsIn(last: Fields | null): string {
  return `${numberAt(last, "input_tokens")} ${numberAt(last, "output_tokens")}`;
}
