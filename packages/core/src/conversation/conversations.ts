import type { SessionEntry, SessionStartEntry } from "../entry.ts";
import { LOG_VERSION } from "../entry.ts";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import type { Message } from "../message/message.ts";
import type { SessionStore, SessionWriter } from "../ports.ts";
import type { ToolSpec } from "../tool.ts";
import type { Conversation } from "./conversation.ts";

/** What a conversation is called: the caller's key, `null` for one that is told by its messages alone, and the id of its log. */
export interface ConversationName {
  readonly key: string | null;
  readonly sessionId: string;
}

/** A request as its conversation is found by it. */
export interface ConversationRequest {
  readonly key: string | null;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** The whole history that the caller has, each message under its chain id: equal ids mean equal histories up to there. */
  readonly messages: readonly Message[];
}

/** What conversations are kept with. */
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

/** A conversation that a request goes on. */
export interface FoundConversation {
  readonly name: ConversationName;
  readonly conversation: Conversation;
}

/** Conversations that are told apart by their key, else by the longest history that they share with a request. */
export interface Conversations {
  /**
   * Runs work on the conversation that the request goes on, alone: what it holds is a beginning of the request's messages. A history that
   * parts from it earlier (a fork, an edited message) gets a conversation of its own that begins with what both share.
   *
   * @throws PlimsollError `bad-input` if a key is needed and there is none, `session-conflict` if another writer has the log.
   */
  goOn<T>(request: ConversationRequest, work: (found: FoundConversation) => Promise<T>): Promise<T>;
  /** The conversations of a key that are in memory, the one used last first. */
  named(key: string): readonly FoundConversation[];
  /** The conversation in memory that holds most of these messages and no other; `null` for none. */
  holding(request: Pick<ConversationRequest, "key" | "system" | "messages">): Promise<FoundConversation | null>;
  /** Removes all that is kept of a key, in memory and in the store, after the work that goes on. */
  delete(key: string): Promise<void>;
  /** Ends all of them, after the work that goes on. What is stored stays. */
  close(): Promise<void>;
}

/** A node of the tree of histories. A child begins with what its parent has up to the place where the two part. */
interface Branch extends FoundConversation {
  readonly kind: "branch";
  readonly parent: Node;
  readonly slot: string;
  readonly children: Map<string, Promise<Branch>>;
  /** True for one that ends where its parent goes on: it is not stored, and the next message gives it a place of its own. */
  readonly isPassing: boolean;
}

/** All histories of one key, or of one system text. */
interface Family {
  readonly kind: "family";
  readonly key: string | null;
  readonly base: string;
  readonly children: Map<string, Promise<Branch>>;
}

type Node = Family | Branch;

/** An empty set of conversations. */
export function createConversations(options: ConversationsOptions): Conversations {
  const { sessions, nowMs } = options;
  const families = new Map<string, Family>();
  /** In the order of their last use. A parent stands after its children, so that children go first. */
  const live = new Set<Branch>();

  const familyOf = ({ key, system }: Pick<ConversationRequest, "key" | "system">): Family => {
    if (key === null && options.needsKey !== null) throw keyMissing(options.needsKey);
    const base = key === null ? `system-${shortHash(system)}` : baseOf(key);
    const family = families.get(base) ?? { kind: "family", key, base, children: new Map() };
    families.set(base, family);
    return family;
  };
  const touch = (branch: Branch) => {
    for (let node: Node = branch; node.kind === "branch"; node = node.parent) {
      live.delete(node);
      live.add(node);
    }
  };
  const forget = (branch: Branch) => {
    live.delete(branch);
    branch.parent.children.delete(branch.slot);
  };
  const shrink = () => {
    let chars = 0;
    for (const { conversation } of live) chars += conversation.sizeChars();
    for (const branch of live) {
      if (live.size <= options.maximumCount && chars <= options.maximumChars) break;
      if (branch.conversation.pendingCount() > 0 || branch.children.size > 0) continue;
      chars -= branch.conversation.sizeChars();
      forget(branch);
      // What is stored is whole: a log that cannot be closed costs its lock alone.
      void branch.conversation.close().catch(() => undefined);
    }
    for (const [base, { children }] of families) if (children.size === 0) families.delete(base);
  };
  const begin = async (parent: Node, place: Place, request: ConversationRequest): Promise<Branch> => {
    const { slot, source, sharedCount, isPassing } = place;
    const { key, base } = familyAbove(parent);
    const above = parent.kind === "branch" ? parent.name.sessionId : base;
    const sessionId = `${base}.${shortHash(`${above}\n${slot}`).slice(0, ID_CHARS)}`;
    const entries = entriesFor(request, { sessionId, source, sharedCount, nowMs: nowMs() });
    const name = { key, sessionId };
    const kept = sessions === null || isPassing ? { entries, writer: null } : await createdOrOpened(sessions, entries);
    const conversation = options.begin(name, kept);
    const branch: Branch = { kind: "branch", name, conversation, parent, slot, children: new Map(), isPassing };
    live.add(branch);
    return branch;
  };
  const childAt = (parent: Node, place: Place, request: ConversationRequest): Promise<Branch> => {
    const known = parent.children.get(place.slot);
    if (known !== undefined) return known;
    const made = begin(parent, place, request);
    parent.children.set(place.slot, made);
    made.catch(() => parent.children.delete(place.slot));
    return made;
  };
  /** The branch that the request goes on, made or opened if it is not there. */
  const locate = async (request: ConversationRequest): Promise<Branch> => {
    let node: Node = familyOf(request);
    for (;;) {
      const ids = idsOf(node);
      const sharedCount = countShared(ids, request.messages);
      const next = request.messages[sharedCount]?.id ?? "";
      if (node.kind === "branch" && sharedCount === ids.length) {
        if (!node.isPassing || next === "") return node;
        // What only passed here goes its own way now, beside the branch that it parted from.
        const source: Branch = node;
        node = await childAt(node.parent, { slot: slotAt(sharedCount, next), source, sharedCount, isPassing: false }, request);
        if (source.conversation.pendingCount() === 0) forget(source);
        continue;
      }
      const passing = await node.children.get(slotAt(sharedCount, ""));
      const source = passing ?? (node.kind === "branch" ? node : null);
      node = await childAt(node, { slot: slotAt(sharedCount, next), source, sharedCount, isPassing: next === "" }, request);
    }
  };

  return {
    goOn: async (request, work) => {
      for (;;) {
        const branch = await locate(request);
        touch(branch);
        const done = await branch.conversation.inTurn(async () => {
          // Work that was before may have taken it further than this request goes, or ended it.
          const ids = branch.conversation.messageIds();
          if (!live.has(branch) || countShared(ids, request.messages) < ids.length) return null;
          return { value: await work(branch) };
        }).catch((error: unknown) => {
          // Another writer went on with the log: what is in memory is no longer what is stored.
          if (isPlimsollError(error, "session-conflict")) forget(branch);
          throw error;
        });
        shrink();
        if (done !== null) return done.value;
      }
    },
    named: (key) => [...live].filter(({ name }) => name.key === key).reverse(),
    holding: async ({ key, system, messages }) => {
      let node: Node | undefined = families.get(key === null ? `system-${shortHash(system)}` : baseOf(key));
      let found: Branch | null = null;
      while (node !== undefined) {
        const ids = idsOf(node);
        const sharedCount = countShared(ids, messages);
        const isBeginning = node.kind === "branch" && sharedCount === ids.length;
        if (node.kind === "branch" && isBeginning) found = node;
        if (isBeginning && sharedCount === messages.length) break;
        node = await node.children.get(slotAt(sharedCount, messages[sharedCount]?.id ?? ""));
      }
      return found;
    },
    delete: async (key) => {
      const base = baseOf(key);
      const mine = [...live].filter(({ name }) => name.key === key);
      for (const branch of mine) forget(branch);
      families.delete(base);
      await Promise.all(mine.map(({ conversation }) => conversation.close()));
      const stored = (await sessions?.list()) ?? [];
      for (const { sessionId } of stored) if (sessionId.startsWith(`${base}.`)) await sessions?.delete(sessionId);
    },
    close: async () => {
      const all = [...live];
      live.clear();
      families.clear();
      await Promise.all(all.map(({ conversation }) => conversation.close()));
    },
  };
}

/** Where a branch parts from its parent. */
interface Place {
  readonly slot: string;
  /** What it begins with: the first `sharedCount` messages of this one; `null` for nothing. */
  readonly source: Branch | null;
  readonly sharedCount: number;
  readonly isPassing: boolean;
}

/** Characters of the hash in a log's id: 64 bits, so that two histories of one key never meet; chosen. */
const ID_CHARS = 16;

/** Longest key that is used as it is in a log's id; others are hashed. */
const MAXIMUM_KEY_CHARS = 64;

/** The first part of the ids of a key's logs. Two keys never share one: the prefix tells a key from a hash. */
function baseOf(key: string): string {
  const isName = key.length <= MAXIMUM_KEY_CHARS && /^[A-Za-z0-9_-]+$/.test(key);
  return isName ? `key-${key}` : `hash-${shortHash(key)}`;
}

function slotAt(sharedCount: number, nextId: string): string {
  return `${sharedCount}:${nextId}`;
}

function familyAbove(node: Node): Family {
  let above = node;
  while (above.kind === "branch") above = above.parent;
  return above;
}

function idsOf(node: Node): readonly string[] {
  return node.kind === "branch" ? node.conversation.messageIds() : [];
}

/** How many messages both histories begin with. Ids are chained, so one equal id means that all before it are equal. */
function countShared(ids: readonly string[], messages: readonly Message[]): number {
  let [low, high] = [0, Math.min(ids.length, messages.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (ids[middle - 1] === messages[middle - 1]?.id) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The log that a branch begins with: its source's up to the message where they part, under its own id. */
function entriesFor(
  { system, tools }: ConversationRequest,
  from: { readonly sessionId: string; readonly source: Branch | null; readonly sharedCount: number; readonly nowMs: number | null },
): readonly [SessionStartEntry, ...SessionEntry[]] {
  const { sessionId: id, source, sharedCount, nowMs: createdMs } = from;
  const facts = { type: "session", version: LOG_VERSION, id, createdMs, parent: null, agent: null } as const;
  const [first, ...rest] = source?.conversation.manager.entries() ?? [];
  const opening = first?.type === "session" ? first : { system, tools };
  const entries: SessionEntry[] = [];
  let messages = 0;
  for (const entry of rest) {
    if (entry.type === "message" && messages === sharedCount) break;
    if (entry.type === "message") messages += 1;
    entries.push(entry);
  }
  return [{ ...facts, system: opening.system, tools: opening.tools }, ...entries];
}

/** A new log with these entries, or the one of that id that is there. */
async function createdOrOpened(
  sessions: SessionStore,
  entries: readonly [SessionStartEntry, ...SessionEntry[]],
): Promise<{ readonly entries: readonly SessionEntry[]; readonly writer: SessionWriter }> {
  const [start, ...rest] = entries;
  const writer = await sessions.create(start).catch((error: unknown) => {
    if (isPlimsollError(error, "bad-session")) return null;
    throw error;
  });
  if (writer === null) return await sessions.open(start.id);
  if (rest.length > 0) await writer.append(rest);
  return { entries, writer };
}

function keyMissing(option: string): PlimsollError {
  return new PlimsollError(
    "bad-input",
    `"${option}" belongs to one conversation and this request does not say which: give it a key with "conversation"`,
    { option },
  );
}
