import type { SessionEntry, SessionStartEntry } from "../entry.ts";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import type { SessionStore, SessionWriter } from "../ports.ts";
import type { Conversation } from "./conversation.ts";
import type { Branch, ConversationName, ConversationRequest, Family, FoundConversation, Node, Place } from "./history-tree.ts";
import { baseOf, countShared, entriesFor, familyAbove, idsOf, logIdOf, slotAt } from "./history-tree.ts";

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
   * @throws PlimsollError `bad-input` if a key is needed and there is none, `session-conflict` if another writer has the log.
   */
  goOn<T>(request: ConversationRequest, work: (found: FoundConversation) => Promise<T>): Promise<T>;
  /** The conversations that are in memory, the one used last first. */
  all(): readonly FoundConversation[];
  /** The conversation in memory that holds most of these messages and no other; `null` for none. */
  holding(request: Pick<ConversationRequest, "key" | "system" | "messages">): Promise<FoundConversation | null>;
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
  /** Ends a branch and what hangs on it. What is stored is whole: a log that cannot be closed costs its lock alone. */
  const end = (branch: Branch) => {
    for (const each of [...live]) if (each.parent === branch) end(each);
    forget(branch);
    void branch.conversation.close().catch(() => undefined);
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
    for (const [base, { children }] of families) if (children.size === 0) families.delete(base);
  };
  const begin = async (parent: Node, place: Place, request: ConversationRequest): Promise<Branch> => {
    const { slot, source, sharedCount, isPassing } = place;
    const { key } = familyAbove(parent);
    const sessionId = logIdOf(parent, slot);
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
        const done = await branch.conversation
          .inTurn(async () => {
            // Work that was before may have taken it further than this request goes, or ended it.
            const ids = branch.conversation.messageIds();
            if (!live.has(branch) || countShared(ids, request.messages) < ids.length) return null;
            return { value: await work(branch) };
          })
          .catch((error: unknown) => {
            // Another writer went on with the log: what is in memory is no longer what is stored.
            if (isPlimsollError(error, "session-conflict")) end(branch);
            throw error;
          });
        shrink(branch);
        if (done !== null) return done.value;
      }
    },
    all: () => [...live].reverse(),
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

function keyMissing(option: string): PlimsollError {
  return new PlimsollError(
    "bad-input",
    `"${option}" belongs to one conversation and this request does not say which: give it a key with "conversation"`,
    { option },
  );
}

/** The log of that id, or a new one with these entries. */
async function openedOrCreated(
  sessions: SessionStore,
  entries: readonly [SessionStartEntry, ...SessionEntry[]],
): Promise<{ readonly entries: readonly SessionEntry[]; readonly writer: SessionWriter }> {
  const [start, ...rest] = entries;
  const writer = await sessions.create(start).catch(async (error: unknown) => {
    const isThere = isPlimsollError(error, "bad-session") && (await sessions.read(start.id, () => undefined)) !== null;
    if (isThere) return null;
    throw error;
  });
  if (writer === null) return await sessions.open(start.id);
  try {
    if (rest.length > 0) await writer.append(rest);
    return { entries, writer };
  } catch (error) {
    await writer.close();
    throw error;
  }
}
