import { z } from "zod";
import { isRecord } from "./json.ts";

/** One mistake in data: its place, and the remedy. */
interface SchemaProblem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

type Issue = z.core.$ZodIssue;

/**
 * Words a schema's findings in terms of the data: unknown keys with the nearest known one, missing keys, values that do not fit. `more` are keys that the data
 * may have besides.
 */
export function schemaProblems(
  { issues }: { readonly issues: readonly Issue[] },
  of: z.ZodType,
  more: readonly string[] = [],
): readonly SchemaProblem[] {
  const own: JsonSchema = z.toJSONSchema(of, { unrepresentable: "any" });
  const added = Object.fromEntries(more.map((key) => [key, {}]));
  const schema = isRecord(own.properties) ? { ...own, properties: { ...added, ...own.properties } } : own;
  const flat = issues.flatMap((issue) => flatten(issue, [], { root: schema, depth: 0, places: [schema] }));
  const withUnknownKeys = new Set(flat.filter(({ fault }) => fault === "unknown").map(({ container }) => placeOf(container)));
  // A mistyped key is missing under its right name too; once is enough.
  const told = flat.filter((found) => !(found.fault === "missing" && withUnknownKeys.has(placeOf(found.container))));
  // Mostly a refused request keeps the same as any other.
  const places = new Set(told.map(({ path }) => placeOf(path)));
  const isRepeated = ([first, ...rest]: readonly PropertyKey[]) => first === "overflow" && places.has(placeOf(rest));
  return told.flatMap(({ path, text }) => (isRepeated(path) ? [] : [{ path, text }]));
}

interface FoundProblem extends SchemaProblem {
  /** The map that the problem is in. */
  readonly container: readonly PropertyKey[];
  /** Of the key at its end. */
  readonly fault: "missing" | "unknown" | "other";
}

const placeOf = (path: readonly PropertyKey[]) => path.map(String).join(".");

/** Begins the message of a union that says by itself which of its kinds was meant. */
const UNKNOWN = "unknown ";

function flatten(issue: Issue, prefix: readonly PropertyKey[], schema: Within): readonly FoundProblem[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const text = `unknown key "${key}"${placeText(path)}: ${keySuggestion(key, keysAt(schema, path))}`;
      return { path: [...path, key], container: path, text, fault: "unknown" };
    });
  if (issue.message.startsWith(UNKNOWN)) return [{ path, container: path, text: issue.message, fault: "other" }];
  if (issue.code === "invalid_union" && issue.errors.length > 0) return nearestVariant(issue.errors, path, schema);
  if (issue.code === "invalid_key") {
    const why = issue.issues.map(({ message }) => message).join("; ");
    return [{ path, container: path, text: `${placeOf(path)}: ${why}`, fault: "other" }];
  }
  const container = path.slice(0, -1);
  const isMissing = path.length > 0 && issue.message.endsWith("received undefined");
  const text = isMissing ? `missing key "${String(path.at(-1))}"${placeText(container)}` : mismatchText(issue, path, schema);
  return [{ path, container: isMissing ? container : path, text, fault: isMissing ? "missing" : "other" }];
}

/** The problems of the variant that a value was meant to be: few, and deep. If a key that names the variant has none of their names, all names. */
function nearestVariant(
  variants: readonly (readonly Issue[])[],
  path: readonly PropertyKey[],
  schema: Within,
): readonly FoundProblem[] {
  const places = placesAt(schema, path);
  const lists = places.map(alternativesOf).filter(({ length }) => length === variants.length);
  // A key that only some variants have names none of them.
  const isCommon = ({ path: [key] }: TagIssue) =>
    lists.every((list) =>
      list.every((each) => keysAt({ ...schema, depth: 0, places: [each].filter(isRecord) }, []).includes(String(key))),
    );
  const tags = variants.map((issues) => tagsIn(issues).filter(isCommon));
  const [tag] = tags.flat();
  if (tag !== undefined && tags.every((own) => own.some(({ path: [key] }) => key === tag.path[0]))) {
    const names = new Set(tags.flatMap((own) => own.flatMap(({ values }) => values.map((name) => JSON.stringify(name)))));
    const message = `expected one of ${[...names].join("|")}`;
    return flatten({ ...tag, message }, path, schema);
  }
  const isMeant = (_: unknown, place: number) => tags[place]?.length === 0;
  const meant = variants.filter(isMeant);
  const narrowed = lists.flatMap((list) => list.filter(isMeant).filter(isRecord));
  const within = { ...schema, depth: path.length, places: narrowed.length === 0 ? places : narrowed };
  const ranked = (meant.length === 0 ? variants : meant)
    .map((issues) => issues.flatMap((issue) => flatten(issue, path, within)))
    .map((problems) => ({ problems, cost: costOf(problems, path) }))
    .toSorted((a, b) => a.cost - b.cost);
  return ranked[0]?.problems ?? [];
}

type TagIssue = Extract<Issue, { code: "invalid_value" }>;

/** The faults of a variant's name; none if one of its own variants has it. */
function tagsIn(issues: readonly Issue[]): readonly TagIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code === "invalid_value" && issue.path.length === 1) return [issue];
    if (issue.code !== "invalid_union" || issue.path.length > 0) return [];
    const own = issue.errors.map(tagsIn);
    return own.every((tags) => tags.length > 0) ? own.flat() : [];
  });
}

/** A variant of another type altogether is further away than one with a few wrong keys (chosen). */
const OTHER_TYPE_COST = 4;

function costOf(problems: readonly FoundProblem[], path: readonly PropertyKey[]): number {
  return problems.reduce((cost, { container, fault }) => {
    const isOtherType = fault === "other" && container.length === path.length;
    return cost + (isOtherType ? OTHER_TYPE_COST : 1) * 2 ** -container.length;
  }, 0);
}

function placeText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "" : ` in ${placeOf(path)}`;
}

function mismatchText(issue: Issue, path: readonly PropertyKey[], schema: Within): string {
  const text = issue.message.replace(/^Invalid (?:input|option): /, "");
  const keys = keysAt(schema, path);
  const near = issue.code === "invalid_value" ? nearestName(String(issue.input), issue.values.map(String)) : undefined;
  const mayHold = keys.length > 0 && text.startsWith("expected object") ? `; it may hold ${keys.join(", ")}` : "";
  const hint = near === undefined ? mayHold : `; did you mean ${near}?`;
  return `${path.length === 0 ? "" : `${placeOf(path)}: `}${text}${hint}`;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** The schemas that may hold at a depth of the data. */
interface Within {
  readonly root: JsonSchema;
  readonly depth: number;
  readonly places: readonly JsonSchema[];
}

/** The keys that a map at this place may have, over all its variants; empty if no map, or a map of free keys, is allowed. */
function keysAt(within: Within, path: readonly PropertyKey[]): readonly string[] {
  const maps = placesAt(within, path).flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : []));
  return [...new Set(maps)];
}

function placesAt({ root, depth, places }: Within, path: readonly PropertyKey[]): readonly JsonSchema[] {
  let found = places.flatMap((place) => variants(place, root));
  const below = ({ items, properties, additionalProperties }: JsonSchema, step: PropertyKey) =>
    typeof step === "number" ? items : isRecord(properties) ? properties[String(step)] : additionalProperties;
  for (const step of path.slice(depth)) found = found.flatMap((place) => variants(below(place, step), root));
  return found;
}

function variants(schema: unknown, root: JsonSchema): readonly JsonSchema[] {
  if (!isRecord(schema)) return [];
  if (typeof schema.$ref === "string")
    return variants(isRecord(root.$defs) ? root.$defs[schema.$ref.slice(DEFINITIONS.length)] : undefined, root);
  return [schema, ...alternativesOf(schema).flatMap((alternative) => variants(alternative, root))];
}

function alternativesOf({ anyOf, oneOf }: JsonSchema): readonly unknown[] {
  return [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
}

const DEFINITIONS = "#/$defs/";

/** A name is near if at most so many of its characters would have to change (chosen: `opus` is two of four away from `opal`, and means another thing). */
const NEAR_RATIO = 0.4;

/**
 * The known name that a mistyped one starts or is nearest to, or `undefined` if none is near. Of several that are as near, one
 * with the same first letter: swapped letters are seldom the first. Case does not count.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const typed = name.toLowerCase();
  if (typed === "") return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, ...rankOf(typed, candidate.toLowerCase()) }))
    .filter(({ candidate, changes }) => changes <= Math.max(typed.length, candidate.length) * NEAR_RATIO)
    .toSorted((a, b) => a.rank - b.rank);
  return ranked[0]?.candidate;
}

/** Half a step more or less than the number of changed characters. */
const TIE_BREAK = 0.5;

function rankOf(typed: string, candidate: string): { readonly changes: number; readonly rank: number } {
  if (candidate.startsWith(typed)) return { changes: 0, rank: -1 };
  const changes = Math.min(distance(typed, candidate), beginningChanges(typed, candidate));
  return { changes, rank: candidate[0] === typed[0] ? changes - TIE_BREAK : changes };
}

/** Shorter beginnings are like too many names. */
const FEWEST_BEGINNING_CHARS = 4;

/** How much a mistyped beginning differs, one step more since the rest is missing: `clade` is meant for `claude-code`. */
function beginningChanges(typed: string, candidate: string): number {
  if (typed.length < FEWEST_BEGINNING_CHARS) return Number.POSITIVE_INFINITY;
  const lengths = [typed.length - 1, typed.length, typed.length + 1];
  const changes = 1 + Math.min(...lengths.map((length) => distance(typed, candidate.slice(0, length))));
  return changes <= typed.length * NEAR_RATIO ? changes : Number.POSITIVE_INFINITY;
}

/** Suggests names behind a message about an unknown one: the nearest one if there is one, else all, or `others` in their place. */
export function suggestion(
  name: string,
  known: readonly string[],
  others: string = `known: ${known.join(", ") || "none"}`,
): string {
  const near = nearestName(name, known);
  return near === undefined ? others : `did you mean ${near}?`;
}

/** As {@link suggestion}, for a key of a file: its dots are levels. */
export function keySuggestion(key: string, known: readonly string[]): string {
  const [first = "", ...inner] = key.split(".");
  if (inner.length === 0 || !known.includes(first)) return suggestion(key, known);
  return `write ${first}: { ${inner.join(": { ")}: … ${"}".repeat(inner.length)}`;
}

/** Counts the characters that have to be added, taken out, changed or swapped with the next one to make one text of the other. */
function distance(a: string, b: string): number {
  let [before, earlier]: [readonly number[], readonly number[]] = [Array.from({ length: b.length + 1 }, (_, at) => at), []];
  for (let row = 0; row < a.length; row++) {
    const now = [row + 1];
    for (let at = 0; at < b.length; at++) {
      const [over = 0, up = 0] = before.slice(at, at + 2);
      const isSwapped = row > 0 && at > 0 && a[row] === b[at - 1] && a[row - 1] === b[at];
      const swapped = isSwapped ? (earlier[at - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      now.push(Math.min(up + 1, (now[at] ?? 0) + 1, over + (a[row] === b[at] ? 0 : 1), swapped));
    }
    [before, earlier] = [now, before];
  }
  return before[b.length] ?? 0;
}
