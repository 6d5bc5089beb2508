import type { Fields } from "../fields.ts";
import { numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { checkCallId, checkPresent, checkToolNames, modelOf } from "./openai-errors.ts";
import type { Segment, SimulatedPrompt, WireLimits } from "./wire.ts";
import { invalid, Refusal, signatureOf } from "./wire.ts";

/** Longest call id: platform.openai.com/docs/api-reference/responses/create. */
const MAXIMUM_CALL_ID_CHARS = 64;

/** Reads a request on the Responses wire. Nothing is stored, so that every item has to be in it; throws what the vendor refuses. */
export function readOpenAiResponses(body: unknown, limits: WireLimits): SimulatedPrompt {
  const modelId = modelOf(body, limits);
  const maxOutputTokens = numberAt(body, "max_output_tokens");
  if (maxOutputTokens !== null && maxOutputTokens < 16)
    throw invalid(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${maxOutputTokens} instead.`,
      { param: "max_output_tokens", code: "integer_below_min_value" },
    );
  const maximumOutputTokens = limits.maximumOutputTokensOf(modelId);
  if (maxOutputTokens !== null && maxOutputTokens > maximumOutputTokens)
    throw invalid(
      `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= ${maximumOutputTokens}, but got ${maxOutputTokens} instead.`,
      { param: "max_output_tokens", code: "integer_above_max_value" },
    );
  const previous = stringAt(body, "previous_response_id");
  if (previous !== null)
    throw invalid(`Previous response with id '${previous}' not found.`, {
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
  const text = stringAt(body, "input");
  const items = text === null ? recordsAt(body, "input") : [{ role: "user", content: text }];
  if (items.length === 0)
    throw invalid("Missing required parameter: 'input'.", { param: "input", code: "missing_required_parameter" });
  checkItems(items);
  checkPairs(items);
  const tools = recordsAt(body, "tools");
  const toolNames = tools.map((tool) => stringAt(tool, "name") ?? "");
  const isFunction = tools.every(({ type }) => type === "function");
  if (isFunction) checkToolNames(toolNames, (index) => `tools[${index}].name`);
  const instructions = stringAt(body, "instructions");
  const newest = items.findLast((item) => item.role === "user" || item.type === "function_call_output");
  return {
    modelId,
    isStreamed: recordAt({ body }, "body")?.stream === true,
    wantsUsage: true,
    maxOutputTokens,
    segments: [
      ...tools.map((tool) => segmentOf(JSON.stringify(tool), "overhead")),
      ...(instructions === null ? [] : [segmentOf(instructions, "overhead")]),
      ...items.map(itemSegment),
    ],
    messageCount: items.length,
    toolNames,
    newestText: newest === undefined ? "" : contentText(newest, newest.type === "function_call_output" ? "output" : "content"),
  };
}

const ROLES = ["user", "assistant", "system", "developer"] as const;

function checkItems(items: readonly Fields[]): void {
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = stringAt(item, "id");
    if (id !== null && ids.has(id)) throw invalid(`Duplicate item found with id ${id}.`, { param: "input" });
    if (id !== null) ids.add(id);
    if (id !== null) checkReasoningOf(item, id, ids);
    switch (stringAt(item, "type") ?? "message") {
      case "message":
        if (!ROLES.some((role) => role === item.role))
          throw invalid(
            `Invalid value: '${String(item.role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
            { param: `input[${index}].role`, code: "invalid_value" },
          );
        checkContent(item, index);
        break;
      case "reasoning":
        checkReasoning(item, items[index + 1]);
        break;
      case "item_reference":
        throw notFound(id ?? "");
      case "function_call":
        checkPresent(item, "name", `input[${index}]`);
        checkToolNames([stringAt(item, "name") ?? ""], () => `input[${index}].name`);
        checkPresent(item, "arguments", `input[${index}]`);
        checkPresent(item, "call_id", `input[${index}]`);
        checkCallId(stringAt(item, "call_id") ?? "", MAXIMUM_CALL_ID_CHARS, `input[${index}].call_id`);
        break;
      case "function_call_output":
        checkPresent(item, "call_id", `input[${index}]`);
        checkPresent(item, "output", `input[${index}]`);
        checkCallId(stringAt(item, "call_id") ?? "", MAXIMUM_CALL_ID_CHARS, `input[${index}].call_id`);
        break;
      default:
        throw invalid(`Invalid value: '${String(item.type)}'.`, { param: `input[${index}]`, code: "invalid_value" });
    }
  }
}

/** The model's words are output text, everyone else's are input. */
function checkContent(item: Fields, index: number): void {
  const expected = item.role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  for (const [place, part] of recordsAt(item, "content").entries()) {
    if (expected.includes(String(part.type))) continue;
    throw invalid(
      `Invalid value: '${String(part.type)}'. Supported values are: ${expected.map((type) => `'${type}'`).join(", ")}.`,
      { param: `input[${index}].content[${place}]`, code: "invalid_value" },
    );
  }
}

/** Nothing is stored, so an id alone names nothing. */
function notFound(id: string): Refusal {
  const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  return new Refusal({ status: 404, type: "invalid_request_error", message, code: null, param: "input" });
}

/** An item that goes back under its own id has the reasoning before it that it came with; our ids tell which. */
function checkReasoningOf(item: Fields, id: string, ids: ReadonlySet<string>): void {
  const reasoningId = reasoningBefore(id);
  if (reasoningId === null || ids.has(reasoningId)) return;
  const type = stringAt(item, "type") ?? "message";
  throw invalid(`Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoningId}'.`, {
    param: "input",
  });
}

function checkReasoning(item: Fields, next: Fields | undefined): void {
  const id = stringAt(item, "id") ?? "";
  const encrypted = stringAt(item, "encrypted_content");
  if (encrypted === null) throw notFound(id);
  if (encrypted !== signatureOf(id))
    throw invalid(`The encrypted content for item ${id} could not be verified.`, { code: "invalid_encrypted_content" });
  const isFollowed =
    next !== undefined && (next.role === "assistant" || next.type === "function_call" || next.type === "reasoning");
  if (!isFollowed)
    throw invalid(`Item '${id}' of type 'reasoning' was provided without its required following item.`, { param: "input" });
}

/** Calls and outputs are joined by `call_id`; an output comes after its call, anywhere. */
function checkPairs(items: readonly Fields[]): void {
  const open = new Set<string>();
  for (const item of items) {
    const callId = stringAt(item, "call_id") ?? "";
    if (item.type === "function_call") open.add(callId);
    if (item.type === "function_call_output" && !open.delete(callId))
      throw invalid(`No tool call found for function call output with call_id ${callId}.`, { param: "input" });
  }
  for (const callId of open) throw invalid(`No tool output found for function call ${callId}.`, { param: "input" });
}

function contentText(item: Fields, key: "content" | "output"): string {
  return (
    stringAt(item, key) ??
    recordsAt(item, key)
      .map((part) => stringAt(part, "text") ?? "")
      .join("\n")
  );
}

/** Tokens of an image of unknown size: 85 and four tiles of 170, platform.openai.com/docs/guides/images-vision. */
const IMAGE_TOKENS = 765;

function itemSegment(item: Fields): Segment {
  const isOverhead = item.role === "system" || item.role === "developer";
  const images = [...recordsAt(item, "content"), ...recordsAt(item, "output")].filter(
    ({ type }) => type === "input_image",
  ).length;
  return { ...segmentOf(itemText(item), isOverhead ? "overhead" : "message"), extraTokens: images * IMAGE_TOKENS };
}

function itemText(item: Fields): string {
  switch (item.type) {
    case "function_call":
      return `${stringAt(item, "name") ?? ""}\n${stringAt(item, "arguments") ?? ""}`;
    case "function_call_output":
      return contentText(item, "output");
    case "reasoning":
      return stringAt(item, "encrypted_content") ?? "";
    default:
      return `${String(item.role)}\n${contentText(item, "content")}`;
  }
}

function segmentOf(text: string, part: "overhead" | "message"): Segment {
  return { text, extraTokens: 0, breakpoint: null, isOverhead: part === "overhead" };
}

/** What stands between an item's own id and the id of the reasoning that it came with. */
const AFTER = "_after_";

/** The id of an item: it tells the reasoning that came before it in its reply, so that a request can be checked without a store. */
export function itemId(name: string, reasoningId: string | null): string {
  return reasoningId === null ? name : `${name}${AFTER}${reasoningId}`;
}

/** The id of the reasoning that the item came with; `null` for none, and for ids that are not ours. */
export function reasoningBefore(id: string): string | null {
  const [, reasoningId] = id.split(AFTER);
  return reasoningId ?? null;
}
