import type { AssistantMessage, Message, MessageDraft, ToolResultMessage, UserMessage } from "@plimsoll/core";
import { textOf, usageOf } from "@plimsoll/core";
import type { AssistantModelMessage, ModelMessage } from "ai";
import type { Fields } from "../fields.ts";
import { jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { argumentsObject } from "../wire/call-arguments.ts";
import type { CompactorOptions } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { RequestOverhead } from "./array-log.ts";
import { imageAt, textParts, UNKNOWN_REPLY, userDraft } from "./content.ts";
import type { ItemGroup, WireArray } from "./wire-array.ts";

export type { CompactorOptions } from "./array-compactor.ts";
export type { RequestOverhead } from "./array-log.ts";

/** The part of the SDK's `PrepareStepFunction` that is used; it fits agents with any tools. */
export type PrepareStep = (step: {
  readonly steps: readonly unknown[];
  readonly messages: ModelMessage[];
}) => Promise<{ messages: ModelMessage[] }>;

/**
 * A `prepareStep` that sends a compacted array in place of the whole one. It learns from the usage of the steps before; an overflow that the
 * provider reports reaches the caller, since a step cannot be sent again from here.
 */
export function createPrepareStep(options: CompactorOptions, overhead: RequestOverhead = {}): PrepareStep {
  const compactor = createArrayCompactor(MODEL_MESSAGES, options);
  let observedSteps = 0;
  return async ({ steps, messages }) => {
    const last = steps.at(-1);
    if (steps.length < observedSteps) observedSteps = 0;
    if (last !== undefined && steps.length > observedSteps) compactor.observe(last);
    observedSteps = steps.length;
    return { messages: await compactor.fit(messages, overhead) };
  };
}

const MODEL_MESSAGES: WireArray<ModelMessage, unknown> = {
  groups: (items) => items.map(groupOf),
  systemOf: (items) => {
    const end = items.findIndex(({ role }) => role !== "system");
    const system = end < 0 ? items : items.slice(0, end);
    return { items: system, text: system.map((item) => stringAt(item, "content") ?? "").join("\n") };
  },
  encode: (messages) => messages.map(encoded),
  joined: (items) => items,
  observed: (step) => {
    const usage = recordAt(step, "usage");
    const details = recordAt(usage, "inputTokenDetails");
    const response = recordAt(step, "response");
    return {
      requestId: stringAt(response, "id") ?? "",
      modelId: stringAt(response, "modelId") ?? "",
      usage: usageOf({
        totalInputTokens: numberAt(usage, "inputTokens"),
        uncachedTokens: numberAt(details, "noCacheTokens"),
        cacheReadTokens: numberAt(details, "cacheReadTokens"),
        cacheWriteTokens: numberAt(details, "cacheWriteTokens"),
        outputTokens: numberAt(usage, "outputTokens"),
        reasoningTokens: numberAt(recordAt(usage, "outputTokenDetails"), "reasoningTokens"),
        raw: jsonValueOf(usage),
      }),
    };
  },
};

function groupOf(item: ModelMessage): ItemGroup<ModelMessage> {
  const text = stringAt(item, "content");
  const parts = text === null ? recordsAt(item, "content") : [{ type: "text", text }];
  switch (item.role) {
    case "assistant":
      return { items: [item], drafts: [{ ...UNKNOWN_REPLY, parts: parts.flatMap(replyParts) }] };
    case "tool":
      return { items: [item], drafts: parts.flatMap(resultDrafts) };
    case "user":
    case "system":
      return { items: [item], drafts: [userDraft(parts.flatMap(userParts))] };
    default:
      return item satisfies never;
  }
}

/** Results of tools that the provider ran, and questions of approval, are opaque: kept with the reply, never read. */
function replyParts(part: Fields): AssistantMessage["parts"] {
  switch (part.type) {
    case "text":
      return textParts(stringAt(part, "text") ?? "");
    case "reasoning":
      return [{ type: "reasoning", text: stringAt(part, "text") ?? "", opaque: jsonValueOf(part.providerOptions) }];
    case "tool-call": {
      if (part.providerExecuted === true) return [{ type: "reasoning", text: "", opaque: jsonValueOf(part) }];
      const names = { callId: stringAt(part, "toolCallId") ?? "", toolName: stringAt(part, "toolName") ?? "" };
      return [{ type: "tool-call", ...names, argumentsJson: JSON.stringify(part.input ?? {}), paths: [] }];
    }
    default:
      return [{ type: "reasoning", text: "", opaque: jsonValueOf(part) }];
  }
}

function resultDrafts(part: Fields): readonly MessageDraft[] {
  if (part.type !== "tool-result") return [];
  const output = recordAt(part, "output");
  const type = stringAt(output, "type") ?? "";
  const draft: Omit<ToolResultMessage, "id"> = {
    role: "tool-result",
    callId: stringAt(part, "toolCallId") ?? "",
    toolName: stringAt(part, "toolName") ?? "",
    isError: type.startsWith("error-") || type === "execution-denied",
    category: "generic",
    parts: outputParts(output),
    atMs: null,
  };
  return [draft];
}

function outputParts(output: Fields | null): UserMessage["parts"] {
  const text = stringAt(output, "value") ?? stringAt(output, "reason");
  if (text !== null) return textParts(text);
  return output?.type === "content" ? recordsAt(output, "value").flatMap(userParts) : textParts(JSON.stringify(output?.value));
}

/** A part that is no text and no image is kept as its JSON without its bytes: it is only read to be measured. */
function userParts(part: Fields): UserMessage["parts"] {
  if (part.type === "text") return textParts(stringAt(part, "text") ?? "");
  const data = part.image ?? part.data ?? part.url;
  const mediaType = stringAt(part, "mediaType") ?? "image/png";
  if (data === undefined) return textParts(JSON.stringify(part));
  if (data instanceof URL) return [imageAt(data.href, mediaType)];
  if (typeof data !== "string") return [{ ...imageAt("", mediaType), source: { kind: "absent" } }];
  return [imageAt(data.includes(":") ? data : `data:${mediaType};base64,${data}`, mediaType)];
}

function encoded(message: Message): ModelMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: textOf(message) };
    case "assistant":
      return {
        role: "assistant",
        content: message.parts.flatMap((part): Exclude<AssistantModelMessage["content"], string> => {
          if (part.type === "text") return [{ type: "text", text: part.text } as const];
          if (part.type === "reasoning") return [];
          const names = { toolCallId: part.callId, toolName: part.toolName };
          return [{ type: "tool-call", ...names, input: argumentsObject(part.argumentsJson) } as const];
        }),
      };
    case "tool-result": {
      const output = { type: message.isError ? "error-text" : "text", value: textOf(message) } as const;
      return {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: message.callId, toolName: message.toolName, output }],
      };
    }
    default:
      return message satisfies never;
  }
}
