import { type CallDraft, callDraft } from "../log-items.ts";
import type { ToolTable } from "../tool-shapes.ts";

/** The tools that versions without a tool API write as elements in the reply's text. */
const TOOLS: ToolTable = {
  execute_command: "command",
  read_file: "read",
  write_to_file: "modify",
  replace_in_file: "modify",
  search_files: "search",
  list_files: "search",
  list_code_definition_names: "search",
  browser_action: "other",
  use_mcp_tool: "other",
  access_mcp_resource: "other",
  web_fetch: "other",
  ask_followup_question: "other",
  plan_mode_respond: "other",
  attempt_completion: "other",
  new_task: "other",
};

/** A reply's text taken apart: the words before the tool's element, and the call. */
export interface TextCall {
  readonly before: string;
  readonly call: CallDraft;
}

/**
 * The call that a text ends in, `null` if it has none: an element named after a tool, whose children are the arguments. Linear in
 * the text for each known tool.
 */
export function textCallOf(text: string, callId: string): TextCall | null {
  for (const toolName of Object.keys(TOOLS)) {
    const opening = `<${toolName}>`;
    const start = text.lastIndexOf(`\n${opening}`) + 1;
    if (!text.startsWith(opening, start)) continue;
    const end = text.lastIndexOf(`</${toolName}>`);
    const args = elementsOf(text.slice(start + opening.length, end < start ? text.length : end));
    const call = callDraft(TOOLS, { callId, toolName, argumentsJson: JSON.stringify(args), args });
    return { before: text.slice(0, start), call };
  }
  return null;
}

/** The elements `<name>text</name>` that stand beside each other in a text, up to the first that is not closed. */
function elementsOf(text: string): { readonly [name: string]: string } {
  const elements: [string, string][] = [];
  let position = text.indexOf("<");
  while (position >= 0) {
    const nameEnd = text.indexOf(">", position);
    const name = text.slice(position + 1, nameEnd);
    const end = nameEnd < 0 || !/^\w{1,40}$/.test(name) ? -1 : text.indexOf(`</${name}>`, nameEnd);
    if (end < 0) break;
    elements.push([name, trimNewlines(text.slice(nameEnd + 1, end))]);
    position = text.indexOf("<", end + name.length + 3);
  }
  return Object.fromEntries(elements);
}

function trimNewlines(text: string): string {
  const start = text.startsWith("\n") ? 1 : 0;
  return text.slice(start, text.endsWith("\n") && text.length > start ? -1 : undefined);
}

const RESULT_ENDING = "] Result:";

/** What follows the heading `[tool for 'x'] Result:` in a text; `null` for a text without the heading. */
export function textAfterResultHeading(text: string): string | null {
  const lineEnd = text.indexOf("\n");
  const heading = (lineEnd < 0 ? text : text.slice(0, lineEnd)).trimEnd();
  if (!heading.startsWith("[") || !heading.endsWith(RESULT_ENDING)) return null;
  return lineEnd < 0 ? "" : text.slice(lineEnd + 1);
}

/** True for the block of surroundings that the agent puts behind a message. */
export function isEnvironment(text: string): boolean {
  return text.trimStart().startsWith("<environment_details>");
}
