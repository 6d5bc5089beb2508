import type { UsageEntry } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import type { Transcript } from "../transcript.ts";
import type { Method, PredictedCall } from "./predict-calls.ts";

/** One session under several methods, each call with its kind. */
export interface CalibratedSession {
  readonly file: string;
  readonly format: string;
  readonly modelIds: readonly string[];
  readonly methods: readonly {
    readonly method: string;
    readonly calls: readonly (PredictedCall & { readonly kind: CallKind })[];
  }[];
}

/** The kind of a call, by the event before it ({@link callKinds}): prediction errors differ from kind to kind. */
export type CallKind = "first" | "after-cut" | "after-switch" | "server-tool" | "fell" | "calm";

/** Predicts every call of a session by every method. */
export function calibrateSession(transcript: Transcript, methods: readonly Method[]): CalibratedSession {
  const modelIds = transcript.entries.flatMap((entry) => (entry.type === "usage" ? [entry.modelId] : []));
  const copied = new Set(transcript.copiedIds);
  const isOwn = transcript.entries.flatMap((entry) =>
    entry.type === "usage" && reportedOf(entry) > 0 ? [!copied.has(entry.requestId)] : [],
  );
  const kinds = callKinds(transcript);
  return {
    file: transcript.name,
    format: transcript.format,
    modelIds: [...new Set(modelIds)],
    methods: methods.map(({ name, predict }) => ({
      method: name,
      calls: predict(transcript).flatMap((each) => (isOwn[each.call] ? [{ ...each, kind: kinds[each.call] ?? "calm" }] : [])),
    })),
  };
}

/**
 * Sorts the calls with a reported size by the event since the one before: the first, after a cut, after another model, after a tool that the provider
 * ran, a smaller report without a cause in the log, or none of these (`calm`).
 */
export function callKinds({ entries }: Transcript): readonly CallKind[] {
  const ranTool = requestsWithServerTools(entries);
  const kinds: CallKind[] = [];
  let last: UsageEntry | null = null;
  let wasCut = false;
  for (const entry of entries) {
    if (entry.type === "compaction" || entry.type === "revert") wasCut = true;
    if (entry.type !== "usage" || reportedOf(entry) <= 0) continue;
    if (last === null) kinds.push("first");
    else if (wasCut) kinds.push("after-cut");
    else if (last.modelId !== entry.modelId) kinds.push("after-switch");
    else if (ranTool.has(entry.requestId) || ranTool.has(last.requestId)) kinds.push("server-tool");
    else kinds.push(reportedOf(entry) < reportedOf(last) ? "fell" : "calm");
    last = entry;
    wasCut = false;
  }
  return kinds;
}

function reportedOf({ usage }: UsageEntry): number {
  return usage.input.totalTokens ?? 0;
}

function requestsWithServerTools(entries: Transcript["entries"]): ReadonlySet<string> {
  const requestIds = entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "assistant") return [];
    const { requestId, parts } = entry.message;
    // Importers keep a tool's item that the provider ran as it came.
    const opaques = parts.flatMap((part) => (part.type === "reasoning" && isRecord(part.opaque) ? [part.opaque] : []));
    return requestId !== null && opaques.some(({ type }) => SERVER_TOOL_ITEMS.test(String(type))) ? [requestId] : [];
  });
  return new Set(requestIds);
}

/** Items of a reply that a provider's own tools leave in it: the log lacks their additions to the prompt. */
const SERVER_TOOL_ITEMS =
  /^(?:(?:web_search|file_search|code_interpreter|image_generation)_call|server_tool_use|(?:web_search|web_fetch|code_execution)_tool_result)$/;
