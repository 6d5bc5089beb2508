import { LOG_VERSION, type SessionEntry, type SessionStartEntry } from "../entry.ts";
import { isPlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import type { Message } from "../message/message.ts";
import type { SessionStore, SessionWriter } from "../ports.ts";
import type { ToolSpec } from "../tool.ts";
import type { Conversation } from "./conversation.ts";

/** The name of a conversation: the caller's key, `null` for one that is told by its messages alone, and the id of its log. */
export interface ConversationName {
  readonly key: string | null;
  readonly sessionId: string;
}

/** The parts of a request by which its conversation is found. `key` is the caller's name for it, `null` for none. */
export interface ConversationRequest {
  readonly key: string | null;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** The whole history that the caller has, each message under its chain id: equal ids mean equal histories up to there. */
  readonly messages: readonly Message[];
}

/** The conversation that a request continues, and its name. */
export interface FoundConversation {
  readonly name: ConversationName;
  readonly conversation: Conversation;
}

/** A node of the tree of histories. A child begins with what its parent has up to the place where the two part. */
export interface Branch extends FoundConversation {
  readonly kind: "branch";
  /** Another one, with another slot, once the parent leaves memory. */
  parent: Node;
  slot: string;
  readonly children: Map<string, Promise<Branch>>;
  /** True for one that ends where its parent goes on: it is not stored, and the next message gives it a place of its own. */
  readonly isPassing: boolean;
}

/** All histories of one key, or of one system text. */
export interface Family {
  readonly kind: "family";
  readonly key: string | null;
  readonly base: string;
  readonly children: Map<string, Promise<Branch>>;
}

/** A family, or a branch of it. */
export type Node = Family | Branch;

/** Where a branch parts from its parent. */
export interface Place {
  readonly slot: string;
  /** The branch that it begins with: the first `sharedCount` messages of this one; `null` for none. */
  readonly source: Branch | null;
  readonly sharedCount: number;
  readonly isPassing: boolean;
}

/** Characters of the hash in a log's id: 64 bits, so that two histories of one key never meet; chosen. */
const ID_CHARS = 16;

/** Longest key that is used as it is in a log's id. Others are hashed, and so are capitals, which some file systems do not tell apart. */
const MAXIMUM_KEY_CHARS = 64;

/** The first part of the ids of a key's logs. Two keys never share one: the prefix tells a key from a hash. */
export function baseOf(key: string): string {
  const isName = key.length <= MAXIMUM_KEY_CHARS && /^[a-z0-9_-]+$/.test(key);
  return isName ? `key-${key}` : `hash-${shortHash(key)}`;
}

/** The first part of the ids of a request's conversations: its key's, or its system text's. */
export function familyBaseOf({ key, system }: Pick<ConversationRequest, "key" | "system">): string {
  return key === null ? `system-${shortHash(system)}` : baseOf(key);
}

/** The place of a child among its siblings: where it parts from its parent, and the message that it goes on with; none for one that ends there. */
export function slotAt(sharedCount: number, nextId: string): string {
  return `${sharedCount}:${nextId}`;
}

/** The id of the log of a child. It follows from the histories alone, so that a restart finds it again. */
export function logIdOf(parent: Node, slot: string): string {
  const { base } = familyAbove(parent);
  const above = parent.kind === "branch" ? parent.name.sessionId : base;
  return `${base}.${shortHash(`${above}\n${slot}`).slice(0, ID_CHARS)}`;
}

/** The family that a node belongs to. */
export function familyAbove(node: Node): Family {
  let above = node;
  while (above.kind === "branch") above = above.parent;
  return above;
}

/**
 * Takes a branch out of the tree and puts what is below it in its place: the child that shares the most with it takes its place, the others
 * part from that one where they parted from it, or earlier than that one did.
 */
export function takeOut(branch: Branch, children: readonly Branch[]): void {
  const sharedWith = ({ slot }: Branch) => Number.parseInt(slot, 10);
  const [heir, ...others] = [...children].sort((a, b) => sharedWith(b) - sharedWith(a));
  branch.parent.children.delete(branch.slot);
  if (heir === undefined) return;
  hang(heir, branch.parent, branch.slot);
  for (const child of others) hang(child, heir, child.slot);
}

function hang(branch: Branch, parent: Node, slot: string): void {
  branch.parent = parent;
  branch.slot = slot;
  parent.children.set(slot, Promise.resolve(branch));
}

/** The ids of the messages that a node holds. */
export function idsOf(node: Node): readonly string[] {
  return node.kind === "branch" ? node.conversation.messageIds() : [];
}

/** How many messages both histories begin with. Ids are chained, so one equal id means that all before it are equal. */
export function countShared(ids: readonly string[], messages: readonly Message[]): number {
  let [low, high] = [0, Math.min(ids.length, messages.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (ids[middle - 1] === messages[middle - 1]?.id) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The log that a branch begins with: its source's up to the message where they part, under its own id. */
export function entriesFor(
  { system, tools }: ConversationRequest,
  from: {
    readonly sessionId: string;
    readonly source: Branch | null;
    readonly sharedCount: number;
    readonly nowMs: number | null;
  },
): readonly [SessionStartEntry, ...SessionEntry[]] {
  const { sessionId: id, source, sharedCount, nowMs: createdMs } = from;
  const facts = { type: "session", version: LOG_VERSION, id, createdMs, parent: null, agent: null } as const;
  const [first, ...rest] = source?.conversation.entries() ?? [];
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

/** The log of that id, or a new one with these entries. */
export async function openedOrCreated(
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

/** The branch of a family that holds most of these messages and no other. */
export async function heldIn(family: Family, messages: readonly Message[]): Promise<Branch | null> {
  let found: Branch | null = null;
  for (let node: Node | undefined = family; node !== undefined; ) {
    const sharedCount = countShared(idsOf(node), messages);
    const isHeld: boolean = sharedCount === idsOf(node).length;
    if (node.kind === "branch" && isHeld) found = node;
    if (node.kind === "branch" && isHeld && sharedCount === messages.length) break;
    node = await node.children.get(slotAt(sharedCount, messages[sharedCount]?.id ?? ""));
  }
  return found;
}
