import { type ImagePart, type TextPart, UNREPORTED_USAGE } from "@plimsoll/core";
import { contentParts } from "../content-parts.ts";
import { type Fields, recordAt, recordsAt, stringAt } from "../fields.ts";
import { imageFromUrl } from "../image.ts";
import {
  callDraft,
  type LogItem,
  type ReplyPart,
  type ResultItem,
  replyItem,
  resultItem,
  textPart,
  userItem,
} from "../log-items.ts";

/** True for a UI message: an id and parts in place of content. */
export function isUiMessage(message: Fields): boolean {
  return (
    Array.isArray(message.parts) &&
    typeof message.role === "string" &&
    recordsAt(message, "parts").every((part) => typeof part.type === "string")
  );
}

/** The items of a UI message. `step-start` separates the calls of an assistant's message; a call and its result are one part. */
export function uiMessageItems(message: Fields): readonly LogItem[] {
  const parts = recordsAt(message, "parts");
  const sourceId = stringAt(message, "id");
  if (message.role !== "assistant") {
    return [userItem(message.role === "user" ? "human" : "injected", parts.flatMap(inputPart), { sourceId })];
  }
  return stepsOf(parts).flatMap((step, index) => [
    replyItem(step.flatMap(replyPart), UNREPORTED_USAGE, { sourceId: index === 0 ? sourceId : null }),
    ...step.flatMap(toolResult),
  ]);
}

function stepsOf(parts: readonly Fields[]): readonly (readonly Fields[])[] {
  const steps: Fields[][] = [];
  for (const part of parts) {
    if (part.type === "step-start" || steps.length === 0) steps.push([]);
    if (part.type !== "step-start") steps.at(-1)?.push(part);
  }
  return steps.filter((step) => step.length > 0);
}

function inputPart(part: Fields): readonly (TextPart | ImagePart)[] {
  if (part.type === "text") return [textPart(stringAt(part, "text") ?? "")];
  return part.type === "file" ? [imageFromUrl(stringAt(part, "url") ?? "", stringAt(part, "mediaType"))] : [];
}

function toolNameOf(part: Fields): string | null {
  const type = stringAt(part, "type") ?? "";
  if (type === "dynamic-tool") return stringAt(part, "toolName") ?? "";
  return type.startsWith("tool-") ? type.slice("tool-".length) : null;
}

function replyPart(part: Fields): readonly ReplyPart[] {
  if (part.type === "text") return [textPart(stringAt(part, "text") ?? "")];
  if (part.type === "reasoning") return [{ type: "reasoning", text: stringAt(part, "text") ?? "", opaque: null }];
  const toolName = toolNameOf(part);
  if (toolName === null) return [];
  const args = recordAt(part, "input");
  return [
    callDraft(
      {},
      { callId: stringAt(part, "toolCallId") ?? "", toolName, argumentsJson: JSON.stringify(part.input ?? {}), args },
    ),
  ];
}

function toolResult(part: Fields): readonly LogItem[] {
  if (toolNameOf(part) === null) return [];
  const callId = stringAt(part, "toolCallId") ?? "";
  if (part.state === "output-available") return [resultItem(callId, outputParts(part.output))];
  if (part.state !== "output-error" && part.state !== "output-denied") return [];
  return [resultItem(callId, [textPart(stringAt(part, "errorText") ?? "")], { isError: true })];
}

/** Reads a tool's output as the model reads it: text as it is, content parts each, any other value as JSON. */
export function outputParts(value: unknown): ResultItem["parts"] {
  if (typeof value === "string") return [textPart(value)];
  const isContent =
    Array.isArray(value) && recordsAt({ value }, "value").some((part) => part.type === "text" || part.type === "media");
  return isContent ? contentParts(value) : [textPart(JSON.stringify(value ?? ""))];
}
