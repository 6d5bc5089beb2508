import { createEdgeTable, type EdgeTable, edgeAt, setEdge } from "./edge-table.ts";
import { type Beginnings, beginningsOf, createLowerHalves, type LowerHalves, nextBeginning } from "./string-beginnings.ts";

/** Where strings stand in a text, in order of where they end: by place the string's index, its start and its exclusive end. */
export interface FoundPlaces {
  readonly strings: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Steps taken: at most twice the text plus the places. */
  readonly steps: number;
}

/** Finds many strings at once. */
export interface StringSearch {
  /** Every place of a text. It holds until the next text is searched. */
  find(text: string): FoundPlaces;
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
export function createStringSearch(strings: readonly string[], { mayBegin = anywhere }: SearchOptions = {}): StringSearch {
  const trie = buildTrie(strings);
  const tables: SearchTables = {
    trie,
    suffixes: linkSuffixes(trie),
    begins: beginningsOf(strings),
    mayBegin,
    lengths: strings.map(({ length }) => length),
  };
  const lowerHalves = createLowerHalves();
  const found: Places = { strings: [], starts: [], ends: [], steps: 0 };
  return {
    find: (text) => {
      findPlaces(tables, { text, halves: lowerHalves(text) }, found);
      return found;
    },
  };
}

function anywhere(): boolean {
  return true;
}

interface Places {
  readonly strings: number[];
  readonly starts: number[];
  readonly ends: number[];
  steps: number;
}

interface SearchTables {
  readonly trie: Trie;
  readonly suffixes: Suffixes;
  readonly begins: Beginnings;
  readonly mayBegin: (text: string, start: number) => boolean;
  readonly lengths: readonly number[];
}

interface SearchedText {
  readonly text: string;
  readonly halves: LowerHalves;
}

/** A function of the module: what is compiled of one that is made for each search is lost with it. */
function findPlaces(tables: SearchTables, { text, halves }: SearchedText, found: Places): void {
  const { begins, mayBegin, lengths } = tables;
  const { failOf, nextEndOf, nearestEndOf } = tables.suffixes;
  const { edges, endsOf } = tables.trie;
  found.strings.length = found.starts.length = found.ends.length = 0;
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
    let next = edgeAt(edges, node, unit);
    while (next === 0 && node !== 0) {
      node = at(failOf, node);
      next = edgeAt(edges, node, unit);
      steps += 1;
    }
    node = next;
    for (let end = at(nearestEndOf, node); end !== 0; end = at(nextEndOf, end)) {
      steps += 1;
      const string = at(endsOf, end) - 1;
      found.strings.push(string);
      found.starts.push(index + 1 - (lengths[string] ?? 0));
      found.ends.push(index + 1);
    }
  }
  found.steps = steps;
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
      let next = edgeAt(edges, node, unit);
      if (next === 0) {
        next = nodeCount++;
        setEdge(edges, { node, unit, next });
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
    while (suffix !== 0 && edgeAt(edges, suffix, unit) === 0) suffix = at(failOf, suffix);
    const fail = edgeAt(edges, suffix, unit);
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

function at(values: Int32Array, index: number): number {
  return values[index] ?? 0;
}
