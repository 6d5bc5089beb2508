import { type Document, isMap, isNode, isScalar, LineCounter, type ParsedNode, parseDocument } from "yaml";
import { isRecord } from "../json.ts";

/** A YAML file's content, with where each value is. */
export interface YamlDocument {
  readonly content: Readonly<Record<string, unknown>>;
  /** `line:column` of the key at this path, or of the nearest one above it that is in the file. */
  placeOf(path: readonly PropertyKey[]): string;
  /** The line of the value at this path, or `null` if the file does not have it. */
  lineOf(path: readonly PropertyKey[]): number | null;
}

/** What came of reading: the document, or what is wrong with the file, each with `line:column`. */
type ReadDocument =
  | { readonly document: YamlDocument }
  | { readonly problems: readonly { readonly place: string; readonly text: string }[] };

/** Reads YAML (and so JSON) whose top is a map. */
export function readDocument(text: string): ReadDocument {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  if (parsed.errors.length > 0) {
    return { problems: parsed.errors.map(({ pos, message }) => ({ place: at(pos[0]), text: firstLine(message) })) };
  }
  const content = contentOf(parsed);
  if (content === null) return { problems: [{ place: "1:1", text: "not a map of keys and values" }] };
  return {
    document: {
      content,
      placeOf: (path) => at(nearestOffset(parsed, path)),
      lineOf: (path) => {
        const node = parsed.getIn(path, true);
        return isNode(node) && node.range ? lines.linePos(node.range[0]).line : null;
      },
    },
  };
}

/** The data, or `null` if it is no map. Too many aliases, as in a file made to explode, count as none. */
function contentOf(parsed: Document.Parsed<ParsedNode, boolean>): Readonly<Record<string, unknown>> | null {
  try {
    const content: unknown = parsed.toJS();
    return isRecord(content) ? content : null;
  } catch {
    return null;
  }
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

function firstLine(text: string): string {
  return text.split("\n")[0] ?? text;
}
