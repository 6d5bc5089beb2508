import { Document, isCollection, isPair, isScalar, isSeq, visit } from "yaml";
import type { Policy } from "../policy/policy.ts";

/** Lines are not folded: a value and its origin stay on one line. */
const NO_FOLDING = 0;

/** A policy as YAML that can be read again, with the origin of each value behind it. */
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

/** A policy, or one line for each thing that is wrong. */
export type ReadPolicy = { readonly found: SourcedPolicy } | { readonly problems: readonly string[] };
