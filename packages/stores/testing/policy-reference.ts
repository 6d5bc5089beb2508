import { isRecord, KNOBS } from "@plimsoll/core/extend";
import { policyJsonSchema } from "../src/policy-file/read-policy-file.ts";
import type { JsonSchema } from "../src/policy-file/schema-problems.ts";

/** docs/policies.md: what a policy file may hold, from the schema's own descriptions. */
export function policyReference(): string {
  const schema = policyJsonSchema();
  const parts = propertiesOf(schema);
  const kindsOf = (key: string) => variantsOf(itemsOf(parts[key] ?? {})).flatMap(kindRows);
  return [
    HEAD,
    table(
      ["knob", "says", "as"],
      KNOBS.map(({ key, meaning, examples }) => [code(key), meaning, examples.map(code).join(", ")]),
    ),
    FORMS,
    "## Every key\n\nA key of a map is written with a dot: `overflow.maxRecoveries`. Rules, strategies, estimators and amounts have kinds, which are below.",
    table(["key", "means"], rowsOf(parts, "")),
    "## Rules of `keep`\n\nWhat each does is in [decision on keep rules](decisions/keep-rules.md).",
    table(["rule", "key", "means"], kindsOf("keep")),
    "## Strategies",
    table(["strategy", "key", "means"], kindsOf("strategies")),
    "## Estimators\n\nTheir errors are in [evidence.md](evidence.md#sizes-of-prompts).",
    table(["estimator", "key", "means"], kindsOf("estimator")),
    "## Amounts",
    table(["key", "means"], amountRows(schema)),
  ].join("\n\n");
}

const HEAD = `# Policies

For people who change when a context is compacted and what stays: a policy says both. A preset is one; a file changes a preset:

\`\`\`yaml
# plimsoll.yaml
extends: plimsoll
actAt: 75%
keep:
  recent: 12 messages
  human: 20k
writer: none
cap: 16k
\`\`\`

\`plimsoll policy list\` lists the presets, \`plimsoll policy show FILE\` prints all values with where each comes from, \`plimsoll schema policy\` is the
schema for an editor. This page is made from that schema; a test holds it.

## What most people change`;

const FORMS = `A share is of the room for a request: the model's window less its longest reply. The same words are everywhere:

| where | how |
|---|---|
| a policy file | \`actAt: 75%\`, below \`policy:\` or at the top |
| the command line | \`--policy "sven actAt=75% cap=8k"\` |
| sweeps | \`--sweep actAt=50%..95%:5%\`, \`--sweep keep.recent=5%,10%\`, \`--sweep writer=model,none\` |
| the tuner | \`plimsoll tune SESSIONS --write plimsoll.yaml\` writes what it found |
| code | \`definePolicy({ extends: "sven", actAt: "75%" })\`, \`loadPolicy("plimsoll.yaml")\` |

A knob of \`keep\` also changes \`overflow.keep\` if both were the same before. In \`plimsoll.yaml\` a session's settings
(\`model\`, \`max_steps\`, …) stand next to the policy; readers of the policy pass over them.`;

const code = (text: string): string => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** The keys of maps, and of the maps in them; lists of kinds and amounts have tables of their own. Texts around the pieces of a request are one row. */
function rowsOf(properties: Readonly<Record<string, unknown>>, prefix: string): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    if (!isRecord(schema)) return [];
    const below = (key === "labels" ? [] : variantsOf(schema)).filter(
      (variant) => !isKind(variant) && variant.type === "object",
    );
    const inner = below.flatMap((variant) => rowsOf(propertiesOf(variant), `${prefix}${key}.`));
    return [[code(`${prefix}${key}`), describedAs(schema)], ...inner];
  });
}

/** A kind's keys; one row without a key for a kind that has none. */
function kindRows(variant: JsonSchema): readonly (readonly string[])[] {
  const { kind, ...others } = propertiesOf(variant);
  const name = isRecord(kind) && typeof kind.const === "string" ? kind.const : "";
  const rows = Object.entries(others).map(([key, schema]) => [code(name), code(key), describedAs(schema)]);
  return rows.length === 0 ? [[code(name), "", "no settings"]] : rows;
}

function amountRows({ $defs }: JsonSchema): readonly (readonly string[])[] {
  const amounts = Object.values(isRecord($defs) ? $defs : {}).flatMap((each) => (isRecord(each) ? variantsOf(each) : []));
  return amounts.flatMap((variant) =>
    Object.entries(propertiesOf(variant)).map(([key, schema]) => [code(key), describedAs(schema)]),
  );
}

function describedAs(schema: unknown): string {
  return isRecord(schema) && typeof schema.description === "string" ? schema.description : "";
}

function isKind(variant: JsonSchema): boolean {
  return Object.hasOwn(propertiesOf(variant), "kind");
}

function itemsOf(schema: unknown): JsonSchema {
  if (!isRecord(schema)) return {};
  return isRecord(schema.items) ? schema.items : schema;
}

/** A schema's alternatives; itself if it has none. */
function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  const alternatives = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []));
  return alternatives.length === 0 ? [schema] : alternatives.flatMap(variantsOf);
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return isRecord(properties) ? properties : {};
}
