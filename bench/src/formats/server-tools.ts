import type { Message } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";

/** Items of a reply that a provider's own tools leave in it: what they add to the prompt is not in the log. */
const SERVER_TOOL_ITEMS: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
]);

/** True for a reply in which the provider ran a tool of its own. Importers keep such items as they came. */
export function ranServerTool({ parts }: Message): boolean {
  return parts.some((part) => part.type === "reasoning" && isServerToolItem(part.opaque));
}

function isServerToolItem(opaque: unknown): boolean {
  return isRecord(opaque) && typeof opaque.type === "string" && SERVER_TOOL_ITEMS.has(opaque.type);
}
