import type { SessionStore } from "../ports.ts";
import { type Branch, type Family, type Node, takeOut } from "./history-tree.ts";

/** The branches that are in memory, and the logs that are being closed. */
export interface LiveBranches {
  readonly limits: { readonly sessions: SessionStore | null; readonly maximumCount: number; readonly maximumChars: number };
  readonly families: Map<string, Family>;
  /** In the order of their last use. A parent comes after its children, so that children go first. */
  readonly live: Set<Branch>;
  /** By the id of the log: who wants it next waits. */
  readonly closing: Map<string, Promise<void>>;
}

/** Notes that a branch was used, and with it all above it. */
export function touch(branch: Branch, { live }: LiveBranches): void {
  for (let node: Node = branch; node.kind === "branch"; node = node.parent) {
    live.delete(node);
    live.add(node);
  }
}

/** True for a node that requests are still led through. */
export function isKept(node: Node, { live, families }: LiveBranches): boolean {
  return node.kind === "branch" ? live.has(node) : families.get(node.base) === node;
}

/** Releases a branch that nobody works on. */
export function forget(branch: Branch, { live }: LiveBranches): void {
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
export async function releaseBelow(node: Node, memory: LiveBranches): Promise<void> {
  for (const made of [...node.children.values()]) {
    const branch = await made.catch(() => null);
    if (branch === null) continue;
    const closed = release(branch, memory);
    await releaseBelow(branch, memory);
    await closed;
  }
}

/** Releases a branch and what is below it. */
export function end(branch: Branch, memory: LiveBranches): void {
  for (const each of [...memory.live]) if (each.parent === branch) end(each, memory);
  void release(branch, memory);
}

/** Releases branches above the limits, the one used longest ago first; never the newest. */
export function shrink(newest: Branch, memory: LiveBranches): void {
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
