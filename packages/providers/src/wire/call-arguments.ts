import type { Fields } from "../fields.ts";
import { parseRecord } from "../fields.ts";

/** The key under which arguments are sent that are no JSON object, on wires that take objects only. */
const TEXT_KEY = "arguments_text";

/** A call's arguments as an object. Text that is none (a reply that was cut off) is sent whole under one key, never dropped. */
export function argumentsObject(argumentsJson: string): Fields {
  if (argumentsJson.trim() === "") return {};
  return parseRecord(argumentsJson) ?? { [TEXT_KEY]: argumentsJson };
}
