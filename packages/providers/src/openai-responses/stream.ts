import { cutStream } from "../client/failure.ts";
import type { DriverEvent } from "../client/model-client.ts";
import { ReportedError } from "../client/reported-error.ts";
import type { Fields } from "../fields.ts";
import { recordAt, recordsAt, stringAt } from "../fields.ts";
import { decodeOpenAiResponse } from "./decode.ts";

/**
 * The events of a streamed response as deltas and a reply. The last event holds the whole response; where its output is empty (some
 * servers), the items that were done on the way count.
 *
 * @throws PlimsollError with the reason `cut-stream` where the stream ends before its last event.
 */
export async function* decodeOpenAiResponsesStream(events: AsyncIterable<unknown>): AsyncGenerator<DriverEvent> {
  const done: Fields[] = [];
  let response: Fields | null = null;
  for await (const event of events) {
    switch (stringAt(event, "type")) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        yield { type: "text-delta", text: stringAt(event, "delta") ?? "" };
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        yield { type: "reasoning-delta", text: stringAt(event, "delta") ?? "" };
        break;
      case "response.output_item.added": {
        const item = recordAt(event, "item");
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
        // Parts that begin and end, and what the vendor may add, tell nothing more.
        break;
    }
  }
  if (response === null) throw cutStream();
  const output = recordsAt(response, "output");
  yield { type: "reply", ...decodeOpenAiResponse({ ...response, output: output.length > 0 ? output : done }) };
}
