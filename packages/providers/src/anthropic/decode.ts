import { type AssistantMessage, UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { writtenJson } from "@plimsoll/core/extend";
import { cutStream, noSummary } from "../client/failure.ts";
import { textParts } from "../drop-in/wire-array.ts";
import type { Fields, VendorSummary } from "../fields.ts";
import { callPart, jsonValueOf, numberAt, recordAt, recordsAt, stringAt, withoutKeys } from "../fields.ts";
import { saidCharsIn } from "../wire/ended-reply.ts";
import type { DecodedReply, DriverEvent } from "../wire/wire.ts";

/** A whole message as the wire answers it, decoded. */
export function decodeAnthropic(message: Fields): DecodedReply {
  return {
    requestId: stringAt(message, "id") ?? "",
    modelId: stringAt(message, "model"),
    parts: recordsAt(message, "content").flatMap(replyParts),
    stopReason: STOP_REASONS.get(stringAt(message, "stop_reason")) ?? "other",
    usage: anthropicUsage(recordAt(message, "usage")),
    saidChars: saidCharsIn(message),
    isWindowFull: message.stop_reason === "model_context_window_exceeded",
  };
}

/**
 * The summary that the vendor wrote on request, with the usage of its own call: that of the request says zero.
 *
 * @throws PlimsollError `summary-failed` for an answer without one.
 */
export function decodeSummary(message: unknown): VendorSummary {
  const [block] = recordsAt(message, "content");
  const [text, signature] = [stringAt(block, "content"), stringAt(block, "signature")];
  const own = recordsAt(recordAt(message, "usage"), "iterations").find(({ type }) => type === "compaction");
  const usage = anthropicUsage(own ?? null);
  if (block?.type !== "compaction" || text === null || text.trim() === "" || signature === null)
    throw noSummary(`the vendor wrote no summary (${stringAt(message, "stop_reason") ?? "no answer"})`, usage);
  return { block: jsonValueOf(block), text, usage };
}

/** A block of the model as parts. A block that is neither text nor call is opaque: it is kept with the reply, never read. */
export function replyParts(block: Fields): AssistantMessage["parts"] {
  if (block.type === "text") return textParts(stringAt(block, "text") ?? "");
  if (block.type === "tool_use") {
    const call = { callId: stringAt(block, "id") ?? "", toolName: stringAt(block, "name") ?? "" };
    // The model's own text if it was streamed, else its input as JSON: servers of this wire pass on inputs that are no objects, too.
    const written = block.input_json ?? block.input ?? {};
    return [callPart(call, typeof written === "string" ? written : writtenJson(written))];
  }
  const text = block.type === "thinking" ? (stringAt(block, "thinking") ?? "") : "";
  const opaque = block.type === "thinking" ? withoutKeys(block, ["thinking"]) : block;
  return [{ type: "reasoning", text, opaque: jsonValueOf(opaque) }];
}

/** The vendor's reasons in common terms. A turn that only pauses for a server-side tool has another. */
const STOP_REASONS: ReadonlyMap<string | null, DecodedReply["stopReason"]> = new Map([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
]);

interface OpenBlock {
  readonly start: Fields;
  text: string;
  inputJson: string;
  signature: string;
}

/**
 * The events of a streamed message as deltas and a reply: the blocks are put together to the message that a whole answer would have been.
 *
 * @throws PlimsollError with the reason `cut-stream` if the stream ends before its last event.
 */
export async function* decodeAnthropicStream(events: AsyncIterable<unknown>): AsyncGenerator<DriverEvent> {
  const blocks = new Map<number, OpenBlock>();
  let message: Fields = {};
  let usage: Fields = {};
  let isWhole = false;
  for await (const event of events) {
    switch (stringAt(event, "type")) {
      case "message_start":
        message = recordAt(event, "message") ?? {};
        usage = { ...recordAt(message, "usage") };
        break;
      case "content_block_start": {
        const start = recordAt(event, "content_block") ?? {};
        blocks.set(numberAt(event, "index") ?? blocks.size, { start, text: "", inputJson: "", signature: "" });
        if (start.type === "tool_use")
          yield { type: "tool-call-start", callId: stringAt(start, "id") ?? "", toolName: stringAt(start, "name") ?? "" };
        break;
      }
      case "content_block_delta": {
        const block = blocks.get(numberAt(event, "index") ?? -1);
        if (block !== undefined) yield* deltaOf(block, recordAt(event, "delta"));
        break;
      }
      case "message_delta":
        message = { ...message, ...recordAt(event, "delta") };
        for (const [key, value] of Object.entries(recordAt(event, "usage") ?? {}))
          if (value !== null) usage = { ...usage, [key]: value };
        break;
      case "message_stop":
        isWhole = true;
        break;
      default:
        // Pings, block ends and later event types add nothing more.
        break;
    }
  }
  if (!isWhole) throw cutStream();
  const content = [...blocks.values()].map(closedBlock);
  yield { type: "reply", reply: decodeAnthropic({ ...message, content, usage }) };
}

function* deltaOf(block: OpenBlock, delta: Fields | null): Generator<DriverEvent> {
  const text = stringAt(delta, "text");
  const thinking = stringAt(delta, "thinking");
  block.text += text ?? thinking ?? "";
  block.inputJson += stringAt(delta, "partial_json") ?? "";
  block.signature += stringAt(delta, "signature") ?? "";
  if (text !== null) yield { type: "text-delta", text };
  if (thinking !== null) yield { type: "reasoning-delta", text: thinking };
}

function closedBlock({ start, text, inputJson, signature }: OpenBlock): Fields {
  const whole = (key: string, rest: string) => ({ [key]: `${stringAt(start, key) ?? ""}${rest}` });
  if (start.type === "text") return { ...start, ...whole("text", text) };
  if (start.type === "thinking") return { ...start, ...whole("thinking", text), ...whole("signature", signature) };
  return start.type === "tool_use" && inputJson !== "" ? { ...start, input_json: inputJson } : start;
}

/**
 * The usage of a reply on the Messages wire. The parts of the prompt are disjoint: `input_tokens` counts the uncached part. If the request sampled
 * several times (`iterations`: server-side tools or compaction), the context is that of the last sampling of a reply and all of them were paid for.
 */
export function anthropicUsage(usage: Fields | null): Usage {
  if (numberAt(usage, "input_tokens") === null) return { ...UNREPORTED_USAGE, raw: jsonValueOf(usage) };
  const iterations = recordsAt(usage, "iterations");
  const sampled = iterations.findLast((item) => item.type === "message" || item.type === undefined);
  const isSeveral = iterations.length > 1 || iterations.some((item) => item !== sampled);
  const occupied = isSeveral ? (sampled ?? usage) : usage;
  return usageOf({
    uncachedTokens: numberAt(occupied, "input_tokens"),
    cacheReadTokens: numberAt(occupied, "cache_read_input_tokens"),
    cacheWriteTokens: numberAt(occupied, "cache_creation_input_tokens"),
    cacheWriteOneHourTokens: numberAt(recordAt(occupied, "cache_creation"), "ephemeral_1h_input_tokens"),
    outputTokens: numberAt(occupied, "output_tokens"),
    reasoningTokens: numberAt(recordAt(usage, "output_tokens_details"), "thinking_tokens"),
    raw: jsonValueOf(usage),
    ...(isSeveral
      ? { billed: { inputTokens: sumOf(iterations, INPUT_KEYS), outputTokens: sumOf(iterations, ["output_tokens"]) } }
      : {}),
  });
}

const INPUT_KEYS = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

function sumOf(iterations: readonly Fields[], keys: readonly string[]): number {
  return iterations.reduce((total, item) => keys.reduce((sum, key) => sum + (numberAt(item, key) ?? 0), total), 0);
}
