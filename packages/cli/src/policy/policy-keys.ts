import { isRecord, policySchema } from "@plimsoll/core";
import { z } from "zod";

/** The schema of policies as JSON Schema (draft 2020-12), for editors and for looking up what a map may hold. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(policySchema);
}

/** The keys that a map at this place of a policy may have, over all its variants; empty where no map may stand. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const root = policyJsonSchema();
  let places = variants(root, root);
  for (const step of path) {
    places = places.flatMap((place) => {
      const next = typeof step === "number" ? place.items : isRecord(place.properties) && place.properties[String(step)];
      return variants(next, root);
    });
  }
  return [...new Set(places.flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : [])))];
}

/** The schema itself, what it refers to, and its alternatives. */
function variants(schema: unknown, root: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(schema)) return [];
  if (typeof schema.$ref === "string") return variants(definition(schema.$ref, root), root);
  const alternatives = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [schema, ...alternatives.flatMap((alternative) => variants(alternative, root))];
}

const DEFINITIONS = "#/$defs/";

function definition(reference: string, root: Readonly<Record<string, unknown>>): unknown {
  return isRecord(root.$defs) && reference.startsWith(DEFINITIONS)
    ? root.$defs[reference.slice(DEFINITIONS.length)]
    : undefined;
}
