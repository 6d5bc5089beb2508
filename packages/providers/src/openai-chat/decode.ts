import { type AssistantMessage, UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import type { JsonValue } from "@plimsoll/core/extend";
import { cutStream, ReportedError } from "../client/failure.ts";
import { callPart, type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { saidCharsIn, saysMore } from "../wire/ended-reply.ts";
import type { DecodedReply, DriverEvent } from "../wire/wire.ts";

/**
 * A whole completion as the wire answers it, decoded. Of several choices the first counts.
 *
 * @throws ReportedError for an answer that holds an error: routers send those with a good status.
 */
export function decodeOpenAiChat(completion: Fields): DecodedReply {
  const error = recordAt(completion, "error");
  if (error !== null) throw new ReportedError(error);
  const [choice] = recordsAt(completion, "choices");
  const message = recordAt(choice, "message");
  const parts = replyParts(message);
  return {
    requestId: stringAt(completion, "id") ?? "",
    modelId: stringAt(completion, "model"),
    parts,
    stopReason: stopReasonOf(stringAt(choice, "finish_reason"), parts),
    usage: openAiUsage(recordAt(completion, "usage")),
    saidChars: saidCharsIn(completion),
    isWindowFull: isWindowFull(choice),
  };
}

/** Reads a reply's text and calls as parts. Reasoning comes as text in a field of its own; a refusal is the model's words. */
export function replyParts(message: Fields | null): AssistantMessage["parts"] {
  const reasoning = stringAt(message, "reasoning_content") ?? stringAt(message, "reasoning") ?? "";
  const details = recordsAt(message, "reasoning_details");
  const text = stringAt(message, "content") ?? "";
  const refusal = stringAt(message, "refusal") ?? "";
  return [
    ...(reasoning === "" && details.length === 0
      ? []
      : [{ type: "reasoning", text: reasoning, opaque: opaqueOf(details) } as const]),
    ...[text, refusal].filter((words) => words.trim() !== "").map((words) => ({ type: "text", text: words }) as const),
    ...recordsAt(message, "tool_calls").map((call) => {
      const called = recordAt(call, "function");
      const names = { callId: stringAt(call, "id") ?? "", toolName: stringAt(called, "name") ?? "" };
      const { arguments: given = "" } = called ?? {};
      return callPart(names, typeof given === "string" ? given : JSON.stringify(given));
    }),
  ];
}

function opaqueOf(details: readonly Fields[]): JsonValue {
  return details.some((each) => stringAt(each, "signature") !== null || stringAt(each, "data") !== null)
    ? { details: jsonValueOf(details) }
    : null;
}

/** z.ai and routers say so if the window ended the reply. */
function isWindowFull(choice: Fields | undefined): boolean {
  const reasons = [stringAt(choice, "finish_reason"), stringAt(choice, "native_finish_reason")];
  return reasons.includes("model_context_window_exceeded");
}

/** The vendor's reason in common terms. Some servers say `stop` for a reply that calls tools. */
function stopReasonOf(reason: string | null, parts: AssistantMessage["parts"]): DecodedReply["stopReason"] {
  if (reason === "stop") return parts.some((part) => part.type === "tool-call") ? "tool-calls" : "end";
  return STOP_REASONS.get(reason) ?? "other";
}

const STOP_REASONS: ReadonlyMap<string | null, DecodedReply["stopReason"]> = new Map([
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["length", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filter", "refusal"],
]);

interface OpenCall {
  id: string;
  name: string;
  argumentsText: string;
}

/**
 * The chunks of a streamed completion as deltas and a reply: they are put together to the completion that a whole answer would have been.
 *
 * @throws PlimsollError with the reason `cut-stream` if the stream ends before it gave a reason to end.
 */
export async function* decodeOpenAiChatStream(chunks: AsyncIterable<unknown>): AsyncGenerator<DriverEvent> {
  const calls = new Map<number, OpenCall>();
  const words = { content: "", reasoning: "", refusal: "" };
  let head: Fields = {};
  let usage: Fields | null = null;
  let ending: Fields = {};
  let more: Fields = {};
  const pieces: Fields[] = [];
  for await (const chunk of chunks) {
    head = { id: stringAt(chunk, "id") ?? head.id, model: stringAt(chunk, "model") ?? head.model };
    usage = recordAt(chunk, "usage") ?? usage;
    const [choice] = recordsAt(chunk, "choices");
    if (choice === undefined) continue;
    if (stringAt(choice, "finish_reason") !== null) ending = choice;
    const delta = recordAt(choice, "delta");
    const text = stringAt(delta, "content") ?? "";
    const reasoning = stringAt(delta, "reasoning_content") ?? stringAt(delta, "reasoning") ?? "";
    words.content += text;
    words.reasoning += reasoning;
    words.refusal += stringAt(delta, "refusal") ?? "";
    if (saysMore(delta)) more = { ...delta };
    pieces.push(...recordsAt(delta, "content"));
    if (reasoning !== "") yield { type: "reasoning-delta", text: reasoning };
    if (text !== "") yield { type: "text-delta", text };
    for (const call of recordsAt(delta, "tool_calls")) yield* callDelta(calls, call);
  }
  if (stringAt(ending, "finish_reason") === null) throw cutStream();
  const message = {
    ...more,
    content: pieces.length > 0 ? pieces : words.content,
    reasoning_content: words.reasoning,
    refusal: words.refusal,
    tool_calls: [...calls.values()].map(({ id, name, argumentsText }) => ({
      id,
      function: { name, arguments: argumentsText },
    })),
  };
  yield { type: "reply", reply: decodeOpenAiChat({ ...head, usage, choices: [{ ...ending, message }] }) };
}

/** Servers that send a call whole may leave its index out. */
function* callDelta(calls: Map<number, OpenCall>, delta: Fields): Generator<DriverEvent> {
  const id = stringAt(delta, "id");
  const index = numberAt(delta, "index") ?? (id === null ? calls.size - 1 : calls.size);
  const called = recordAt(delta, "function");
  const open = calls.get(index);
  const argumentsText = stringAt(called, "arguments") ?? "";
  if (open !== undefined) {
    open.argumentsText += argumentsText;
    return;
  }
  const call = { id: id ?? "", name: stringAt(called, "name") ?? "", argumentsText };
  calls.set(index, call);
  yield { type: "tool-call-start", callId: call.id, toolName: call.name };
}

/**
 * The usage of a reply in OpenAI's two forms, as servers and routers write them: the prompt's count holds the cached part. Servers name that part in their own ways:
 * `prompt_tokens_details.cached_tokens` (OpenAI and most others), `prompt_cache_hit_tokens` (DeepSeek), `cached_tokens` (Moonshot), and routers as Anthropic does.
 */
export function openAiUsage(usage: Fields | null): Usage {
  const totalInputTokens = numberAt(usage, "prompt_tokens") ?? numberAt(usage, "input_tokens");
  if (totalInputTokens === null) return { ...UNREPORTED_USAGE, raw: jsonValueOf(usage) };
  const input = recordAt(usage, "prompt_tokens_details") ?? recordAt(usage, "input_tokens_details");
  const output = recordAt(usage, "completion_tokens_details") ?? recordAt(usage, "output_tokens_details");
  return usageOf({
    totalInputTokens,
    cacheReadTokens:
      numberAt(input, "cached_tokens") ??
      numberAt(usage, "cache_read_input_tokens") ??
      numberAt(usage, "prompt_cache_hit_tokens") ??
      numberAt(usage, "cached_tokens"),
    cacheWriteTokens: numberAt(input, "cache_write_tokens") ?? numberAt(usage, "cache_creation_input_tokens"),
    outputTokens: numberAt(usage, "completion_tokens") ?? numberAt(usage, "output_tokens"),
    reasoningTokens: numberAt(output, "reasoning_tokens"),
    raw: jsonValueOf(usage),
  });
}
