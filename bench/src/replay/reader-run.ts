import type { CompactionEntry, Message, SessionEntry, SessionView, ToolResultMessage } from "@plimsoll/core";
import { isHuman, textOf } from "@plimsoll/core";
import { canonicalContent, EMPTY_VIEW, foldEntry, requireFallback } from "@plimsoll/core/extend";
import { type CallModel, type Reader, type ReaderReport, reportOf, type StartedReader } from "../through/reader.ts";
import { type Cell, limitsOf } from "./cell.ts";
import { createEngineRun, type EngineRun, systemTextOf } from "./engine-run.ts";
import { createFailureLog } from "./part-failures.ts";
import type { PreparedSession } from "./prepared-session.ts";
import { programPolicy, replacingEntry } from "./program-run.ts";
import type { AskedSummary } from "./replayed-call.ts";

/**
 * A reader that users install in the engine's place: it is given the whole history as its SDK's items at each call, as a user's program does, and what it
 * sends is what is measured. Messages that it sends as they came are the recorded ones.
 */
export function createReaderRun(session: PreparedSession, cell: Cell, reader: Reader): EngineRun {
  const { policy } = cell;
  const { maxRecoveries } = policy.overflow;
  const measuring = programPolicy({
    name: policy.name,
    likeness: null,
    runs: policy.name,
    maxRecoveries,
    resultCapChars: policy.summary.resultCapChars,
  });
  const engine = createEngineRun(session, { ...cell, policy: measuring });
  const putIn = textsPutIn(session);
  const controller = new AbortController();
  const fresh: AskedSummary[] = [];
  let position = 0;
  let clockMs: number | null = null;
  const started = reader.start({
    policy: requireFallback(policy),
    kinds: cell.kinds,
    limits: limitsOf(cell),
    isInjected: (text) => putIn.has(text),
    summarizer: cell.summaries({
      session,
      position: () => position,
      note: (asked) => fresh.push(asked),
      stop: (error) => controller.abort(error),
    }),
    nowMs: () => clockMs,
  });
  const array = createOwnArray(reader);
  const log = createReadLog();
  const failures = createFailureLog();
  const system = systemTextOf(session, cell);
  let calls = 0;
  let request: SentRequest | null = null;
  /** Takes what was sent into the log of ours, and what the reader's own log says of it. */
  const take = (sent: readonly object[], nowMs: number | null): readonly CompactionEntry[] => {
    const entries = started.conversations()[0]?.entries ?? [];
    const view = log.follow(entries);
    const made = log.newCompactions(entries);
    const after = array.recordedView(view, sent, entries);
    const before = engine.view().messages.slice();
    if (before.length !== after.length || before.some((message, place) => message !== after[place])) {
      const { lastEntryId: throughEntryId } = engine.view();
      const change = { before, after, gate: "before-step", program: { name: policy.name, runs: policy.name } } as const;
      engine.append(replacingEntry({ ...change, moment: { pending: [], nowMs }, throughEntryId }));
    }
    for (const entry of made) {
      engine.note(entry);
      failures.add(entry.record.steps);
    }
    return made;
  };
  return {
    ...engine,
    append: (entry) => {
      const before = entry.type === "compaction" ? engine.view().messages.slice() : [];
      engine.append(entry);
      if (entry.type === "message") array.arrive(entry.message);
      const stays = new Set(engine.view().messages);
      array.leave(new Set(before.filter((message) => !stays.has(message))));
    },
    report: async (sent, reported) => {
      const { requestId, modelId, usage } = reported;
      await request?.answer({ requestId, modelId, ...reportOf(usage) });
      request = null;
      return await engine.report(sent, reported);
    },
    reach: (entryIndex) => {
      position = entryIndex;
      engine.reach(entryIndex);
    },
    fit: async (gate, { nowMs }) => {
      if (gate !== "before-step" && gate !== "on-overflow") return { kind: "unchanged", off: null };
      clockMs = nowMs;
      const refused = refusal(cell);
      // A request that was lost before is refused for good.
      if (gate === "before-step") await request?.refuse(refused);
      if (gate === "before-step") {
        const { tools } = engine.view();
        const modelId = session.sizeJudge.calls[calls]?.modelId ?? "";
        calls += 1;
        request = sending(started, { items: array.items(), facts: { system: system(engine.view()), tools, modelId } });
      }
      const sent = await (gate === "before-step" ? request?.sent() : request?.refuse(refused));
      controller.signal.throwIfAborted();
      if (sent === null || sent === undefined) return { kind: "unchanged", off: null };
      const entry = take(sent, nowMs).at(-1);
      return entry === undefined ? { kind: "unchanged", off: null } : { kind: "compacted", entry };
    },
    // Nothing that runs in front of an SDK is told that a person is away.
    idle: () => Promise.resolve(),
    end: failures.result,
    takeDone: () => ({ ...engine.takeDone(), summaries: fresh.splice(0) }),
  };
}

/** Texts in the user's role that no person wrote, as the program of a recorded agent knows them. */
function textsPutIn({ entries }: PreparedSession): ReadonlySet<string> {
  const textIn = (entry: SessionEntry) =>
    entry.type === "message" && entry.message.role === "user" && !isHuman(entry.message) ? [textOf(entry.message)] : [];
  return new Set(entries.flatMap(textIn));
}

/** The error of a prompt above the window. */
function refusal({ contextWindowTokens }: Cell): Error {
  const words = `400 This model's maximum context length is ${contextWindowTokens} tokens. Please reduce the length of the messages.`;
  return Object.assign(new Error(words), { status: 400 });
}

/** A request in a reader's hands, which waits for the answer where the replay does. */
interface SentRequest {
  /** The items that it sends first. Rejects if it sends nothing. */
  sent(): Promise<readonly object[] | null>;
  answer(report: ReaderReport): Promise<void>;
  /** Refuses what it sent last. Gives what it sends instead; `null` if it gave up. */
  refuse(error: Error): Promise<readonly object[] | null>;
}

/** An attempt, and how it ends. */
interface Attempt {
  readonly sent: readonly object[];
  readonly answer: (report: ReaderReport) => void;
  readonly refuse: (error: Error) => void;
}

function sending(
  reader: StartedReader,
  { items, facts }: { readonly items: readonly object[]; readonly facts: Parameters<StartedReader["send"]>[1] },
): SentRequest {
  let tell: (attempt: Attempt | null) => void = () => undefined;
  const next = () =>
    new Promise<Attempt | null>((resolve) => {
      tell = resolve;
    });
  let attempt = next();
  const call: CallModel = (sent) =>
    new Promise((answer, refuse) => {
      tell({ sent, answer, refuse });
    });
  let thrown: { readonly error: unknown } | null = null;
  const done = reader.send(items, facts, call).then(
    () => tell(null),
    (error: unknown) => {
      thrown = { error };
      tell(null);
    },
  );
  return {
    sent: async () => {
      const first = await attempt;
      // Before anything was sent it is no refusal, but a failure of the reader's own.
      if (first === null && thrown !== null) throw thrown.error;
      return first?.sent ?? null;
    },
    answer: async (report) => {
      (await attempt)?.answer(report);
      await done;
    },
    refuse: async (error) => {
      const refused = await attempt;
      if (refused === null) return null;
      attempt = next();
      refused.refuse(error);
      return (await attempt)?.sent ?? null;
    },
  };
}

/** The view of a reader's log, folded as the log grows. */
function createReadLog() {
  let known: readonly SessionEntry[] = [];
  let view: SessionView = EMPTY_VIEW;
  const seen = new Set<string>();
  return {
    follow: (entries: readonly SessionEntry[]): SessionView => {
      // Another conversation, or a fork of it, is folded from its beginning.
      const goesOn = known.length <= entries.length && known.at(-1) === entries[known.length - 1];
      const from = goesOn ? known.length : 0;
      view = entries.slice(from).reduce(foldEntry, goesOn ? view : EMPTY_VIEW);
      known = [...entries];
      return view;
    },
    newCompactions: (entries: readonly SessionEntry[]): readonly CompactionEntry[] =>
      entries.flatMap((entry) => {
        if (entry.type !== "compaction" || seen.has(entry.id)) return [];
        seen.add(entry.id);
        return [entry];
      }),
  };
}

/** The array of a user's program: it grows by what is recorded, and is handed over whole. */
interface OwnArray {
  arrive(message: Message): void;
  /** Takes back what the person took back. */
  leave(gone: ReadonlySet<Message>): void;
  items(): readonly object[];
  /** The view of the reader's log in recorded messages, held against what it sent. Throws if it sends something else, or reads what it was given as something else. */
  recordedView(view: SessionView, sent: readonly object[], entries: readonly SessionEntry[]): readonly Message[];
}

/** Messages that are handed over together, as items that are the same objects each time. */
interface Handed {
  readonly messages: readonly Message[];
  readonly items: readonly object[];
}

function createOwnArray({ reply, results, said }: Reader): OwnArray {
  let arrived: Message[] = [];
  let handed: Handed[] = [];
  const asItems = (messages: readonly Message[]): readonly object[] => {
    const [first] = messages;
    if (first?.role === "assistant") return reply(first);
    if (first?.role === "user") return said(first);
    return results(messages.filter((message): message is ToolResultMessage => message.role === "tool-result"));
  };
  const known = new WeakMap<Message, readonly Message[]>();
  const read = createReading();
  return {
    arrive: (message) => arrived.push(message),
    leave: (gone) => {
      if (gone.size === 0) return;
      arrived = arrived.filter((message) => !gone.has(message));
      handed = handed.filter(({ messages }) => !messages.some((message) => gone.has(message)));
    },
    items: () => {
      const count = handed.reduce((sum, { messages }) => sum + messages.length, 0);
      for (const messages of batches(arrived.slice(count))) handed.push({ messages, items: asItems(messages) });
      return handed.flatMap(({ items }) => items);
    },
    recordedView: (view, sent, entries) => {
      const messages = view.messages.slice().flatMap((viewed) => {
        const before = known.get(viewed);
        const now = before ?? recordedFor(viewed, read(entries, arrived).get(viewed.id));
        known.set(viewed, now);
        return now;
      });
      assertSent(messages, { sent, handed });
      return messages;
    },
  };
}

/** The recorded messages that a message of a reader's view is; what was cut of one, and what was made, is none. */
function recordedFor(viewed: Message, own: ReadMessage | undefined): readonly Message[] {
  if (own === undefined) return [viewed];
  const isSame = viewed.parts === own.read.parts || canonicalContent(viewed) === canonicalContent(own.read);
  return isSame && isWhole(own) ? own.recorded : [changed(viewed, own.recorded[0] ?? viewed)];
}

/** Results that follow each other are one batch, everything else is by itself. */
function batches(messages: readonly Message[]): readonly (readonly Message[])[] {
  const all: Message[][] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (message.role === "tool-result" && last?.at(-1)?.role === "tool-result") last.push(message);
    else all.push([message]);
  }
  return all;
}

/** A message that a reader read, and those that are recorded for it: several replies in a row are one on some wires. */
interface ReadMessage {
  readonly read: Message;
  readonly recorded: readonly Message[];
}

/** Joins what a reader's log has read to what it was given, as both grow. */
function createReading(): (entries: readonly SessionEntry[], arrived: readonly Message[]) => ReadonlyMap<string, ReadMessage> {
  let found = new Map<string, ReadMessage>();
  let known: readonly SessionEntry[] = [];
  let next = 0;
  return (entries, arrived) => {
    const goesOn = known.length <= entries.length && known.at(-1) === entries[known.length - 1];
    if (!goesOn) [found, next] = [new Map(), 0];
    for (const entry of entries.slice(goesOn ? known.length : 0)) {
      if (entry.type !== "message") continue;
      const { message } = entry;
      // A message without anything to send is not there for its reader.
      while (next < arrived.length && arrived[next]?.role !== message.role) next += 1;
      const own = arrived[next];
      if (own === undefined) throw new Error(`the reader has a ${message.role} more than it was given`);
      next += 1;
      const recorded = [own];
      const calls = new Set(callIdsOf(message));
      // Replies in a row whose calls it has all read as one.
      for (let more = arrived[next]; own.role === "assistant" && more?.role === "assistant"; more = arrived[next]) {
        const isOne = message.parts.length > own.parts.length && callIdsOf(more).every((id) => calls.has(id));
        if (!isOne) break;
        recorded.push(more);
        next += 1;
      }
      found.set(message.id, { read: message, recorded });
    }
    known = [...entries];
    return found;
  };
}

function callIdsOf(message: Message): readonly string[] {
  if (message.role === "tool-result") return [message.callId];
  return message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
}

/** False for a result that was cut when it arrived. */
function isWhole({ read, recorded: [own] }: ReadMessage): boolean {
  return read.role !== "tool-result" || own === undefined || textsOf(own).join("\n").trim() === textsOf(read).join("\n").trim();
}

function textsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** The recorded message as it is sent: with the parts that are left. */
function changed(viewed: Message, own: Message): Message {
  if (own.role === "assistant" && viewed.role === "assistant") return { ...own, parts: viewed.parts };
  if (own.role === "tool-result" && viewed.role === "tool-result") return { ...own, parts: viewed.parts };
  return own.role === "user" && viewed.role === "user" ? { ...own, parts: viewed.parts } : viewed;
}

/** Throws unless everything of these messages is in what was sent: an item as it came, or a text in one that was made. */
function assertSent(
  messages: readonly Message[],
  { sent, handed }: { readonly sent: readonly object[]; readonly handed: readonly Handed[] },
): void {
  const all = new Set(sent);
  // Of a batch of results one may have been cut: the others are looked for, too.
  const whole = handed.filter(({ items }) => items.every((item) => all.has(item)));
  const asTheyCame = new Set(whole.flatMap((each) => each.messages));
  const own = new Set(whole.flatMap(({ items }) => items));
  const made = JSON.stringify(sent.filter((item) => !own.has(item)));
  for (const message of messages) {
    if (asTheyCame.has(message)) continue;
    const missing = textsOf(message).find((text) => !made.includes(JSON.stringify(text.trim()).slice(1, -1)));
    if (missing !== undefined) throw new Error(`the reader's log has a text that it does not send: ${missing.slice(0, 60)}`);
  }
}
