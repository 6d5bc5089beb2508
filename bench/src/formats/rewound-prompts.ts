/** One entry of a log that is a tree. */
export interface TreeNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly role: "prompt" | "reply" | "other";
}

/** Prompts that were taken back, by id. */
export interface RewoundPrompts {
  /** Taken back before a model answered: never part of what went on, so left out. */
  readonly unanswered: ReadonlySet<string>;
  /** Taken back after a model had answered: their branch holds calls and stays, in the order of the file. */
  readonly answered: ReadonlySet<string>;
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
  const answered = new Set<string>();
  for (const node of nodes) {
    if (node.role !== "prompt" || node.parentId === null) continue;
    const earlier = latest.get(node.parentId);
    if (earlier !== undefined) (answeredIds.has(earlier) ? answered : unanswered).add(earlier);
    latest.set(node.parentId, node.id);
  }
  return { unanswered, answered };
}
