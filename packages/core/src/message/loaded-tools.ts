import { isRecord } from "../json.ts";

/** The tools that a search found, as a vendor's value names them at any depth: by reference, or with their definitions. */
export function loadedToolsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(loadedToolsIn);
  if (!isRecord(value)) return [];
  if (value.type === "tool_reference") return [String(value.tool_name ?? value.toolName)];
  const listed = Array.isArray(value.tools) ? value.tools.flatMap((tool) => (isRecord(tool) ? [String(tool.name)] : [])) : [];
  return [...listed, ...Object.values(value).flatMap(loadedToolsIn)];
}
