import { type AppliedEdit, LOG_VERSION, type SessionEntry, type SessionStartEntry } from "../entry.ts";
import { closedError, isPlimsollError, PlimsollError } from "../error.ts";
import { shortHandle } from "../message/handle.ts";
import { type Context, canonicalContent, type Message, textOf } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import { deadlineOf, untilAborted } from "../port-door.ts";
import type { SessionStore, SessionWriter } from "../ports.ts";
import { shortHash } from "../text.ts";
import type { Session } from "./session.ts";
import { openedOrCreated, sessionsDoor } from "./store-door.ts";

/** The name of a conversation: the caller's key, `null` for one that is known only by its messages, and the id of its log. */
interface ConversationName {
  readonly key: string | null;
  readonly sessionId: string;
}

/** The parts of a request by which its conversation is found. `key` is the caller's name for it, `null` for none. */
interface ConversationRequest extends Pick<Context, "system" | "tools"> {
  readonly key: string | null;
  /** The whole history that the caller has, each message under its chain id: equal ids mean equal histories up to there. */
  readonly messages: readonly Message[];
}

interface FoundConversation {
  readonly name: ConversationName;
  readonly session: Session;
}

interface ConversationsOptions {
  /** Makes a conversation over a log that `writer` holds already, for a request; `from` is the one that it goes on from, if it takes over more than messages. */
  readonly begin: (
    name: ConversationName,
    log: { readonly entries: readonly SessionEntry[]; readonly writer: SessionWriter | null },
    of: { readonly request: ConversationRequest; readonly from: Session | null },
  ) => Session;
  /** The message of a request as it enters the log of `session`; unchanged by default. */
  readonly admit?: (request: ConversationRequest, index: number, session: Session) => Promise<Message>;
  /** The store for logs of conversations with a key; `null` for only memory. */
  readonly sessions: SessionStore | null;
  /** The option that needs a key; `null` if none does. Such a request without one is an error that names it. */
  readonly needsKey: string | null;
  readonly nowMs: () => number | null;
  /** Above these, conversations that nothing waits for go, the one used longest ago first. They come back from the store. */
  readonly maximumCount: number;
  readonly maximumChars: number;
}

/** Conversations that are distinguished by their key, else by the longest history that they share with a request. */
interface Conversations {
  /**
   * Runs work on the conversation whose messages the request begins with, and no other work on it meanwhile. A history that differs
   * earlier (a fork, an edited message) gets a new conversation that begins with the messages that both share.
   *
   * Rejects as soon as the signal aborts, even while earlier work is still running.
   *
   * @throws PlimsollError `bad-input` if a key is needed and there is none, `closed` after `close`, `session-conflict` if another writer has the log.
   */
  goOn<T>(request: ConversationRequest, work: (found: FoundConversation) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Throws PlimsollError `closed` after `close`. */
  assertOpen(): void;
  /** True for a conversation that is in memory. One that is not takes no more work: its request finds another. */
  has(found: FoundConversation): boolean;
  /** The conversations that are in memory, the one used last first. */
  all(): readonly FoundConversation[];
  /** The conversation in memory that holds most of these messages and no other, under any key; `null` for none. */
  holding(messages: readonly Message[]): FoundConversation | null;
  /** Removes all that is kept of a key, in memory and in the store, once its running work has ended. */
  delete(key: string): Promise<void>;
  /** Writes and closes all of them, once their running work has ended. Stored logs stay. If one can't be written it rejects, and can be called again. */
  close(): Promise<void>;
}

/** The root of all histories of one key, or of one system text: it holds no message, and its name has the first part of their ids. */
interface Root {
  readonly name: ConversationName;
  readonly parent: null;
  readonly children: Map<string, Promise<Branch>>;
}

/** A branch of the tree of histories. It begins with its parent's messages up to the place where the two part. */
interface Branch extends FoundConversation {
  /** Another one, with another slot, once the parent leaves memory. */
  parent: Node;
  /** Where it parts from its parent, and the message that it goes on with; none for one that ends there. */
  slot: string;
  readonly children: Map<string, Promise<Branch>>;
  /** True for one that ends where its parent goes on: it is not stored, and the next message gives it a place of its own. */
  readonly isPassing: boolean;
  /** The one that it goes on from, some of whose messages the caller did not keep, or not in that form; `null` for none. */
  settledFrom: Branch | null;
}

type Node = Root | Branch;

/** The branches that are in memory, and the logs that are being closed. */
interface Memory {
  readonly options: ConversationsOptions;
  readonly roots: Map<string, Root>;
  /** In the order of their last use. A parent comes after its children, so that children go first. */
  readonly live: Set<Branch>;
  /** By the id of the log: the next caller waits. */
  readonly closing: Map<string, Promise<void>>;
  /** By the id of the log: sessions that left, and that the store could not take. */
  readonly unclosed: Map<string, Session>;
}

/** Makes a set of conversations with none in memory; stored ones are read when a request needs them. */
export function createConversations(given: ConversationsOptions): Conversations {
  const sessions = given.sessions === null ? null : sessionsDoor(given.sessions, deadlineOf({}));
  const options = { ...given, sessions };
  const memory: Memory = { options, roots: new Map(), live: new Set(), closing: new Map(), unclosed: new Map() };
  const known: ReadonlySet<FoundConversation> = memory.live;
  /** Keys that are being deleted: their next callers wait. */
  const deleting = new Map<string, Promise<void>>();
  let isClosed = false;
  const assertOpen = () => {
    if (isClosed) throw closedError("compactor");
  };
  return {
    assertOpen,
    goOn: (request, work, signal) =>
      untilAborted(signal, async () => {
        const { needsKey: option } = given;
        const unkeyed = `"${option}" belongs to one conversation and this request does not say which: give it a key with "conversation"`;
        if (request.key === null && option !== null) throw new PlimsollError("bad-input", unkeyed, { option });
        for (;;) {
          await deleting.get(baseOf(request));
          // Nothing waits between this and the search: `close` closes a conversation that is opened there.
          assertOpen();
          const branch = await locate(request, memory);
          if (branch === null) continue;
          const inTurn = async () => {
            signal?.throwIfAborted();
            // It may have ended, or gone further than the request goes, before it was the work's turn.
            return memory.live.has(branch) && isWithin(branch, request.messages) ? { value: await work(branch) } : null;
          };
          const done = await workOn(branch, inTurn, memory);
          if (done !== null) return done.value;
        }
      }),
    has: (found) => known.has(found),
    all: () => [...memory.live].reverse(),
    holding: (messages) => {
      const held = [...memory.live].filter((branch) => idsOf(branch).length > 0 && isWithin(branch, messages));
      return held.reduce<Branch | null>((most, each) => (idsOf(each).length < idsOf(most ?? each).length ? most : each), null);
    },
    delete: (key) => {
      const base = baseOf({ key, system: "" });
      const deleted = (deleting.get(base) ?? Promise.resolve()).then(() => deleteAll(base, memory));
      return noted(deleting, base, deleted);
    },
    close: async () => {
      isClosed = true;
      const roots = [...memory.roots.values()];
      memory.roots.clear();
      await Promise.all(roots.map((root) => releaseBelow(root, memory)));
      await Promise.all(memory.closing.values());
      const again = [...memory.unclosed].map(([sessionId, { close }]) => close().then(() => memory.unclosed.delete(sessionId)));
      await Promise.allSettled(again);
      await Promise.all(again);
    },
  };
}

/** Runs the work when it is its turn; `null` if the branch ended before. */
async function workOn<T>(branch: Branch, work: () => Promise<T>, memory: Memory): Promise<T | null> {
  if (!memory.live.has(branch)) return null;
  // All above it was used with it.
  for (let node: Node = branch; node.parent !== null; node = node.parent) {
    memory.live.delete(node);
    memory.live.add(node);
  }
  const done = await branch.session.inTurn(work).catch((error: unknown) => {
    // Another writer went on with the log, or its content is unknown: the copy in memory is no longer the stored one.
    if (isPlimsollError(error, "session-conflict") || isPlimsollError(error, "bad-session")) end(branch, memory);
    throw error;
  });
  shrink(branch, memory);
  return done;
}

/** The branch that the request goes on, made or opened if it is not there; `null` if the way to it was given up meanwhile. */
async function locate(request: ConversationRequest, memory: Memory): Promise<Branch | null> {
  const base = baseOf(request);
  const root = memory.roots.get(base) ?? { name: { key: request.key, sessionId: base }, parent: null, children: new Map() };
  memory.roots.set(base, root);
  let node: Node = root;
  while (isKept(node, memory)) {
    const ids = idsOf(node);
    const sharedCount = countShared(ids, request.messages);
    const next = request.messages[sharedCount]?.id ?? "";
    const begins = { request, slot: slotAt(sharedCount, next), sharedCount };
    if (node.parent !== null && sharedCount === ids.length) {
      if (!node.isPassing || next === "") return node;
      // A history that only passed here goes its own way now, next to the branch that it parted from.
      const source: Branch = node;
      node = await childOf(node.parent, { ...begins, source, isPassing: false }, memory);
      if (source.session.pendingCount() === 0) forget(source, memory);
      continue;
    }
    const passing = await node.children.get(slotAt(sharedCount, ""));
    if (!isKept(node, memory)) break;
    const source: Branch | null = passing ?? (node.parent === null ? keyedSource(node, begins, memory) : node);
    node = await childOf(node, { ...begins, source, isPassing: next === "" }, memory);
    // The one that goes on has all that the other had, and nothing else will go on with that.
    const { settledFrom } = node;
    if (settledFrom === null) continue;
    if (memory.live.has(settledFrom) && memory.options.sessions === null) leaveMemory(settledFrom, memory);
    if (!memory.live.has(settledFrom)) node.settledFrom = null;
  }
  return null;
}

/** The conversation of a key that the request goes on though its very first message changed; without a key only messages tell whose it is. */
function keyedSource(root: Root, { request, slot }: Pick<Beginning, "request" | "slot">, { live }: Memory): Branch | null {
  const isOf = (branch: Branch) =>
    branch.parent === root && settledCounts(messagesIn(branch.session.entries()), request.messages) !== null;
  return request.key === null || root.children.has(slot) ? null : ([...live].findLast(isOf) ?? null);
}

/** How a branch begins: with the first `sharedCount` messages of its source, `null` for none. */
interface Beginning extends Pick<Branch, "slot" | "isPassing"> {
  readonly request: ConversationRequest;
  readonly source: Branch | null;
  readonly sharedCount: number;
}

function childOf(parent: Node, beginning: Beginning, memory: Memory): Promise<Branch> {
  const { slot } = beginning;
  const known = parent.children.get(slot);
  if (known !== undefined) return known;
  const made = begun(parent, beginning, memory);
  parent.children.set(slot, made);
  made.catch(() => parent.children.delete(slot));
  return made;
}

/** Closes writers that the store could not close before, so that the log can be opened again: with it, or else without. */
async function closeLeft(sessionId: string, { unclosed }: Memory): Promise<void> {
  const left = unclosed.get(sessionId);
  unclosed.delete(sessionId);
  await left?.close().catch(left.abandon);
}

async function begun(parent: Node, beginning: Beginning, memory: Memory): Promise<Branch> {
  const { options, live, closing } = memory;
  const { slot, isPassing } = beginning;
  const { key, sessionId: above } = parent.name;
  // It follows only from the histories, so that a restart finds the log again.
  const sessionId = `${above.split(".", 1)[0]}.${shortHash(`${above}\n${slot}`).slice(0, ID_CHARS)}`;
  await closing.get(sessionId)?.catch(() => undefined);
  await closeLeft(sessionId, memory);
  const settled = await settledEntries(beginning, options.admit);
  const entries = [...firstEntries(sessionId, beginning, options.nowMs()), ...(settled ?? [])] as const;
  const isStored = options.sessions !== null && !isPassing;
  const { entries: known, writer } = isStored ? await openedOrCreated(options.sessions, entries) : { entries, writer: null };
  const name = { key, sessionId };
  const settledFrom = settled === null ? null : beginning.source;
  const from = settledFrom?.session ?? null;
  const session = options.begin(name, { entries: known, writer }, { request: beginning.request, from });
  const branch: Branch = { name, session, parent, slot, children: new Map(), isPassing, settledFrom };
  live.add(branch);
  return branch;
}

/** The log that a branch begins with: its source's up to the message where they part, under its own id. */
function firstEntries(
  id: string,
  { request, source, sharedCount }: Beginning,
  createdMs: number | null,
): readonly [SessionStartEntry, ...SessionEntry[]] {
  const [first, ...rest] = source?.session.entries() ?? [];
  const { system, tools } = first?.type === "session" ? first : request;
  const parting = rest.flatMap(({ type }, index) => (type === "message" ? [index] : []))[sharedCount];
  const start = { type: "session", version: LOG_VERSION, id, createdMs, parent: null, agent: null, system, tools } as const;
  return [start, ...rest.slice(0, parting)];
}

/**
 * The entries that a branch takes over from behind the place where it parts from its source. A request may hold texts that its caller sends once, a clock or a
 * reminder: its lasting part is known when a reply comes behind it, or if all replies of the source came back. Then the messages are the request's own, and edits
 * and reports behind them stay; `null` if an edit replaces a message that is changed or gone: a digest would say its old words.
 */
async function settledEntries(
  { request, source, sharedCount }: Beginning,
  admit: ConversationsOptions["admit"],
): Promise<readonly SessionEntry[] | null> {
  if (source === null) return null;
  const all = source.session.entries();
  const behind = all.slice(
    all.findIndex((entry) => entry.type === "message" && entry.message.id === idsOf(source)[sharedCount]),
  );
  const before = messagesIn(behind);
  const counts = settledCounts(before, request.messages.slice(sharedCount));
  if (counts === null || counts.length === 0 || sharedCount + (counts[0] ?? 0) === 0) return null;
  /** The ids by those that the source has, as in entries and as a context shows them; of a message that is gone, that of the one before it. */
  const names = new Map<string, string>();
  for (const [at, { id }] of before.entries()) {
    const name = request.messages[sharedCount + (counts[at] ?? 0) - 1]?.id ?? "";
    names.set(id, name).set(shortHandle(id), shortHandle(name));
  }
  const own = request.messages.slice(sharedCount, sharedCount + (counts.at(-1) ?? 0));
  const taken = await Promise.all(own.map((message, at) => admit?.(request, sharedCount + at, source.session) ?? message));
  const places = new Map(before.map(({ id }, at) => [id, at]));
  const altered = before.map((said, at) => {
    const now = counts[at] === (counts[at - 1] ?? 0) + 1 ? taken[counts[at] - 1] : undefined;
    return now === undefined || canonicalContent(said) !== canonicalContent(now);
  });
  const placesOf = (edit: AppliedEdit) =>
    "spans" in edit ? edit.spans.map(({ from, through }) => [from, through]) : "messageId" in edit ? [[edit.messageId]] : [];
  const isAltered = ([from = "", through = from]: readonly string[]) =>
    altered.slice(places.get(from) ?? 0, (places.get(through) ?? -1) + 1).includes(true);
  if (behind.some((entry) => entry.type === "compaction" && entry.edits.flatMap(placesOf).some(isAltered))) return null;
  const chars = all.reduce((sum, entry) => sum + (entry.type === "message" ? messageChars(entry.message) : 0), 0);
  const changed = changedChars(before, taken);
  let place = -1;
  return behind.flatMap((entry): readonly SessionEntry[] => {
    // A report on texts that were whole says nothing of what the program has left of them.
    if (entry.type === "usage" && (changed[place] ?? 0) > chars * MOST_CHANGED_RATIO) return [];
    if (entry.type !== "message") return [renamed(entry, names)];
    place += 1;
    return taken.slice(counts[place - 1] ?? 0, counts[place]).map((message) => ({ type: "message", message }));
  });
}

/** Above this share of changed characters of a history reports of it do not hold: sizes would be off by as much. Chosen. */
const MOST_CHANGED_RATIO = 0.05;

/** For each message behind a parting, by how many characters the results through it differ from those that answer the same calls now. */
function changedChars(before: readonly Message[], taken: readonly Message[]): readonly number[] {
  const now = new Map(taken.flatMap((each) => (each.role === "tool-result" ? [[each.callId, messageChars(each)]] : [])));
  let changed = 0;
  return before.map((message) => {
    const chars = message.role === "tool-result" ? now.get(message.callId) : undefined;
    if (chars !== undefined) changed += Math.abs(chars - messageChars(message));
    return changed;
  });
}

function messagesIn(entries: readonly SessionEntry[]): readonly Message[] {
  return entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

/** The entry with other ids for messages. They are hashes, so that no other text has one. */
function renamed(entry: SessionEntry, names: ReadonlyMap<string, string>): SessionEntry {
  const text = (said: string) => said.replaceAll(/[0-9a-z]+/g, (word) => names.get(word) ?? word);
  return JSON.parse(JSON.stringify(entry), (_, value: unknown) => (typeof value === "string" ? text(value) : value));
}

/**
 * For each message behind a parting, how many of the request's `own` messages are there once it is. `null` if these do not go on from it: if a reply did not come
 * back, if another call was answered, if the newest messages are others, or if no reply is there at all.
 */
function settledCounts(before: readonly Message[], own: readonly Message[]): readonly number[] | null {
  const counts: number[] = [];
  let [start, at, isReplied] = [0, 0, false];
  for (;;) {
    const reply = nextReply(before, start);
    const answer = nextReply(own, at);
    const [said, again] = [before[reply], own[answer]];
    const [a, b] = [before.slice(start, reply), own.slice(at, answer)];
    if (callIdsIn(a) !== callIdsIn(b) || (said === undefined && !isSettled(a, b))) return null;
    let found = 0;
    for (const [index, message] of a.entries()) {
      const isSame = b[found]?.role === message.role && callIdsIn([message]) === callIdsIn(b.slice(found, found + 1));
      if (isSame && (message.role !== "user" || a.length - index <= b.length - found)) found += 1;
      counts.push(at + found);
    }
    isReplied ||= again !== undefined;
    if (said === undefined) return isReplied ? counts : null;
    if (again === undefined || canonicalContent(said) !== canonicalContent(again)) return null;
    counts.push(answer + 1);
    [start, at] = [reply + 1, answer + 1];
  }
}

/** The place of the next reply; the end for none. */
function nextReply(messages: readonly Message[], from: number): number {
  const at = messages.findIndex(({ role }, index) => index >= from && role === "assistant");
  return at < 0 ? messages.length : at;
}

function callIdsIn(messages: readonly Message[]): string {
  const ids = messages.flatMap((each) => (each.role === "tool-result" ? [each.callId] : []));
  return ids.sort().join("\n");
}

/** Whether messages that no reply vouches for are the same but for the text at one place of them: at least half of it is there. */
function isSettled(before: readonly Message[], own: readonly Message[]): boolean {
  const [a, b] = [before, own].map((messages) => messages.map(textOf).join("\n")) as [string, string];
  const most = Math.min(a.length, b.length);
  let [head, tail] = [0, 0];
  while (head < most && a[head] === b[head]) head += 1;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return head + tail >= most / 2;
}

/** Characters of the hash in a log's id: 64 bits, so that two histories of one key never meet; chosen. */
const ID_CHARS = 16;

/** Longest key that is used as it is in a log's id. Others are hashed, and so are capitals, which some file systems do not distinguish. */
const MAXIMUM_KEY_CHARS = 64;

/** The first part of the ids of a key's logs, else of a system text's. Two never share one: the prefix distinguishes a key from a hash. */
function baseOf({ key, system }: Pick<ConversationRequest, "key" | "system">): string {
  if (key === null) return `system-${shortHash(system)}`;
  const isName = key.length <= MAXIMUM_KEY_CHARS && /^[a-z0-9_-]+$/.test(key);
  return isName ? `key-${key}` : `hash-${shortHash(key)}`;
}

function slotAt(sharedCount: number, nextId: string): string {
  return `${sharedCount}:${nextId}`;
}

function idsOf(node: Node): readonly string[] {
  return node.parent === null ? [] : node.session.messageIds();
}

function isWithin(branch: Branch, messages: readonly Message[]): boolean {
  return countShared(idsOf(branch), messages) === idsOf(branch).length;
}

/** Counts the messages that both histories begin with. Ids are chained, so one equal id means that all before it are equal. */
function countShared(ids: readonly string[], messages: readonly Message[]): number {
  let [low, high] = [0, Math.min(ids.length, messages.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (ids[middle - 1] === messages[middle - 1]?.id) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Notes work that the name's next caller waits for, until it has ended. */
function noted(works: Map<string, Promise<void>>, name: string, work: Promise<void>): Promise<void> {
  const over = () => {
    if (works.get(name) === settled) works.delete(name);
  };
  const settled: Promise<void> = work.then(over, over);
  works.set(name, settled);
  return work;
}

function isKept(node: Node, { live, roots }: Memory): boolean {
  return node.parent === null ? roots.get(node.name.sessionId) === node : live.has(node);
}

function forget(branch: Branch, { live }: Memory): void {
  live.delete(branch);
  branch.parent.children.delete(branch.slot);
}

/** Forgets a branch, and releases its log after the work that is under way. */
function release(branch: Branch, memory: Memory): Promise<void> {
  forget(branch, memory);
  const { sessionId } = branch.name;
  const left = (error: unknown) => {
    // If another writer has the log, nothing of this one can be written; the caller brings the whole history again.
    if (!isPlimsollError(error, "session-conflict")) memory.unclosed.set(sessionId, branch.session);
  };
  return noted(memory.closing, sessionId, branch.session.close().catch(left));
}

/** Releases all branches below a node, also one that is only being opened. */
async function releaseBelow(node: Node, memory: Memory): Promise<void> {
  for (const made of [...node.children.values()]) {
    const branch = await made.catch(() => null);
    if (branch === null) continue;
    const closed = release(branch, memory);
    await releaseBelow(branch, memory);
    await closed;
  }
}

async function deleteAll(base: string, memory: Memory): Promise<void> {
  const { sessions } = memory.options;
  const root = memory.roots.get(base);
  memory.roots.delete(base);
  if (root !== undefined) await releaseBelow(root, memory);
  for (const sessionId of [...memory.unclosed.keys()]) if (sessionId.startsWith(`${base}.`)) await closeLeft(sessionId, memory);
  const stored = (await sessions?.list()) ?? [];
  for (const { sessionId } of stored) if (sessionId.startsWith(`${base}.`)) await sessions?.delete(sessionId);
}

function livingBelow(branch: Branch, { live }: Memory): readonly Branch[] {
  return [...live].filter(({ parent }) => parent === branch);
}

function end(branch: Branch, memory: Memory): void {
  for (const each of livingBelow(branch, memory)) end(each, memory);
  void release(branch, memory);
}

/** Releases branches above the limits, the one used longest ago first; never the newest. */
function shrink(newest: Branch, memory: Memory): void {
  const { live, roots, options } = memory;
  let chars = [...live].reduce((sum, { session }) => sum + session.sizeChars(), 0);
  const fits = () => live.size <= options.maximumCount && chars <= options.maximumChars;
  for (const most of [0, Number.POSITIVE_INFINITY])
    for (const branch of live)
      if (branch !== newest && branch.children.size <= most && !fits()) chars -= leaveMemory(branch, memory);
  for (const [base, { children }] of roots) if (children.size === 0) roots.delete(base);
}

/** Releases a branch that is not busy, and returns the characters that it held. A store brings back all below it; without one those stay. */
function leaveMemory(branch: Branch, memory: Memory): number {
  const isStored = memory.options.sessions !== null;
  const below = livingBelow(branch, memory);
  const isBusy = branch.session.pendingCount() > 0 || below.length < branch.children.size;
  if (isBusy || (isStored && below.some((each) => isWorkedOn(each, memory)))) return 0;
  const chars = branch.session.sizeChars();
  if (isStored) end(branch, memory);
  else {
    void release(branch, memory);
    // Puts the children of a branch in its place: the child that shares the most with it replaces it, the others part from that one where they
    // parted from the branch, or earlier than that one did.
    const { parent, slot } = branch;
    const sharedWith = (child: Branch) => Number.parseInt(child.slot, 10);
    const ordered = [...below].sort((a, b) => sharedWith(b) - sharedWith(a));
    for (const child of ordered) {
      const [above, at]: [Node, string] = child === ordered[0] ? [parent, slot] : [ordered[0] ?? parent, child.slot];
      child.parent = above;
      child.slot = at;
      above.children.set(at, Promise.resolve(child));
    }
  }
  return chars;
}

function isWorkedOn(branch: Branch, memory: Memory): boolean {
  return branch.session.pendingCount() > 0 || livingBelow(branch, memory).some((each) => isWorkedOn(each, memory));
}
