import { isRecord } from "../json.ts";
import { BUILT_IN_KINDS, type Kinds } from "../policy/kinds.ts";
import { KNOBS } from "../policy/knobs.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import { policyJsonSchema } from "./read-policy-file.ts";
import type { JsonSchema } from "./schema-problems.ts";

const EXTENDS = "The preset that is changed; plimsoll if it is left out and something is changed.";

/** The schema of a policy file as JSON Schema (draft 2020-12), for editors: the preset that it changes, knobs, and any part of a policy. */
export function policyFileJsonSchema(kinds: Kinds = BUILT_IN_KINDS): JsonSchema {
  const schema = withoutRequired(policyJsonSchema(kinds));
  const parts = propertiesOf(schema);
  const rules = { type: "object", additionalProperties: { type: ["string", "number"] } };
  const knobs = KNOBS.map(({ key, meaning, examples }): [string, JsonSchema] => [
    key,
    key === "keep"
      ? { description: meaning, anyOf: [rules, parts.keep ?? {}] }
      : { description: meaning, type: ["string", "number"], examples },
  ]);
  const chosen = { description: EXTENDS, enum: PRESETS.map(({ name }) => name) };
  return { ...schema, properties: { extends: chosen, ...parts, ...Object.fromEntries(knobs) } };
}

/** A file may change a single value of a part. */
function withoutRequired(schema: unknown): JsonSchema {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]) => (key === "required" ? [] : [[key, strip(inner)]])),
    );
  };
  const stripped = strip(schema);
  return isRecord(stripped) ? stripped : {};
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return isRecord(properties) ? properties : {};
}
