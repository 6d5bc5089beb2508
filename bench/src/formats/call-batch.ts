import { readsAsFailed } from "@plimsoll/core/extend";
import type { ImportNote } from "../transcript.ts";
import type { CallDraft, LogItem, ResultItem, UserItem } from "./log-items.ts";
import { appendUser, type LogWriter } from "./log-writer.ts";

/** A call that waits for its result. */
export interface OpenCall {
  /** The id in the recording; the call's own differs from it if the recording uses an id twice. */
  readonly sourceCallId: string;
  readonly call: CallDraft;
  readonly line: number | null;
}

/** The calls of the last reply and the items that wait for their results. */
export interface CallBatch {
  open(calls: readonly OpenCall[]): void;
  takeUser(item: UserItem): void;
  takeResult(item: ResultItem): void;
  /** Before the next reply, a recorded compaction or the end: puts late items in their place, and notes calls left without a result. */
  close(next: "more" | "end"): void;
}

/**
 * Joins results to calls by id. A result that the recording has later than the next reply is put where it was sent: right after its call. Messages of
 * others during open calls follow the results. A result without a call is left out.
 */
export function createCallBatch(
  writer: LogWriter,
  recording: { items: readonly LogItem[]; file: string; notes: ImportNote[] },
): CallBatch {
  const { items, file, notes } = recording;
  const results = resultsByCall(items);
  const calledIds = callIdsOf(items);
  const placed = new Set<ResultItem>();
  let openCalls: readonly OpenCall[] = [];
  let waiting: UserItem[] = [];

  const place = (open: OpenCall, item: ResultItem) => {
    placed.add(item);
    openCalls = openCalls.filter((other) => other !== open);
    const { callId, toolName, category } = open.call;
    const { parts, atMs } = item;
    const result = { role: "tool-result" as const, callId, toolName, category, parts, atMs };
    const draft = { ...result, isError: item.isError ?? readsAsFailed({ category, parts }) };
    writer.append(item, writer.identify(draft, item.sourceId ?? `result:${callId}`));
  };

  const releaseWaiting = () => {
    const released = waiting;
    waiting = [];
    for (const item of released) appendUser(writer, item);
  };

  return {
    open: (calls) => {
      openCalls = calls;
    },
    takeUser: (item) => {
      if (openCalls.length > 0) waiting.push(item);
      else appendUser(writer, item);
    },
    takeResult: (item) => {
      if (placed.has(item)) return;
      const open = openCalls.find((candidate) => candidate.sourceCallId === item.callId);
      const isAnswered = results.get(item.callId)?.some((other) => placed.has(other)) === true;
      if (open !== undefined) place(open, item);
      else if (isAnswered || !calledIds.has(item.callId)) notes.push(resultWithoutCall(file, item, isAnswered));
      if (openCalls.length === 0) releaseWaiting();
    },
    close: (next) => {
      for (const open of openCalls) {
        const late = results.get(open.sourceCallId)?.find((item) => !placed.has(item));
        if (late !== undefined) place(open, late);
        else if (next === "more" || waiting.length > 0) notes.push(callWithoutResult(file, open));
      }
      openCalls = [];
      releaseWaiting();
    },
  };
}

function callIdsOf(items: readonly LogItem[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const item of items)
    if (item.kind === "reply") for (const part of item.parts) if (part.type === "tool-call") ids.add(part.callId);
  return ids;
}

function resultsByCall(items: readonly LogItem[]): ReadonlyMap<string, readonly ResultItem[]> {
  const results = new Map<string, ResultItem[]>();
  for (const item of items) {
    if (item.kind !== "result") continue;
    const others = results.get(item.callId);
    if (others === undefined) results.set(item.callId, [item]);
    else others.push(item);
  }
  return results;
}

function placeIn(file: string, line: number | null): string {
  return line === null ? file : `${file}:${line}`;
}

function resultWithoutCall(file: string, item: ResultItem, isAnswered: boolean): ImportNote {
  const why = isAnswered ? "its call has a result already" : "no call has its id";
  const text = `${placeIn(file, item.line)}: the result of ${item.callId} was left out: ${why}`;
  return { code: "result-without-call", line: item.line, text };
}

function callWithoutResult(file: string, open: OpenCall): ImportNote {
  const text = `${placeIn(file, open.line)}: the call ${open.sourceCallId} has no result before the session continues`;
  return { code: "call-without-result", line: open.line, text };
}
