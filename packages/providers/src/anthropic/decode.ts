import type { AssistantMessage, ModelReply } from "@plimsoll/core";
import type { StopReason } from "@plimsoll/core/internal";
import type { DecodedReply } from "../client/model-client.ts";
import type { Fields } from "../fields.ts";
import { jsonValueOf, recordAt, recordsAt, stringAt } from "../fields.ts";
import { anthropicUsage } from "./usage.ts";

/** A whole message as the wire answers it, decoded. */
export function decodeAnthropic(message: Fields): DecodedReply {
  const stopReason = stopReasonOf(stringAt(message, "stop_reason"));
  const requestId = stringAt(message, "id") ?? "";
  const draft: ModelReply["draft"] = {
    role: "assistant",
    origin: "model",
    parts: recordsAt(message, "content").flatMap(partsOf),
    modelId: stringAt(message, "model"),
    requestId,
    stopReason,
    atMs: null,
  };
  const usage = anthropicUsage(recordAt(message, "usage"));
  return {
    reply: { requestId, draft, stopReason, usage },
    isWindowFull: message.stop_reason === "model_context_window_exceeded",
  };
}

function partsOf(block: Fields): AssistantMessage["parts"] {
  switch (block.type) {
    case "text": {
      const text = stringAt(block, "text") ?? "";
      return text.trim() === "" ? [] : [{ type: "text", text }];
    }
    case "thinking": {
      const { thinking, ...opaque } = block;
      return [{ type: "reasoning", text: typeof thinking === "string" ? thinking : "", opaque: jsonValueOf(opaque) }];
    }
    case "tool_use": {
      const call = { callId: stringAt(block, "id") ?? "", toolName: stringAt(block, "name") ?? "" };
      return [{ type: "tool-call", ...call, argumentsJson: argumentsText(block), paths: [] }];
    }
    default:
      return [{ type: "reasoning", text: "", opaque: jsonValueOf(block) }];
  }
}

/** The text that the model wrote where it was streamed, else the object as JSON. */
function argumentsText(block: Fields): string {
  return stringAt(block, "input_json") ?? JSON.stringify(recordAt(block, "input") ?? {});
}

/** The vendor's reason in common terms. A turn that only pauses for a server-side tool is `other`. */
export function stopReasonOf(reason: string | null): StopReason {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "end";
    case "tool_use":
      return "tool-calls";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "refusal";
    default:
      return "other";
  }
}
