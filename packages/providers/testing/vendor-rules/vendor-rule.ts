import { fieldsOf, type JsonNode } from "./json-node.ts";

/** A part of a body that a vendor would refuse, or of an answer that a vendor's SDK would refuse. */
export interface VendorViolation {
  /** Id of the rule in the vendor's table. */
  readonly rule: string;
  /** JSON path of the breach. */
  readonly at: string;
  readonly message: string;
}

/** A violation before its rule is known. */
export interface Finding {
  readonly at: string;
  readonly message: string;
}

/** One rule of a vendor. The table of a wire is a list of these, so that it can be read as one. */
export interface VendorRule<Subject> {
  readonly id: string;
  /** Where the rule is stated: a document of the vendor, or a report that quotes the vendor's error. */
  readonly source: string;
  readonly check: (subject: Subject) => Iterable<Finding>;
}

/** All violations of a table's rules, in the table's order. */
export function judge<Subject>(rules: readonly VendorRule<Subject>[], subject: Subject): readonly VendorViolation[] {
  return rules.flatMap(({ id, check }) => Array.from(check(subject), (finding) => ({ rule: id, ...finding })));
}

/** A finding at a node. */
export function at(node: JsonNode, message: string): Finding {
  return { at: node.at, message };
}

/** Fields of an object that its vendor does not know. */
export function* unknownFields(node: JsonNode, known: ReadonlySet<string>): Iterable<Finding> {
  for (const name of Object.keys(fieldsOf(node))) {
    if (!known.has(name)) yield { at: `${node.at}.${name}`, message: `${name}: extra inputs are not permitted` };
  }
}

/** Places of all items whose key was seen before. */
export function* repeated(nodes: Iterable<readonly [JsonNode, string]>, message: (key: string) => string): Iterable<Finding> {
  const seen = new Set<string>();
  for (const [node, key] of nodes) {
    if (seen.has(key)) yield at(node, message(key));
    seen.add(key);
  }
}
