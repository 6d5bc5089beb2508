import { contentParts } from "../content-parts.ts";
import { recordsAt } from "../fields.ts";
import { type ResultItem, textPart } from "../log-items.ts";

/** What a tool gave, as the model reads it: text as it is, content parts each, any other value as JSON. */
export function outputParts(value: unknown): ResultItem["parts"] {
  if (typeof value === "string") return [textPart(value)];
  const isContent =
    Array.isArray(value) && recordsAt({ value }, "value").some((part) => part.type === "text" || part.type === "media");
  return isContent ? contentParts(value) : [textPart(JSON.stringify(value ?? ""))];
}
