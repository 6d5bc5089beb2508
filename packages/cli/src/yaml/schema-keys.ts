import { isRecord } from "@plimsoll/core/internal";

/** A JSON Schema (draft 2020-12) as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The keys that a map at this place may have, over all its variants; empty where no map, or a map of free keys, may stand. */
export function keysAt(root: JsonSchema, path: readonly PropertyKey[]): readonly string[] {
  let places = variants(root, root);
  for (const step of path) places = places.flatMap((place) => variants(below(place, step), root));
  return [...new Set(places.flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : [])))];
}

function below(place: JsonSchema, step: PropertyKey): unknown {
  if (typeof step === "number") return place.items;
  const { properties, additionalProperties } = place;
  return isRecord(properties) ? properties[String(step)] : additionalProperties;
}

/** The schema itself, what it refers to, and its alternatives. */
function variants(schema: unknown, root: JsonSchema): readonly JsonSchema[] {
  if (!isRecord(schema)) return [];
  if (typeof schema.$ref === "string") return variants(definition(schema.$ref, root), root);
  const alternatives = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [schema, ...alternatives.flatMap((alternative) => variants(alternative, root))];
}

const DEFINITIONS = "#/$defs/";

function definition(reference: string, root: JsonSchema): unknown {
  return isRecord(root.$defs) && reference.startsWith(DEFINITIONS)
    ? root.$defs[reference.slice(DEFINITIONS.length)]
    : undefined;
}
