import type { JsonObject } from "@plimsoll/core";
import { halves } from "./halves.ts";
import { OPENAI_ERRORS } from "./openai-errors.ts";
import { readOpenAiResponses } from "./openai-responses-request.ts";
import { itemId } from "./responses-ids.ts";
import { signatureOf } from "./signature.ts";
import type { Answer, Counts, SimulatedWire, WireEvent } from "./wire.ts";

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

function responseOf({ serial, modelId, createdSeconds }: Answer): JsonObject {
  return {
    id: `resp_simulated_${serial}`,
    object: "response",
    created_at: createdSeconds,
    model: modelId,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
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

function itemsOf({ reply, serial }: Answer): readonly JsonObject[] {
  return reply.parts.map((part, index): JsonObject => {
    const before = reply.parts.slice(0, index).findLastIndex(({ type }) => type === "reasoning");
    const idOf = (kind: string) =>
      itemId(`${kind}_simulated_${serial}_${index}`, before < 0 ? null : `rs_simulated_${serial}_${before}`);
    switch (part.type) {
      case "text": {
        const content =
          reply.stop === "refusal"
            ? { type: "refusal", refusal: part.text }
            : { type: "output_text", text: part.text, annotations: [] };
        return { id: idOf("msg"), type: "message", role: "assistant", status: "completed", content: [content] };
      }
      case "reasoning": {
        const id = `rs_simulated_${serial}_${index}`;
        const summary = [{ type: "summary_text", text: part.text }];
        return { id, type: "reasoning", summary, encrypted_content: signatureOf(id) };
      }
      case "tool-call":
        return {
          id: idOf("fc"),
          type: "function_call",
          status: "completed",
          call_id: `call_simulated_${serial}_${index}`,
          name: part.toolName,
          arguments: part.argumentsJson,
        };
      default:
        return part satisfies never;
    }
  });
}

function eventsOf(answer: Answer): readonly WireEvent[] {
  const end = endOf(answer);
  const items = itemsOf(answer).flatMap((item, index): JsonObject[] => [
    { type: "response.output_item.added", output_index: index, item: openItem(item) },
    ...deltasOf(answer, index).map((delta) => ({ ...delta, item_id: item.id, output_index: index })),
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
  return { id: item.id, type: item.type, summary: [] };
}

function deltasOf({ reply }: Answer, index: number): readonly JsonObject[] {
  const part = reply.parts[index];
  switch (part?.type) {
    case "text":
      return halves(part.text).map((delta) => ({
        type: reply.stop === "refusal" ? "response.refusal.delta" : "response.output_text.delta",
        content_index: 0,
        delta,
      }));
    case "reasoning":
      return halves(part.text).map((delta) => ({ type: "response.reasoning_summary_text.delta", summary_index: 0, delta }));
    case "tool-call":
      return halves(part.argumentsJson).map((delta) => ({ type: "response.function_call_arguments.delta", delta }));
    case undefined:
      return [];
    default:
      return part satisfies never;
  }
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
