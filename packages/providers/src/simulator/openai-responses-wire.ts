import type { JsonObject } from "@plimsoll/core/internal";
import { jsonValueOf } from "../fields.ts";
import { OPENAI_ERRORS } from "./openai-errors.ts";
import { compactedItems, encryptedReasoning, itemId } from "./openai-responses-items.ts";
import { readOpenAiResponses } from "./openai-responses-request.ts";
import type { SimulatedReply } from "./reply.ts";
import type { Answer, Counts, SimulatedWire, WireEvent } from "./wire.ts";
import { halves } from "./wire.ts";

/** The Responses wire: platform.openai.com/docs/api-reference/responses and /responses-streaming. */
export const OPENAI_RESPONSES_WIRE: SimulatedWire = {
  ...OPENAI_ERRORS,
  name: "openai-responses",
  read: readOpenAiResponses,
  overflow: () => ({
    status: 400,
    type: "invalid_request_error",
    code: "context_length_exceeded",
    param: "input",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  }),
  whole: (answer) => endOf(answer),
  events: eventsOf,
  // Not the object of a body: the event has a type of its own, and no room for the error's.
  errorEvent: ({ code, message, param }) => ({
    name: "error",
    data: { type: "error", code, message, param, sequence_number: 0 },
  }),
};

function responseOf({ serial, modelId, createdSeconds, drops }: Answer): JsonObject {
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
function toldDrops(drops: Answer["drops"]): JsonObject {
  if (drops.length === 0) return {};
  return { input_transformations: drops.map(({ id, reason }) => ({ type: "reasoning_dropped", id, reason })) };
}

function endOf(answer: Answer): JsonObject {
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

function itemsOf(answer: Answer): readonly JsonObject[] {
  const items: JsonObject[] = [];
  for (const index of answer.reply.parts.keys()) items.push(itemOf(answer, index, items));
  return items;
}

function itemOf({ reply, serial, binding, callId }: Answer, index: number, items: readonly JsonObject[]): JsonObject {
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

function contentPart(stop: SimulatedReply["stop"], text: string): JsonObject {
  return stop === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
}

function summaryPart(text: string): JsonObject {
  return { type: "summary_text", text };
}

function eventsOf(answer: Answer): readonly WireEvent[] {
  const end = endOf(answer);
  const items = itemsOf(answer).flatMap((item, index): JsonObject[] => [
    { type: "response.output_item.added", output_index: index, item: openItem(item) },
    ...growthOf(answer, index).map((event) => ({ ...event, item_id: item.id, output_index: index })),
    { type: "response.output_item.done", output_index: index, item },
  ]);
  const events: readonly JsonObject[] = [
    { type: "response.created", response: responseOf(answer) },
    { type: "response.in_progress", response: responseOf(answer) },
    ...items,
    { type: end.status === "incomplete" ? "response.incomplete" : "response.completed", response: end },
  ];
  return events.map((data, index) => ({
    name: typeof data.type === "string" ? data.type : null,
    data: { ...data, sequence_number: index },
  }));
}

/** An item as it is announced: without what is still to come. */
function openItem(item: JsonObject): JsonObject {
  if (item.type === "message") return { ...item, status: "in_progress", content: [] };
  if (item.type === "function_call") return { ...item, status: "in_progress", arguments: "" };
  if (item.type === "custom_tool_call") return { ...item, status: "in_progress", input: "" };
  return { id: item.id, type: item.type, summary: [] };
}

/** Events between an item's announcement and its end: a part of it begins, grows by deltas, is told whole and ends. A call has no parts. */
function growthOf({ reply }: Answer, index: number): readonly JsonObject[] {
  const part = reply.parts[index];
  switch (part?.type) {
    case "text":
      return reply.stop === "refusal" ? refusalGrowth(part.text) : textGrowth(part.text);
    case "reasoning":
      return part.text === "" ? [] : summaryGrowth(part.text);
    case "tool-call":
      if (part.form === "text")
        return [
          ...halves(part.argumentsJson).map((delta) => ({ type: "response.custom_tool_call_input.delta", delta })),
          { type: "response.custom_tool_call_input.done", input: part.argumentsJson },
        ];
      return [
        ...halves(part.argumentsJson).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
        { type: "response.function_call_arguments.done", name: part.toolName, arguments: part.argumentsJson },
      ];
    case undefined:
      return [];
    default:
      return part satisfies never;
  }
}

function textGrowth(text: string): readonly JsonObject[] {
  const place = { content_index: 0 };
  return [
    { type: "response.content_part.added", ...place, part: contentPart(undefined, "") },
    ...halves(text).map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: contentPart(undefined, text) },
  ];
}

function refusalGrowth(refusal: string): readonly JsonObject[] {
  const place = { content_index: 0 };
  return [
    { type: "response.content_part.added", ...place, part: contentPart("refusal", "") },
    ...halves(refusal).map((delta) => ({ type: "response.refusal.delta", ...place, delta })),
    { type: "response.refusal.done", ...place, refusal },
    { type: "response.content_part.done", ...place, part: contentPart("refusal", refusal) },
  ];
}

function summaryGrowth(text: string): readonly JsonObject[] {
  const place = { summary_index: 0 };
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: summaryPart("") },
    ...halves(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
    { type: "response.reasoning_summary_text.done", ...place, text },
    { type: "response.reasoning_summary_part.done", ...place, part: summaryPart(text) },
  ];
}

/** The answer of `/responses/compact`: openai 6.49.0, CompactedResponse. */
export function compactedResponse(
  body: unknown,
  { serial, createdSeconds, promptTokens }: Pick<Answer, "serial" | "createdSeconds"> & Pick<Counts, "promptTokens">,
): JsonObject {
  const written = { readTokens: 0, writeTokens: 0, writeOneHourTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  const output = jsonValueOf(compactedItems(body, serial));
  const usage = usageOf({ promptTokens, uncachedTokens: promptTokens, ...written });
  return { id: `resp_simulated_compacted_${serial}`, object: "response.compaction", created_at: createdSeconds, output, usage };
}

function usageOf(counts: Counts): JsonObject {
  const { promptTokens, outputTokens, readTokens, reasoningTokens } = counts;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: readTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + outputTokens,
  };
}
