/** A value of a parsed JSON body, with its JSON path: `$.messages[0].content`. An absent field is a node whose value is `undefined`. */
export interface JsonNode {
  readonly value: unknown;
  readonly at: string;
}

/** A JSON object, its values not yet read. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** The root of a body. */
export function rootOf(body: unknown): JsonNode {
  return { value: body, at: "$" };
}

/** Whether a value is a JSON object; arrays and `null` are not. */
export function isFields(value: unknown): value is JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object; none for any other value. */
export function fieldsOf({ value }: JsonNode): JsonFields {
  return isFields(value) ? value : {};
}

/** A field of an object. */
export function field(node: JsonNode, name: string): JsonNode {
  return { value: Object.hasOwn(fieldsOf(node), name) ? fieldsOf(node)[name] : undefined, at: `${node.at}.${name}` };
}

/** The items of an array; none for any other value. */
export function itemsOf({ value, at }: JsonNode): readonly JsonNode[] {
  return Array.isArray(value) ? value.map((item: unknown, index) => ({ value: item, at: `${at}[${index}]` })) : [];
}

/** The text of a string; `null` for any other value. */
export function textOf({ value }: JsonNode): string | null {
  return typeof value === "string" ? value : null;
}

/** The text of a field; empty if it is absent or no string. */
export function fieldText(node: JsonNode, name: string): string {
  return textOf(field(node, name)) ?? "";
}

/** Whether a field is there at all, `null` included. */
export function isSet({ value }: JsonNode): boolean {
  return value !== undefined;
}

/** Whether a field is there and not `null`. */
export function isGiven({ value }: JsonNode): boolean {
  return value !== undefined && value !== null;
}
