import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { PlimsollError } from "../error.ts";
import type { Kinds } from "../policy/kinds.ts";
import type { Policy } from "../policy/policy.ts";
import { readPolicyFile } from "./read-policy-file.ts";

/** A policy that was read from a file, with the origin of each value. */
export interface LoadedPolicy {
  readonly policy: Policy;
  /** Where the value at a path comes from, as `preset sven` or `plimsoll.yaml:3`. */
  explain(path: string): string;
}

/**
 * The policy in a YAML file: a preset's name with what is changed of it, or a whole policy. `kinds` are what it may name; the built-in ones if they
 * are left out.
 *
 * @throws PlimsollError `bad-policy` with file, line and column of what is wrong, and all such lines in its details.
 */
export function loadPolicy(file: string | URL, kinds?: Kinds): LoadedPolicy {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  const read = readPolicyFile(path, basename(path), kinds);
  if ("found" in read) {
    const { policy, originOf } = read.found;
    return { policy, explain: (at) => originOf(at.split(".")) };
  }
  const [first = "no policy", ...others] = read.problems;
  const more = others.length === 0 ? "" : ` (and ${others.length} more: ${others.join("; ")})`;
  throw new PlimsollError("bad-policy", `${first}${more}`, { problems: read.problems });
}
