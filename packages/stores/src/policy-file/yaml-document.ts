import type { Policy } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import {
  Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLParseError,
} from "yaml";

/** A YAML file's content, with where each value is. */
export interface YamlDocument {
  readonly content: Readonly<Record<string, unknown>>;
  /** `line:column` of the key at this path, or of the nearest one above it that is in the file. */
  placeOf(path: readonly PropertyKey[]): string;
  /** The line of the value at this path, or `null` if the file does not have it. */
  lineOf(path: readonly PropertyKey[]): number | null;
}

/** The result of reading: the document, or the mistakes of the file, each with `line:column`. */
type ReadDocument =
  | { readonly document: YamlDocument }
  | { readonly problems: readonly { readonly place: string; readonly text: string }[] };

/** Reads YAML (and so JSON) whose top is a map. */
export function readDocument(text: string): ReadDocument {
  const deep = lineNestedTooDeep(text);
  if (deep !== null) return { problems: [{ place: `${deep}:1`, text: `nested deeper than ${MOST_LEVELS} levels` }] };
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  // Errors after the first are mostly its consequence.
  const [error] = parsed.errors;
  if (error !== undefined) return { problems: [{ place: at(error.pos[0]), text: problemText(error, text) }] };
  const content = contentOf(parsed);
  if ("problem" in content) return { problems: [{ place: "1:1", text: content.problem }] };
  return {
    document: {
      content: content.content,
      placeOf: (path) => at(nearestOffset(parsed, path)),
      lineOf: (path) => {
        const node = parsed.getIn(path, true);
        return isNode(node) && node.range ? lines.linePos(node.range[0]).line : null;
      },
    },
  };
}

/** The data, or why there is none: it is no map, or its aliases expand to so much that it was made to explode. */
function contentOf(
  parsed: Document.Parsed<ParsedNode, boolean>,
): { readonly content: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  try {
    const content: unknown = parsed.toJS();
    return isRecord(content) ? { content } : { problem: "not a map of keys and values" };
  } catch {
    return { problem: "its aliases expand to too much; write the values out" };
  }
}

/** Most levels of maps and lists in each other; chosen: settings have fewer than ten, and the parser takes minutes for 400. */
const MOST_LEVELS = 64;

/** The first line that is nested too deep by its indentation, its list marks and open brackets, or `null`. Brackets in texts count as well. */
function lineNestedTooDeep(text: string): number | null {
  const indents: number[] = [];
  let brackets = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const indent = line.length - line.trimStart().length;
    while ((indents.at(-1) ?? -1) >= indent) indents.pop();
    indents.push(indent);
    const marks = /^\s*((?:[-?:]\s+)*)/.exec(line)?.[1]?.split(/\s+/).length ?? 0;
    for (const character of line) {
      if (character === "[" || character === "{") brackets += 1;
      else if (character === "]" || character === "}") brackets = Math.max(0, brackets - 1);
      if (brackets > MOST_LEVELS) return index + 1;
    }
    if (indents.length + marks + brackets > MOST_LEVELS) return index + 1;
  }
  return null;
}

function nearestOffset(parsed: Document.Parsed<ParsedNode, boolean>, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const offset = keyOffset(parsed, path.slice(0, length));
    if (offset !== null) return offset;
  }
  return 0;
}

/** Where the last key of the path is; for a list's entry, where the entry is. */
function keyOffset(parsed: Document.Parsed<ParsedNode, boolean>, path: readonly PropertyKey[]): number | null {
  const parent = path.length === 1 ? parsed.contents : parsed.getIn(path.slice(0, -1), true);
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)));
    return isNode(pair?.key) ? (pair.key.range?.[0] ?? null) : null;
  }
  const node = parsed.getIn(path, true);
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}

function problemText({ code, pos, message }: YAMLParseError, text: string): string {
  if (code !== "DUPLICATE_KEY") return `invalid YAML, correct it here (the parser says: ${message.split("\n")[0]})`;
  const [key = ""] = /^("[^"\n]*"|'[^'\n]*'|[^\s:,]*)/.exec(text.slice(pos[0], pos[0] + LONGEST_KEY_CHARS)) ?? [];
  return `the key ${key} occurs twice; keep one`;
}

/** Longest key that is named; chosen. */
const LONGEST_KEY_CHARS = 80;

/** Lines are not folded: a value and its origin stay on one line. */
const NO_FOLDING = 0;

/** Writes a policy as YAML that can be read again, with each value's origin behind it. */
export function policyYaml({ policy, originOf }: SourcedPolicy): string {
  const document = new Document(policy, { aliasDuplicateObjects: false });
  visit(document, {
    Node: (key, node, ancestors) => {
      const isEmpty = isCollection(node) && node.items.length === 0;
      if (key !== "key" && (isScalar(node) || isEmpty)) node.comment = ` ${originOf(pathOf([...ancestors, node]))}`;
    },
  });
  return document.toString({ lineWidth: NO_FOLDING });
}

/** The keys and indexes that lead to the last of the nodes. */
function pathOf(nodes: readonly unknown[]): readonly PropertyKey[] {
  return nodes.flatMap((node, index): readonly PropertyKey[] => {
    if (isPair(node)) return [isScalar(node.key) ? String(node.key.value) : String(node.key)];
    const parent = nodes[index - 1];
    return isSeq(parent) ? [parent.items.indexOf(node)] : [];
  });
}

/** A policy with where each of its values comes from. */
interface SourcedPolicy {
  readonly policy: Policy;
  /** Where the value at a path comes from, e.g. `preset sven` or `late.yaml:3`. */
  originOf(path: readonly PropertyKey[]): string;
}

/** A policy, with a line for each thing that earlier versions said otherwise, or one line for each thing that is wrong. */
export type ReadPolicy =
  | { readonly found: SourcedPolicy & { readonly notes?: readonly string[] } }
  | { readonly problems: readonly string[] };
