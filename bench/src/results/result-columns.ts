import { isRecord } from "@plimsoll/core/extend";
import { z } from "zod";

/** How a column's values are stored in Parquet. */
type ColumnType = "STRING" | "DOUBLE" | "INT64" | "BOOLEAN";

/** A column that holds one field of an entry. */
export interface ResultColumn {
  readonly name: string;
  readonly type: ColumnType;
  valueOf(entry: unknown): string | number | bigint | boolean | null;
}

const TYPES: ReadonlyMap<string, ColumnType> = new Map([
  ["string", "STRING"],
  ["number", "DOUBLE"],
  ["integer", "INT64"],
  ["boolean", "BOOLEAN"],
]);

/**
 * One column for each text, number and truth value that entries of a schema have at a fixed place: lists, and records of any keys, have none. The
 * columns follow only from the schema, so that all parts of a run have the same.
 */
export function columnsOfSchema(schema: z.ZodType<unknown>): readonly ResultColumn[] {
  const leaves = new Map<string, { readonly path: readonly string[]; readonly type: ColumnType }>();
  for (const leaf of leavesOf(z.toJSONSchema(schema), [])) {
    const name = leaf.path.join("_");
    const known = leaves.get(name)?.type ?? leaf.type;
    // If forms of a record disagree, the column holds text.
    leaves.set(name, { path: leaf.path, type: known === leaf.type ? known : "STRING" });
  }
  return [...leaves].map(([name, { path, type }]) => ({
    name,
    type,
    valueOf: (entry) =>
      stored(
        path.reduce((value: unknown, step) => (isRecord(value) ? value[step] : undefined), entry),
        type,
      ),
  }));
}

function leavesOf(
  schema: unknown,
  path: readonly string[],
): readonly { readonly path: readonly string[]; readonly type: ColumnType }[] {
  if (!isRecord(schema)) return [];
  const { type, properties } = schema;
  const alternatives = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const within = isRecord(properties)
    ? Object.entries(properties).flatMap(([name, field]) => leavesOf(field, [...path, name]))
    : [];
  // A nullable value has a list of types, or alternatives.
  const [own] = [type].flat().flatMap((each) => (typeof each === "string" ? (TYPES.get(each) ?? []) : []));
  return [
    ...(own === undefined || path.length === 0 ? [] : [{ path, type: own }]),
    ...within,
    ...alternatives.flatMap((form) => leavesOf(form, path)),
  ];
}

function stored(value: unknown, type: ColumnType): string | number | bigint | boolean | null {
  if (value === null || value === undefined) return null;
  switch (type) {
    case "STRING":
      return String(value);
    case "DOUBLE":
      return Number(value);
    case "INT64":
      return BigInt(Number(value));
    case "BOOLEAN":
      return value === true;
    default:
      return type satisfies never;
  }
}
