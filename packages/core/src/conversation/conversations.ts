import { deadlineOf } from "../deadline.ts";
import type { SessionEntry } from "../entry.ts";
import { closedError, isPlimsollError, PlimsollError } from "../error.ts";
import type { Message } from "../message/message.ts";
import type { SessionStore, SessionWriter } from "../ports.ts";
import { sessionsDoor } from "../session/store-door.ts";
import type { Conversation } from "./conversation.ts";
import type { Branch, ConversationName, ConversationRequest, Family, FoundConversation, Node, Place } from "./history-tree.ts";
import {
  baseOf,
  countShared,
  entriesFor,
  familyAbove,
  familyBaseOf,
  heldIn,
  idsOf,
  logIdOf,
  openedOrCreated,
  slotAt,
  takeOut,
} from "./history-tree.ts";
import { untilAborted } from "./queue.ts";

/** Options of a set of conversations. */
export interface ConversationsOptions {
  /** Makes a conversation over a log that `writer` holds already. */
  readonly begin: (
    name: ConversationName,
    log: { readonly entries: readonly SessionEntry[]; readonly writer: SessionWriter | null },
  ) => Conversation;
  /** Where the logs of conversations with a key are kept; `null` for memory alone. */
  readonly sessions: SessionStore | null;
  /** The option that needs a key; `null` if none does. Such a request without one is an error that names it. */
  readonly needsKey: string | null;
  readonly nowMs: () => number | null;
  /** Above these, conversations that nothing waits for go, the one used longest ago first. They come back from the store. */
  readonly maximumCount: number;
  readonly maximumChars: number;
}

/** Conversations that are told apart by their key, else by the longest history that they share with a request. */
export interface Conversations {
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
  /** The conversation in memory that holds most of these messages and no other, whoever it belongs to; `null` for none. */
  holding(messages: readonly Message[]): Promise<FoundConversation | null>;
  /** Removes all that is kept of a key, in memory and in the store, once its running work has ended. */
  delete(key: string): Promise<void>;
  /** Closes all of them, once their running work has ended. Stored logs stay. */
  close(): Promise<void>;
}

/** Makes a set of conversations with none in memory; stored ones are read when a request needs them. */
export function createConversations(given: ConversationsOptions): Conversations {
  const options = { ...given, sessions: given.sessions === null ? null : sessionsDoor(given.sessions, deadlineOf({})) };
  const memory: LiveBranches = { limits: options, families: new Map(), live: new Set(), closing: new Map() };
  const known: ReadonlySet<FoundConversation> = memory.live;
  /** Keys that are being deleted: who wants them next waits. */
  const deleting = new Map<string, Promise<void>>();
  let isClosed = false;
  const assertOpen = () => {
    if (isClosed) throw closedError("compactor");
  };
  return {
    assertOpen,
    goOn: (request, work, signal) =>
      untilAborted(signal, async () => {
        if (request.key === null && options.needsKey !== null) throw keyMissing(options.needsKey);
        for (;;) {
          await deleting.get(familyBaseOf(request));
          // Nothing waits between this and the search: what is opened there is closed by `close`.
          assertOpen();
          const branch = await locate(request, memory, options);
          const done = branch === null ? null : await workOn(branch, { request, work, signal, memory });
          if (done !== null) return done.value;
        }
      }),
    has: (found) => known.has(found),
    all: () => [...memory.live].reverse(),
    holding: async (messages) => {
      let found: Branch | null = null;
      for (const family of memory.families.values()) {
        const held = await heldIn(family, messages);
        if ((held?.conversation.messageIds().length ?? 0) > (found?.conversation.messageIds().length ?? 0)) found = held;
      }
      return found;
    },
    delete: (key) => {
      const base = baseOf(key);
      const deleted = (deleting.get(base) ?? Promise.resolve())
        .then(() => deleteAll(base, memory, options.sessions))
        .finally(() => {
          if (deleting.get(base) === settled) deleting.delete(base);
        });
      const settled = deleted.catch(() => undefined);
      deleting.set(base, settled);
      return deleted;
    },
    close: async () => {
      isClosed = true;
      const all = [...memory.families.values()];
      memory.families.clear();
      await Promise.all(all.map((family) => releaseBelow(family, memory)));
      await Promise.all(memory.closing.values());
    },
  };
}

interface Work<T> {
  readonly request: ConversationRequest;
  readonly work: (found: FoundConversation) => Promise<T>;
  readonly signal: AbortSignal | undefined;
  readonly memory: LiveBranches;
}

/** Runs the work and returns its result; `null` if the branch ended, or went further than the request goes, before it was the work's turn. */
async function workOn<T>(branch: Branch, { request, work, signal, memory }: Work<T>): Promise<{ readonly value: T } | null> {
  if (!memory.live.has(branch)) return null;
  touch(branch, memory);
  const done = await branch.conversation
    .inTurn(async () => {
      signal?.throwIfAborted();
      const ids = branch.conversation.messageIds();
      if (!memory.live.has(branch) || countShared(ids, request.messages) < ids.length) return null;
      return { value: await work(branch) };
    })
    .catch((error: unknown) => {
      // Another writer went on with the log, or nobody knows what it holds: what is in memory is no longer what is stored.
      if (isPlimsollError(error, "session-conflict") || isPlimsollError(error, "bad-session")) end(branch, memory);
      throw error;
    });
  shrink(branch, memory);
  return done;
}

/** The branch that the request goes on, made or opened if it is not there; `null` if the way to it was given up meanwhile. */
async function locate(
  request: ConversationRequest,
  memory: LiveBranches,
  options: ConversationsOptions,
): Promise<Branch | null> {
  const childAt = (parent: Node, place: Place) => childOf(parent, place, { request, memory, options });
  let node: Node = familyOf(request, memory);
  while (isKept(node, memory)) {
    const ids = idsOf(node);
    const sharedCount = countShared(ids, request.messages);
    const next = request.messages[sharedCount]?.id ?? "";
    if (node.kind === "branch" && sharedCount === ids.length) {
      if (!node.isPassing || next === "") return node;
      // What only passed here goes its own way now, next to the branch that it parted from.
      const source: Branch = node;
      node = await childAt(node.parent, { slot: slotAt(sharedCount, next), source, sharedCount, isPassing: false });
      if (source.conversation.pendingCount() === 0) forget(source, memory);
      continue;
    }
    const passing = await node.children.get(slotAt(sharedCount, ""));
    if (!isKept(node, memory)) break;
    const source: Branch | null = passing ?? (node.kind === "branch" ? node : null);
    node = await childAt(node, { slot: slotAt(sharedCount, next), source, sharedCount, isPassing: next === "" });
  }
  return null;
}

function familyOf(request: ConversationRequest, { families }: LiveBranches): Family {
  const base = familyBaseOf(request);
  const family = families.get(base) ?? { kind: "family", key: request.key, base, children: new Map() };
  families.set(base, family);
  return family;
}

interface Making {
  readonly request: ConversationRequest;
  readonly memory: LiveBranches;
  readonly options: ConversationsOptions;
}

function childOf(parent: Node, place: Place, making: Making): Promise<Branch> {
  const known = parent.children.get(place.slot);
  if (known !== undefined) return known;
  const made = begun(parent, place, making);
  parent.children.set(place.slot, made);
  made.catch(() => parent.children.delete(place.slot));
  return made;
}

async function begun(parent: Node, place: Place, { request, memory, options }: Making): Promise<Branch> {
  const { slot, source, sharedCount, isPassing } = place;
  const sessionId = logIdOf(parent, slot);
  await memory.closing.get(sessionId)?.catch(() => undefined);
  const entries = entriesFor(request, { sessionId, source, sharedCount, nowMs: options.nowMs() });
  const name = { key: familyAbove(parent).key, sessionId };
  const isStored = options.sessions !== null && !isPassing;
  const kept = isStored ? await openedOrCreated(options.sessions, entries) : { entries, writer: null };
  const conversation = options.begin(name, kept);
  const branch: Branch = { kind: "branch", name, conversation, parent, slot, children: new Map(), isPassing };
  memory.live.add(branch);
  return branch;
}

async function deleteAll(base: string, memory: LiveBranches, sessions: SessionStore | null): Promise<void> {
  const family = memory.families.get(base);
  memory.families.delete(base);
  if (family !== undefined) await releaseBelow(family, memory);
  const stored = (await sessions?.list()) ?? [];
  for (const { sessionId } of stored) if (sessionId.startsWith(`${base}.`)) await sessions?.delete(sessionId);
}

function keyMissing(option: string): PlimsollError {
  return new PlimsollError(
    "bad-input",
    `"${option}" belongs to one conversation and this request does not say which: give it a key with "conversation"`,
    { option },
  );
}

/** The branches that are in memory, and the logs that are being closed. */
interface LiveBranches {
  readonly limits: { readonly sessions: SessionStore | null; readonly maximumCount: number; readonly maximumChars: number };
  readonly families: Map<string, Family>;
  /** In the order of their last use. A parent comes after its children, so that children go first. */
  readonly live: Set<Branch>;
  /** By the id of the log: who wants it next waits. */
  readonly closing: Map<string, Promise<void>>;
}

/** Notes that a branch was used, and with it all above it. */
function touch(branch: Branch, { live }: LiveBranches): void {
  for (let node: Node = branch; node.kind === "branch"; node = node.parent) {
    live.delete(node);
    live.add(node);
  }
}

/** True for a node that requests are still led through. */
function isKept(node: Node, { live, families }: LiveBranches): boolean {
  return node.kind === "branch" ? live.has(node) : families.get(node.base) === node;
}

/** Releases a branch that nobody works on. */
function forget(branch: Branch, { live }: LiveBranches): void {
  live.delete(branch);
  branch.parent.children.delete(branch.slot);
}

/** Forgets a branch, and releases its log after the work that is under way. */
function release(branch: Branch, memory: LiveBranches): Promise<void> {
  forget(branch, memory);
  const { closing } = memory;
  const { sessionId } = branch.name;
  const closed = branch.conversation.close().finally(() => {
    if (closing.get(sessionId) === closed) closing.delete(sessionId);
  });
  // What is stored is whole: a log that cannot be closed costs its lock alone.
  closed.catch(() => undefined);
  closing.set(sessionId, closed);
  return closed;
}

/** Releases all that is below a node, also what is only being opened. */
async function releaseBelow(node: Node, memory: LiveBranches): Promise<void> {
  for (const made of [...node.children.values()]) {
    const branch = await made.catch(() => null);
    if (branch === null) continue;
    const closed = release(branch, memory);
    await releaseBelow(branch, memory);
    await closed;
  }
}

/** Releases a branch and what is below it. */
function end(branch: Branch, memory: LiveBranches): void {
  for (const each of [...memory.live]) if (each.parent === branch) end(each, memory);
  void release(branch, memory);
}

/** Releases branches above the limits, the one used longest ago first; never the newest. */
function shrink(newest: Branch, memory: LiveBranches): void {
  const { live, families, limits } = memory;
  let chars = 0;
  for (const { conversation } of live) chars += conversation.sizeChars();
  const fits = () => live.size <= limits.maximumCount && chars <= limits.maximumChars;
  for (const branch of live) {
    if (fits()) break;
    if (branch === newest || branch.conversation.pendingCount() > 0 || branch.children.size > 0) continue;
    chars -= branch.conversation.sizeChars();
    end(branch, memory);
  }
  for (const branch of live) {
    if (fits()) break;
    if (branch !== newest && live.has(branch)) chars -= leaveMemory(branch, memory);
  }
  for (const [base, { children }] of families) if (children.size === 0) families.delete(base);
}

/**
 * Releases a branch that has others below it, and returns the characters that it held. A store brings it back with all that is below it; without one those
 * stay, and what it alone had is forgotten. One that somebody works on, or below, stays.
 */
function leaveMemory(branch: Branch, memory: LiveBranches): number {
  const { live, limits } = memory;
  const below = [...live].filter(({ parent }) => parent === branch);
  const isBusy = branch.conversation.pendingCount() > 0 || below.length < branch.children.size;
  if (isBusy || (limits.sessions !== null && below.some((each) => isWorkedOn(each, memory)))) return 0;
  const chars = branch.conversation.sizeChars();
  if (limits.sessions !== null) end(branch, memory);
  else {
    takeOut(branch, below);
    live.delete(branch);
  }
  return chars;
}

function isWorkedOn(branch: Branch, memory: LiveBranches): boolean {
  return (
    branch.conversation.pendingCount() > 0 ||
    [...memory.live].some((each) => each.parent === branch && isWorkedOn(each, memory))
  );
}
