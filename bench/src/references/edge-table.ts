/**
 * The edges of a trie, of which nodes are numbers: the next node for a node and a code unit. A node that is numbered right behind the one it follows is found there, as most are;
 * a hash table has the others, at most one for each string: where it branches off.
 */
export interface EdgeTable {
  /** For each node the unit plus one by which the next number follows it. */
  readonly followedBy: Int32Array;
  /** For each node 32 bits, one for all units that are alike in their last five: a bit that is not set says that there is no such branch. */
  readonly has: Int32Array;
  /** Node, unit and target of a branch stand next to each other, where a processor reads them at once. */
  readonly branches: Int32Array;
  /** Of a branch's place in the table. */
  readonly bits: number;
}

/** What a table must hold at most. */
export interface EdgeCounts {
  readonly nodeCount: number;
  readonly branchCount: number;
}

const BRANCH_NUMBERS = 4;

/** A table without edges. */
export function createEdgeTable({ nodeCount, branchCount }: EdgeCounts): EdgeTable {
  const bits = Math.ceil(Math.log2(branchCount * 2 + 2));
  const branches = new Int32Array(BRANCH_NUMBERS * 2 ** bits);
  return { followedBy: new Int32Array(nodeCount + 1), has: new Int32Array(nodeCount + 1), branches, bits };
}

/** The next node for a node and a code unit; 0 if there is none. */
export function edgeAt(edges: EdgeTable, node: number, unit: number): number {
  if (edges.followedBy[node] === unit + 1) return node + 1;
  return (at(edges.has, node) >>> (unit & 31)) & 1 ? at(edges.branches, branchOf(edges, node, unit) + 2) : 0;
}

/** Adds an edge. */
export function setEdge(
  edges: EdgeTable,
  { node, unit, next }: { readonly node: number; readonly unit: number; readonly next: number },
): void {
  const { followedBy, has, branches } = edges;
  if (next === node + 1) {
    followedBy[node] = unit + 1;
    return;
  }
  has[node] = at(has, node) | (1 << (unit & 31));
  const branch = branchOf(edges, node, unit);
  branches[branch] = node;
  branches[branch + 1] = unit;
  branches[branch + 2] = next;
}

/** Where a branch stands, or would. */
function branchOf({ branches, bits }: EdgeTable, node: number, unit: number): number {
  let place = Math.imul(Math.imul(node, 0x9e3779b1) + unit, 0x85ebca6b) >>> (32 - bits);
  for (;;) {
    const branch = BRANCH_NUMBERS * place;
    if (branches[branch + 2] === 0 || (branches[branch] === node && branches[branch + 1] === unit)) return branch;
    place = (place + 1) & (2 ** bits - 1);
  }
}

function at(values: Int32Array, index: number): number {
  return values[index] ?? 0;
}
