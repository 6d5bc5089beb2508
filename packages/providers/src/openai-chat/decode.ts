import type { AssistantMessage, ModelReply } from "@plimsoll/core";
import type { StopReason } from "@plimsoll/core/internal";
import type { DecodedReply } from "../client/model-client.ts";
import { ReportedError } from "../client/reported-error.ts";
import type { Fields } from "../fields.ts";
import { recordAt, recordsAt, stringAt } from "../fields.ts";
import { chatUsage } from "../openai/usage.ts";

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
  const parts = partsOf(message);
  const stopReason = stopReasonOf(stringAt(choice, "finish_reason"), parts);
  const requestId = stringAt(completion, "id") ?? "";
  const draft: ModelReply["draft"] = {
    role: "assistant",
    origin: "model",
    parts,
    modelId: stringAt(completion, "model"),
    requestId,
    stopReason,
    atMs: null,
  };
  const usage = chatUsage(recordAt(completion, "usage"));
  return { reply: { requestId, draft, stopReason, usage }, isWindowFull: isWindowFull(choice) };
}

/** Reasoning comes as text in a field of its own; a refusal is the model's words. */
function partsOf(message: Fields | null): AssistantMessage["parts"] {
  const reasoning = stringAt(message, "reasoning_content") ?? stringAt(message, "reasoning") ?? "";
  const text = stringAt(message, "content") ?? "";
  const refusal = stringAt(message, "refusal") ?? "";
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning, opaque: null } as const]),
    ...[text, refusal].filter((words) => words.trim() !== "").map((words) => ({ type: "text", text: words }) as const),
    ...recordsAt(message, "tool_calls").map((call) => {
      const called = recordAt(call, "function");
      const names = { callId: stringAt(call, "id") ?? "", toolName: stringAt(called, "name") ?? "" };
      return { type: "tool-call", ...names, argumentsJson: stringAt(called, "arguments") ?? "", paths: [] } as const;
    }),
  ];
}

/** z.ai and routers say so where the window ended the reply. */
function isWindowFull(choice: Fields | undefined): boolean {
  const reasons = [stringAt(choice, "finish_reason"), stringAt(choice, "native_finish_reason")];
  return reasons.includes("model_context_window_exceeded");
}

/** The vendor's reason in common terms. Some servers say `stop` for a reply that calls tools. */
function stopReasonOf(reason: string | null, parts: AssistantMessage["parts"]): StopReason {
  switch (reason) {
    case "stop":
      return parts.some((part) => part.type === "tool-call") ? "tool-calls" : "end";
    case "tool_calls":
    case "function_call":
      return "tool-calls";
    case "length":
    case "model_context_window_exceeded":
      return "length";
    case "content_filter":
      return "refusal";
    default:
      return "other";
  }
}
