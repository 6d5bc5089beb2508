import { describe, expect, test } from "vitest";
import { policyReference } from "../../testing/policy-reference.ts";
import { isRecord } from "../json.ts";
import { policyFileJsonSchema, policyJsonSchema } from "./read-policy-file.ts";

/** Keys of maps that no description is given for; a kind's own name needs none. */
function undescribed(schema: unknown, path: string): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => undescribed(each, path));
  if (!isRecord(schema)) return [];
  const { properties, ...others } = schema;
  const keys = Object.entries(isRecord(properties) ? properties : {}).flatMap(([key, value]) => {
    const isDescribed = isRecord(value) && (typeof value.description === "string" || Object.hasOwn(value, "const"));
    return [...(isDescribed ? [] : [`${path}${key}`]), ...undescribed(value, `${path}${key}.`)];
  });
  return [...keys, ...Object.values(others).flatMap((each) => undescribed(each, path))];
}

describe("the schema of policies", () => {
  test.each([
    ["a whole policy", policyJsonSchema()],
    ["a policy file", policyFileJsonSchema()],
  ])("describes each key of %s", (_, schema) => {
    expect(Object.keys(Object(schema.properties)).length).toBeGreaterThan(15);
    expect(undescribed(schema, "")).toEqual([]);
  });

  test("of a file demands nothing and knows presets and knobs", () => {
    const schema = policyFileJsonSchema();
    expect(JSON.stringify(schema)).not.toContain('"required"');
    expect(Object.keys(Object(schema.properties))).toEqual(
      expect.arrayContaining(["extends", "actAt", "writer", "cap", "trigger"]),
    );
  });
});

test("docs/policies.md is made from it", async () => {
  await expect(`${policyReference()}\n`).toMatchFileSnapshot("../../../../docs/policies.md");
});
