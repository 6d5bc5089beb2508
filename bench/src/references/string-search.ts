import { beginningsOf, createLowerHalves, nextBeginning } from "./string-beginnings.ts";

/** Called for each place where a string stands. `end` is exclusive. */
export type FoundListener = (stringIndex: number, start: number, end: number) => void;

/** Finds many strings at once. */
export interface StringSearch {
  /** Reports every place, in order of where they end; returns the steps taken, at most twice the text plus the places. */
  find(text: string, found: FoundListener): number;
}

/** Where strings are looked for. */
export interface SearchOptions {
  /** Whether a string may begin at a place of a text; where it may not, it need not be found. */
  readonly mayBegin?: (text: string, start: number) => boolean;
}

/**
 * A search for all the strings in one pass over a text (Aho and Corasick, 1975), linear in the text and in the places found,
 * whatever they hold. Memory is linear in the strings' characters. Empty strings are never found.
 */
export function createStringSearch(strings: readonly string[], { mayBegin = () => true }: SearchOptions = {}): StringSearch {
  const trie = buildTrie(strings);
  const { failOf, nextEndOf, nearestEndOf } = linkSuffixes(trie);
  const { edges, endsOf } = trie;
  const begins = beginningsOf(strings);
  const lowerHalves = createLowerHalves();
  return {
    find(text, found) {
      const halves = lowerHalves(text);
      let node = 0;
      let steps = 0;
      for (let index = 0; index < text.length; index++) {
        // Most places of a text begin nothing, which one look at their first characters says.
        if (node === 0) {
          const first = index;
          index = nextBeginning(begins, halves, index);
          steps += index - first;
          if (index === text.length) break;
          if (!mayBegin(text, index)) continue;
        }
        const unit = text.charCodeAt(index);
        steps += 1;
        let next = edges.get(node, unit);
        while (next === 0 && node !== 0) {
          node = at(failOf, node);
          next = edges.get(node, unit);
          steps += 1;
        }
        node = next;
        for (let end = at(nearestEndOf, node); end !== 0; end = at(nextEndOf, end)) {
          steps += 1;
          const stringIndex = at(endsOf, end) - 1;
          found(stringIndex, index + 1 - (strings[stringIndex] ?? "").length, index + 1);
        }
      }
      return steps;
    },
  };
}

/** Nodes are numbers, 0 the root; `parentOf`, `unitOf` and `depthOf` say how each is reached, `endsOf` its string plus one. */
interface Trie {
  readonly edges: EdgeTable;
  readonly nodeCount: number;
  readonly parentOf: Int32Array;
  readonly unitOf: Uint16Array;
  readonly depthOf: Int32Array;
  readonly endsOf: Int32Array;
}

function buildTrie(strings: readonly string[]): Trie {
  let capacity = 1;
  for (const string of strings) capacity += string.length;
  const edges = createEdgeTable({ nodeCount: capacity, branchCount: strings.length });
  const parentOf = new Int32Array(capacity);
  const unitOf = new Uint16Array(capacity);
  const depthOf = new Int32Array(capacity);
  const endsOf = new Int32Array(capacity);
  let nodeCount = 1;
  for (const [stringIndex, string] of strings.entries()) {
    let node = 0;
    for (let index = 0; index < string.length; index++) {
      const unit = string.charCodeAt(index);
      let next = edges.get(node, unit);
      if (next === 0) {
        next = nodeCount++;
        edges.set(node, unit, next);
        parentOf[next] = node;
        unitOf[next] = unit;
        depthOf[next] = index + 1;
      }
      node = next;
    }
    if (node !== 0) endsOf[node] = stringIndex + 1;
  }
  return { edges, nodeCount, parentOf, unitOf, depthOf, endsOf };
}

/** For each node. */
interface Suffixes {
  /** The node of its longest proper suffix. */
  readonly failOf: Int32Array;
  /** The nearest node on that way at which a string ends; 0: none. */
  readonly nextEndOf: Int32Array;
  /** The same, if no string ends at the node itself. */
  readonly nearestEndOf: Int32Array;
}

function linkSuffixes(trie: Trie): Suffixes {
  const { edges, parentOf, unitOf, endsOf } = trie;
  const failOf = new Int32Array(trie.nodeCount);
  const nextEndOf = new Int32Array(trie.nodeCount);
  for (const node of nodesByDepth(trie)) {
    const parent = at(parentOf, node);
    if (parent === 0) continue;
    const unit = unitOf[node] ?? 0;
    let suffix = at(failOf, parent);
    while (suffix !== 0 && edges.get(suffix, unit) === 0) suffix = at(failOf, suffix);
    const fail = edges.get(suffix, unit);
    failOf[node] = fail;
    nextEndOf[node] = at(endsOf, fail) === 0 ? at(nextEndOf, fail) : fail;
  }
  const nearestEndOf = nextEndOf.map((next, node) => (at(endsOf, node) === 0 ? next : node));
  return { failOf, nextEndOf, nearestEndOf };
}

/** All nodes but the root, shallow ones first (a counting sort). */
function nodesByDepth({ depthOf, nodeCount }: Trie): Int32Array {
  let deepest = 0;
  for (let node = 1; node < nodeCount; node++) deepest = Math.max(deepest, at(depthOf, node));
  const placeOf = new Int32Array(deepest + 2);
  for (let node = 1; node < nodeCount; node++) placeOf[at(depthOf, node) + 1] = at(placeOf, at(depthOf, node) + 1) + 1;
  for (let depth = 1; depth < placeOf.length; depth++) placeOf[depth] = at(placeOf, depth) + at(placeOf, depth - 1);
  const nodes = new Int32Array(nodeCount - 1);
  for (let node = 1; node < nodeCount; node++) {
    const depth = at(depthOf, node);
    const place = at(placeOf, depth);
    nodes[place] = node;
    placeOf[depth] = place + 1;
  }
  return nodes;
}

/**
 * The next node for a node and a code unit; 0 if there is none. A node that is numbered right behind the one it follows is found there, as most are;
 * a hash table has the others, at most one for each string: where it branches off.
 */
interface EdgeTable {
  get(node: number, unit: number): number;
  set(node: number, unit: number, next: number): void;
}

interface EdgeCounts {
  readonly nodeCount: number;
  readonly branchCount: number;
}

/** Node, unit and target of a branch stand next to each other, where a processor reads them at once. */
const BRANCH_NUMBERS = 4;

function createEdgeTable({ nodeCount, branchCount }: EdgeCounts): EdgeTable {
  /** For each node the unit plus one by which the next number follows it. */
  const followedBy = new Int32Array(nodeCount + 1);
  const bits = Math.ceil(Math.log2(branchCount * 2 + 2));
  const mask = 2 ** bits - 1;
  const branches = new Int32Array(BRANCH_NUMBERS * 2 ** bits);
  // For each node 32 bits, one for all units that are alike in their last five: a bit that is not set says that there is no such branch.
  const has = new Int32Array(nodeCount + 1);
  const branchOf = (node: number, unit: number): number => {
    let place = Math.imul(Math.imul(node, 0x9e3779b1) + unit, 0x85ebca6b) >>> (32 - bits);
    for (;;) {
      const branch = BRANCH_NUMBERS * place;
      if (branches[branch + 2] === 0 || (branches[branch] === node && branches[branch + 1] === unit)) return branch;
      place = (place + 1) & mask;
    }
  };
  return {
    get(node, unit) {
      if (followedBy[node] === unit + 1) return node + 1;
      return (at(has, node) >>> (unit & 31)) & 1 ? at(branches, branchOf(node, unit) + 2) : 0;
    },
    set(node, unit, next) {
      if (next === node + 1) {
        followedBy[node] = unit + 1;
        return;
      }
      has[node] = at(has, node) | (1 << (unit & 31));
      const branch = branchOf(node, unit);
      branches[branch] = node;
      branches[branch + 1] = unit;
      branches[branch + 2] = next;
    },
  };
}

function at(values: Int32Array, index: number): number {
  return values[index] ?? 0;
}
