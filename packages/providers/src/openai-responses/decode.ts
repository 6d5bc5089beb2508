import type { AssistantMessage, ModelReply } from "@plimsoll/core";
import type { StopReason } from "@plimsoll/core/internal";
import type { DecodedReply } from "../client/model-client.ts";
import { ReportedError } from "../client/reported-error.ts";
import type { Fields } from "../fields.ts";
import { jsonValueOf, recordAt, recordsAt, stringAt } from "../fields.ts";
import { responsesUsage } from "../openai/usage.ts";

/**
 * A whole response as the wire answers it, decoded.
 *
 * @throws ReportedError for a response that failed.
 */
export function decodeOpenAiResponse(response: Fields): DecodedReply {
  const error = recordAt(response, "error");
  if (error !== null) throw new ReportedError(error);
  const items = recordsAt(response, "output");
  const parts = items.flatMap(partsOf);
  const stopReason = stopReasonOf(response, parts);
  const requestId = stringAt(response, "id") ?? "";
  const draft: ModelReply["draft"] = {
    role: "assistant",
    origin: "model",
    parts,
    modelId: stringAt(response, "model"),
    requestId,
    stopReason,
    atMs: null,
  };
  const usage = responsesUsage(recordAt(response, "usage"));
  return { reply: { requestId, draft, stopReason, usage }, isWindowFull: false };
}

/** Items of server-side tools are kept as they came, like reasoning: opaque. */
function partsOf(item: Fields): AssistantMessage["parts"] {
  switch (item.type) {
    case "message":
      return recordsAt(item, "content").flatMap((part) => {
        const text = stringAt(part, "text") ?? stringAt(part, "refusal") ?? "";
        return text.trim() === "" ? [] : [{ type: "text", text } as const];
      });
    case "function_call": {
      const names = { callId: stringAt(item, "call_id") ?? "", toolName: stringAt(item, "name") ?? "" };
      return [{ type: "tool-call", ...names, argumentsJson: stringAt(item, "arguments") ?? "", paths: [] }];
    }
    case "reasoning": {
      const text = [...recordsAt(item, "summary"), ...recordsAt(item, "content")]
        .map((part) => stringAt(part, "text") ?? "")
        .join("\n");
      return [{ type: "reasoning", text, opaque: jsonValueOf(item) }];
    }
    default:
      return [{ type: "reasoning", text: "", opaque: jsonValueOf(item) }];
  }
}

/** The wire has no stop reason: it follows from the status and from what the reply holds. */
function stopReasonOf(response: Fields, parts: AssistantMessage["parts"]): StopReason {
  const reason = stringAt(recordAt(response, "incomplete_details"), "reason");
  if (response.status === "incomplete") return reason === "content_filter" ? "refusal" : "length";
  if (response.status === "cancelled") return "aborted";
  const refuses = recordsAt(response, "output").some((item) =>
    recordsAt(item, "content").some(({ type }) => type === "refusal"),
  );
  if (refuses) return "refusal";
  if (response.status !== "completed") return "other";
  return parts.some((part) => part.type === "tool-call") ? "tool-calls" : "end";
}
