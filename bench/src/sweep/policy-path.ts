import { PlimsollError } from "@plimsoll/core";
import { isRecord, KNOBS } from "@plimsoll/core/extend";
import { distance } from "fastest-levenshtein";

/** A single value inside a policy's data. `null` is a value, too: a policy can be given a value that it leaves out. */
export type SweepValue = number | string | boolean | null;

interface PolicyValue {
  readonly path: readonly string[];
  /** The same path with the kinds of list items in the place of their indexes, if they have any. */
  readonly names: readonly string[];
  readonly value: SweepValue;
}

/** A number inside a policy's data with its whole path. */
export interface PolicyNumber extends PolicyValue {
  readonly value: number;
}

/** All single values of a policy's data, with their whole paths, e.g. `trigger.atLeast.ratio`. */
function policyValues(policy: unknown): readonly PolicyValue[] {
  return valuesBelow(policy, { path: [], names: [] });
}

function valuesBelow(data: unknown, { path, names }: Omit<PolicyValue, "value">): readonly PolicyValue[] {
  if (data === null || typeof data === "number" || typeof data === "string" || typeof data === "boolean")
    return [{ path, names, value: data }];
  if (typeof data !== "object") return [];
  return Object.entries(data).flatMap(([key, value]) => {
    const name = Array.isArray(data) && isRecord(value) && typeof value.kind === "string" ? value.kind : key;
    return valuesBelow(value, { path: [...path, key], names: [...names, name] });
  });
}

/** The numbers that a path names. */
export function numbersAt(policy: unknown, path: string): readonly PolicyNumber[] {
  const isNumber = (found: PolicyValue): found is PolicyNumber => typeof found.value === "number";
  return named(policyValues(policy).filter(isNumber), path);
}

/**
 * The values that a path names: the whole path, or one that leaves steps out as long as only one fits. An item of a list is named by its
 * index or by its kind. So `trigger.ratio` names `trigger.atLeast.ratio`, and `keep.lines.ratio` the amount of the rule `lines`.
 */
function named<Found extends PolicyValue>(values: readonly Found[], path: string): readonly Found[] {
  const steps = path.split(".");
  const exact = values.filter((found) => found.path.join(".") === path || found.names.join(".") === path);
  return exact.length > 0
    ? exact
    : values.filter((found) => found.path[0] === steps[0] && found.path.at(-1) === steps.at(-1) && isWithin(steps, found));
}

function isWithin(steps: readonly string[], { path, names }: PolicyValue): boolean {
  let next = 0;
  for (const [at, step] of path.entries()) if (step === steps[next] || names[at] === steps[next]) next += 1;
  return next === steps.length;
}

/**
 * The policy's data with another value at a path. If the policy has `null` at the beginning of the path, the rest of it is put there:
 * `truncation.capTokens` gives a cap to a policy without one; and `null` takes away the value at a path. Throws `bad-input` if the path names no
 * value of this policy, with the nearest of them and of the `others`, or more than one.
 */
export function withValue(policy: unknown, path: string, value: SweepValue, others: readonly string[] = []): unknown {
  const values = policyValues(policy);
  const [found, other] = named(values, path);
  if (found === undefined) {
    if (value === null && values.some((each) => each.path.join(".").startsWith(`${path}.`)))
      return replaced(policy, path.split("."), null);
    const left = values.find((each) => each.value === null && path.startsWith(`${each.path.join(".")}.`));
    if (left === undefined)
      throw new PlimsollError("bad-input", `${path}: not a value of this policy; ${hint(values, path, others)}`, {
        [MISSING_PATH]: path,
      });
    const inner = path.split(".").slice(left.path.length);
    return replaced(
      policy,
      left.path,
      inner.reduceRight<unknown>((within, key) => ({ [key]: within }), value),
    );
  }
  if (other !== undefined)
    throw new PlimsollError("bad-input", `${path}: names ${found.path.join(".")} and ${other.path.join(".")}; say which`, {
      [MISSING_PATH]: path,
    });
  return replaced(policy, found.path, value);
}

/** In the details of an error: a path that names no value of the policy, or several. */
const MISSING_PATH = "missingPath";

/** The policy path that an error says names no value, or several; `null` for any other error. */
export function missingPathIn(error: PlimsollError): string | null {
  const path = error.details[MISSING_PATH];
  return typeof path === "string" ? path : null;
}

/** A path is near if at most a third of its characters would have to change; chosen. */
const NEAR_RATIO = 1 / 3;

/** The nearest path, whole or with its middle left out; else all that begin or end alike. */
function hint(values: readonly PolicyValue[], path: string, others: readonly string[]): string {
  const keys = [...KNOBS.map(({ key }) => key), ...others];
  const ranked = [...keys.map((key) => key.split(".")), ...values.map((found) => found.path)]
    .map((own) => ({
      name: own.join("."),
      changes: Math.min(...[own, [own[0], own.at(-1)]].map((form) => distance(path, form.join(".")))),
    }))
    .toSorted((a, b) => a.changes - b.changes);
  const [nearest] = ranked;
  if (nearest !== undefined && nearest.changes <= path.length * NEAR_RATIO) return `did you mean ${nearest.name}?`;
  const [first = ""] = path.split(".");
  const last = path.split(".").at(-1);
  const names = ranked.map(({ name }) => name);
  const alike = names.filter((name) => name.startsWith(`${first}.`) || name.split(".").at(-1) === last);
  const near = alike.length > 0 ? alike : names;
  const more = near.length > NAMED_PATHS ? ` and ${near.length - NAMED_PATHS} more (plimsoll policy show NAME)` : "";
  return `it has ${near.slice(0, NAMED_PATHS).join(", ")}${more}`;
}

/** Paths that a hint names, the nearest; chosen. */
const NAMED_PATHS = 4;

function replaced(data: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(data)) return data.map((item, index) => (String(index) === key ? replaced(item, rest, value) : item));
  if (!isRecord(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, item]) => [name, name === key ? replaced(item, rest, value) : item]),
  );
}
