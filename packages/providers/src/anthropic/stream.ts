import { cutStream } from "../client/failure.ts";
import type { DriverEvent } from "../client/model-client.ts";
import type { Fields } from "../fields.ts";
import { numberAt, recordAt, stringAt } from "../fields.ts";
import { decodeAnthropic } from "./decode.ts";

/** A block that is being streamed: its start, with what was added to it. */
interface OpenBlock {
  readonly start: Fields;
  text: string;
  inputJson: string;
  signature: string;
}

/**
 * The events of a streamed message as deltas and a reply: the blocks are put together to the message that a whole answer would have been.
 *
 * @throws PlimsollError with the reason `cut-stream` where the stream ends before its last event.
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
        usage = { ...usage, ...withoutNulls(recordAt(event, "usage")) };
        break;
      case "message_stop":
        isWhole = true;
        break;
      default:
        // Pings, block ends and what the vendor may add tell nothing more.
        break;
    }
  }
  if (!isWhole) throw cutStream();
  const content = [...blocks.values()].map(closedBlock);
  yield { type: "reply", ...decodeAnthropic({ ...message, content, usage }) };
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
  switch (start.type) {
    case "text":
      return { ...start, text: `${stringAt(start, "text") ?? ""}${text}` };
    case "thinking":
      return {
        ...start,
        thinking: `${stringAt(start, "thinking") ?? ""}${text}`,
        signature: `${stringAt(start, "signature") ?? ""}${signature}`,
      };
    case "tool_use":
      return inputJson === "" ? start : { ...start, input_json: inputJson };
    default:
      return start;
  }
}

function withoutNulls(fields: Fields | null): Fields {
  return Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== null));
}
