import { z } from "zod";
import type { ModelLimits } from "./entry.ts";
import { PlimsollError } from "./error.ts";
import { isRecord } from "./json.ts";
import { REQUEST_UNITS } from "./message/size.ts";
import { schemaProblems } from "./schema-problems.ts";

// Schemas of options, made of kinds of values, and the refusal of mistakes.

export { isJsonValue } from "./json.ts";
export { atOnce, frozen, heard } from "./kind.ts";
export { keySuggestion, schemaProblems as problems } from "./schema-problems.ts";

/** A schema for each key of options: to forget one, or to have one more, does not compile. */
type OptionKeys<Options> = {
  readonly [Key in keyof Options]-?: Options extends { readonly [Required in Key]: Options[Key] }
    ? z.ZodType<Options[Key]>
    : z.ZodOptional<z.ZodType<Exclude<Options[Key], undefined>>>;
};

/** Makes the schema of options from one for each of their keys. */
export function schema<Options>(keys: OptionKeys<Options>): z.ZodType<Options>;
export function schema(keys: Readonly<Record<string, z.ZodType>>): z.ZodType {
  return z.strictObject(keys);
}

/** Keys that may be left out and whose values are all of one kind. */
export function optional<Schema extends z.ZodType, Key extends string>(
  of: Schema,
  ...keys: readonly Key[]
): { readonly [K in Key]: z.ZodOptional<Schema> };
export function optional(of: z.ZodType, ...keys: readonly string[]): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(keys.map((key) => [key, of.optional()]));
}

/** Values that a rule of their own knows. `wanted` names them behind "expected". */
export function kind(is: (value: unknown) => boolean, wanted: string): z.ZodType<never> {
  const named = (value: unknown) => (value === null ? "null" : Array.isArray(value) ? "a list" : typeof value);
  return z.custom<never>(is, { error: ({ input }) => `expected ${wanted}, received ${named(input)}` });
}

/** Any function. Its answers are checked when it is asked. */
export const fn: z.ZodType<never> = kind((value) => typeof value === "function", "a function");
/** Any object that is no list. Nothing in it is read. */
export const object: z.ZodType<never> = kind(isRecord, "an object");
/** Any list. */
export const list: z.ZodType<never> = kind(Array.isArray, "a list");
/** A finite number from 0 on. */
export const count: z.ZodType<number> = z
  .number()
  .nonnegative({ error: ({ input }) => `expected a number from 0 on, received ${String(input)}` });
export const text: z.ZodType<string> = z.string();

/** An object, or a function, that has these functions, of its own or of its class. */
export function having(...names: readonly string[]): z.ZodType<never> {
  const has = (value: unknown) =>
    (isRecord(value) || typeof value === "function") && names.every((name) => typeof Reflect.get(value, name) === "function");
  return kind(has, `an object with ${names.map((name) => `${name}()`).join(", ")}`);
}

/** The limits of a model. Some name a reply as long as the window; none is longer. */
export const limits: z.ZodType<ModelLimits> = schema<ModelLimits>({
  contextWindowTokens: z.number().positive().nullable(),
  maxOutputTokens: count.nullable(),
  request: z.strictObject(optional(count, ...REQUEST_UNITS)).optional(),
}).refine(
  ({ contextWindowTokens, maxOutputTokens }) => (maxOutputTokens ?? 0) <= (contextWindowTokens ?? Number.POSITIVE_INFINITY),
  {
    path: ["maxOutputTokens"],
    error: "expected at most contextWindowTokens, which holds the reply, too",
  },
);

/** The lists of `Kinds`. */
export const KIND_LISTS: readonly string[] = ["strategies", "keepRules", "estimators", "prompts", "truncations"];

/** All kinds, as `withKinds` gives them. */
export const kinds: z.ZodType<never> = kind(
  (value) => isRecord(value) && KIND_LISTS.every((name) => Array.isArray(value[name])),
  "the kinds that withKinds({ … }) makes",
);

/** A policy, or the name of one. */
export const policy: z.ZodType<never> = kind((value) => isRecord(value) || typeof value === "string", "a policy or its name");

/**
 * Finds the limits of a model by its id.
 *
 * @throws PlimsollError `bad-input` if they are unknown; `near` then suggests a model.
 */
export function limitsOf(
  modelId: string,
  limitsIn: (modelId: string) => ModelLimits | null,
  near: () => string = () => "",
): ModelLimits {
  const known = limitsIn(modelId);
  if (known === null) {
    const give = "give `limits`, as { contextWindowTokens: 200_000, maxOutputTokens: 8_000 }";
    throw new PlimsollError("bad-input", `the limits of the model "${modelId}" are not known: ${near()}${give}`, { modelId });
  }
  check("a model", limits, known);
  return known;
}

/**
 * Refuses senseless options: a key that is missing or unknown, a value of another kind. Nothing is copied. `of` names their taker in the message.
 *
 * @throws PlimsollError `bad-input` with the first mistake; its details have the `key`, and all mistakes as `problems`.
 */
export function check(of: string, options: z.ZodType, given: unknown): void {
  const { error } = options.safeParse(given === undefined ? {} : given, { reportInput: true });
  if (error === undefined) return;
  const found = schemaProblems(error, options);
  const texts = found.map((problem) => problem.text);
  const key = found[0]?.path.map(String).join(".") ?? "";
  throw new PlimsollError("bad-input", `the options of ${of}: ${texts[0] ?? "unknown shape"}`, { key, problems: texts });
}

/** Makes a {@link check} of inputs that follow each other: the values of one that was checked lately are not read again. Any list is as good as another. */
export function followingCheck(of: string, options: z.ZodType): (given: unknown) => void {
  const known: unknown[] = [];
  return (given) => {
    for (const each of known) if (isAlike(given, each)) return;
    check(of, options, given);
    known.unshift(copied(given));
    // A session's fits name as many gates in turn.
    known.length = Math.min(known.length, 4);
  };
}

/** The values, which a caller may change in place. */
function copied(given: unknown): unknown {
  if (!isRecord(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, copied(value)]));
}

function isAlike(given: unknown, known: unknown): boolean {
  if (given === known || (Array.isArray(given) && Array.isArray(known))) return true;
  if (!isRecord(given) || !isRecord(known) || Object.keys(given).length !== Object.keys(known).length) return false;
  for (const key in given) if (!Object.hasOwn(known, key) || !isAlike(given[key], known[key])) return false;
  return true;
}
