import type { PathAccess } from "@plimsoll/core";
import type { ToolTable } from "@plimsoll/core/extend";
import { replyPartsOfBlocks } from "../anthropic-blocks.ts";
import { type Fields, parseRecord, recordAt, recordsAt, stringAt } from "../fields.ts";
import { type ReplyPart, textPart } from "../log-items.ts";

/** The tools of Roo Code and Kilo Code (`toolNames` in Roo's packages/types/src/tool.ts, 2026-02; Kilo adds `delete_file`). */
export const TOOLS: ToolTable = {
  execute_command: "command",
  read_file: "read",
  write_to_file: "modify",
  apply_diff: "modify",
  insert_content: "modify",
  search_and_replace: "modify",
  search_replace: "modify",
  edit_file: "modify",
  delete_file: "modify",
  apply_patch: "patch",
  search_files: "search",
  codebase_search: "search",
  list_files: "search",
  list_code_definition_names: "search",
  read_command_output: "command",
  browser_action: "other",
  use_mcp_tool: "other",
  access_mcp_resource: "other",
  ask_followup_question: "other",
  attempt_completion: "other",
  switch_mode: "other",
  new_task: "other",
  update_todo_list: "other",
  fetch_instructions: "other",
  run_slash_command: "other",
  generate_image: "other",
};

/** A message with its blocks in the Anthropic form, in which the tools of the AI SDK's form have other names. */
export function withAnthropicBlocks(message: Fields): Fields {
  if (!Array.isArray(message.content)) return message;
  return { ...message, content: recordsAt(message, "content").map(blockOf) };
}

function blockOf(part: Fields): Fields {
  switch (part.type) {
    case "tool-call":
      return { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input };
    case "tool-result": {
      const output = recordAt(part, "output");
      const isError = (stringAt(output, "type") ?? "").startsWith("error");
      return { type: "tool_result", tool_use_id: part.toolCallId, content: output?.value ?? part.output, is_error: isError };
    }
    case "reasoning":
      return { type: "thinking", thinking: part.text };
    default:
      return part;
  }
}

/** The parts of an assistant's message. */
export function replyPartsIn(message: Fields): readonly ReplyPart[] {
  const said = stringAt(message, "content");
  const parts = said === null ? replyPartsOfBlocks(TOOLS, recordsAt(message, "content")) : [textPart(said)];
  const reasoning = stringAt(message, "reasoning_content");
  const isNew = reasoning !== null && !parts.some((part) => part.type === "reasoning");
  return isNew ? [{ type: "reasoning", text: reasoning, opaque: null }, ...parts] : parts;
}

/** The parts with the files that a reading names in a list: as objects in calls of the API, as elements in calls written as text. */
export function withListedFiles(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  return parts.map((part) => {
    if (part.type !== "tool-call" || part.toolName !== "read_file" || part.paths.length > 0) return part;
    const args = parseRecord(part.argumentsJson);
    const named = recordsAt(args, "files").flatMap((file) => stringAt(file, "path") ?? []);
    const paths = [...new Set([...named, ...pathElements(stringAt(args, "args") ?? "")])];
    return { ...part, paths: paths.map((path): PathAccess => ({ path, access: "read" })) };
  });
}

const OPENING = "<path>";

/** The texts of the elements named `path`. One pass. */
function pathElements(text: string): readonly string[] {
  return text
    .split(OPENING)
    .slice(1)
    .map((rest) => rest.slice(0, Math.max(0, rest.indexOf("</path>"))).trim())
    .filter((path) => path !== "");
}

const MODEL = /<model>([^<\n]{1,200})<\/model>/;

/** The model that a text of surroundings names, `null` if it names none. */
export function modelNamedIn(surroundings: string): string | null {
  return MODEL.exec(surroundings)?.[1] ?? null;
}
