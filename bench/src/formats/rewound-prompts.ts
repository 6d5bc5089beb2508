import type { ImportNote } from "../transcript.ts";
import { type LogItem, rollBack } from "./log-items.ts";

/** One entry of a log that is a tree. */
export interface TreeNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly role: "prompt" | "reply" | "other";
}

/** Prompts that were taken back, by id. */
export interface RewoundPrompts {
  /** Taken back before a model answered: never part of the conversation, so left out. */
  readonly unanswered: ReadonlySet<string>;
  /** Taken back after a model had answered, with the prompt in its place: calls were made with it until then. */
  readonly answered: ReadonlyMap<string, string>;
}

/** The items without unanswered prompts, and with a roll-back before each prompt that replaces another. */
export function withRollBacks(items: readonly LogItem[], { unanswered, answered }: RewoundPrompts): readonly LogItem[] {
  const idOf = (item: LogItem) => (item.kind === "unread" ? null : item.sourceId) ?? "";
  const itemOf = new Map(items.map((item) => [idOf(item), item]));
  const takes = new Map([...answered].map(([earlier, later]) => [later, itemOf.get(earlier)]));
  return items.flatMap((item) => {
    const taken = takes.get(idOf(item));
    if (unanswered.has(idOf(item))) return [];
    return taken === undefined || item.kind !== "user" ? [item] : [rollBack(taken, item), item];
  });
}

/** Notes of the prompts that were answered before they were taken back. */
export function rewoundNotes(
  file: string,
  nodes: readonly (TreeNode & { readonly line: number })[],
  { answered }: RewoundPrompts,
): readonly ImportNote[] {
  const taken = "this prompt was taken back later; until then its branch is in the context";
  return nodes.flatMap(({ id, line }): readonly ImportNote[] =>
    answered.has(id) ? [{ code: "abandoned-branch", line, text: `${file}:${line}: ${taken}` }] : [],
  );
}

/** A prompt is taken back if a later prompt of the log has the same parent. Linear in the nodes. */
export function rewoundPrompts(nodes: readonly TreeNode[]): RewoundPrompts {
  const parentOf = new Map(nodes.map((node) => [node.id, node.parentId]));
  const answeredIds = new Set<string>();
  for (const node of nodes) {
    if (node.role !== "reply") continue;
    let id: string | null = node.id;
    while (id !== null && !answeredIds.has(id)) {
      answeredIds.add(id);
      id = parentOf.get(id) ?? null;
    }
  }
  const latest = new Map<string, string>();
  const unanswered = new Set<string>();
  const answered = new Map<string, string>();
  for (const node of nodes) {
    if (node.role !== "prompt" || node.parentId === null) continue;
    const earlier = latest.get(node.parentId);
    if (earlier !== undefined && answeredIds.has(earlier)) answered.set(earlier, node.id);
    else if (earlier !== undefined) unanswered.add(earlier);
    latest.set(node.parentId, node.id);
  }
  return { unanswered, answered };
}
