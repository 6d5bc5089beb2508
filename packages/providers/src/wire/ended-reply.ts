import type { Usage } from "@plimsoll/core";
import type { EndedReply } from "@plimsoll/core/conversation";
import { isRecord } from "@plimsoll/core/internal";
import type { Fields } from "../fields.ts";
import { numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { DecodedReply } from "./wire.ts";

/** A decoded reply as far as it tells whether it was cut off. */
export function endedReplyOf({ parts, stopReason, usage, isWindowFull }: DecodedReply): EndedReply {
  const isEmpty = parts.every((part) => part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""));
  return { stopReason, isWindowFull, isEmpty, ...sizesOf(usage) };
}

const LENGTH_REASONS: readonly string[] = ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"];
const WINDOW_REASON = "model_context_window_exceeded";

/** The same of an answer as it came, on any of the wires; `null` for one of an unknown form. */
export function endedReplyIn(answer: unknown, usage: Usage | null): EndedReply | null {
  if (!isRecord(answer)) return null;
  const [choice, candidate] = [recordsAt(answer, "choices")[0], recordsAt(answer, "candidates")[0]];
  const reasons = [
    stringAt(answer, "stop_reason"),
    stringAt(answer, "finishReason"),
    stringAt(choice, "finish_reason"),
    stringAt(choice, "native_finish_reason"),
    stringAt(candidate, "finishReason"),
    answer.status === "incomplete" ? stringAt(recordAt(answer, "incomplete_details"), "reason") : null,
  ];
  if (reasons.every((reason) => reason === null)) return null;
  const isLength = reasons.some((reason) => reason !== null && LENGTH_REASONS.includes(reason));
  const message = recordAt(choice, "message");
  const saying = [
    ...recordsAt(answer, "content").filter(isSaying),
    ...recordsAt(answer, "output").filter((item) => item.type !== "reasoning"),
    ...recordsAt(recordAt(candidate, "content"), "parts").filter(({ thought }) => thought !== true),
    ...recordsAt(message, "tool_calls"),
  ];
  const text = `${stringAt(message, "content") ?? ""}${stringAt(answer, "text") ?? ""}`;
  return {
    stopReason: isLength ? "length" : "other",
    isWindowFull: reasons.includes(WINDOW_REASON),
    isEmpty: saying.length === 0 && text.trim() === "",
    ...(usage === null ? sizesIn(answer) : sizesOf(usage)),
  };
}

/** Sizes by the names that the wires have for them. */
function sizesIn(answer: Fields): Pick<EndedReply, "promptTokens" | "outputTokens"> {
  const usage = recordAt(answer, "usage") ?? recordAt(answer, "usageMetadata");
  const first = (...names: readonly string[]) =>
    names.map((name) => numberAt(usage, name)).find((value) => value !== null) ?? null;
  return {
    promptTokens: first("prompt_tokens", "input_tokens", "promptTokenCount"),
    outputTokens: first("completion_tokens", "output_tokens", "candidatesTokenCount"),
  };
}

function isSaying({ type, text }: Fields): boolean {
  if (type === "text") return typeof text === "string" && text.trim() !== "";
  return type !== "thinking" && type !== "redacted_thinking";
}

function sizesOf(usage: Usage | null): Pick<EndedReply, "promptTokens" | "outputTokens"> {
  return { promptTokens: usage?.input.totalTokens ?? null, outputTokens: usage?.output.totalTokens ?? null };
}
