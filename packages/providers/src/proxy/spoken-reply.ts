import type { JsonObject } from "@plimsoll/core/extend";
import type { ProxyWire } from "./wires.ts";

/** An answer that no vendor gave. */
export interface SpokenReply {
  readonly contentType: string;
  readonly bodyText: string;
}

/** The request that is answered. */
export interface SpokenTo {
  readonly modelId: string | null;
  readonly form: "streamed" | "whole";
  /** Tells its ids from those of other answers. */
  readonly serial: number;
  readonly nowMs: number;
}

/** A text with the facts that its answer needs. */
interface Spoken {
  readonly text: string;
  readonly model: string;
  readonly serial: number;
  readonly createdSeconds: number;
}

/** One event of a stream as its data; `[DONE]` ends a stream of Chat Completions. */
type SpokenEvent = JsonObject | "[DONE]";

/** How a wire writes a text as a whole answer, and as the events of a stream. */
interface SpokenWire {
  readonly whole: (spoken: Spoken) => JsonObject;
  readonly events: (spoken: Spoken) => readonly SpokenEvent[];
  /** Whether the events are named by their type. */
  readonly names: "type" | "none";
}

const WIRES: { readonly [name in ProxyWire["name"]]: SpokenWire } = {
  anthropic: { whole: wholeMessage, events: messageEvents, names: "type" },
  "openai-chat": { whole: wholeCompletion, events: completionChunks, names: "none" },
  "openai-responses": { whole: wholeResponse, events: responseEvents, names: "type" },
  gemini: { whole: (spoken) => contentOf(spoken, [spoken.text], "last"), events: contentEvents, names: "none" },
};

/** A text as the answer of a wire, which measured nothing and costs nothing. */
export function spokenReply(name: ProxyWire["name"], text: string, { modelId, form, serial, nowMs }: SpokenTo): SpokenReply {
  const { whole, events, names } = WIRES[name];
  const spoken: Spoken = { text, model: modelId ?? "", serial, createdSeconds: Math.floor(nowMs / 1_000) };
  if (form === "whole") return { contentType: "application/json", bodyText: JSON.stringify(whole(spoken)) };
  const bodyText = events(spoken)
    .map((event) => written(event, names))
    .join("");
  return { contentType: "text/event-stream", bodyText };
}

function written(event: SpokenEvent, names: SpokenWire["names"]): string {
  if (event === "[DONE]") return "data: [DONE]\n\n";
  return `${names === "type" ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}

/** The text in two pieces, as a stream has them; nothing for empty text. */
function halves(text: string): readonly string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}

const NO_MESSAGE_INPUT = {
  input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  service_tier: "standard",
} as const;

function messageOf({ serial, model }: Spoken, content: readonly JsonObject[], stopReason: string | null): JsonObject {
  const head = { id: `msg_simulated_${serial}`, type: "message", role: "assistant", model };
  return { ...head, content, stop_reason: stopReason, stop_sequence: null };
}

function wholeMessage(spoken: Spoken): JsonObject {
  const content = [{ type: "text", text: spoken.text }];
  return { ...messageOf(spoken, content, "end_turn"), usage: { ...NO_MESSAGE_INPUT, output_tokens: 0 } };
}

function messageEvents(spoken: Spoken): readonly JsonObject[] {
  const usage = { ...NO_MESSAGE_INPUT, output_tokens: 1 };
  const deltas = halves(spoken.text).map((text) => ({ type: "text_delta", text }));
  return [
    { type: "message_start", message: { ...messageOf(spoken, [], null), usage } },
    { type: "ping" },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 0 } },
    { type: "message_stop" },
  ];
}

const NO_CHAT_USAGE = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
} as const;

function completionHead({ serial, model, createdSeconds }: Spoken, object: string): JsonObject {
  return { id: `chatcmpl-simulated-${serial}`, object, created: createdSeconds, model };
}

function wholeCompletion(spoken: Spoken): JsonObject {
  const message = { role: "assistant", content: spoken.text, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  return { ...completionHead(spoken, "chat.completion"), choices, usage: NO_CHAT_USAGE };
}

function completionChunks(spoken: Spoken): readonly SpokenEvent[] {
  const head = completionHead(spoken, "chat.completion.chunk");
  const chunk = (delta: JsonObject, finishReason: string | null = null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    usage: null,
  });
  return [
    chunk({ role: "assistant", content: "" }),
    ...halves(spoken.text).map((content) => chunk({ content })),
    chunk({}, "stop"),
    { ...head, choices: [], usage: NO_CHAT_USAGE },
    "[DONE]",
  ];
}

const NO_RESPONSE_USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
} as const;

function responseOf(
  { serial, model, createdSeconds }: Spoken,
  end: { readonly output: readonly JsonObject[] } | null,
): JsonObject {
  return {
    id: `resp_simulated_${serial}`,
    object: "response",
    created_at: createdSeconds,
    model,
    status: end === null ? "in_progress" : "completed",
    error: null,
    incomplete_details: null,
    output: end?.output ?? [],
    usage: end === null ? null : NO_RESPONSE_USAGE,
  };
}

function responseItem({ serial }: Spoken, status: string, content: readonly JsonObject[]): JsonObject {
  return { id: `msg_simulated_${serial}_0`, type: "message", role: "assistant", status, content };
}

function outputText(text: string): JsonObject {
  return { type: "output_text", text, annotations: [] };
}

function wholeResponse(spoken: Spoken): JsonObject {
  return responseOf(spoken, { output: [responseItem(spoken, "completed", [outputText(spoken.text)])] });
}

function responseEvents(spoken: Spoken): readonly JsonObject[] {
  const { text } = spoken;
  const item = responseItem(spoken, "completed", [outputText(text)]);
  const place = { item_id: item.id, output_index: 0 };
  const part = "response.content_part";
  const events: readonly JsonObject[] = [
    { type: "response.created", response: responseOf(spoken, null) },
    { type: "response.in_progress", response: responseOf(spoken, null) },
    { type: "response.output_item.added", output_index: 0, item: responseItem(spoken, "in_progress", []) },
    { type: `${part}.added`, content_index: 0, part: outputText(""), ...place },
    ...halves(text).map((delta) => ({ type: "response.output_text.delta", content_index: 0, delta, logprobs: [], ...place })),
    { type: "response.output_text.done", content_index: 0, text, logprobs: [], ...place },
    { type: `${part}.done`, content_index: 0, part: outputText(text), ...place },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: wholeResponse(spoken) },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

const NO_CONTENT_USAGE = {
  promptTokenCount: 0,
  cachedContentTokenCount: 0,
  candidatesTokenCount: 0,
  thoughtsTokenCount: 0,
  totalTokenCount: 0,
} as const;

function contentOf({ serial, model }: Spoken, texts: readonly string[], place: "first" | "last"): JsonObject {
  const candidate = { content: { role: "model", parts: texts.map((text) => ({ text })) }, index: 0 };
  const told = { modelVersion: model, responseId: `simulated-${serial}` };
  if (place === "first") return { candidates: [candidate], ...told };
  return { candidates: [{ ...candidate, finishReason: "STOP" }], usageMetadata: NO_CONTENT_USAGE, ...told };
}

function contentEvents(spoken: Spoken): readonly JsonObject[] {
  const pieces = halves(spoken.text);
  return [
    ...pieces.slice(0, -1).map((piece) => contentOf(spoken, [piece], "first")),
    contentOf(spoken, pieces.slice(-1), "last"),
  ];
}
