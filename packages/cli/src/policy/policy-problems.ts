import type { z } from "zod";
import { suggestion } from "../option/nearest-name.ts";
import { keysAt } from "./policy-keys.ts";

/** One thing that is wrong with a policy: where in its data, and what to do. */
export interface PolicyProblem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

type Issue = z.core.$ZodIssue;

/** Says what a schema found, in the words of the policy: unknown keys with the nearest known one, what is missing, what does not fit. */
export function policyProblems(issues: readonly Issue[]): readonly PolicyProblem[] {
  const flat = issues.flatMap((issue) => flatten(issue, []));
  const withUnknownKeys = new Set(flat.filter(isUnknownKey).map(({ container }) => placeOf(container)));
  return (
    flat
      // A mistyped key is missing under its right name too; once is enough.
      .filter((found) => !(found.isMissing && withUnknownKeys.has(placeOf(found.container))))
      .map(({ path, text }) => ({ path, text }))
  );
}

interface FoundProblem extends PolicyProblem {
  /** The map that the problem is in. */
  readonly container: readonly PropertyKey[];
  readonly isMissing: boolean;
  readonly isUnknown: boolean;
}

const isUnknownKey = ({ isUnknown }: FoundProblem) => isUnknown;
const placeOf = (path: readonly PropertyKey[]) => path.map(String).join(".");

function flatten(issue: Issue, prefix: readonly PropertyKey[]): readonly FoundProblem[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      container: path,
      text: `unknown key "${key}"${placeText(path)}: ${suggestion(key, keysAt(path))}`,
      isMissing: false,
      isUnknown: true,
    }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) return nearestVariant(issue.errors, path);
  const container = path.slice(0, -1);
  const isMissing = issue.code === "invalid_type" && issue.message.endsWith("received undefined");
  const text = isMissing ? `missing key "${String(path.at(-1))}"${placeText(container)}` : mismatchText(issue, path);
  return [{ path, container: isMissing ? container : path, text, isMissing, isUnknown: false }];
}

/** Of a value's variants the one that it was meant to be: that whose problems are few and lie deep. */
function nearestVariant(variants: readonly (readonly Issue[])[], path: readonly PropertyKey[]): readonly FoundProblem[] {
  const ranked = variants
    .map((issues) => issues.flatMap((issue) => flatten(issue, path)))
    .map((problems) => ({ problems, cost: problems.reduce((sum, { container }) => sum + 2 ** -container.length, 0) }))
    .toSorted((a, b) => a.cost - b.cost);
  return ranked[0]?.problems ?? [];
}

function placeText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "" : ` in ${placeOf(path)}`;
}

function mismatchText({ message }: Issue, path: readonly PropertyKey[]): string {
  const text = message.replace(/^Invalid (?:input|option): /, "");
  const keys = keysAt(path);
  const hint = keys.length > 0 && text.startsWith("expected object") ? `; it may hold ${keys.join(", ")}` : "";
  return `${placeOf(path)}: ${text}${hint}`;
}
