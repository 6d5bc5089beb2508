import type { AssistantMessage } from "@plimsoll/core";
import { cutStream, noSummary, ReportedError } from "../client/failure.ts";
import { textParts } from "../drop-in/wire-array.ts";
import { callPart, type Fields, jsonValueOf, recordAt, recordsAt, stringAt, type VendorSummary } from "../fields.ts";
import { openAiUsage } from "../openai-chat/decode.ts";
import { saidCharsIn } from "../wire/ended-reply.ts";
import type { DecodedReply, DriverEvent } from "../wire/wire.ts";

/**
 * A whole response as the wire answers it, decoded.
 *
 * @throws ReportedError for a response that failed.
 */
export function decodeOpenAiResponse(response: Fields): DecodedReply {
  const error = recordAt(response, "error");
  if (error !== null) throw new ReportedError(error);
  const items = recordsAt(response, "output");
  const parts = items.flatMap(replyParts);
  return {
    requestId: stringAt(response, "id") ?? "",
    modelId: stringAt(response, "model"),
    parts,
    stopReason: stopReasonOf(response, parts),
    usage: openAiUsage(recordAt(response, "usage")),
    saidChars: saidCharsIn(response),
    isWindowFull: false,
  };
}

/**
 * The window that the vendor compacted a request to, which goes back whole.
 *
 * @throws PlimsollError `summary-failed` for an answer without a compaction.
 */
export function decodeCompacted(response: unknown): VendorSummary {
  const block = recordsAt(response, "output");
  const usage = openAiUsage(recordAt(response, "usage"));
  if (!block.some((item) => item.type === "compaction" && (stringAt(item, "encrypted_content") ?? "") !== ""))
    throw noSummary("the vendor compacted nothing", usage);
  return { block: jsonValueOf(block), text: "", usage };
}

/** An item of the model as parts. Items of server-side tools are kept as they came, like reasoning: opaque. */
export function replyParts(item: Fields): AssistantMessage["parts"] {
  const content = recordsAt(item, "content");
  if (item.type === "message")
    return content.flatMap((part) => textParts(stringAt(part, "text") ?? stringAt(part, "refusal") ?? ""));
  if (item.type === "function_call") {
    const names = { callId: stringAt(item, "call_id") ?? "", toolName: stringAt(item, "name") ?? "" };
    return [callPart(names, stringAt(item, "arguments") ?? "")];
  }
  const thoughts = item.type === "reasoning" ? [...recordsAt(item, "summary"), ...content] : [];
  const text = thoughts.map((part) => stringAt(part, "text") ?? "").join("\n");
  return [{ type: "reasoning", text, opaque: jsonValueOf(item) }];
}

/** The wire has no stop reason: it follows from the status and from the reply's content. */
function stopReasonOf(response: Fields, parts: AssistantMessage["parts"]): DecodedReply["stopReason"] {
  const reason = stringAt(recordAt(response, "incomplete_details"), "reason");
  if (response.status === "incomplete" && (reason ?? "max_output_tokens") !== "max_output_tokens")
    return reason === "content_filter" ? "refusal" : "other";
  if (response.status === "incomplete") return "length";
  if (response.status === "cancelled") return "aborted";
  const refuses = recordsAt(response, "output").some((item) =>
    recordsAt(item, "content").some(({ type }) => type === "refusal"),
  );
  if (refuses) return "refusal";
  if (response.status !== "completed") return "other";
  return parts.some((part) => part.type === "tool-call") ? "tool-calls" : "end";
}

/**
 * The events of a streamed response as deltas and a reply. The last event holds the whole response; if its output is empty (some
 * servers), the items that were done on the way count, and without any the text and the items that were begun.
 *
 * @throws PlimsollError with the reason `cut-stream` if the stream ends before its last event.
 */
export async function* decodeOpenAiResponsesStream(events: AsyncIterable<unknown>): AsyncGenerator<DriverEvent> {
  const done: Fields[] = [];
  const begun: Fields[] = [];
  let words = "";
  let response: Fields | null = null;
  for await (const event of events) {
    switch (stringAt(event, "type")) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        words += stringAt(event, "delta") ?? "";
        yield { type: "text-delta", text: stringAt(event, "delta") ?? "" };
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        yield { type: "reasoning-delta", text: stringAt(event, "delta") ?? "" };
        break;
      case "response.output_item.added": {
        const item = recordAt(event, "item");
        if (item !== null) begun.push(item);
        if (item?.type === "function_call")
          yield { type: "tool-call-start", callId: stringAt(item, "call_id") ?? "", toolName: stringAt(item, "name") ?? "" };
        break;
      }
      case "response.output_item.done":
        done.push(recordAt(event, "item") ?? {});
        break;
      case "response.completed":
      case "response.incomplete":
        response = recordAt(event, "response");
        break;
      case "response.failed":
        throw new ReportedError(recordAt(recordAt(event, "response"), "error") ?? {});
      case "error":
        throw new ReportedError(
          recordAt(event, "error") ?? { message: stringAt(event, "message"), code: stringAt(event, "code") },
        );
      default:
        // Beginnings and ends of parts, and later event types, add nothing more.
        break;
    }
  }
  if (response === null) throw cutStream();
  const output = recordsAt(response, "output");
  const told = [...begun, { type: "message", content: [{ type: "output_text", text: words }] }];
  const items = [output, done].find((each) => each.length > 0) ?? told;
  yield { type: "reply", reply: decodeOpenAiResponse({ ...response, output: items }) };
}
