import type { Fields } from "../fields.ts";
import { numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { checkReasoningPrefix, contentOf } from "./openai-binding.ts";
import { checkToolNames, modelOf } from "./openai-errors.ts";
import {
  checkItem,
  checkPairs,
  checkReasoning,
  checkReasoningOf,
  contentText,
  isOutput,
  itemText,
  notFound,
  responsesTools,
} from "./openai-responses-items.ts";
import type { Segment, SimulatedPrompt, WireLimits } from "./wire.ts";
import { invalid } from "./wire.ts";

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
  const { drops, dropped, binding } = checkReasoningPrefix(body, items, { modelId, rules: limits.rules });
  const tools = recordsAt(body, "tools");
  if (tools.every(({ type }) => type === "function"))
    checkToolNames(
      tools.map((tool) => stringAt(tool, "name") ?? ""),
      (index) => `tools[${index}].name`,
    );
  const instructions = stringAt(body, "instructions");
  const newest = items.findLast((item) => item.role === "user" || isOutput(item));
  return {
    modelId,
    isStreamed: recordAt({ body }, "body")?.stream === true,
    wantsUsage: true,
    maxOutputTokens,
    segments: [
      ...tools.map((tool) => segmentOf(JSON.stringify(tool), "overhead")),
      ...(instructions === null ? [] : [segmentOf(instructions, "overhead")]),
      ...items.filter((item) => !dropped.has(item)).map(itemSegment),
    ],
    messageCount: items.length,
    toolNames: responsesTools(body).map((tool) => stringAt(tool, "name") ?? ""),
    newestText: newest === undefined ? "" : contentText(newest, isOutput(newest) ? "output" : "content"),
    drops,
    binding,
    callNames: items.filter(isCall).map((item) => stringAt(item, "name") ?? ""),
  };
}

const ROLES = ["user", "assistant", "system", "developer"] as const;

function checkItems(items: readonly Fields[]): void {
  const ids = new Set<string>();
  const givenContents = new Set<string>();
  for (const [index, item] of items.entries()) {
    const id = stringAt(item, "id");
    if (id !== null && ids.has(id)) throw invalid(`Duplicate item found with id ${id}.`, { param: "input" });
    if (id !== null) ids.add(id);
    if (id !== null) checkReasoningOf(item, id, givenContents);
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
        givenContents.add(contentOf(stringAt(item, "encrypted_content") ?? ""));
        break;
      case "item_reference":
        throw notFound(id ?? "");
      default:
        checkItem(item, index);
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

/** Tokens of an image of unknown size: 85 and four tiles of 170, platform.openai.com/docs/guides/images-vision. */
const IMAGE_TOKENS = 765;

function itemSegment(item: Fields): Segment {
  const isOverhead = item.role === "system" || item.role === "developer";
  const images = [...recordsAt(item, "content"), ...recordsAt(item, "output")].filter(
    ({ type }) => type === "input_image",
  ).length;
  return { ...segmentOf(itemText(item), isOverhead ? "overhead" : "message"), extraTokens: images * IMAGE_TOKENS };
}

function isCall({ type }: Fields): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

function segmentOf(text: string, part: "overhead" | "message"): Segment {
  return { text, extraTokens: 0, breakpoint: null, isOverhead: part === "overhead" };
}
