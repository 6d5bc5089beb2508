import { type Fields, numberAt, recordsAt, stringAt } from "./fields.ts";
import { checkReasoningPrefix, contentOf } from "./openai-binding.ts";
import { checkToolNames, modelOf, OPENAI_ERRORS } from "./openai-errors.ts";
import {
  checkItem,
  checkPairs,
  checkReasoning,
  checkReasoningOf,
  compactedItems,
  encryptedReasoning,
  isOutput,
  itemId,
  itemText,
  notFound,
  responsesTools,
} from "./openai-responses-items.ts";
import type { SimulatedPart, SimulatedReply } from "./reply.ts";
import type { Answer, Counts, Segment, SimulatedPrompt, SimulatedWire, WireEvent, WireLimits } from "./wire.ts";
import { halves, IMAGE_TOKENS, invalid, isInstruction, isStreamed, named, segmentOf, textAt, wireError } from "./wire.ts";

/** The Responses wire: platform.openai.com/docs/api-reference/responses and /responses-streaming. */
export const OPENAI_RESPONSES_WIRE: SimulatedWire = {
  ...OPENAI_ERRORS,
  name: "openai-responses",
  read: readOpenAiResponses,
  overflow: () =>
    wireError(
      400,
      "invalid_request_error",
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      { code: "context_length_exceeded", param: "input" },
    ),
  whole: (answer) => endOf(answer),
  events: eventsOf,
  // Not the object of a body: the event has a type of its own, and no room for the error's.
  errorEvent: ({ code, message, param }) => ({
    name: "error",
    data: { type: "error", code, message, param, sequence_number: 0 },
  }),
};

function responseOf({ serial, modelId, createdSeconds, drops }: Answer): Fields {
  return {
    id: `resp_simulated_${serial}`,
    object: "response",
    created_at: createdSeconds,
    model: modelId,
    ...toldDrops(drops),
    status: "in_progress",
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

/** Reasoning that the model was not shown; the page gives the list's name and each entry's id and reason. */
function toldDrops(drops: Answer["drops"]): Fields {
  if (drops.length === 0) return {};
  return { input_transformations: drops.map(({ id, reason }) => ({ type: "reasoning_dropped", id, reason })) };
}

function endOf(answer: Answer): Fields {
  const { stop } = answer.reply;
  const isCut = stop === "length" || stop === "window-full";
  return {
    ...responseOf(answer),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    output: itemsOf(answer),
    usage: answer.counts === null ? null : usageOf(answer.counts),
  };
}

function itemsOf(answer: Answer): readonly Fields[] {
  const items: Fields[] = [];
  for (const index of answer.reply.parts.keys()) items.push(itemOf(answer, index, items));
  return items;
}

function itemOf({ reply, serial, binding, callId }: Answer, index: number, items: readonly Fields[]): Fields {
  const part = reply.parts[index] ?? { type: "text", text: "" };
  const before = reply.parts.slice(0, index).findLastIndex(({ type }) => type === "reasoning");
  const idOf = (kind: string) =>
    itemId(`${kind}_simulated_${serial}_${index}`, before < 0 ? null : `rs_simulated_${serial}_${before}`);
  switch (part.type) {
    case "text": {
      const content = [contentPart(reply.stop, part.text)];
      return { id: idOf("msg"), type: "message", role: "assistant", status: "completed", content };
    }
    case "reasoning": {
      const id = `rs_simulated_${serial}_${index}`;
      const content = encryptedReasoning(id);
      const summary = part.text === "" ? [] : [summaryPart(part.text)];
      return { id, type: "reasoning", summary, encrypted_content: binding?.sign(content, items) ?? content };
    }
    case "tool-call": {
      const called = { status: "completed", call_id: callId(index, `call_simulated_${serial}_${index}`), name: part.toolName };
      return part.form === "text"
        ? { id: idOf("ctc"), type: "custom_tool_call", ...called, input: part.argumentsJson }
        : { id: idOf("fc"), type: "function_call", ...called, arguments: part.argumentsJson };
    }
    default:
      return part satisfies never;
  }
}

function contentPart(stop: SimulatedReply["stop"], text: string): Fields {
  return stop === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
}

function summaryPart(text: string): Fields {
  return { type: "summary_text", text };
}

function eventsOf(answer: Answer): readonly WireEvent[] {
  const end = endOf(answer);
  const items = itemsOf(answer).flatMap((item, index): Fields[] => [
    { type: "response.output_item.added", output_index: index, item: openItem(item) },
    ...growthOf(answer, index).map((event) => ({ ...event, item_id: item.id, output_index: index })),
    { type: "response.output_item.done", output_index: index, item },
  ]);
  const events: readonly Fields[] = [
    { type: "response.created", response: responseOf(answer) },
    { type: "response.in_progress", response: responseOf(answer) },
    ...items,
    { type: end.status === "incomplete" ? "response.incomplete" : "response.completed", response: end },
  ];
  return events.map((data, index) => named({ ...data, sequence_number: index }));
}

/** An item as it is announced: without its later parts. */
function openItem(item: Fields): Fields {
  if (item.type === "message") return { ...item, status: "in_progress", content: [] };
  if (item.type === "function_call") return { ...item, status: "in_progress", arguments: "" };
  if (item.type === "custom_tool_call") return { ...item, status: "in_progress", input: "" };
  return { id: item.id, type: item.type, summary: [] };
}

/** Events between an item's announcement and its end: a part of it begins, grows by deltas, is repeated whole and ends. A call has no parts. */
function growthOf({ reply }: Answer, index: number): readonly Fields[] {
  const part = reply.parts[index];
  switch (part?.type) {
    case "text": {
      const partOf = (text: string) => contentPart(reply.stop, text);
      const words = reply.stop === "refusal" ? REFUSAL_WORDS : TEXT_WORDS;
      return growth(part.text, { place: { content_index: 0 }, part: "response.content_part", partOf, ...words });
    }
    case "reasoning":
      return part.text === "" ? [] : growth(part.text, SUMMARY_GROWTH);
    case "tool-call":
      return callGrowth(part);
    case undefined:
      return [];
    default:
      return part satisfies never;
  }
}

function callGrowth({ form, toolName, argumentsJson }: Extract<SimulatedPart, { type: "tool-call" }>): readonly Fields[] {
  const type = form === "text" ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const whole = form === "text" ? { input: argumentsJson } : { name: toolName, arguments: argumentsJson };
  const deltas = halves(argumentsJson).map((delta) => ({ type: `${type}.delta`, delta }));
  return [...deltas, { type: `${type}.done`, ...whole }];
}

/** The events of one part of an item: it begins, grows by deltas, is repeated whole under its name and ends. */
interface Growth {
  readonly place: Fields;
  /** Names of the events: of the part, and of its text. */
  readonly part: string;
  readonly text: string;
  /** The key of the whole text; the part of a text. */
  readonly key: "text" | "refusal";
  readonly partOf: (text: string) => Fields;
  /** Fields of the text's events. */
  readonly more?: Fields;
}

const TEXT_WORDS = { text: "response.output_text", key: "text", more: { logprobs: [] } } as const;
const REFUSAL_WORDS = { text: "response.refusal", key: "refusal" } as const;

const SUMMARY_GROWTH: Growth = {
  place: { summary_index: 0 },
  part: "response.reasoning_summary_part",
  text: "response.reasoning_summary_text",
  key: "text",
  partOf: summaryPart,
};

function growth(words: string, { place, part, text, key, partOf, more = {} }: Growth): readonly Fields[] {
  return [
    { type: `${part}.added`, ...place, part: partOf("") },
    ...halves(words).map((delta) => ({ type: `${text}.delta`, ...place, delta, ...more })),
    { type: `${text}.done`, ...place, [key]: words, ...more },
    { type: `${part}.done`, ...place, part: partOf(words) },
  ];
}

/** The answer of `/responses/compact`: openai 6.49.0, CompactedResponse. */
export function compactedResponse(body: unknown, { serial, createdSeconds, counts, reply }: Answer): Fields {
  const output = reply.parts.length === 0 ? [] : compactedItems(body, serial);
  const usage = counts === null ? null : usageOf(counts);
  return { id: `resp_simulated_compacted_${serial}`, object: "response.compaction", created_at: createdSeconds, output, usage };
}

function usageOf(counts: Counts): Fields {
  const { promptTokens, outputTokens, readTokens, reasoningTokens } = counts;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: readTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + outputTokens,
  };
}

/** Reads a request on the Responses wire. Nothing is stored, so that every item has to be in it; throws the vendor's refusals. */
function readOpenAiResponses(body: unknown, limits: WireLimits): SimulatedPrompt {
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
  const summary = items.findIndex(({ type }) => type === "compaction");
  if (limits.rules.summaries !== undefined && summary >= 0)
    throw invalid(`The encrypted content for item ${stringAt(items[summary], "id") ?? ""} could not be verified.`, {
      param: `input[${summary}]`,
      code: "invalid_encrypted_content",
    });
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
    isStreamed: isStreamed(body),
    wantsUsage: true,
    maxOutputTokens,
    segments: [
      ...tools.map((tool) => segmentOf(JSON.stringify(tool), "overhead")),
      ...(instructions === null ? [] : [segmentOf(instructions, "overhead")]),
      ...items.filter((item) => !dropped.has(item)).map(itemSegment),
    ],
    messageCount: items.length,
    toolNames: responsesTools(body).map((tool) => stringAt(tool, "name") ?? ""),
    newestText: newest === undefined ? "" : textAt(newest, isOutput(newest) ? "output" : "content"),
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

function itemSegment(item: Fields): Segment {
  const shown = [...recordsAt(item, "content"), ...recordsAt(item, "output")];
  const images = shown.filter(({ type }) => type === "input_image").length;
  return segmentOf(itemText(item), isInstruction(item) ? "overhead" : "message", images * IMAGE_TOKENS);
}

function isCall({ type }: Fields): boolean {
  return type === "function_call" || type === "custom_tool_call";
}
