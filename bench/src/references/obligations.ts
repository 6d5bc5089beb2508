import type { Message, SessionEntry, ToolCallPart } from "@plimsoll/core";
import { isHuman, textOf, toolCallsOf } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import { messageTexts } from "./message-texts.ts";
import { createStringSearch } from "./string-search.ts";

/** What a context should still hold at a call, in addition to references. */
export type ObligationKind = "instructions" | "last-error" | "open-tasks";

/** What is due from one recorded message on: texts by number. Instructions add up; of the others the newest list holds. */
export interface ObligationEvent {
  readonly ordinal: number;
  readonly kind: ObligationKind;
  readonly texts: readonly number[];
}

/** Texts that a session's context should hold, and where they stand. */
export interface Obligations {
  /** In the order of the messages that they come from. */
  readonly events: readonly ObligationEvent[];
  readonly textCount: number;
  /** The texts that can be read in a message, each once. */
  textsIn(message: Message): readonly number[];
}

/** Of a person's message so much must be readable; the length up to which a line is a statement as a whole. */
const INSTRUCTION_CHARS = 320;
/** Of an error its end says what failed (chosen). */
const ERROR_CHARS = 160;

/** Finds them in one pass over the entries. `ordinalOf` tells the recorded messages' places. */
export function prepareObligations(
  entries: readonly SessionEntry[],
  ordinalOf: (message: Message) => number | null,
): Obligations {
  const numbers = new Map<string, number>();
  const numbered = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const read = createReader();
  const events = entries.flatMap((entry) => {
    const ordinal = entry.type === "message" ? ordinalOf(entry.message) : null;
    if (entry.type !== "message" || ordinal === null) return [];
    return read(entry.message).map(({ kind, texts }) => ({ ordinal, kind, texts: texts.filter(isText).map(numbered) }));
  });
  const search = createStringSearch([...numbers.keys()]);
  const known = new WeakMap<Message, readonly number[]>();
  return {
    events,
    textCount: numbers.size,
    textsIn: (message) => {
      const before = known.get(message);
      if (before !== undefined) return before;
      const found = new Set<number>();
      for (const text of messageTexts(message)) search.find(text, (number) => found.add(number));
      known.set(message, [...found]);
      return [...found];
    },
  };
}

const isText = (text: string): boolean => text.trim() !== "";

interface ReadEvent {
  readonly kind: ObligationKind;
  readonly texts: readonly string[];
}

/** Reads messages in their order: a call that failed is due until it succeeds or another one fails. */
function createReader(): (message: Message) => readonly ReadEvent[] {
  let openCalls = new Map<string, ToolCallPart>();
  let failed: string | null = null;
  return (message) => {
    if (isHuman(message)) return [{ kind: "instructions", texts: [textOf(message).trim().slice(0, INSTRUCTION_CHARS)] }];
    if (message.role === "assistant") {
      const calls = toolCallsOf(message);
      openCalls = new Map(calls.map((call) => [call.callId, call]));
      const tasks = calls.flatMap((call) => openTasks(call.argumentsJson) ?? []);
      const hasList = calls.some((call) => openTasks(call.argumentsJson) !== null);
      return hasList ? [{ kind: "open-tasks", texts: tasks }] : [];
    }
    if (message.role !== "tool-result") return [];
    const call = openCalls.get(message.callId);
    const key = call === undefined ? message.callId : `${call.toolName} ${call.argumentsJson}`;
    if (message.isError) {
      failed = key;
      return [{ kind: "last-error", texts: [textOf(message).trimEnd().slice(-ERROR_CHARS)] }];
    }
    if (key !== failed) return [];
    failed = null;
    return [{ kind: "last-error", texts: [] }];
  };
}

const DONE: ReadonlySet<unknown> = new Set(["completed", "complete", "done", "cancelled"]);

/**
 * The tasks that a call's list leaves open, by the list's shape and not by the tool's name: records that each have a status and a text.
 * `null` if the arguments hold no such list.
 */
function openTasks(argumentsJson: string): readonly string[] | null {
  if (!argumentsJson.includes('"status"')) return null;
  const parsed = parsedOrNull(argumentsJson);
  const lists = isRecord(parsed) ? Object.values(parsed).filter(Array.isArray) : [];
  for (const list of lists) {
    const tasks = list.filter(isRecord).filter((item) => typeof item.status === "string");
    if (tasks.length === 0) continue;
    return tasks.filter(({ status }) => !DONE.has(status)).flatMap((task) => taskText(task) ?? []);
  }
  return null;
}

function taskText(task: Readonly<Record<string, unknown>>): string | null {
  const { content, step, description, title, text } = task;
  const found = [content, step, description, title, text].find((value) => typeof value === "string");
  return typeof found === "string" ? found : null;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Arguments that a model cut off hold no list that could be trusted.
    return null;
  }
}
