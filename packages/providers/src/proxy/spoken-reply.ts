import type { Fields } from "../fields.ts";
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
  /** Distinguishes its ids from those of other answers. */
  readonly serial: number;
  readonly nowMs: number;
}

interface Spoken {
  readonly text: string;
  readonly model: string;
  readonly serial: number;
  readonly createdSeconds: number;
}

interface SpokenWire {
  readonly whole: (spoken: Spoken) => Fields;
  readonly events: (spoken: Spoken) => readonly Fields[];
}

const WIRES: { readonly [name in ProxyWire["name"]]: SpokenWire } = {
  anthropic: { whole: (spoken) => messageOf(spoken, [{ type: "text", text: spoken.text }], "end_turn"), events: messageEvents },
  "openai-chat": { whole: wholeCompletion, events: completionChunks },
  "openai-responses": { whole: wholeResponse, events: responseEvents },
  gemini: { whole: wholeContent, events: (spoken) => [wholeContent(spoken)] },
};

/** A text as the answer of a wire, which measured nothing and costs nothing. */
export function spokenReply(name: ProxyWire["name"], text: string, { modelId, form, serial, nowMs }: SpokenTo): SpokenReply {
  const { whole, events } = WIRES[name];
  const spoken: Spoken = { text, model: modelId ?? "", serial, createdSeconds: Math.floor(nowMs / 1_000) };
  if (form === "whole") return { contentType: "application/json", bodyText: JSON.stringify(whole(spoken)) };
  const written = events(spoken).map(
    (event) => `${event.type === undefined ? "" : `event: ${String(event.type)}\n`}data: ${JSON.stringify(event)}\n\n`,
  );
  const end = name === "openai-chat" ? "data: [DONE]\n\n" : "";
  return { contentType: "text/event-stream", bodyText: `${written.join("")}${end}` };
}

function messageOf({ serial, model }: Spoken, content: readonly Fields[], stopReason: string | null): Fields {
  const cached = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const usage = { input_tokens: 0, ...cached, output_tokens: 0 };
  const head = { id: `msg_simulated_${serial}`, type: "message", role: "assistant", model };
  return { ...head, content, stop_reason: stopReason, stop_sequence: null, usage };
}

function messageEvents(spoken: Spoken): readonly Fields[] {
  return [
    { type: "message_start", message: messageOf(spoken, [], null) },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: spoken.text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 0 } },
    { type: "message_stop" },
  ];
}

const NO_CHAT_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } as const;

function completionOf({ serial, model, createdSeconds }: Spoken, object: string, choices: readonly Fields[]): Fields {
  return { id: `chatcmpl-simulated-${serial}`, object, created: createdSeconds, model, choices };
}

function wholeCompletion(spoken: Spoken): Fields {
  const message = { role: "assistant", content: spoken.text, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  return { ...completionOf(spoken, "chat.completion", choices), usage: NO_CHAT_USAGE };
}

function completionChunks(spoken: Spoken): readonly Fields[] {
  const chunk = (choices: readonly Fields[]) => completionOf(spoken, "chat.completion.chunk", choices);
  const delta = { role: "assistant", content: spoken.text };
  return [
    { ...chunk([{ index: 0, delta, logprobs: null, finish_reason: null }]), usage: null },
    { ...chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }]), usage: null },
    { ...chunk([]), usage: NO_CHAT_USAGE },
  ];
}

function responseOf({ serial, model, createdSeconds }: Spoken, ended: Fields): Fields {
  const head = { id: `resp_simulated_${serial}`, object: "response", created_at: createdSeconds, model };
  return { ...head, status: "in_progress", error: null, incomplete_details: null, output: [], usage: null, ...ended };
}

function wholeResponse(spoken: Spoken): Fields {
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, ...details };
  return responseOf(spoken, {
    status: "completed",
    output: [responseItem(spoken, "completed", [outputText(spoken.text)])],
    usage,
  });
}

function responseItem({ serial }: Spoken, status: string, content: readonly Fields[]): Fields {
  return { id: `msg_simulated_${serial}_0`, type: "message", role: "assistant", status, content };
}

function outputText(text: string): Fields {
  return { type: "output_text", text, annotations: [] };
}

function responseEvents(spoken: Spoken): readonly Fields[] {
  const { text } = spoken;
  const item = responseItem(spoken, "completed", [outputText(text)]);
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const events: readonly Fields[] = [
    { type: "response.created", response: responseOf(spoken, {}) },
    { type: "response.in_progress", response: responseOf(spoken, {}) },
    { type: "response.output_item.added", output_index: 0, item: responseItem(spoken, "in_progress", []) },
    { type: "response.content_part.added", ...place, part: outputText("") },
    { type: "response.output_text.delta", ...place, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: outputText(text) },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: wholeResponse(spoken) },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

function wholeContent({ text, model, serial }: Spoken): Fields {
  const candidate = { content: { role: "model", parts: [{ text }] }, index: 0, finishReason: "STOP" };
  const usageMetadata = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };
  return { candidates: [candidate], usageMetadata, modelVersion: model, responseId: `simulated-${serial}` };
}
