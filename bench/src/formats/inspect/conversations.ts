import { UNREPORTED_USAGE } from "@plimsoll/core";
import type { DocumentSidechain } from "../document.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import { type LogItem, replyItem } from "../log-items.ts";
import type { Resolve } from "./attachments.ts";
import { historyDrafts, itemsOf, replyPartsIn, resolved, systemIn, usageIn } from "./contents.ts";

/** The calls of a sample: those of the main conversation, and those of the agents and prompts beside it. */
interface Conversations {
  readonly main: readonly LogItem[];
  readonly sidechains: readonly DocumentSidechain[];
  readonly tools: unknown;
  readonly system: string;
}

/** A conversation that grows call by call. */
interface Conversation {
  readonly key: string;
  readonly callId: string | null;
  readonly items: LogItem[];
  readonly system: string;
  readonly systemCount: number;
  prompt: Prompt;
  replyId: string | null;
}

/**
 * A call belongs to the conversation that its prompt continues. A prompt that continues none is the one after a compaction if there was
 * one, or if it shares more than the system text with the conversation before it; else it begins a conversation of its own. Each call of a
 * tool that started an agent has conversations of its own; what graders asked is left out.
 */
export function conversationsOf(sample: Fields, resolve: Resolve): Conversations {
  const events = recordsAt(sample, "events");
  const pool = recordsAt(recordAt(sample, "events_data"), "messages");
  const spans = readSpans(events);
  const byAgent = new Map<string, Conversation[]>();
  const all: Conversation[] = [];
  let compaction: Fields | null = null;
  let tools: unknown = [];
  for (const event of events) {
    if (event.event === "compaction") compaction = event;
    const reply = event.event === "model" ? replyOf(event) : null;
    if (reply === null || spans.isOfGrader(event)) continue;
    const agent = spans.agentOf(event);
    const open = byAgent.get(agent.key) ?? [];
    byAgent.set(agent.key, open);
    const prompt = inputOf(event, pool);
    let own = continuedBy(prompt, open);
    const last = open.at(-1);
    if (own === null && last !== undefined && (compaction !== null || commonStart(last.prompt, prompt) > last.systemCount)) {
      own = last;
      own.items.push(boundaryAt(prompt, { event, compaction, resolve, systemCount: own.systemCount }));
    } else if (own === null) {
      own = begun(prompt, { agent, number: all.length, resolve });
      all.push(own);
      open.push(own);
      if (all.length === 1) tools = resolve(event.tools);
    } else addNew(own, prompt, resolve);
    compaction = null;
    own.prompt = prompt;
    own.replyId = stringAt(reply, "id");
    own.items.push(replyItemOf(event, reply, resolve));
  }
  const [main, ...others] = all;
  if (main === undefined) return { main: [], sidechains: [], tools, system: "" };
  main.items.push(...restOf(recordsAt(sample, "messages"), main.replyId, resolve));
  const sidechains = others.map(({ key, callId, items, system }) => ({ key, callId, items, start: { id: key, system } }));
  return { main: main.items, sidechains, tools, system: main.system };
}

/** The reply that a call gave; `null` for a call that failed or was not over. */
function replyOf(event: Fields): Fields | null {
  if (event.pending === true || stringAt(event, "error") !== null) return null;
  return recordAt(recordsAt(recordAt(event, "output"), "choices")[0], "message");
}

/** How many conversations of one agent are looked at, the newest first; chosen. */
const OPEN_CONVERSATIONS = 4;

function continuedBy(prompt: Prompt, open: readonly Conversation[]): Conversation | null {
  const newest = open.slice(-OPEN_CONVERSATIONS).reverse();
  return newest.find((own) => commonStart(own.prompt, prompt) === own.prompt.length) ?? null;
}

function begun(
  prompt: Prompt,
  { agent, number, resolve }: { agent: ReturnType<Spans["agentOf"]>; number: number; resolve: Resolve },
): Conversation {
  const messages = promptFrom(prompt, 0);
  const first = messages.findIndex(({ role }) => role !== "system");
  const systemCount = first < 0 ? messages.length : first;
  const items = messages
    .slice(systemCount)
    .flatMap((message, index) => itemsOf(message, { resolve, isFirst: index === 0, usage: null }));
  const key = `${agent.key === "" ? "call" : agent.key}-${number}`;
  const system = systemIn(messages.slice(0, systemCount), resolve);
  return { key, callId: agent.callId, items, system, systemCount, prompt, replyId: null };
}

/** Adds the messages of a prompt behind the one before it. The reply to that one comes first, and is known. */
function addNew(own: Conversation, prompt: Prompt, resolve: Resolve): void {
  const added = promptFrom(prompt, own.prompt.length);
  const [first] = added;
  const isReply = first?.role === "assistant" && (own.replyId === null || first.id === undefined || first.id === own.replyId);
  for (const message of isReply ? added.slice(1) : added)
    own.items.push(...itemsOf(message, { resolve, isFirst: false, usage: null }));
}

function boundaryAt(
  prompt: Prompt,
  {
    event,
    compaction,
    resolve,
    systemCount,
  }: { event: Fields; compaction: Fields | null; resolve: Resolve; systemCount: number },
): LogItem {
  return {
    kind: "boundary",
    summary: null,
    kept: { kind: "history", drafts: historyDrafts(promptFrom(prompt, systemCount), resolve) },
    tokensBefore: numberAt(compaction, "tokens_before"),
    line: null,
    sourceId: null,
    atMs: timeMsAt(compaction ?? event, "timestamp"),
  };
}

const STOP_REASONS: { readonly [reason: string]: "end" | "tool-calls" | "length" } = {
  stop: "end",
  tool_calls: "tool-calls",
  max_tokens: "length",
  model_length: "length",
};

function replyItemOf(event: Fields, given: Fields, resolve: Resolve): LogItem {
  const reply = resolved(given, resolve);
  const output = recordAt(event, "output");
  const reason = stringAt(recordsAt(output, "choices")[0], "stop_reason") ?? "";
  return replyItem(replyPartsIn(reply), usageIn(recordAt(output, "usage")) ?? UNREPORTED_USAGE, {
    sourceId: stringAt(reply, "id"),
    modelId: stringAt(output, "model") ?? stringAt(event, "model"),
    stopReason: Object.hasOwn(STOP_REASONS, reason) ? (STOP_REASONS[reason] ?? null) : null,
    atMs: timeMsAt(event, "completed") ?? timeMsAt(event, "timestamp"),
  });
}

/** Reads the messages behind the last reply in the sample: the results that no call was made with. */
function restOf(messages: readonly Fields[], replyId: string | null, resolve: Resolve): readonly LogItem[] {
  const place = replyId === null ? -1 : messages.findIndex(({ id }) => id === replyId);
  if (place < 0) return [];
  return messages.slice(place + 1).flatMap((message) => itemsOf(message, { resolve, isFirst: false, usage: null }));
}

/**
 * The messages of a call's prompt: ranges of lists, because newer logs hold each message once and the prompts as ranges of that pool. What
 * is compared by ranges costs what the file says of them, however long the prompts are.
 */
interface Prompt {
  readonly length: number;
  readonly ranges: readonly Range[];
}

interface Range {
  readonly list: readonly Fields[];
  readonly from: number;
  /** The place behind the last. */
  readonly through: number;
}

/** The prompt of a model's event: written out, or as `input_refs` into the pool of the sample. */
function inputOf(event: Fields, pool: readonly Fields[]): Prompt {
  const written = recordsAt(event, "input");
  const refs: readonly unknown[] = Array.isArray(event.input_refs) ? event.input_refs : [];
  const ranges =
    written.length > 0 || refs.length === 0
      ? [{ list: written, from: 0, through: written.length }]
      : refs.flatMap((ref) => rangeOf(ref, pool));
  return { length: ranges.reduce((sum, { from, through }) => sum + through - from, 0), ranges };
}

/** A range as a pair, or one place. */
function rangeOf(ref: unknown, list: readonly Fields[]): readonly Range[] {
  const [first, last]: readonly unknown[] = Array.isArray(ref) ? ref : [ref];
  if (typeof first !== "number") return [];
  const from = Math.min(list.length, Math.max(0, first));
  const through = Math.min(list.length, typeof last === "number" ? last : first + 1);
  return through > from ? [{ list, from, through }] : [];
}

/** The messages of a prompt from a place on. */
function promptFrom({ ranges }: Prompt, start: number): readonly Fields[] {
  const messages: Fields[] = [];
  let place = 0;
  for (const { list, from, through } of ranges) {
    const skipped = Math.max(0, start - place);
    if (from + skipped < through) messages.push(...list.slice(from + skipped, through));
    place += through - from;
  }
  return messages;
}

/** How many messages two prompts begin with in common. */
function commonStart(one: Prompt, other: Prompt): number {
  let common = 0;
  const [mine, theirs] = [cursorOf(one), cursorOf(other)];
  for (;;) {
    const [here, there] = [mine.rest(), theirs.rest()];
    if (here === null || there === null) return common;
    const most = Math.min(here.through - here.from, there.through - there.from);
    const same = sameCount(here, there, most);
    common += same;
    if (same < most) return common;
    mine.go(most);
    theirs.go(most);
  }
}

/** How many of the next messages of two ranges are the same; those of one list are if their places are. */
function sameCount(here: Range, there: Range, most: number): number {
  if (here.list === there.list) return here.from === there.from ? most : 0;
  for (let at = 0; at < most; at++) if (!isSame(here.list[here.from + at], there.list[there.from + at])) return at;
  return most;
}

function isSame(one: Fields | undefined, other: Fields | undefined): boolean {
  if (one?.id !== other?.id || one?.role !== other?.role) return false;
  return JSON.stringify([one?.content, one?.tool_calls]) === JSON.stringify([other?.content, other?.tool_calls]);
}

/** Walks over the rest of a prompt's ranges. */
function cursorOf({ ranges }: Prompt): { rest(): Range | null; go(count: number): void } {
  let index = 0;
  let done = 0;
  return {
    rest: () => {
      const range = ranges[index];
      return range === undefined ? null : { ...range, from: range.from + done };
    },
    go: (count) => {
      done += count;
      const range = ranges[index];
      if (range === undefined || range.from + done < range.through) return;
      index += 1;
      done = 0;
    },
  };
}

/** Whose calls are whose, by the spans that events lie in. */
interface Spans {
  /** The agent that an event is of: the span's id and the call that started it; an empty key for the main one. */
  agentOf(event: Fields): { readonly key: string; readonly callId: string | null };
  /** True for what a scorer asked a model, which is no part of the session. */
  isOfGrader(event: Fields): boolean;
}

interface Span {
  readonly agent: { readonly key: string; readonly callId: string | null };
  readonly isGrader: boolean;
}

const MAIN: Span = { agent: { key: "", callId: null }, isGrader: false };

/** Spans begin before what lies in them, so that one pass tells of each what it is in. Events of older logs have none: all are of the main agent. */
function readSpans(events: readonly Fields[]): Spans {
  const callOf = new Map<string, string>();
  for (const event of events) {
    const spanId = event.event === "tool" ? stringAt(event, "agent_span_id") : null;
    if (spanId !== null) callOf.set(spanId, stringAt(event, "id") ?? "");
  }
  const spans = new Map<string, Span>();
  for (const event of events) {
    const id = event.event === "span_begin" ? stringAt(event, "id") : null;
    if (id === null) continue;
    const outer = spans.get(stringAt(event, "parent_id") ?? "") ?? MAIN;
    const callId = callOf.get(id);
    const isGrader = outer.isGrader || event.type === "scorer" || event.type === "scorers" || event.name === "scorers";
    spans.set(id, { agent: callId === undefined ? outer.agent : { key: id, callId }, isGrader });
  }
  const spanOf = (event: Fields) => spans.get(stringAt(event, "span_id") ?? "") ?? MAIN;
  return { agentOf: (event) => spanOf(event).agent, isOfGrader: (event) => event.role === "grader" || spanOf(event).isGrader };
}
