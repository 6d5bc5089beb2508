import type { SessionEntry } from "../entry.ts";
import { isPlimsollError, PlimsollError } from "../error.ts";
import type { Message } from "../message/message.ts";
import type { SessionStore, SessionWriter } from "../ports.ts";
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

/** Conversations that are told apart by their key, else by the longest history that they share with a request. */
export interface Conversations {
  /**
   * Runs work on the conversation that the request goes on, alone: what it holds is a beginning of the request's messages. A history that
   * parts from it earlier (a fork, an edited message) gets a conversation of its own that begins with what both share.
   *
   * Rejects as soon as the signal aborts, also if work that was given before goes on.
   *
   * @throws PlimsollError `bad-input` if a key is needed and there is none, `session-conflict` if another writer has the log.
   */
  goOn<T>(request: ConversationRequest, work: (found: FoundConversation) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** True for a conversation that is in memory. One that is not takes no more work: its request finds another. */
  has(found: FoundConversation): boolean;
  /** The conversations that are in memory, the one used last first. */
  all(): readonly FoundConversation[];
  /** The conversation in memory that holds most of these messages and no other, whoever it is of; `null` for none. */
  holding(messages: readonly Message[]): Promise<FoundConversation | null>;
  /** Removes all that is kept of a key, in memory and in the store, after the work that goes on. */
  delete(key: string): Promise<void>;
  /** Ends all of them, after the work that goes on. What is stored stays. */
  close(): Promise<void>;
}

/** An empty set of conversations. */
export function createConversations(options: ConversationsOptions): Conversations {
  const { sessions, nowMs } = options;
  const families = new Map<string, Family>();
  /** In the order of their last use. A parent stands after its children, so that children go first. */
  const live = new Set<Branch>();
  const known: ReadonlySet<FoundConversation> = live;
  /** Logs that are being closed, and keys that are being deleted: who wants them next waits. */
  const closing = new Map<string, Promise<void>>();
  const deleting = new Map<string, Promise<void>>();

  const familyOf = (request: ConversationRequest): Family => {
    const { key } = request;
    const base = familyBaseOf(request);
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
  /** True for a node that requests are still led through. */
  const isKept = (node: Node): boolean => (node.kind === "branch" ? live.has(node) : families.get(node.base) === node);
  const forget = (branch: Branch) => {
    live.delete(branch);
    branch.parent.children.delete(branch.slot);
  };
  /** Forgets a branch, and gives its log free after the work that goes on. */
  const release = (branch: Branch): Promise<void> => {
    forget(branch);
    const { sessionId } = branch.name;
    const end = branch.conversation.close().finally(() => {
      if (closing.get(sessionId) === end) closing.delete(sessionId);
    });
    // What is stored is whole: a log that cannot be closed costs its lock alone.
    end.catch(() => undefined);
    closing.set(sessionId, end);
    return end;
  };
  /** Releases all that is below a node, also what is only being opened. */
  const releaseBelow = async (node: Node): Promise<void> => {
    for (const made of [...node.children.values()]) {
      const branch = await made.catch(() => null);
      if (branch === null) continue;
      const end = release(branch);
      await releaseBelow(branch);
      await end;
    }
  };
  /** Releases a branch and what hangs on it. */
  const end = (branch: Branch) => {
    for (const each of [...live]) if (each.parent === branch) end(each);
    void release(branch);
  };
  const shrink = (newest: Branch) => {
    let chars = 0;
    for (const { conversation } of live) chars += conversation.sizeChars();
    for (const branch of live) {
      if (live.size <= options.maximumCount && chars <= options.maximumChars) break;
      if (branch === newest || branch.conversation.pendingCount() > 0 || branch.children.size > 0) continue;
      chars -= branch.conversation.sizeChars();
      end(branch);
    }
    for (const branch of live) {
      if (live.size <= options.maximumCount && chars <= options.maximumChars) break;
      if (branch !== newest && live.has(branch)) chars -= leaveMemory(branch);
    }
    for (const [base, { children }] of families) if (children.size === 0) families.delete(base);
  };
  /**
   * Lets a branch go on which others hang, and answers with the characters that it held. A store brings it back with all that is below it; without one those
   * stay, and what it alone had is forgotten. One that somebody works on, or below, stays.
   */
  const leaveMemory = (branch: Branch): number => {
    const below = [...live].filter(({ parent }) => parent === branch);
    const isBusy = branch.conversation.pendingCount() > 0 || below.length < branch.children.size;
    if (isBusy || (sessions !== null && below.some(isWorkedOn))) return 0;
    const chars = branch.conversation.sizeChars();
    if (sessions !== null) end(branch);
    else {
      takeOut(branch, below);
      live.delete(branch);
    }
    return chars;
  };
  const isWorkedOn = (branch: Branch): boolean =>
    branch.conversation.pendingCount() > 0 || [...live].some((each) => each.parent === branch && isWorkedOn(each));
  const begin = async (parent: Node, place: Place, request: ConversationRequest): Promise<Branch> => {
    const { slot, source, sharedCount, isPassing } = place;
    const { key } = familyAbove(parent);
    const sessionId = logIdOf(parent, slot);
    await closing.get(sessionId)?.catch(() => undefined);
    const entries = entriesFor(request, { sessionId, source, sharedCount, nowMs: nowMs() });
    const name = { key, sessionId };
    const kept = sessions === null || isPassing ? { entries, writer: null } : await openedOrCreated(sessions, entries);
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
  /** The branch that the request goes on, made or opened if it is not there; `null` if the way to it was given up meanwhile. */
  const locate = async (request: ConversationRequest): Promise<Branch | null> => {
    let node: Node = familyOf(request);
    while (isKept(node)) {
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
      if (!isKept(node)) break;
      const source: Branch | null = passing ?? (node.kind === "branch" ? node : null);
      node = await childAt(node, { slot: slotAt(sharedCount, next), source, sharedCount, isPassing: next === "" }, request);
    }
    return null;
  };
  const goOn: Conversations["goOn"] = async (request, work, signal) => {
    if (request.key === null && options.needsKey !== null) throw keyMissing(options.needsKey);
    for (;;) {
      await deleting.get(familyBaseOf(request));
      const branch = await locate(request);
      if (branch === null || !live.has(branch)) continue;
      touch(branch);
      const done = await branch.conversation
        .inTurn(async () => {
          signal?.throwIfAborted();
          // Work that was before may have taken it further than this request goes, or ended it.
          const ids = branch.conversation.messageIds();
          if (!live.has(branch) || countShared(ids, request.messages) < ids.length) return null;
          return { value: await work(branch) };
        })
        .catch((error: unknown) => {
          // Another writer went on with the log, or nobody knows what it holds: what is in memory is no longer what is stored.
          if (isPlimsollError(error, "session-conflict") || isPlimsollError(error, "bad-session")) end(branch);
          throw error;
        });
      shrink(branch);
      if (done !== null) return done.value;
    }
  };

  return {
    goOn: (request, work, signal) => untilAborted(signal, () => goOn(request, work, signal)),
    has: (found) => known.has(found),
    all: () => [...live].reverse(),
    holding: async (messages) => {
      let found: Branch | null = null;
      for (const family of families.values()) {
        const held = await heldIn(family, messages);
        if ((held?.conversation.messageIds().length ?? 0) > (found?.conversation.messageIds().length ?? 0)) found = held;
      }
      return found;
    },
    delete: (key) => {
      const base = baseOf(key);
      const before = deleting.get(base);
      const work = async () => {
        await before?.catch(() => undefined);
        const family = families.get(base);
        families.delete(base);
        if (family !== undefined) await releaseBelow(family);
        const stored = (await sessions?.list()) ?? [];
        for (const { sessionId } of stored) if (sessionId.startsWith(`${base}.`)) await sessions?.delete(sessionId);
      };
      const end = work().finally(() => {
        if (deleting.get(base) === settled) deleting.delete(base);
      });
      const settled = end.catch(() => undefined);
      deleting.set(base, settled);
      return end;
    },
    close: async () => {
      const all = [...families.values()];
      families.clear();
      await Promise.all(all.map(releaseBelow));
      await Promise.all(closing.values());
    },
  };
}

function keyMissing(option: string): PlimsollError {
  return new PlimsollError(
    "bad-input",
    `"${option}" belongs to one conversation and this request does not say which: give it a key with "conversation"`,
    { option },
  );
}
