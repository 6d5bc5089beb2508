import { isRecord, PlimsollError } from "@plimsoll/core";

/** A number inside a policy's data: its whole path, and its value. */
export interface PolicyNumber {
  readonly path: readonly string[];
  readonly value: number;
}

/** All numbers of a policy's data, with their whole paths, e.g. `trigger.atLeast.ratio`. */
export function policyNumbers(policy: unknown, path: readonly string[] = []): readonly PolicyNumber[] {
  if (typeof policy === "number") return [{ path, value: policy }];
  if (typeof policy !== "object" || policy === null) return [];
  return Object.entries(policy).flatMap(([key, value]) => policyNumbers(value, [...path, key]));
}

/**
 * The numbers that a path names: the whole path, or one that leaves steps out as long as only one number fits. So `trigger.ratio` names
 * `trigger.atLeast.ratio`, and `strategies.keepResults` the first strategy that has it.
 */
export function numbersAt(policy: unknown, path: string): readonly PolicyNumber[] {
  const steps = path.split(".");
  const all = policyNumbers(policy);
  const exact = all.filter((number) => number.path.join(".") === path);
  return exact.length > 0
    ? exact
    : all.filter(
        (number) => number.path[0] === steps[0] && number.path.at(-1) === steps.at(-1) && isWithin(steps, number.path),
      );
}

/** True where all steps stand in the path, in their order. */
function isWithin(steps: readonly string[], path: readonly string[]): boolean {
  let next = 0;
  for (const step of path) if (step === steps[next]) next += 1;
  return next === steps.length;
}

/**
 * The policy's data with another number at a path. Throws `bad-input` where the path names no number of this policy, with those
 * that are like it, or more than one.
 */
export function withNumber(policy: unknown, path: string, value: number): unknown {
  const [found, other] = numbersAt(policy, path);
  if (found === undefined) throw new PlimsollError("bad-input", `${path}: no number of this policy; ${hint(policy, path)}`);
  if (other !== undefined)
    throw new PlimsollError("bad-input", `${path}: names ${found.path.join(".")} and ${other.path.join(".")}; say which`);
  return replaced(policy, found.path, value);
}

function hint(policy: unknown, path: string): string {
  const names = policyNumbers(policy).map((number) => number.path.join("."));
  const [first = ""] = path.split(".");
  const alike = names.filter((name) => name.startsWith(`${first}.`) || name.split(".").at(-1) === path.split(".").at(-1));
  return `it has ${(alike.length > 0 ? alike : names).join(", ")}`;
}

function replaced(data: unknown, path: readonly string[], value: number): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(data)) return data.map((item, index) => (String(index) === key ? replaced(item, rest, value) : item));
  if (!isRecord(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, item]) => [name, name === key ? replaced(item, rest, value) : item]),
  );
}
