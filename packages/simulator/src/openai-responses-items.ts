import { type Fields, recordsAt, stringAt } from "./fields.ts";
import { contentOf } from "./openai-binding.ts";
import { checkCallId, checkPresent, checkToolNames } from "./openai-errors.ts";
import { invalid, type Refusal, signatureOf, textAt } from "./wire.ts";

/** Longest call id: platform.openai.com/docs/api-reference/responses/create. */
const MAXIMUM_CALL_ID_CHARS = 64;

/** Types of calls that the client answers, and the type of their outputs: openai 6.49.0, ResponseInputItem. */
const OUTPUT_OF: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
  local_shell_call: "local_shell_call_output",
  shell_call: "shell_call_output",
  apply_patch_call: "apply_patch_call_output",
  computer_call: "computer_call_output",
  tool_search_call: "tool_search_output",
  program: "program_output",
};

const OUTPUTS: ReadonlySet<string> = new Set(Object.values(OUTPUT_OF));

/** Types without a partner: openai 6.49.0, ResponseInputItem. */
const ALONE: ReadonlySet<string> = new Set([
  "file_search_call",
  "web_search_call",
  "image_generation_call",
  "code_interpreter_call",
  "mcp_list_tools",
  "mcp_call",
  "mcp_approval_request",
  "mcp_approval_response",
  "additional_tools",
  "compaction",
  "compaction_trigger",
  "configuration_update",
]);

/** Fields that an item of each type must have. Other types' parameters are not looked at. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  function_call: ["name", "arguments", "call_id"],
  function_call_output: ["call_id", "output"],
  custom_tool_call: ["name", "input", "call_id"],
  custom_tool_call_output: ["call_id", "output"],
};

/** Checks an item that is no message, no reasoning and no reference. */
export function checkItem(item: Fields, index: number): void {
  const type = String(item.type);
  if (OUTPUT_OF[type] === undefined && !OUTPUTS.has(type) && !ALONE.has(type))
    throw invalid(`Invalid value: '${type}'.`, { param: `input[${index}]`, code: "invalid_value" });
  const where = `input[${index}]`;
  const id = stringAt(item, "id") ?? "";
  if (id.startsWith(COMPACTED) && stringAt(item, "encrypted_content") !== encryptedReasoning(id))
    throw invalid(`The encrypted content for item ${id} could not be verified.`, { code: "invalid_encrypted_content" });
  for (const key of REQUIRED[type] ?? []) {
    checkPresent(item, key, where);
    if (key === "name") checkToolNames([stringAt(item, key) ?? ""], () => `${where}.name`);
  }
  checkCallId(stringAt(item, "call_id") ?? "", MAXIMUM_CALL_ID_CHARS, `${where}.call_id`);
}

/** True if an item is the client's answer to a call: the newest text of a request may be one. */
export function isOutput({ type }: Fields): boolean {
  return OUTPUTS.has(String(type));
}

/**
 * Calls and outputs are joined by `call_id`; an output comes after its call, anywhere. An item that the server ran itself has no `call_id`, and no
 * partner. The errors' words name the type ("No tool output found for custom tool call": diegosouzapw/OmniRoute#8946, "for local shell call":
 * openai/openai-agents-python#1855). A function's output answers a shell call, too: Codex sends one. A custom call may have several outputs: a script of Codex's that
 * notifies (0.169.0) has one for each time, and one for its end.
 */
export function checkPairs(items: readonly Fields[]): void {
  const open = new Map<string, string>();
  const notified = new Set<string>();
  for (const item of items) {
    const type = String(item.type);
    const callId = stringAt(item, "call_id");
    if (callId === null) continue;
    if (OUTPUT_OF[type] !== undefined) open.set(callId, type);
    if (!OUTPUTS.has(type)) continue;
    const call = open.get(callId) ?? "";
    const isAnswer = OUTPUT_OF[call] === type || (call === "local_shell_call" && type === "function_call_output");
    if (!isAnswer && !notified.has(`${type} ${callId}`))
      throw invalid(`No tool call found for ${wordsOf(type)} with call_id ${callId}.`, { param: "input" });
    if (call === "custom_tool_call") notified.add(`${type} ${callId}`);
    open.delete(callId);
  }
  for (const [callId, type] of open) throw invalid(`No tool output found for ${wordsOf(type)} ${callId}.`, { param: "input" });
}

function wordsOf(type: string): string {
  return type.split("_").join(" ");
}

/** Length of the first part of encrypted reasoning, which encodes the item's id. */
const SEAL_CHARS = 20;

/** Makes encrypted content for the reasoning of an id. A later request can be checked for it, with or without the id. */
export function encryptedReasoning(id: string): string {
  return sealed(signatureOf(id).slice(0, SEAL_CHARS));
}

function sealed(content: string): string {
  return `${content}${signatureOf(content).slice(SEAL_CHARS)}`;
}

/**
 * Refuses reasoning that was not given here: nothing is stored, so that its content has to be there. An agent may leave out the item's id (BerriAI/litellm#15782; Codex
 * and the AI SDK do). Whether an item must follow it then is not documented: the vendor's error names an id, so that none is asked for.
 */
export function checkReasoning(item: Fields, next: Fields | undefined): void {
  const id = stringAt(item, "id");
  const content = stringAt(item, "encrypted_content");
  if (content === null) throw notFound(id ?? "");
  const encrypted = contentOf(content);
  const expected = id === null ? sealed(encrypted.slice(0, SEAL_CHARS)) : encryptedReasoning(id);
  if (encrypted !== expected)
    throw invalid(`The encrypted content for item ${id ?? ""} could not be verified.`, { code: "invalid_encrypted_content" });
  if (id !== null && (!isReplied(next) || isOfOther(next, id)))
    throw invalid(`Item '${id}' of type 'reasoning' was provided without its required following item.`, { param: "input" });
}

/** True for an item of the model. */
function isReplied(item: Fields | undefined): boolean {
  if (item === undefined || item.role !== undefined) return item?.role === "assistant";
  return !OUTPUTS.has(String(item.type));
}

/** True for an item whose own id shows that it came with other reasoning. */
function isOfOther(item: Fields | undefined, reasoningId: string): boolean {
  const [, after] = (stringAt(item, "id") ?? "").split(AFTER);
  return after !== undefined && after !== reasoningId;
}

/** Nothing is stored, so a bare id names nothing. */
export function notFound(id: string): Refusal {
  const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  return invalid(message, { status: 404, param: "input" });
}

/** Tools of a request: its own, those that items add, and in each namespace those that it holds. */
export function responsesTools(body: unknown): readonly Fields[] {
  const added = recordsAt(body, "input").filter(({ type }) => type === "additional_tools");
  return [body, ...added]
    .flatMap((each) => recordsAt(each, "tools"))
    .flatMap((tool) => (tool.type === "namespace" ? recordsAt(tool, "tools") : [tool]));
}

/** The beginning of the id of a compaction of this server. */
const COMPACTED = "cmp_simulated_";

/** Compacts a request as the vendor does: the user's messages stay, and one item replaces all the rest. */
export function compactedItems(body: unknown, serial: number): readonly Fields[] {
  const id = `${COMPACTED}${serial}`;
  const said = recordsAt(body, "input").filter(({ role }) => role === "user");
  return [...said, { id, type: "compaction", encrypted_content: encryptedReasoning(id) }];
}

/** The text that an item is counted by: for kinds that no agent writes by hand, the whole item. */
export function itemText(item: Fields): string {
  switch (item.type) {
    case "function_call":
      return `${stringAt(item, "name") ?? ""}\n${stringAt(item, "arguments") ?? ""}`;
    case "custom_tool_call":
      return `${stringAt(item, "name") ?? ""}\n${stringAt(item, "input") ?? ""}`;
    case "function_call_output":
    case "custom_tool_call_output":
      return textAt(item, "output");
    case "reasoning":
      return contentOf(stringAt(item, "encrypted_content") ?? "");
    case "message":
    case undefined:
      return `${String(item.role)}\n${textAt(item, "content")}`;
    default:
      return JSON.stringify(item);
  }
}

/** The mark between an item's own id and the id of the reasoning that it came with. */
const AFTER = "_after_";

/** The id of an item: it encodes the reasoning before it in its reply, so that a request can be checked without a store. */
export function itemId(name: string, reasoningId: string | null): string {
  return reasoningId === null ? name : `${name}${AFTER}${reasoningId}`;
}

/** Refuses an item that goes back under its own id without the reasoning that it came with; our ids encode which. */
export function checkReasoningOf(item: Fields, id: string, givenContents: ReadonlySet<string>): void {
  const [, reasoningId] = id.split(AFTER);
  if (reasoningId === undefined || givenContents.has(encryptedReasoning(reasoningId))) return;
  const type = stringAt(item, "type") ?? "message";
  throw invalid(`Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoningId}'.`, {
    param: "input",
  });
}
